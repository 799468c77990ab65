import type { LanguageModel } from '@parley/ports';
import type { CataloguedModel, LanguageModelProviderName } from './catalogue';
import type { LanguageModelConfig } from './language-model-variables';

interface Opening {
  readonly model: string;
  readonly contextTokens: number;
  readonly config: LanguageModelConfig;
  /** An organization's own key, used before the installation's. */
  readonly apiKey?: string | undefined;
}

// Clients are loaded when they are opened: an installation without keys pays for none of them.
const openings: Record<LanguageModelProviderName, (opening: Opening) => Promise<LanguageModel>> = {
  builtin: async () => new (await import('../builtin-model')).BuiltinModel(),
  openai: async ({ config, apiKey = config.OPENAI_API_KEY ?? '', ...model }) =>
    (await import('../openai-model')).openAiModel({ ...model, apiKey }),
  anthropic: async ({ config, apiKey = config.ANTHROPIC_API_KEY ?? '', ...model }) =>
    (await import('../anthropic-model')).anthropicModel({ ...model, apiKey }),
  google: async ({ config, apiKey = config.GOOGLE_API_KEY ?? '', ...model }) =>
    (await import('../google-model')).googleModel({ ...model, apiKey }),
  'openai-compatible': async ({ config, contextTokens, apiKey = config.LLM_API_KEY ?? 'none' }) =>
    (await import('../openai-model')).openAiModel({
      model: config.LLM_MODEL ?? '',
      contextTokens,
      apiKey,
      baseUrl: config.LLM_BASE_URL,
    }),
};

/** A model of the catalogue, ready to be asked. */
export function openLanguageModel(
  { provider, entry }: CataloguedModel,
  config: LanguageModelConfig,
  apiKey?: string,
): Promise<LanguageModel> {
  return openings[provider.name]({ model: entry.model, contextTokens: entry.contextTokens, config, apiKey });
}
