import type { LanguageModel } from '@parley/ports';
import { text, url } from '@parley/service-kit';
import { z } from 'zod';

interface ModelEntry {
  /** Unique among all providers. It never changes and is never used again: agents refer to it. */
  readonly id: number;
  /** What its provider calls it. */
  readonly model: string;
  readonly contextTokens: number;
}

export interface LanguageModelProvider {
  /** Never changes and is never used again: agents refer to it. */
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  /** Variables without which it does not work, unless an organization brings a key of its own. */
  readonly settings: readonly (keyof LanguageModelConfig)[];
  readonly grade: 'demo' | 'production';
  readonly latency: 'instant' | 'live' | 'slow';
  readonly models: readonly ModelEntry[];
}

/** The language models of this build. The first provider with its settings is the installation's default; the last needs none. */
export const languageModelProviders = [
  {
    id: 5,
    name: 'openai-compatible',
    isLocal: false,
    settings: ['LLM_BASE_URL', 'LLM_MODEL'],
    grade: 'production',
    latency: 'live',
    // The model that LLM_MODEL names; its size is not ours to know, so a modest one is assumed.
    models: [{ id: 51, model: 'configured', contextTokens: 8192 }],
  },
  {
    id: 2,
    name: 'openai',
    isLocal: false,
    settings: ['OPENAI_API_KEY'],
    grade: 'production',
    latency: 'live',
    models: [
      { id: 21, model: 'gpt-4.1-mini', contextTokens: 1_047_576 },
      { id: 22, model: 'gpt-4.1', contextTokens: 1_047_576 },
      { id: 23, model: 'gpt-4o-mini', contextTokens: 128_000 },
      { id: 24, model: 'gpt-4.1-nano', contextTokens: 1_047_576 },
      { id: 25, model: 'gpt-4o', contextTokens: 128_000 },
    ],
  },
  {
    id: 3,
    name: 'anthropic',
    isLocal: false,
    settings: ['ANTHROPIC_API_KEY'],
    grade: 'production',
    latency: 'live',
    models: [
      { id: 31, model: 'claude-haiku-4-5', contextTokens: 200_000 },
      { id: 32, model: 'claude-sonnet-4-5', contextTokens: 200_000 },
      { id: 33, model: 'claude-opus-4-1', contextTokens: 200_000 },
    ],
  },
  {
    id: 4,
    name: 'google',
    isLocal: false,
    settings: ['GOOGLE_API_KEY'],
    grade: 'production',
    latency: 'live',
    models: [
      { id: 41, model: 'gemini-2.5-flash', contextTokens: 1_048_576 },
      { id: 42, model: 'gemini-2.5-pro', contextTokens: 1_048_576 },
      { id: 43, model: 'gemini-2.5-flash-lite', contextTokens: 1_048_576 },
    ],
  },
  {
    id: 6,
    name: 'llama-cpp',
    isLocal: true,
    settings: ['LLAMA_MODEL_PATH'],
    grade: 'production',
    latency: 'slow',
    // The model that LLAMA_MODEL_PATH names, with memory for as much as this.
    models: [{ id: 61, model: 'configured', contextTokens: 8192 }],
  },
  {
    id: 1,
    name: 'builtin',
    isLocal: true,
    settings: [],
    grade: 'demo',
    latency: 'instant',
    models: [{ id: 1, model: 'extractive', contextTokens: 8192 }],
  },
] as const satisfies readonly LanguageModelProvider[];

export type LanguageModelProviderName = (typeof languageModelProviders)[number]['name'];

/** A model together with its provider. */
export interface CataloguedModel {
  readonly provider: (typeof languageModelProviders)[number];
  readonly entry: ModelEntry;
}

/** The variables that a provider still lacks on this installation. */
export function missingSettings({ settings }: LanguageModelProvider, config: LanguageModelConfig): string[] {
  return settings.filter((name) => config[name] === undefined);
}

/** The model of an id, if this build has it. */
export function modelById(id: number): CataloguedModel | undefined {
  for (const provider of languageModelProviders) {
    const entry = provider.models.find((model: ModelEntry) => model.id === id);
    if (entry) return { provider, entry };
  }
  return undefined;
}

/** What agents speak with that name no model. */
export function defaultModel(config: LanguageModelConfig): CataloguedModel {
  const provider = languageModelProviders.find((one) => missingSettings(one, config).length === 0);
  if (!provider) throw new TypeError('the builtin model needs no settings');
  return { provider, entry: provider.models[0] };
}

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

/** Where language models come from. Every service that lists or uses them takes these, so that all see the same ones. */
export const LanguageModelVariables = z.object({
  OPENAI_API_KEY: text().optional().meta({ description: 'The key of OpenAI.', example: 'sk-…', secret: true }),
  ANTHROPIC_API_KEY: text().optional().meta({ description: 'The key of Anthropic.', example: 'sk-ant-…', secret: true }),
  GOOGLE_API_KEY: text().optional().meta({ description: 'The key of the Gemini API.', example: 'AIza…', secret: true }),
  LLM_BASE_URL: url('http', 'https').optional().meta({
    description: 'A server of your own that speaks OpenAI’s protocol: vLLM, Ollama, llama.cpp, LiteLLM.',
    example: 'http://vllm:8000/v1',
  }),
  LLM_API_KEY: text().optional().meta({ description: 'The key of that server, if it wants one.', example: '…', secret: true }),
  LLM_MODEL: text().optional().meta({ description: 'The model to ask there.', example: 'qwen3-8b' }),
  LLAMA_MODEL_PATH: text().optional().meta({
    description: 'A GGUF file that the conversation service runs itself. Needs the optional package node-llama-cpp 3.22.',
    example: '/var/lib/parley/models/qwen3-4b-q4.gguf',
  }),
});

export type LanguageModelConfig = z.output<typeof LanguageModelVariables>;
