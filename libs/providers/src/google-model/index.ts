import type { LanguageModel } from '@parley/ports';
import { variableText } from '@parley/service-kit';
import { defineLanguageModelVendor } from '../vendor';

export interface GoogleModelOptions {
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
  /** The guarded fetch, if a customer chose the server. */
  readonly fetch?: typeof fetch | undefined;
}

/** A Gemini model. */
export async function googleModel({ model, contextTokens, apiKey, baseUrl, fetch }: GoogleModelOptions): Promise<LanguageModel> {
  const [{ ChatGoogle }, { LangchainModel }] = await Promise.all([import('@langchain/google'), import('../langchain-model')]);
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

/** A client that uses the given fetch, which the package's own client does not support. */
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

/** The models of Google. */
export const google = defineLanguageModelVendor({
  id: 4,
  name: 'google',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  models: [
    { id: 41, model: 'gemini-2.5-flash', contextTokens: 1_048_576 },
    { id: 42, model: 'gemini-2.5-pro', contextTokens: 1_048_576 },
    { id: 43, model: 'gemini-2.5-flash-lite', contextTokens: 1_048_576 },
  ],
  variables: {
    GOOGLE_API_KEY: variableText().optional().meta({ description: 'The key of the Gemini API.', example: 'AIza…', secret: true }),
  },
  settings: ['GOOGLE_API_KEY'],
  keyCheck: {
    baseUrl: 'https://generativelanguage.googleapis.com',
    path: '/v1beta/models?pageSize=1',
    method: 'GET',
    headers: (key) => ({ 'x-goog-api-key': key }),
  },
  open: ({ config, own, ...model }) => googleModel({ apiKey: config.GOOGLE_API_KEY ?? '', ...own, ...model }),
});
