import { LanguageModelVariables } from '@parley/providers/language-model-catalogue';
import { SpeechProviderVariables } from '@parley/providers/speech-catalogue';
import { SecretKeyVariables } from '@parley/service-kit';
import { z } from 'zod';

/** The variables of the agent service, on top of those that every service has. */
export const AgentConfigVariables = z.object({
  ...SecretKeyVariables.shape,
  ...LanguageModelVariables.shape,
  ...SpeechProviderVariables.shape,
});
export type AgentConfiguration = z.output<typeof AgentConfigVariables>;
