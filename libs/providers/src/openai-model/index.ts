import { ChatOpenAICompletions } from '@langchain/openai';
import type { LanguageModel } from '@parley/ports';
import { LangchainModel } from '../langchain-model';

export interface OpenAiModelOptions {
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  /** Of any server that speaks OpenAI's protocol: vLLM, Ollama, llama.cpp, LiteLLM. */
  readonly baseUrl?: string | undefined;
  /** How its server is asked where the address is a customer’s. */
  readonly fetch?: typeof fetch | undefined;
}

/** A model of OpenAI, or of a server that speaks its chat completions. */
export function openAiModel({ model, contextTokens, apiKey, baseUrl, fetch }: OpenAiModelOptions): LanguageModel {
  return new LangchainModel({
    name: `${baseUrl ? 'openai-compatible' : 'openai'}/${model}`,
    capabilities: { contextTokens, hasTools: true },
    client: ({ temperature, tokensMax: maxTokens }) =>
      new ChatOpenAICompletions({
        model,
        apiKey,
        temperature,
        maxTokens,
        streamUsage: true,
        maxRetries: 0,
        configuration: { baseURL: baseUrl, logLevel: 'off', ...(fetch && { fetch }) },
      }),
  });
}
