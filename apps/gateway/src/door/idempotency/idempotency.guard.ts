import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
  Module,
  type Type,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Fault } from '@parley/contracts';
import { FileStore } from '@parley/ports';
import { FileSweep } from '@parley/providers/configured-files';
import { Logger, RegularTasks } from '@parley/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changesSomething, endpointOf } from '../../endpoint/gateway-call';
import { ActionTrail, intentOf } from '../audit/recorded-actions';
import { answersFolder, ClaimedAnswers, type ClaimedAnswer } from './claimed-answers';
import { type Claimed, ClaimLeases, Claims, type RequestKey, type StoredAnswer } from './claims';

declare module 'fastify' {
  interface FastifyRequest {
    /** The charge of this request's Idempotency-Key, once claimed. Such a request continues when its client disconnects. */
    chargeId: string | undefined;
    /** Whether the request is charged something, however it is answered. */
    isCharged: boolean;
    /** Hashes a form while it is read; only on requests with an Idempotency-Key. */
    bodyTap: BodyTap | undefined;
    /** Set while a request with a claimed Idempotency-Key is being answered. */
    claimedAnswer: ClaimedAnswer | undefined;
  }
}

const header = 'idempotency-key';
const lengthMax = 255;
const printable = /^[\x21-\x7e]+$/;
const retryAfterSeconds = 1;
/** For an upload that is read only to be compared: no route accepts more. */
const comparedBytesMax = 32 * 1024 * 1024;

/**
 * Answers a POST with an Idempotency-Key once, and gives that answer to every repetition. It runs after all other guards; an
 * interceptor would put every request through observables, even those without a key.
 */
@Injectable()
class IdempotencyGuard implements CanActivate {
  constructor(
    private readonly claims: Claims,
    private readonly answers: ClaimedAnswers,
    private readonly files: FileStore,
    private readonly trail: ActionTrail,
    private readonly log: Logger,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() === 'ws') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = idempotencyKeyOf(request);
    if (key === undefined || !request.principal) return true;
    const { orgId, keyId: caller } = request.principal;
    return this.claim({ orgId, caller, route: request.routeOptions.url ?? '', key }, request, http.getResponse<FastifyReply>());
  }

  private async claim(key: RequestKey, request: FastifyRequest, reply: FastifyReply): Promise<true> {
    const bodyHash = request.bodyTap ? null : hashOf(request);
    const claimed = await this.claims.take(key, bodyHash);
    if (claimed.state !== 'mine') throw await this.outcomeOf(claimed, request);
    request.claimedAnswer = this.answers.begin(claimed.claim, request, reply);
    return true;
  }

  /** What a repetition gets: the stored answer, or the reason why there is none. */
  private async outcomeOf(claimed: Exclude<Claimed, { state: 'mine' }>, request: FastifyRequest): Promise<Error> {
    if (claimed.state === 'inFlight') return new Fault('IDEMPOTENCY_KEY_IN_FLIGHT', { retryAfterSeconds });
    if (claimed.state === 'otherBody' || !(await isSameForm(claimed.bodyHash, request)))
      return new Fault('IDEMPOTENCY_KEY_REUSED');
    await this.note(request);
    return claimed.answer.isWithheld ? new Fault('SHOWN_ONCE') : new Replay(claimed.answer, await this.bodyOf(claimed.answer));
  }

  private async bodyOf({ body }: StoredAnswer): Promise<Buffer | Readable> {
    if (Buffer.isBuffer(body)) return body;
    const file = await this.files.open(body.fileKey);
    if (!file)
      throw new Fault('SERVICE_UNAVAILABLE', { message: 'The first answer cannot be found.', dependency: 'stored answers' });
    return file;
  }

  /** A repeated management action is recorded in the audit log, because the answer reveals the outcome again. */
  private async note(request: FastifyRequest): Promise<void> {
    const endpoint = endpointOf(request);
    const { principal } = request;
    if (!endpoint || !principal || !changesSomething(endpoint)) return;
    try {
      const intent = await this.trail.begin(intentOf({ endpoint, request, principal }));
      await this.trail.finish(principal.orgId, intent, { outcome: 'REPLAYED' });
    } catch (error) {
      this.log.error('A replayed action was not recorded', { error });
    }
  }
}

/** Whether a form, which is read only now, is the one that was answered. Other bodies were compared when the key was claimed. */
async function isSameForm(answered: Buffer | null, { bodyTap }: FastifyRequest): Promise<boolean> {
  if (!bodyTap) return true;
  const bodyHash = await bodyTap.drain(comparedBytesMax);
  if (bodyHash === 'tooLarge') throw new Fault('PAYLOAD_TOO_LARGE');
  return answered === null || answered.equals(bodyHash);
}

