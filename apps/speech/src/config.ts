import { FileStoreVariables } from '@parley/providers/configured-files';
import { SpeechProviderVariables } from '@parley/providers/speech-catalogue';
import { duration, integer } from '@parley/service-kit';
import { z } from 'zod';

/** The environment variables of this service. */
export const SpeechVariables = FileStoreVariables.extend(SpeechProviderVariables.shape).extend({
  SPEECH_HEDGE: duration({ min: '50ms', max: '30s' }).optional().meta({
    description:
      'How long to wait for the first sound, or an open line, before the next speech provider is also asked. By default it never is, because both may charge.',
    example: '400ms',
  }),
  LINES_MAX: integer({ min: 1, max: 10_000 }).default(200).meta({
    description:
      'The maximum number of live lines on one replica; another replica takes the next one. See operations.md for how many a core can carry.',
    example: '25',
  }),
});
export type SpeechConfig = z.output<typeof SpeechVariables>;
