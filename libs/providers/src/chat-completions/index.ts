import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
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
import { text, url } from '@parley/service-kit';
import { z } from 'zod';
import { type AnswerPiece, ModelAnswer, toProviderFailure } from '../model-answer';
import { defineLanguageModelVendor } from '../vendor';

const lineCharactersMax = 1_000_000;

const lastWords = '[DONE]';

/** How long a server that has said its last word is given to end the response; its connection is not used again otherwise. */
const farewellMs = 50;

// What servers make of the protocol differs: what they may leave out, write as null or give whole is accepted as that.
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
});

const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })).nullish(),
  // It only counts: an answer is not thrown away for a count that cannot be read.
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish().catch(undefined),
  error: z.unknown().optional(),
});

interface ChatCompletionsOptions {
  /** Whose servers these are; absent for a server of the operator's or a customer's own. */
  readonly vendor?: string;
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string;
  /** Of any server that speaks OpenAI's protocol: vLLM, Ollama, llama.cpp, LiteLLM. */
  readonly baseUrl: string;
  /** How its server is asked where the address is a customer’s. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * A server that speaks OpenAI's chat completions, spoken to directly. LangChain's client for the same protocol costs several
 * times the CPU of everything else in a turn, and loses the tool calls of servers that do not stream as OpenAI does.
 */
export class ChatCompletionsModel implements LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModelCapabilities;
  private readonly server: Server;

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

/** Some servers say no reason for the end. */
const ended: AnswerPiece = { text: '', hasEnded: true };

/** One event of the stream. Some servers tell a failure in the middle as an event of its own. */
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
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage ?? {};
  return {
    text: textOf(choice?.delta?.content),
    tool_call_chunks: calls,
    response_metadata: choice?.finish_reason ? { finish_reason: choice.finish_reason } : undefined,
    usage_metadata:
      typeof input_tokens === 'number' && typeof output_tokens === 'number' ? { input_tokens, output_tokens } : undefined,
  };
}

function writtenOf(given: string | object | null | undefined): string | undefined {
  return typeof given === 'object' && given !== null ? JSON.stringify(given) : (given ?? undefined);
}

function textOf(content: z.output<typeof Delta>['content']): string {
  return typeof content === 'object' && content !== null ? content.map(({ text = '' }) => text ?? '').join('') : (content ?? '');
}

/** A conversation as the protocol writes it. */
function bodyOf(model: string, request: ModelRequest): string {
  const { system, tools, temperature, tokensMax } = request;
  return JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    temperature,
    max_tokens: tokensMax,
    messages: [{ role: 'system', content: system }, ...sentMessages(request).map(messageOf)],
    // Several servers refuse an empty list.
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
  });
}

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
 * The data lines of an event stream up to its last word. Afterwards the connection is ready for the next request; left earlier,
 * it is closed, so that the server stops.
 */
async function* readEvents(response: Readable): AsyncGenerator<string> {
  const lines = new Lines();
  let farewell: NodeJS.Timeout | undefined;
  try {
    const body: AsyncIterable<Uint8Array> = response;
    for await (const bytes of body) {
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

/** What a line says; nothing for a comment, the name of an event, or a sign of life. */
function dataIn(line: string): string {
  return line.startsWith('data:') ? line.slice('data:'.length).trim() : '';
}

/** Cuts a stream of bytes into lines; what follows the last line break waits for more, in its parts, so that nothing is read twice. */
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

  /** The line that has not ended. */
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

/** A server's refusal, with what its protocol says about it. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: http.IncomingHttpHeaders | Headers,
    complaint: string,
  ) {
    super(`status ${status}: ${complaint}`);
  }
}

const complaintCharactersMax = 500;
const complaintBytesMax = 64 * 1024;
const idleConnectionsMax = 256;

/** Where requests go. */
interface Server {
  /** The response once it has begun, if it is a success. The signal ends the exchange at any time. */
  post(body: string, signal: AbortSignal): Promise<Readable>;
}

/** A server that only `fetch` may ask. */
class FetchedServer implements Server {
  constructor(
    private readonly ask: typeof fetch,
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async post(body: string, signal: AbortSignal): Promise<Readable> {
    const leaving = new AbortController();
    const until = AbortSignal.any([signal, leaving.signal]);
    const response = await this.ask(this.url, { method: 'POST', headers: this.headers, body, signal: until });
    const answer: Readable = Readable.from(response.body ?? [], { objectMode: false });
    // Left before its end, it would stay open until the server ends it.
    answer.once('close', () => answer.readableEnded || leaving.abort());
    if (response.ok) return answer;
    throw new Refused(response.status, response.headers, await complaintOf(answer));
  }
}

/** A server of the installation, asked over connections that stay open. */
class OwnServer implements Server {
  private readonly agent: http.Agent;

  constructor(
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    const options = { keepAlive: true, maxFreeSockets: idleConnectionsMax };
    this.agent = url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
  }

  async post(body: string, signal: AbortSignal): Promise<Readable> {
    const response = await this.send(body, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    throw new Refused(statusCode, headers, await complaintOf(response));
  }

  private send(body: string, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = this.begin(body);
      let hasBegun = false;
      const leave = (): void => void outgoing.destroy();
      signal.addEventListener('abort', leave, { once: true });
      outgoing.once('close', () => signal.removeEventListener('abort', leave));
      outgoing.once('response', (response) => {
        hasBegun = true;
        resolve(response);
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection just as it was used again: nothing of this request has been answered.
        const wasStale = outgoing.reusedSocket && error.code === 'ECONNRESET' && !hasBegun && !signal.aborted;
        if (wasStale) this.send(body, signal).then(resolve, reject);
        else reject(error);
      });
    });
  }

  private begin(body: string): ClientRequest {
    const { request } = this.url.protocol === 'https:' ? https : http;
    const headers = { ...this.headers, 'content-length': Buffer.byteLength(body) };
    const outgoing = request(this.url, { method: 'POST', agent: this.agent, headers });
    outgoing.end(body);
    return outgoing;
  }
}

async function complaintOf(response: Readable): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    const body: AsyncIterable<Uint8Array> = response;
    for await (const part of body) {
      parts.push(part);
      bytes += part.byteLength;
      if (bytes > complaintBytesMax) break;
    }
  } catch {
    return 'its complaint broke off';
  }
  return Buffer.concat(parts).toString().slice(0, complaintCharactersMax);
}

/** Any server that speaks OpenAI’s protocol. */
export const openAiCompatible = defineLanguageModelVendor({
  id: 5,
  name: 'openai-compatible',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  // The model that LLM_MODEL names; its size is not ours to know, so a modest one is assumed.
  models: [{ id: 51, model: 'configured', contextTokens: 8192 }],
  variables: {
    LLM_BASE_URL: url('http', 'https').optional().meta({
      description: 'A server of your own that speaks OpenAI’s protocol: vLLM, Ollama, llama.cpp, LiteLLM.',
      example: 'http://vllm:8000/v1',
    }),
    LLM_API_KEY: text().optional().meta({ description: 'The key of that server, if it wants one.', example: '…', secret: true }),
    LLM_MODEL: text().optional().meta({ description: 'The model to ask there.', example: 'qwen3-8b' }),
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
