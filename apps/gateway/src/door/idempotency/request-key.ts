import { Fault } from '@parley/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestAttempt } from './attempts';

const boundaryOf = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i;

declare module 'fastify' {
  interface FastifyRequest {
    /** The charge of this request's Idempotency-Key, once the key is claimed. Such a request runs on when its client goes away. */
    chargeId: string | undefined;
    /** Hashes a form while it is read; only on requests with an Idempotency-Key. */
    bodyTap: BodyTap | undefined;
    /** The answering of a request whose Idempotency-Key is claimed. */
    attempt: RequestAttempt | undefined;
  }
}

const header = 'idempotency-key';
const lengthMax = 255;
const printable = /^[\x21-\x7e]+$/;

/** The idempotency key of a POST, if it has one. Refuses a malformed one. */
export function idempotencyKeyOf({ method, headers }: FastifyRequest): string | undefined {
  const key = headers[header];
  if (method !== 'POST' || key === undefined) return undefined;
  if (typeof key === 'string' && key.length <= lengthMax && printable.test(key)) return key;
  const message = `Idempotency-Key must have 1 to ${lengthMax} visible ASCII characters`;
  throw new Fault('VALIDATION_FAILED', { message, details: [{ field: 'Idempotency-Key', message }] });
}

/**
 * What counts as part of the body: the URL, and which agents the caller sees. A caller who sees fewer gets no answer given to one
 * who sees more.
 */
export function scopeOf({ method, url, principal }: FastifyRequest): string {
  const seen = principal?.agentIds?.toSorted((one, other) => one - other).join();
  return `${method} ${url}${seen === undefined ? '' : ` ${seen}`}\n`;
}

/** Declares the request fields of an Idempotency-Key, and watches requests that carry one. */
export function watchRequestKeys(fastify: FastifyInstance): void {
  fastify.decorateRequest('chargeId', undefined);
  fastify.decorateRequest('bodyTap', undefined);
  fastify.decorateRequest('attempt', undefined);
  tapForms(fastify);
  noteHandlerEnds(fastify);
}

/** Lets forms with an Idempotency-Key be hashed while their handler reads them. */
function tapForms(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const isForm = request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data');
    if (isForm && request.headers[header] !== undefined) request.bodyTap = new BodyTap(request.raw, scopeOf(request));
    done();
  });
}

/** Notifies the attempt when its handler has finished, for any route. */
function noteHandlerEnds(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('POST')) return;
    const { handler } = route;
    route.handler = function noted(request, reply) {
      const handled: unknown = handler.call(this, request, reply);
      if (request.headers[header] === undefined) return handled;
      const ended = (): void => request.attempt?.handlerEnded();
      void Promise.resolve(handled).then(ended, ended);
      return handled;
    };
  });
}

/**
 * Hashes a multipart body without its boundary, which clients generate for each attempt. It works on the stream and buffers
 * at most one boundary's length.
 */
class FormHash {
  private readonly hash: Hash = createHash('sha256');
  private readonly delimiter: Buffer;
  private tail = Buffer.alloc(0);

  constructor(contentType: string) {
    const [, quoted, bare] = boundaryOf.exec(contentType) ?? [];
    this.delimiter = Buffer.from(`--${quoted ?? bare ?? ''}`);
  }

  update(chunk: Uint8Array): void {
    let rest = Buffer.concat([this.tail, chunk]);
    for (let at = rest.indexOf(this.delimiter); at >= 0; at = rest.indexOf(this.delimiter)) {
      this.hash.update(rest.subarray(0, at)).update('--boundary');
      rest = rest.subarray(at + this.delimiter.length);
    }
    const safe = Math.max(0, rest.length - this.delimiter.length + 1);
    this.hash.update(rest.subarray(0, safe));
    this.tail = rest.subarray(safe);
  }

  digest(): Buffer {
    return this.hash.update(this.tail).digest();
  }
}

/** Hashes a form while its reader reads it. */
class BodyTap {
  private readonly hash: FormHash;
  private readonly ended = Promise.withResolvers<Buffer>();
  private final: Buffer | null = null;

  /** Must be made before the first byte arrives: in a synchronous `onRequest` hook. */
  constructor(
    private readonly body: IncomingMessage,
    scope: string,
  ) {
    this.hash = new FormHash(body.headers['content-type'] ?? '');
    this.hash.update(Buffer.from(scope));
    // The parser hands each piece of the body to `push`; a listener for data would start the flow before its reader is there.
    const push = body.push.bind(body);
    body.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (chunk instanceof Uint8Array) this.hash.update(chunk);
      else if (chunk === null) this.end();
      return push(chunk, encoding);
    };
  }

  /** The hash of the whole body; null while some of it is still to come. */
  get whole(): Buffer | null {
    return this.final;
  }

  /** Reads the rest and returns the hash. */
  async drain(bytesMax: number): Promise<Buffer | 'tooLarge'> {
    let bytes = 0;
    const tooLarge = Promise.withResolvers<'tooLarge'>();
    this.body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) tooLarge.resolve('tooLarge');
    });
    this.body.once('close', () => tooLarge.resolve('tooLarge'));
    return Promise.race([this.ended.promise, tooLarge.promise]);
  }

  private end(): void {
    if (this.final) return;
    this.final = this.hash.digest();
    this.ended.resolve(this.final);
  }
}