function hashOf(request: FastifyRequest): Buffer {
  return createHash('sha256')
    .update(scopeOf(request))
    .update(request.longBodyHash ?? JSON.stringify(request.body) ?? '')
    .digest();
}

/** Thrown instead of returning an answer: the request was answered before. */
class Replay extends Error {
  constructor(
    readonly head: Pick<StoredAnswer, 'status' | 'headers'>,
    readonly body: Buffer | Readable,
  ) {
    super('answered before');
  }
}

/** Sends a stored answer byte for byte, marked as a replay. */
@Catch(Replay)
export class ReplayFilter implements ExceptionFilter<Replay> {
  catch({ head: { status, headers }, body }: Replay, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(status).headers(headers).header('idempotent-replayed', 'true').send(body);
  }
}

/** The idempotency key of a POST, if it has one. Refuses a malformed one. */
function idempotencyKeyOf({ method, headers }: FastifyRequest): string | undefined {
  const key = headers[header];
  if (method !== 'POST' || key === undefined) return undefined;
  if (typeof key === 'string' && key.length <= lengthMax && printable.test(key)) return key;
  const message = `Idempotency-Key must have 1 to ${lengthMax} visible ASCII characters`;
  throw new Fault('VALIDATION_FAILED', { message, details: [{ field: 'Idempotency-Key', message }] });
}

/**
 * What counts as part of the body: the URL, and which agents the caller sees. A caller who sees fewer agents is not given an
 * answer meant for one who sees more.
 */
function scopeOf({ method, url, principal }: FastifyRequest): string {
  const seen = principal?.agentIds?.toSorted((one, other) => one - other).join();
  return `${method} ${url}${seen === undefined ? '' : ` ${seen}`}\n`;
}

/** Declares the request fields of an Idempotency-Key, and watches requests that carry one. */
export function watchRequestKeys(fastify: FastifyInstance): void {
  fastify.decorateRequest('chargeId', undefined);
  fastify.decorateRequest('isCharged', false);
  fastify.decorateRequest('bodyTap', undefined);
  fastify.decorateRequest('claimedAnswer', undefined);
  tapForms(fastify);
  noteHandlerEnds(fastify);
}

/** Hashes forms with an Idempotency-Key while their handler reads them. */
function tapForms(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const isForm = request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data');
    if (isForm && request.headers[header] !== undefined) request.bodyTap = new BodyTap(request.raw, scopeOf(request));
    done();
  });
}

/** Notifies the recorded answer when its handler has finished, for any route. */
function noteHandlerEnds(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('POST')) return;
    const { handler } = route;
    route.handler = function noted(request, reply) {
      const handled: unknown = handler.call(this, request, reply);
      if (request.headers[header] === undefined) return handled;
      const ended = (): void => request.claimedAnswer?.handlerEnded();
      void Promise.resolve(handled).then(ended, ended);
      return handled;
    };
  });
}

/** Deletes the files of answers that are no longer replayed. */
const answerSweep = {
  provide: FileSweep,
  inject: [FileStore, Logger, RegularTasks, Claims],
  useFactory: (files: FileStore, log: Logger, tasks: RegularTasks, claims: Claims) =>
    new FileSweep({ files, folder: answersFolder, log, tasks, kept: (keys) => claims.keptFiles(keys) }),
};

/** `Idempotency-Key` for every POST. The gateway's module adds the ReplayFilter; its guards run first. */
@Module({})
export class IdempotencyModule {
  /** `audit` provides the trail that repetitions are recorded in; large answers go to `files`. */
  static with(audit: Type | DynamicModule, files: FileStore): DynamicModule {
    const guard = { provide: APP_GUARD, useClass: IdempotencyGuard };
    const store = { provide: FileStore, useValue: files };
    const providers = [Claims, ClaimLeases, ClaimedAnswers, guard, store, answerSweep];
    return { module: IdempotencyModule, imports: [audit], providers };
  }
}

const boundaryOf = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i;

/**
 * Hashes a multipart body without its boundary, which clients generate anew for each attempt. It works on the stream and buffers
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

  /** Must be created before the first byte arrives: in a synchronous `onRequest` hook. */
  constructor(
    private readonly body: IncomingMessage,
    scope: string,
  ) {
    this.hash = new FormHash(body.headers['content-type'] ?? '');
    this.hash.update(Buffer.from(scope));
    // The HTTP parser hands each piece of the body to `push`. A data listener would start the flow before the body has a reader.
    const push = body.push.bind(body);
    body.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (chunk instanceof Uint8Array) this.hash.update(chunk);
      else if (chunk === null) this.end();
      return push(chunk, encoding);
    };
  }

  /** The hash of the whole body; null until all of it has arrived. */
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
