import { type FaultCode, faultCatalogue, isFaultCode } from '@parley/contracts';
import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Claim, ClaimLeases, Claims, type StoredAnswer } from './claims';
import { answersWithSecret } from '../../endpoint/secrets';
import type { Endpoint } from '../../endpoint/endpoint';
import { endpointOf } from '../../endpoint/gateway-call';

/** The headers that are replayed with status and body. */
const keptHeaders = ['content-type', 'content-disposition', 'x-session-uuid', 'x-answer-text', 'x-answer-text-cut'];

/** An answer being sent; `body` is absent when it exceeds what is stored. */
type SeenAnswer = Omit<StoredAnswer, 'body' | 'isWithheld'> & { readonly body: Buffer | undefined };

interface Recording {
  readonly bytesMax: number;
  /** Delays the last byte of the answer. Must not fail. */
  beforeEnd(answer: SeenAnswer): Promise<void>;
}

/** Refusals decided by a service: the same request gets the same decision. */
const decided: readonly FaultCode[] = ['NOT_FOUND', 'CONFLICT', 'DEVICE_LOCKED'];

const FaultBody = z.object({ code: z.string().refine(isFaultCode) });

/** The largest answer that is stored. A larger one is produced again for a repetition, as a request of its own. */
const answerBytesMax = 4 * 1024 * 1024;
const keepAttempts = 5;
const keepPauseMs = 200;
/** How long an error may take to become an answer after the handler ended and the client left. */
const abandonAfterMs = 2_000;

/** A request being answered under a claim. It must be told when its handler has ended. */
export interface ClaimedAnswer {
  handlerEnded(): void;
  /** The items of a streamed answer, read to the end even if the client leaves, because it will ask again. */
  readOn<Item extends string | Buffer>(items: AsyncGenerator<Item>): AsyncGenerator<Item>;
}

/** Sees claimed requests through: the answer is stored before its last byte is sent. */
@Injectable()
export class ClaimedAnswers {
  constructor(
    private readonly claims: Claims,
    private readonly leases: ClaimLeases,
    private readonly log: Logger,
  ) {}

  begin(claim: Claim, request: FastifyRequest, { raw }: FastifyReply): ClaimedAnswer {
    this.leases.hold(claim);
    request.chargeId = claim.chargeId;
    const claimedRequest = { endpoint: endpointOf(request), bodyHash: () => request.bodyTap?.whole ?? null };
    const answer = new RecordedAnswer(raw, {
      bytesMax: answerBytesMax,
      beforeEnd: (seen) => this.end(claim, seen, claimedRequest),
    });
    let isReadOn = false;
    const abandonLater = (): void => {
      setTimeout(() => {
        if (!answer.isEnded && !isReadOn) void this.end(claim, undefined, claimedRequest);
      }, abandonAfterMs).unref();
    };
    const closed = new Promise((resolve) => (raw.destroyed ? resolve(undefined) : raw.once('close', resolve)));
    return {
      // A stream whose client left never ends, so one that nobody reads to the end may be requested again.
      handlerEnded: () => void closed.then(abandonLater),
      readOn: (items) => {
        isReadOn = true;
        const { read, whole } = readOn(items);
        void Promise.all([whole, closed]).then(([body]) =>
          answer.isEnded ? undefined : this.end(claim, body && { ...answer.seen(), body }, claimedRequest),
        );
        return read;
      },
    };
  }

  private async end(claim: Claim, seen: SeenAnswer | undefined, { bodyHash, endpoint }: ClaimedRequest): Promise<void> {
    for (let attempt = 1; attempt <= keepAttempts; attempt += 1) {
      try {
        await this.conclude(claim, seen && storable(seen, endpoint), bodyHash());
        break;
      } catch (error) {
        this.log.warn('An answer could not be stored for its Idempotency-Key', { attempt, error });
        await delay(keepPauseMs * attempt);
      }
    }
    this.leases.drop(claim);
  }

  private conclude(claim: Claim, seen: Storable | undefined, bodyHash: Buffer | null): Promise<void> {
    if (!seen) return this.claims.forget(claim);
    const { body, ...head } = seen;
    const worth = worthOf(seen);
    // An answer too large to store is produced, and paid for, again.
    if (worth === 'nothing' || (worth === 'all' && !body)) return this.claims.forget(claim);
    if (worth === 'another try' || !body) return this.claims.letGo(claim, bodyHash);
    return this.claims.answer(claim, { ...head, body }, bodyHash);
  }
}

