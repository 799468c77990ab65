import { StringDecoder } from 'node:string_decoder';
import { lookalikeOf } from '@parley/contracts';
import {
  type LanguageModel,
  type LanguageModelCapabilities,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  ProviderFailure,
  sentMessages,
  type ToolSpecification,
} from '@parley/ports';
import { variableText, url } from '@parley/service-kit';
import { z } from 'zod';
import { type AnswerPiece, ModelAnswer, toProviderFailure } from '../model-answer';
import { defineLanguageModelVendor } from '../vendor';
import { FetchedServer, type ModelResponse, type ModelServer, OwnServer } from './model-servers';

const lineCharactersMax = 1_000_000;

const lastWords = '[DONE]';

/** How long a server may take to end the response after its last chunk; otherwise its connection is not reused. */
const farewellMs = 50;

// Servers differ in what they omit, send as null or send as a whole; all variants are accepted.
const CallPiece = z.object({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z
    .object({ name: z.string().nullish(), arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish() })
    .nullish(),
});

const ContentPart = z.object({ text: z.string().nullish() });

const Delta = z.object({
  content: z.union([z.string(), z.array(ContentPart)]).nullish(),
  tool_calls: z.array(CallPiece).nullish(),
  // Thoughts, if the server separates them from the answer. They are only counted, like usage.
  reasoning_content: z.string().nullish().catch(undefined),
  reasoning: z.string().nullish().catch(undefined),
});

const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })).nullish(),
  // An unreadable count must not invalidate the answer.
  usage: z
    .object({
      prompt_tokens: z.number().nullish(),
      completion_tokens: z.number().nullish(),
      total_tokens: z.number().nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  error: z.unknown().optional(),
});

interface ChatCompletionsOptions {
  /** Whose servers these are; absent for a server of the operator's or a customer's own. */
  readonly vendor?: string;
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  /** The URL of any server that implements OpenAI's protocol: vLLM, Ollama, llama.cpp, LiteLLM. */
  readonly baseUrl: string;
  /** The guarded fetch, if a customer chose the server. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * A client for OpenAI's chat completions. LangChain's client for the same protocol takes several times the CPU of everything else in a
 * turn, and loses the tool calls of servers that do not stream exactly as OpenAI does.
 */
export class ChatCompletionsModel implements LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModelCapabilities;
  private readonly server: ModelServer;

  constructor(private readonly options: ChatCompletionsOptions) {
    this.name = `${options.vendor ?? 'openai-compatible'}/${options.model}`;
    this.capabilities = { contextTokens: options.contextTokens, hasTools: true };
    const url = new URL(`${options.baseUrl.replace(/\/+$/, '')}/chat/completions`);
    const headers = { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' };
    this.server = options.fetch ? new FetchedServer(options.fetch, url, headers) : new OwnServer(url, headers);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const answer = new ModelAnswer(this.name, 'totals');
    try {
      const response = await this.server.post(bodyOf(this.options.model, request), signal);
      for await (const data of readEvents(response)) {
        const text = answer.take(data === lastWords ? ended : pieceOf(this.name, data));
        if (answer.thought !== '') await request.onThought?.(answer.thought);
        if (text !== '') yield { type: 'text', text };
        signal.throwIfAborted();
      }
      yield* answer.rest();
    } catch (error) {
      signal.throwIfAborted();
      throw toProviderFailure(this.name, error);
    }
  }
}

/** Some servers do not state a reason for the end. */
const ended: AnswerPiece = { text: '', hasEnded: true };

/** Parses an event of the stream, which on some servers may be a failure. */
function pieceOf(model: string, data: string): AnswerPiece {
  const { choices, usage, error } = Chunk.parse(JSON.parse(data));
  if (error) throw new ProviderFailure(model, 'it failed in the middle of its answer', { retryable: true, cause: error });
  const [choice] = choices ?? [];
  const calls = choice?.delta?.tool_calls?.map(({ index, id, function: called }) => {
    return {
      index: index ?? undefined,
      id: id ?? undefined,
      name: called?.name ?? undefined,
      args: writtenOf(called?.arguments),
    };
  });
  return {
    text: textOf(choice?.delta?.content),
    reasoning: choice?.delta?.reasoning_content ?? choice?.delta?.reasoning ?? undefined,
    tool_call_chunks: calls,
    response_metadata: choice?.finish_reason ? { finish_reason: choice.finish_reason } : undefined,
    usage_metadata: usageIn(usage ?? {}),
  };
}

/** Some servers leave thoughts out of the completion, and count them in the total only. */
function usageIn(usage: NonNullable<z.output<typeof Chunk>['usage']>): AnswerPiece['usage_metadata'] {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  if (typeof prompt !== 'number' || typeof completion !== 'number') return undefined;
  return { input_tokens: prompt, output_tokens: Math.max(completion, (total ?? 0) - prompt) };
}

function writtenOf(given: string | object | null | undefined): string | undefined {
  return typeof given === 'object' && given !== null ? JSON.stringify(given) : (given ?? undefined);
}

function textOf(content: z.output<typeof Delta>['content']): string {
  return typeof content === 'object' && content !== null ? content.map(({ text = '' }) => text ?? '').join('') : (content ?? '');
}

/** The request body for a conversation. */
function bodyOf(model: string, request: ModelRequest): string {
  const { system, tools, temperature, tokensMax } = request;
  const body = JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    temperature,
    max_tokens: tokensMax,
    messages: [{ role: 'system', content: system }, ...sentMessages(request).map(messageOf)],
    // Several servers refuse an empty list.
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
  });
  return body.replace(controlMark, (mark) => mark.replace(/[<>[\]]/gu, lookalikeOf));
}

