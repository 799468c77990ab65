import { text } from '@parley/service-kit';
import { z } from 'zod';

/** Where speech comes from. Every service that lists or uses speech providers takes these, so that all see the same ones. */
export const SpeechProviderVariables = z.object({
  POCKETSPHINX_DIR: text().default('.cache/pocketsphinx').meta({
    description: 'Where pocketsphinx was unpacked. The system’s own installation is found without it.',
    example: '/opt/pocketsphinx',
  }),
});

export type SpeechProviderConfig = z.output<typeof SpeechProviderVariables>;
