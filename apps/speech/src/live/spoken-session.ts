import type { openVoiceSession } from '@parley/contracts';
import type { z } from 'zod';

type Opening = z.output<typeof openVoiceSession.opening>;

/** A session as its turns are asked in it. */
export interface SpokenSession extends Pick<Opening, 'AgentKeyID' | 'channel' | 'variables' | 'language'> {
  readonly sessionUUID: string;
}
