import type { LanguageModel } from '@parley/ports';
import type { CataloguedModel, LanguageModelProviderName } from './catalogue';
import type { LanguageModelConfig } from './language-model-variables';

/** An organization's own access to a provider, used before the installation's. */
export interface OwnAccess {
  readonly apiKey: string;
  /** The server of its choice. Only `fetch` may ask it: the address must not lead into our own network. */
  readonly baseUrl?: string | undefined;
  readonly fetch?: typeof fetch;
  /** What to ask that server for where the catalogue does not say. */
  readonly model?: string | undefined;
}

interface Opening {
  readonly model: string;
  readonly contextTokens: number;
  readonly config: LanguageModelConfig;
  readonly own: OwnAccess | undefined;
}

// Clients are loaded when they are opened: an installation without keys pays for none of them.
const openings: Record<LanguageModelProviderName, (opening: Opening) => Promise<LanguageModel>> = {
  builtin: async () => new (await import('../builtin-model')).BuiltinModel(),
  openai: async ({ config, own, ...model }) =>
    (await import('../openai-model')).openAiModel({ apiKey: config.OPENAI_API_KEY ?? '', ...own, ...model }),
  anthropic: async ({ config, own, ...model }) =>
    (await import('../anthropic-model')).anthropicModel({ apiKey: config.ANTHROPIC_API_KEY ?? '', ...own, ...model }),
  google: async ({ config, own, ...model }) =>
    (await import('../google-model')).googleModel({ apiKey: config.GOOGLE_API_KEY ?? '', ...own, ...model }),
  'llama-cpp': async ({ config, contextTokens }) =>
    (await import('../llama-cpp')).llamaCppAt({ path: config.LLAMA_MODEL_PATH ?? '', contextTokens }),
  'openai-compatible': async ({ config, own, contextTokens }) => {
    // A customer's server is asked through the guarded fetch, which LangChain's client takes.
    if (own) return (await import('../openai-model')).openAiModel({ contextTokens, model: '', ...own });
    const ours = { model: config.LLM_MODEL ?? '', apiKey: config.LLM_API_KEY ?? 'none', baseUrl: config.LLM_BASE_URL ?? '' };
    return new (await import('../chat-completions')).ChatCompletionsModel({ contextTokens, ...ours });
  },
};

/** A model of the catalogue, ready to be asked. */
export function openLanguageModel(
  { provider, entry }: CataloguedModel,
  config: LanguageModelConfig,
  own?: OwnAccess,
): Promise<LanguageModel> {
  return openings[provider.name]({ model: entry.model, contextTokens: entry.contextTokens, config, own });
}
