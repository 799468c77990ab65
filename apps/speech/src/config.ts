import { FileStoreVariables } from '@parley/providers/configured-files';
import { SpeechProviderVariables } from '@parley/providers/speech-catalogue';
import { duration } from '@parley/service-kit';
import { z } from 'zod';

/** The environment variables of this service. */
export const SpeechVariables = FileStoreVariables.extend(SpeechProviderVariables.shape).extend({
  SPEECH_HEDGE: duration().optional().meta({
    description:
      'After how long without a first sound, or an open line, the next speech provider is asked too. Absent: never, for it may cost both.',
    example: '400ms',
  }),
});
export type SpeechConfig = z.output<typeof SpeechVariables>;
