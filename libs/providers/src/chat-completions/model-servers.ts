import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Client, type Dispatcher } from 'undici';

/** Where requests go. */
export interface ModelServer {
  /** Resolves once a successful response has begun. The signal ends it at any time. */
  post(body: string, signal: AbortSignal): Promise<ModelResponse>;
}

/** A response as it arrives. If it is left early, the connection is closed, so that the server stops. */
export interface ModelResponse extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

/** A server's refusal, with its status and headers. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders | Headers,
    complaint: string,
  ) {
    super(`status ${status}: ${complaint}`);
  }
}

const complaintCharactersMax = 500;
const complaintBytesMax = 64 * 1024;

async function complaintOf(response: ModelResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response) {
      parts.push(part);
      bytes += part.byteLength;
      if (bytes > complaintBytesMax) break;
    }
  } catch {
    return 'its complaint broke off';
  }
  return Buffer.concat(parts).toString().slice(0, complaintCharactersMax);
}

/** A server that may only be reached through the guarded `fetch`. */
export class FetchedServer implements ModelServer {
  constructor(
    private readonly ask: typeof fetch,
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async post(body: string, signal: AbortSignal): Promise<ModelResponse> {
    const leaving = new AbortController();
    const until = AbortSignal.any([signal, leaving.signal]);
    const response = await this.ask(this.url, { method: 'POST', headers: this.headers, body, signal: until });
    const answer: Readable = Readable.from(response.body ?? [], { objectMode: false });
    // If it is left early, it would stay open until the server ends it.
    answer.once('close', () => answer.readableEnded || leaving.abort());
    if (response.ok) return answer;
    throw new Refused(response.status, response.headers, await complaintOf(answer));
  }
}

/** How long an idle connection is kept. */
const idleMs = 60_000;

/**
 * A server of the installation, over connections that stay open. Node's own client takes half as much CPU time again. An undici pool
 * looks at all of its connections for each request, and at all of them five times to say whether one is free.
 */
export class OwnServer implements ModelServer {
  /** The connections without a request; the one used last is used next, so that those a smaller load does not need are closed. */
  private readonly idle: Client[] = [];
  private readonly origin: string;
  private readonly path: string;

  constructor(
    { origin, pathname, search }: URL,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    this.origin = origin;
    this.path = pathname + search;
  }

  async post(body: string, signal: AbortSignal): Promise<ModelResponse> {
    // The caller decides how long an answer may take.
    const client = this.idle.pop() ?? new Client(this.origin, { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: idleMs });
    const isKept = client.stats.connected;
    const response = new BufferedResponse(signal, () => this.idle.push(client));
    client.dispatch({ method: 'POST', path: this.path, headers: this.headers, body }, response);
    try {
      const { status, headers } = await response.begun;
      if (status >= 200 && status < 300) return response;
      throw new Refused(status, headers, await complaintOf(response));
    } catch (error) {
      // The server closed an idle connection just as it was used again: nothing of this request has been answered.
      if (isKept && response.wasDropped && !signal.aborted) return this.post(body, signal);
      throw error;
    }
  }
}

const dropped: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
/** How much of a response may be buffered before reading pauses. */
const unreadBytesMax = 64 * 1024;

interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** A response that buffers what has arrived, which takes a third of the CPU time of a stream. */
class BufferedResponse implements ModelResponse, AsyncIterator<Uint8Array>, Dispatcher.DispatchHandler {
  readonly begun: Promise<ResponseHead>;
  private readonly head = Promise.withResolvers<ResponseHead>();
  private readonly leave = (): void => this.stop(this.signal.reason);
  private controller: Dispatcher.DispatchController | undefined;
  private hasBegun = false;
  private unread: Uint8Array[] = [];
  private unreadBytes = 0;
  private ending: { readonly failure?: unknown } | undefined;
  private wake: (() => void) | undefined;

  /** `release` is called when the connection is free again. */
  constructor(
    private readonly signal: AbortSignal,
    private readonly release: () => void,
  ) {
    this.begun = this.head.promise;
    signal.addEventListener('abort', this.leave, { once: true });
    if (signal.aborted) this.leave();
  }

  /** Whether the connection was closed before any of the response arrived. */
  get wasDropped(): boolean {
    const failure = this.ending?.failure;
    if (this.hasBegun || typeof failure !== 'object' || failure === null) return false;
    return 'code' in failure && dropped.includes(failure.code);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ending) controller.abort(new Error('it was left'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.hasBegun = true;
    this.head.resolve({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Uint8Array): void {
    this.unread.push(part);
    this.unreadBytes += part.byteLength;
    if (this.unreadBytes > unreadBytesMax) controller.pause();
    this.wake?.();
  }

  onResponseEnd(): void {
    this.release();
    this.end({});
  }

  /** Also called after an abort. The connection is opened again by the next request. */
  onResponseError(_controller: Dispatcher.DispatchController, failure: Error): void {
    this.release();
    this.end({ failure });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const value = this.unread.shift();
      if (value) return { value: this.taken(value) };
      if (this.ending) break;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    if ('failure' in this.ending) throw this.ending.failure;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.destroy();
    return { done: true, value: undefined };
  }

  destroy(): void {
    this.stop(new Error('it was left'));
  }

  private taken(part: Uint8Array): Uint8Array {
    this.unreadBytes -= part.byteLength;
    if (this.unread.length === 0 && this.controller?.paused) this.controller.resume();
    return part;
  }

  private stop(reason: unknown): void {
    if (this.ending) return;
    this.end({ failure: reason });
    this.controller?.abort(reason instanceof Error ? reason : new Error('it was left', { cause: reason }));
  }

  private end(ending: { readonly failure?: unknown }): void {
    if (this.ending) return;
    this.ending = ending;
    this.signal.removeEventListener('abort', this.leave);
    if ('failure' in ending) this.head.reject(ending.failure);
    this.wake?.();
  }
}
