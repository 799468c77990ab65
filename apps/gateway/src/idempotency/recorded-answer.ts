import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { StoredAnswer } from './claim';

/** What a replay carries beside status and body. */
const keptHeaders = ['content-type', 'content-disposition', 'x-session-uuid', 'x-answer-text'];

/** An answer on its way out; `body` is absent when it grew beyond what is kept. */
export type SeenAnswer = Omit<StoredAnswer, 'body'> & { readonly body: Buffer | undefined };

interface Recording {
  readonly bytesMax: number;
  /** The last byte waits for this. It must not fail. */
  beforeEnd(answer: SeenAnswer): Promise<void>;
}

/**
 * Watches an answer go out, whoever writes it and however: Fastify at once, a stream, or a handler by hand. What is
 * written goes through untouched; only the end waits until the answer is kept.
 */
export class RecordedAnswer {
  private readonly chunks: Buffer[] = [];
  private readonly written = new Map<string, string>();
  private bytes = 0;
  /** Whether the answer was written to its end, though the end may still wait to be kept. */
  isEnded = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly recording: Recording,
  ) {
    this.watch('writeHead', (args) => this.noteHeaders(args.at(-1)));
    this.watch('write', ([chunk, encoding]) => this.note(chunk, encoding));
    this.holdEnd();
  }

  private watch(method: 'writeHead' | 'write', note: (args: unknown[]) => void): void {
    const original = this.response[method];
    const value = (...args: unknown[]): unknown => {
      note(args);
      return Reflect.apply(original, this.response, args);
    };
    Object.defineProperty(this.response, method, { configurable: true, writable: true, value });
  }

  private holdEnd(): void {
    const { response } = this;
    const original = response.end;
    const value = (...args: unknown[]): unknown => {
      if (this.isEnded) return response;
      this.isEnded = true;
      const [chunk, encoding] = args;
      if (typeof chunk !== 'function') this.note(chunk, encoding);
      void this.recording.beforeEnd(this.seen()).then(() => Reflect.apply(original, response, args));
      return response;
    };
    Object.defineProperty(response, 'end', { configurable: true, writable: true, value });
  }

  private seen(): SeenAnswer {
    const headers = keptHeaders.flatMap((name) => {
      const value = this.written.get(name) ?? textOf(this.response.getHeader(name));
      return value === undefined ? [] : [[name, value] satisfies [string, string]];
    });
    const body = this.bytes > this.recording.bytesMax ? undefined : Buffer.concat(this.chunks);
    return { status: this.response.statusCode, headers: Object.fromEntries(headers), body };
  }

  private note(chunk: unknown, encoding: unknown): void {
    const bytes = bytesOf(chunk, encoding);
    this.bytes += bytes.length;
    if (this.bytes > this.recording.bytesMax) this.chunks.length = 0;
    else this.chunks.push(bytes);
  }

  private noteHeaders(headers: unknown): void {
    if (typeof headers !== 'object' || headers === null) return;
    for (const [name, value] of Object.entries(headers)) this.written.set(name.toLowerCase(), String(value));
  }
}

function bytesOf(chunk: unknown, encoding: unknown): Buffer {
  // A copy: the writer may use its buffer again once the bytes are out.
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== 'string') return Buffer.alloc(0);
  return Buffer.from(chunk, typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8');
}

function textOf(value: OutgoingHttpHeader | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
