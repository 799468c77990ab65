import type { LanguageModel } from '@parley/ports';
import { variableText } from '@parley/service-kit';
import { ChatCompletionsModel } from '../chat-completions';
import { defineLanguageModelVendor } from '../vendor';

export interface OpenAiModelOptions {
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
}

/** A model of OpenAI. */
export async function openAiModel({ model, contextTokens, apiKey, baseUrl }: OpenAiModelOptions): Promise<LanguageModel> {
  const [{ ChatOpenAICompletions }, { LangchainModel }] = await Promise.all([
    import('@langchain/openai'),
    import('../langchain-model'),
  ]);
  return new LangchainModel({
    name: `openai/${model}`,
    capabilities: { contextTokens, hasTools: true },
    client: ({ temperature, tokensMax: maxTokens }) =>
      new ChatOpenAICompletions({
        model,
        apiKey,
        temperature,
        maxTokens,
        streamUsage: true,
        maxRetries: 0,
        configuration: { baseURL: baseUrl, logLevel: 'off' },
      }),
  });
}

/** The models of OpenAI. */
export const openAi = defineLanguageModelVendor({
  id: 2,
  name: 'openai',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  models: [
    { id: 21, model: 'gpt-4.1-mini', contextTokens: 1_047_576 },
    { id: 22, model: 'gpt-4.1', contextTokens: 1_047_576 },
    { id: 23, model: 'gpt-4o-mini', contextTokens: 128_000 },
    { id: 24, model: 'gpt-4.1-nano', contextTokens: 1_047_576 },
    { id: 25, model: 'gpt-4o', contextTokens: 128_000 },
  ],
  variables: {
    OPENAI_API_KEY: variableText().optional().meta({ description: 'The key of OpenAI.', example: 'sk-…', secret: true }),
  },
  settings: ['OPENAI_API_KEY'],
  keyCheck: {
    baseUrl: 'https://api.openai.com/v1',
    path: '/models',
    method: 'GET',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
  open: async ({ config, own, ...model }) => {
    const { baseUrl, apiKey = config.OPENAI_API_KEY ?? '' } = own ?? {};
    // An address chosen by an organization is another server with the same protocol.
    return baseUrl ? new ChatCompletionsModel({ ...own, ...model, apiKey, baseUrl }) : openAiModel({ apiKey, ...model });
  },
});