/** The same items for a reader that may leave; the rest is read anyway, unless it fails or is too large to store. */
function readOn<Item extends string | Buffer>(
  items: AsyncGenerator<Item>,
): { read: AsyncGenerator<Item>; whole: Promise<Buffer | undefined> } {
  const whole = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  async function next(): Promise<IteratorResult<Item>> {
    try {
      const result = await items.next();
      if (result.done) whole.resolve(bytes > answerBytesMax ? undefined : Buffer.concat(chunks));
      else if ((bytes += result.value.length) <= answerBytesMax) chunks.push(Buffer.from(result.value));
      return result;
    } catch (error) {
      whole.resolve(undefined);
      throw error;
    }
  }
  async function rest(): Promise<void> {
    while (!(await next()).done);
  }
  async function* read(): AsyncGenerator<Item> {
    let isOver = false;
    try {
      for (let result = await next(); !result.done; result = await next()) yield result.value;
      isOver = true;
    } catch (error) {
      isOver = true;
      throw error;
    } finally {
      // The producer of the items logs and charges a failure; here it only frees the key.
      if (!isOver) rest().catch(() => undefined);
    }
  }
  return { read: read(), whole: whole.promise };
}

/** The request, for as long as it is being answered. */
interface ClaimedRequest {
  readonly endpoint: Endpoint | undefined;
  bodyHash(): Buffer | null;
}

type Storable = Omit<StoredAnswer, 'body'> & { readonly body: Buffer | undefined };

/** An answer as it is stored. If it contains a secret, only the fact that it was given is kept. */
function storable(seen: SeenAnswer, endpoint: Endpoint | undefined): Storable {
  const isWithheld = endpoint !== undefined && seen.status < 400 && answersWithSecret(endpoint, seen.body);
  return isWithheld ? { status: seen.status, headers: {}, body: Buffer.alloc(0), isWithheld } : { ...seen, isWithheld };
}

/**
 * What to do with a key after an answer. Successes and decisions are stored. A request refused before anything happened (a wrong
 * field, no credits, too fast) frees the key; after a failure on our side the same request may be repeated.
 */
function worthOf({ status, headers, body }: Pick<SeenAnswer, 'status' | 'headers' | 'body'>): 'all' | 'another try' | 'nothing' {
  if (status >= 500) return 'another try';
  if (status >= 400) {
    const code = codeIn(body?.toString());
    return code && decided.includes(code) ? 'all' : 'nothing';
  }
  // A stream has sent its status before it can fail, so its failure is its last event.
  const failure = headers['content-type']?.startsWith('text/event-stream') ? codeIn(lastFailure(body)) : undefined;
  return failure && faultCatalogue[failure].status >= 500 ? 'another try' : 'all';
}

const failureEvent = 'event: error\ndata: ';

function lastFailure(body: Buffer | undefined): string | undefined {
  const at = body?.lastIndexOf(failureEvent) ?? -1;
  return at < 0 ? undefined : body?.toString('utf8', at + failureEvent.length);
}

function codeIn(body: string | undefined): FaultCode | undefined {
  try {
    return FaultBody.parse(JSON.parse(body ?? '')).code;
  } catch {
    return undefined;
  }
}

/**
 * Records an answer while it is sent, whether by Fastify at once, as a stream, or by a handler itself. Data passes through
 * unchanged; only the end waits until the answer is stored.
 */
class RecordedAnswer {
  private readonly chunks: Buffer[] = [];
  private readonly written = new Map<string, string>();
  private bytes = 0;
  /** Whether the whole answer was written, even if its end still waits to be stored. */
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
      void this.recording.beforeEnd(this.seen()).then((): unknown => Reflect.apply(original, response, args));
      return response;
    };
    Object.defineProperty(response, 'end', { configurable: true, writable: true, value });
  }

  seen(): SeenAnswer {
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
  // Copied, because the writer may reuse its buffer.
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== 'string') return Buffer.alloc(0);
  return Buffer.from(chunk, typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8');
}

function textOf(value: OutgoingHttpHeader | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
