import { type FaultCode, faultCatalogue, isFaultCode } from '@parley/contracts';
import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FileStore } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Claim, ClaimLeases, Claims, type StoredAnswer } from './claims';
import { answersWithSecret } from '../../endpoint/secrets';
import type { Endpoint } from '../../endpoint/endpoint';
import { endpointOf } from '../../endpoint/gateway-call';

/** The headers that are replayed with status and body. */
const keptHeaders = [
  ...['content-type', 'content-disposition', 'x-unsaid-characters'],
  ...['x-session-uuid', 'x-answer-text', 'x-answer-text-cut'],
];

/** The status and headers of an answer. */
type Head = Pick<StoredAnswer, 'status' | 'headers'>;

/** An answer as it was sent; the body is too large to be stored, or could not be. */
type SeenAnswer = Head & { readonly body: StoredAnswer['body'] | 'TOO_LARGE' | 'NOT_STORED' };

interface Recording {
  note(bytes: Buffer): void;
  /** Delays the last byte of the answer. Must not fail. */
  beforeEnd(head: Head): Promise<void>;
}

/** Refusals decided by a service: the same request gets the same decision. */
const decided: readonly FaultCode[] = ['NOT_FOUND', 'CONFLICT', 'DEVICE_LOCKED'];
/** Refusals that are as final once the work before them is charged. Others, such as lack of credits, may end before the next attempt. */
const decidedIfCharged: readonly FaultCode[] = ['VALIDATION_FAILED', 'PROVIDER_NOT_CONFIGURED'];
/** All that a repetition may be given again. */
export const replayedRefusals: readonly FaultCode[] = [...decided, ...decidedIfCharged];

const FaultBody = z.object({ code: z.string().refine(isFaultCode) });

/** A larger answer, such as minutes of sound, is stored as a file. */
const rowBytesMax = 4 * 1024 * 1024;
/** The largest answer that is stored: ten minutes of the finest sound. For a repetition of a larger one, an export, it is produced again. */
const answerBytesMax = 64 * 1024 * 1024;
/** Files of answers, by organization. */
export const answersFolder = 'answers';
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
    private readonly files: FileStore,
    private readonly log: Logger,
  ) {}

  begin(claim: Claim, request: FastifyRequest, reply: FastifyReply): ClaimedAnswer {
    const { raw } = reply;
    this.leases.hold(claim);
    request.chargeId = claim.chargeId;
    const claimedRequest = {
      endpoint: endpointOf(request),
      isCharged: () => request.isCharged,
      bodyHash: () => request.bodyTap?.whole ?? null,
    };
    const body = new StoredBody(this.files, `${answersFolder}/${claim.orgId}/${claim.owner}`);
    let [isReadOn, isRead, isConcluded] = [false, false, false];
    const answer = new RecordedAnswer(raw, {
      note: (bytes) => (isReadOn ? undefined : body.note(bytes)),
      beforeEnd: async (head) => {
        // Nobody receives what a client is told that has left: the answer is what is read on.
        if (isReadOn && raw.destroyed) return;
        isConcluded = true;
        const isPart = isReadOn && !isRead;
        await this.end(claim, { ...head, body: isPart ? 'NOT_STORED' : await body.whole() }, claimedRequest);
      },
    });
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
        const { read, readRest, isWhole } = readOn(items, body);
        void closed.then(readRest);
        // Its headers are set in this turn of the event loop; for a client that has left, they are never written.
        let head: Head = { status: 200, headers: {} };
        queueMicrotask(() => (head = { status: 200, headers: keptOf((name) => textOf(reply.getHeader(name))) }));
        const ended = async (): Promise<void> => {
          const [isComplete] = await Promise.all([isWhole, closed]);
          if (!isConcluded) await this.end(claim, isComplete ? { ...head, body: await body.whole() } : undefined, claimedRequest);
        };
        void isWhole.then((isComplete) => (isRead = isComplete));
        void ended();
        return read;
      },
    };
  }

  private async end(claim: Claim, seen: SeenAnswer | undefined, request: ClaimedRequest): Promise<void> {
    for (let attempt = 1; attempt <= keepAttempts; attempt += 1) {
      try {
        await this.conclude(claim, seen && storable(seen, request.endpoint), request);
        break;
      } catch (error) {
        this.log.warn('An answer could not be stored for its Idempotency-Key', { attempt, error });
        await delay(keepPauseMs * attempt);
      }
    }
    this.leases.drop(claim);
  }

  private conclude(claim: Claim, seen: Storable | undefined, request: ClaimedRequest): Promise<void> {
    const bodyHash = request.bodyHash();
    if (!seen) return this.claims.forget(claim);
    const { body, ...head } = seen;
    const worth = worthOf(seen, request);
    // An answer too large to store is produced, and paid for, again.
    if (worth === 'nothing' || (worth === 'all' && body === 'TOO_LARGE')) return this.claims.forget(claim);
    if (worth === 'another try' || body === 'TOO_LARGE' || body === 'NOT_STORED') return this.claims.letGo(claim, bodyHash);
    return this.claims.answer(claim, { ...head, body }, bodyHash);
  }
}

