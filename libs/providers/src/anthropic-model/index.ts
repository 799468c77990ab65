import type { LanguageModel } from '@parley/ports';
import { variableText } from '@parley/service-kit';
import { defineLanguageModelVendor } from '../vendor';

export interface AnthropicModelOptions {
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
  /** The guarded fetch, if a customer chose the server. */
  readonly fetch?: typeof fetch | undefined;
}

/** Its temperatures end at 1, ours at 2. */
const temperatureMax = 1;

/** A model of Anthropic. */
export async function anthropicModel({
  model,
  contextTokens,
  apiKey,
  baseUrl,
  fetch,
}: AnthropicModelOptions): Promise<LanguageModel> {
  const [{ ChatAnthropic }, { LangchainModel }] = await Promise.all([
    import('@langchain/anthropic'),
    import('../langchain-model'),
  ]);
  return new LangchainModel({
    name: `anthropic/${model}`,
    capabilities: { contextTokens, hasTools: true },
    // Usage reports are cumulative, and the client passes them on unchanged.
    counting: 'totals',
    client: ({ temperature, tokensMax: maxTokens }) =>
      new ChatAnthropic({
        model,
        apiKey,
        maxTokens,
        maxRetries: 0,
        temperature: Math.min(temperature, temperatureMax),
        clientOptions: { logLevel: 'off', ...(fetch && { fetch }) },
        ...(baseUrl && { anthropicApiUrl: baseUrl }),
      }),
  });
}

/** The models of Anthropic. */
export const anthropic = defineLanguageModelVendor({
  id: 3,
  name: 'anthropic',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  models: [
    { id: 31, model: 'claude-haiku-4-5', contextTokens: 200_000 },
    { id: 32, model: 'claude-sonnet-4-5', contextTokens: 200_000 },
    { id: 33, model: 'claude-opus-4-1', contextTokens: 200_000 },
  ],
  variables: {
    ANTHROPIC_API_KEY: variableText()
      .optional()
      .meta({ description: 'The key of Anthropic.', example: 'sk-ant-…', secret: true }),
  },
  settings: ['ANTHROPIC_API_KEY'],
  keyCheck: {
    baseUrl: 'https://api.anthropic.com',
    path: '/v1/models',
    method: 'GET',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  open: ({ config, own, ...model }) => anthropicModel({ apiKey: config.ANTHROPIC_API_KEY ?? '', ...own, ...model }),
});
