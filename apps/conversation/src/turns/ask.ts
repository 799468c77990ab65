import type { ConversationChannel, SpeechLanguage, Variables } from '@parley/contracts';
import type { z } from 'zod';

/** A question in text, whichever way it came. */
export interface Ask {
  readonly question: string;
  readonly channel: z.output<typeof ConversationChannel>;
  readonly includeSources: boolean;
  readonly AgentKeyID?: string | undefined;
  readonly sessionUUID?: string | undefined;
  readonly language?: SpeechLanguage | undefined;
  readonly variables?: z.output<typeof Variables> | undefined;
}
