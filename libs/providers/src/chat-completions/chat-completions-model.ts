import { type LanguageModel, type LanguageModelCapabilities, type ModelEvent, type ModelRequest, ProviderFailure } from '@parley/ports';
import { ModelAnswer, toProviderFailure } from '../model-answer';
import { pieceOf } from './answer-piece';
import { JsonPoster } from './json-poster';
import { bodyOf } from './request-body';
import { readEvents } from './server-events';

export interface ChatCompletionsOptions {
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  /** Of any server that speaks OpenAI's protocol: vLLM, Ollama, llama.cpp, LiteLLM. */
  readonly baseUrl: string;
}

/**
 * A server that speaks OpenAI's chat completions, spoken to directly. LangChain's client for the same protocol costs several
 * times the CPU of everything else in a turn; the servers that are one's own have none of the vendor's peculiarities.
 */
export class ChatCompletionsModel implements LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModelCapabilities;
  private readonly server: JsonPoster;

  constructor(private readonly options: ChatCompletionsOptions) {
    this.name = `openai-compatible/${options.model}`;
    this.capabilities = { contextTokens: options.contextTokens, hasTools: true };
    const url = new URL(`${options.baseUrl.replace(/\/+$/, '')}/chat/completions`);
    this.server = new JsonPoster(url, { authorization: `Bearer ${options.apiKey}` });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const answer = new ModelAnswer(this.name, 'totals');
    try {
      const response = await this.server.post(bodyOf(this.options.model, request), signal);
      for await (const data of readEvents(response)) {
        const text = answer.take(pieceOf(this.name, data));
        if (text !== '') yield { type: 'text', text };
        signal.throwIfAborted();
      }
      yield* answer.rest();
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ProviderFailure ? error : toProviderFailure(this.name, error);
    }
  }
}
