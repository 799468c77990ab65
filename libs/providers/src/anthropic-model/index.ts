import { ChatAnthropic } from '@langchain/anthropic';
import type { LanguageModel } from '@parley/ports';
import { LangchainModel } from '../langchain-model';

export interface AnthropicModelOptions {
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
  /** How its server is asked where the address is a customer’s. */
  readonly fetch?: typeof fetch | undefined;
}

/** Its scale of temperatures ends at 1, ours at 2. */
const temperatureMax = 1;

/** A model of Anthropic. */
export function anthropicModel({ model, contextTokens, apiKey, baseUrl, fetch }: AnthropicModelOptions): LanguageModel {
  return new LangchainModel({
    name: `anthropic/${model}`,
    capabilities: { contextTokens, hasTools: true },
    // Its reports are cumulative, and its client hands them on as they are.
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
