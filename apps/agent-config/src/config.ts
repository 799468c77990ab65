import { LanguageModelVariables } from '@parley/providers/language-model-catalogue';
import { SpeechProviderVariables } from '@parley/providers/speech-catalogue';
import { SecretKeyVariables } from '@parley/service-kit';
import { z } from 'zod';

/** The agent service's variables, in addition to the common ones. */
export const AgentConfigVariables = z.object({
  ...SecretKeyVariables.shape,
  ...LanguageModelVariables.shape,
  ...SpeechProviderVariables.shape,
});
export type AgentConfiguration = z.output<typeof AgentConfigVariables>;
