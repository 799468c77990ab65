import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
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

const CallPiece = z.object({
  index: z.int().optional(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});

const Delta = z.object({ content: z.string().nullish(), tool_calls: z.array(CallPiece).nullish() });

const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })).optional(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
  error: z.unknown().optional(),
});

interface ChatCompletionsOptions {
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

/** One event of the stream. Some servers tell a failure in the middle as an event of its own. */
function pieceOf(model: string, data: string): AnswerPiece {
  const { choices, usage, error } = Chunk.parse(JSON.parse(data));
  if (error) throw new ProviderFailure(model, 'it failed in the middle of its answer', { retryable: true, cause: error });
  const [choice] = choices ?? [];
  const calls = choice?.delta?.tool_calls?.map(({ index, id, function: called }) => {
    return { index, id: id ?? undefined, name: called?.name ?? undefined, args: called?.arguments ?? undefined };
  });
  return {
    text: choice?.delta?.content ?? '',
    tool_call_chunks: calls,
    response_metadata: choice?.finish_reason ? { finish_reason: choice.finish_reason } : undefined,
    usage_metadata: usage ? { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens } : undefined,
  };
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
async function* readEvents(response: IncomingMessage): AsyncGenerator<string> {
  const lines = new Lines();
  let farewell: NodeJS.Timeout | undefined;
  try {
    const body: AsyncIterable<Buffer> = response;
    for await (const bytes of body) {
      for (const line of lines.of(bytes)) {
        if (farewell || !line.startsWith('data:')) continue;
        const data = line.slice('data:'.length).trim();
        if (data === lastWords) farewell = setTimeout(() => response.destroy(), farewellMs);
        else yield data;
      }
    }
  } catch (error) {
    // A failure after the final chunk does not matter.
    if (!farewell) throw error;
  } finally {
    clearTimeout(farewell);
  }
}

/** Cuts a stream of bytes into lines; what follows the last line break waits for more. */
class Lines {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';

  *of(bytes: Buffer): Generator<string> {
    const text = this.rest + this.decoder.write(bytes);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield text.slice(start, end);
      start = end + 1;
    }
    this.rest = text.slice(start);
    if (this.rest.length > lineCharactersMax) throw new Error('a line of the event stream does not end');
  }
}

/** A server's refusal, with what its protocol says about it. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: http.IncomingHttpHeaders,
    complaint: string,
  ) {
    super(`status ${status}: ${complaint}`);
  }
}

const complaintCharactersMax = 500;
const complaintBytesMax = 64 * 1024;
const idleConnectionsMax = 256;

/** Posts JSON to one address over connections that stay open. */
class JsonPoster {
  private readonly agent: http.Agent;

  constructor(
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    const options = { keepAlive: true, maxFreeSockets: idleConnectionsMax };
    this.agent = url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
  }

  /** The response once it has begun, if it is a success. The signal ends the exchange at any time. */
  async post(body: string, signal: AbortSignal): Promise<IncomingMessage> {
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
    const headers = { ...this.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = request(this.url, { method: 'POST', agent: this.agent, headers });
    outgoing.end(body);
    return outgoing;
  }
}

async function complaintOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    const body: AsyncIterable<Buffer> = response;
    for await (const part of body) {
      parts.push(part);
      bytes += parts.at(-1)?.length ?? 0;
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
    // A customer's server is asked through the guarded fetch, which LangChain's client takes.
    if (own) return (await import('../openai-model')).openAiModel({ contextTokens, model: '', ...own });
    const ours = { model: config.LLM_MODEL ?? '', apiKey: config.LLM_API_KEY ?? 'none', baseUrl: config.LLM_BASE_URL ?? '' };
    return new ChatCompletionsModel({ contextTokens, ...ours });
  },
});