/** The same items for a reader that may leave, after which `readRest` goes on. */
function readOn<Item extends string | Buffer>(
  items: AsyncGenerator<Item>,
  body: StoredBody,
): { read: AsyncGenerator<Item>; readRest: () => Promise<void>; isWhole: Promise<boolean> } {
  const whole = Promise.withResolvers<boolean>();
  async function next(): Promise<IteratorResult<Item>> {
    try {
      const result = await items.next();
      if (result.done) whole.resolve(true);
      else await body.note(Buffer.from(result.value));
      return result;
    } catch (error) {
      whole.resolve(false);
      throw error;
    }
  }
  async function readRest(): Promise<void> {
    try {
      while (!(await next()).done);
    } catch {
      // Its producer logs and charges a failure; here it only frees the key.
    }
  }
  async function* read(): AsyncGenerator<Item> {
    for (let result = await next(); !result.done; result = await next()) yield result.value;
  }
  return { read: read(), readRest, isWhole: whole.promise };
}

/** The request, for as long as it is being answered. */
interface ClaimedRequest {
  readonly endpoint: Endpoint | undefined;
  isCharged(): boolean;
  bodyHash(): Buffer | null;
}

type Storable = SeenAnswer & Pick<StoredAnswer, 'isWithheld'>;

/** An answer as it is stored. If it contains a secret, only the fact that it was given is kept. */
function storable(seen: SeenAnswer, endpoint: Endpoint | undefined): Storable {
  const isWithheld = endpoint !== undefined && seen.status < 400 && answersWithSecret(endpoint, inMemory(seen.body));
  return isWithheld ? { status: seen.status, headers: {}, body: Buffer.alloc(0), isWithheld } : { ...seen, isWithheld };
}

/**
 * What to do with a key after an answer. Successes and decisions are stored. A request refused before anything happened (a wrong
 * field, no credits, too fast) frees the key; one refused for what its work has brought, which is charged (a recording without speech),
 * does not, and after a failure on our side the same request may be repeated.
 */
function worthOf({ status, headers, ...seen }: SeenAnswer, { isCharged }: ClaimedRequest): 'all' | 'another try' | 'nothing' {
  const body = inMemory(seen.body);
  if (status >= 500) return 'another try';
  if (status >= 400) {
    const code = codeIn(body?.toString());
    const kept = isCharged() ? replayedRefusals : decided;
    return code && kept.includes(code) ? 'all' : 'nothing';
  }
  // A stream has sent its status before it can fail, so its failure is its last event.
  const failure = headers['content-type']?.startsWith('text/event-stream') ? codeIn(lastFailure(body)) : undefined;
  return failure && faultCatalogue[failure].status >= 500 ? 'another try' : 'all';
}

function inMemory(body: SeenAnswer['body']): Buffer | undefined {
  return Buffer.isBuffer(body) ? body : undefined;
}

/** The kept ones of an answer's headers. */
function keptOf(valueOf: (name: string) => string | undefined): Record<string, string> {
  const headers = keptHeaders.flatMap((name) => {
    const value = valueOf(name);
    return value === undefined ? [] : [[name, value] satisfies [string, string]];
  });
  return Object.fromEntries(headers);
}

/** Collects a body: in memory while it is small, and otherwise in a file, which it goes to as it comes. */
class StoredBody {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private file: { readonly input: PassThrough; readonly isStored: Promise<boolean> } | undefined;

  constructor(
    private readonly files: FileStore,
    private readonly fileKey: string,
  ) {}

  /** Resolves once there is room for more. */
  async note(chunk: Buffer): Promise<void> {
    this.bytes += chunk.length;
    if (!this.file) this.chunks.push(chunk);
    else if (!this.file.input.write(chunk) && !this.file.input.destroyed)
      await Promise.race([once(this.file.input, 'drain').catch(() => undefined), this.file.isStored]);
    if (!this.file && this.bytes > rowBytesMax) this.openFile();
  }

  private openFile(): void {
    const input = new PassThrough().on('error', () => undefined);
    const isStored = this.files.put(this.fileKey, input, { bytesMax: answerBytesMax }).then(
      () => true,
      () => {
        input.destroy();
        return false;
      },
    );
    for (const chunk of this.chunks.splice(0)) input.write(chunk);
    this.file = { input, isStored };
  }

  async whole(): Promise<SeenAnswer['body']> {
    if (!this.file) return Buffer.concat(this.chunks);
    this.file.input.end();
    if (await this.file.isStored) return { fileKey: this.fileKey };
    return this.bytes > answerBytesMax ? 'TOO_LARGE' : 'NOT_STORED';
  }
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
  private readonly written = new Map<string, string>();
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
      void this.recording.beforeEnd(this.head()).then((): unknown => Reflect.apply(original, response, args));
      return response;
    };
    Object.defineProperty(response, 'end', { configurable: true, writable: true, value });
  }

  private head(): Head {
    const headers = keptOf((name) => this.written.get(name) ?? textOf(this.response.getHeader(name)));
    return { status: this.response.statusCode, headers };
  }

  private note(chunk: unknown, encoding: unknown): void {
    this.recording.note(bytesOf(chunk, encoding));
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
