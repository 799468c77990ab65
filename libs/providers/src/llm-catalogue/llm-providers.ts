import type { LlmProviderConfig } from './llm-provider-variables';

/** What a provider of language models says of itself. */
export interface LlmProviderEntry {
  /** Never changes and is never used again: agents refer to it. */
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  /** Variables without which it does not work. */
  readonly settings: readonly (keyof LlmProviderConfig)[];
  readonly latency: 'instant' | 'live' | 'slow';
  readonly grade: 'demo' | 'production';
  /** A model's id is unique among all providers; `model` is what its provider calls it. */
  readonly models: readonly { readonly id: number; readonly model: string; readonly contextTokens: number }[];
}

/** The model that LLM_MODEL names; its size is not ours to know, so a modest one is assumed. */
const configuredModel = { id: 41, model: 'configured', contextTokens: 8192 };

/** The providers of language models of this build, in the order in which they stand in for one another. */
export const llmProviders = [
  {
    id: 1, name: 'builtin', isLocal: true, settings: [], latency: 'instant', grade: 'demo',
    models: [{ id: 1, model: 'extractive', contextTokens: 8192 }],
  },
  {
    id: 2, name: 'openai', isLocal: false, settings: ['OPENAI_API_KEY'], latency: 'live', grade: 'production',
    models: [
      { id: 11, model: 'gpt-4.1-mini', contextTokens: 1_047_576 },
      { id: 12, model: 'gpt-4.1', contextTokens: 1_047_576 },
      { id: 13, model: 'gpt-4.1-nano', contextTokens: 1_047_576 },
      { id: 14, model: 'gpt-4o', contextTokens: 128_000 },
      { id: 15, model: 'gpt-4o-mini', contextTokens: 128_000 },
    ],
  },
  {
    id: 3, name: 'anthropic', isLocal: false, settings: ['ANTHROPIC_API_KEY'], latency: 'live', grade: 'production',
    models: [
      { id: 21, model: 'claude-haiku-4-5', contextTokens: 200_000 },
      { id: 22, model: 'claude-sonnet-4-5', contextTokens: 200_000 },
      { id: 23, model: 'claude-opus-4-1', contextTokens: 200_000 },
    ],
  },
  {
    id: 4, name: 'google', isLocal: false, settings: ['GOOGLE_API_KEY'], latency: 'live', grade: 'production',
    models: [
      { id: 31, model: 'gemini-2.5-flash', contextTokens: 1_048_576 },
      { id: 32, model: 'gemini-2.5-pro', contextTokens: 1_048_576 },
      { id: 33, model: 'gemini-2.5-flash-lite', contextTokens: 1_048_576 },
    ],
  },
  {
    id: 5, name: 'openai-compatible', isLocal: false, settings: ['LLM_BASE_URL', 'LLM_MODEL'], latency: 'live', grade: 'production',
    models: [configuredModel],
  },
] as const satisfies readonly LlmProviderEntry[];

export type LlmProviderName = (typeof llmProviders)[number]['name'];

/** The model behind a public id, with the provider that it belongs to. */
export function llmModelOf(id: number): { provider: LlmProviderName; providerId: number; model: string; contextTokens: number } | undefined {
  for (const { name, id: providerId, models } of llmProviders) {
    const found = models.find((model) => model.id === id);
    if (found) return { provider: name, providerId, model: found.model, contextTokens: found.contextTokens };
  }
  return undefined;
}