/**
 * What separates messages inside of open models. Several servers read such marks in the text of a message too, so a caller, a document or
 * a tool that writes them could speak as the system.
 */
const controlMark =
  /<[|｜][^<>]{0,40}[|｜]>|<\/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn)>|<<\/?SYS>>|\[\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]{1,10})\]/gu;

function messageOf(message: ModelMessage): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: given }) => {
        return { id, type: 'function', function: { name, arguments: JSON.stringify(given ?? {}) } };
      });
      return { role: 'assistant', content: message.text, ...(calls.length > 0 && { tool_calls: calls }) };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
  }
}

function toolOf({ name, description, parameters }: ToolSpecification): object {
  return { type: 'function', function: { name, description, parameters } };
}

/**
 * The data lines of an event stream, up to its last one. After that the connection can be reused; if the loop is left earlier, it is
 * closed, so that the server stops.
 */
async function* readEvents(response: ModelResponse): AsyncGenerator<string> {
  const lines = new Lines();
  let farewell: NodeJS.Timeout | undefined;
  try {
    for await (const bytes of response) {
      for (const line of lines.of(bytes)) {
        const data = farewell ? '' : dataIn(line);
        if (data === lastWords) farewell = setTimeout(() => response.destroy(), farewellMs);
        if (data !== '') yield data;
      }
    }
    const data = farewell ? '' : dataIn(lines.rest());
    if (data !== '') yield data;
  } catch (error) {
    // A failure after the final chunk does not matter.
    if (!farewell) throw error;
  } finally {
    clearTimeout(farewell);
  }
}

/** The data of a line; empty for comments, event names and keep-alives. */
function dataIn(line: string): string {
  return line.startsWith('data:') ? line.slice('data:'.length).trim() : '';
}

/** Splits a stream of bytes into lines. An incomplete line is kept in parts, so that it is not scanned again. */
class Lines {
  private readonly decoder = new StringDecoder('utf8');
  private parts: string[] = [];
  private waiting = 0;

  *of(bytes: Uint8Array): Generator<string> {
    const text = this.decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.keep(text.slice(start, end));
      yield this.rest();
      start = end + 1;
    }
    this.keep(text.slice(start));
  }

  /** The incomplete last line. */
  rest(): string {
    const line = this.parts.join('');
    this.parts = [];
    this.waiting = 0;
    return line;
  }

  private keep(part: string): void {
    if (part === '') return;
    this.parts.push(part);
    this.waiting += part.length;
    if (this.waiting > lineCharactersMax) throw new Error('a line of the event stream does not end');
  }
}

/** Any server that speaks OpenAI’s protocol. */
export const openAiCompatible = defineLanguageModelVendor({
  id: 5,
  name: 'openai-compatible',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  // The model named by LLM_MODEL; its context size is unknown, so a modest one is assumed.
  models: [{ id: 51, model: 'configured', contextTokens: 8192 }],
  variables: {
    LLM_BASE_URL: url('http', 'https')
      .optional()
      .meta({
        description: 'A server of your own that speaks OpenAI’s protocol: vLLM, Ollama, llama.cpp, LiteLLM.',
        example: 'http://vllm:8000/v1',
        needs: ['LLM_MODEL'],
      }),
    LLM_API_KEY: variableText()
      .optional()
      .meta({ description: 'The key of that server, if it requires one.', example: '…', secret: true, needs: ['LLM_BASE_URL'] }),
    LLM_MODEL: variableText()
      .optional()
      .meta({ description: 'The model to request from that server.', example: 'qwen3-8b', needs: ['LLM_BASE_URL'] }),
  },
  settings: ['LLM_BASE_URL', 'LLM_MODEL'],
  keyCheck: {
    baseUrl: null,
    path: '/models',
    method: 'GET',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    isModelRequired: true,
  },
  open: async ({ config, own, contextTokens }) => {
    const ours = { model: config.LLM_MODEL ?? '', apiKey: config.LLM_API_KEY ?? 'none', baseUrl: config.LLM_BASE_URL ?? '' };
    if (!own) return new ChatCompletionsModel({ contextTokens, ...ours });
    const { model = '', baseUrl = '', ...access } = own;
    return new ChatCompletionsModel({ contextTokens, model, baseUrl, ...access });
  },
});
