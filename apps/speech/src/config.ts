import { FileStoreVariables } from '@parley/providers/configured-files';
import { SpeechProviderVariables } from '@parley/providers/speech-catalogue';
import type { z } from 'zod';

/** The environment variables of this service. */
export const SpeechVariables = FileStoreVariables.extend(SpeechProviderVariables.shape);
export type SpeechConfig = z.output<typeof SpeechVariables>;
