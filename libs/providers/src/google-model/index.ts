import { ChatGoogle } from '@langchain/google';
import type { LanguageModel } from '@parley/ports';
import { LangchainModel } from '../langchain-model';

export interface GoogleModelOptions {
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
  /** How its server is asked where the address is a customer’s. */
  readonly fetch?: typeof fetch | undefined;
}

/** A Gemini model. */
export function googleModel({ model, contextTokens, apiKey, baseUrl, fetch }: GoogleModelOptions): LanguageModel {
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
        ...(fetch && { apiClient: clientOver(fetch, apiKey) }),
      }),
  });
}

/** The package's own client takes no fetch. */
function clientOver(ask: typeof fetch, apiKey: string) {
  return {
    hasApiKey: () => true,
    getProjectId: async () => 'unknown-project-id',
    fetch: (request: Request) => {
      request.headers.set('x-goog-api-key', apiKey);
      return ask(request);
    },
  };
}
