import { ChatGoogle } from '@langchain/google';
import type { LanguageModel } from '@parley/ports';
import { LangchainModel } from '../langchain-model';

export interface GoogleModelOptions {
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
}

/** A Gemini model. */
export function googleModel({ model, contextTokens, apiKey, baseUrl }: GoogleModelOptions): LanguageModel {
  return new LangchainModel({
    name: `google/${model}`,
    capabilities: { contextTokens, hasTools: true },
    client: ({ temperature, tokensMax: maxOutputTokens }) =>
      new ChatGoogle({
        model,
        apiKey,
        temperature,
        maxOutputTokens,
        maxRetries: 0,
        endpoint: baseUrl ?? 'generativelanguage.googleapis.com',
      }),
  });
}
