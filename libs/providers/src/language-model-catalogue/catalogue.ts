import type { LanguageModelConfig } from './language-model-variables';

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
