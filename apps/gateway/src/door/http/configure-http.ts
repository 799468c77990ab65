import cors from '@fastify/cors';
import multipart from '@fastify/multipart';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Fault } from '@parley/contracts';
import { StartQueue } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyBodyParser, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Endpoint } from '../../endpoint/endpoint';
import { stamp } from '../../endpoint/gateway-call';
import { Admission } from '../access/permits';
import { watchRequestKeys } from '../idempotency/idempotency.guard';
import { leaveUnreadBodies, readJsonBodies } from './request-body';
import { answerBadUpgrade, keepForwardedAddresses, type HttpVariables } from './fastify-options';

type HookDone = (error: null, payload?: unknown) => void;

/**
 * Configures a Nest application as the public gateway. The order matters: even unknown routes are answered with an id and CORS
 * headers.
 */
export async function configureHttp(app: NestFastifyApplication, config: HttpVariables): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.decorateRequest('principal', undefined);
  fastify.decorateRequest('ended', undefined);
  fastify.decorateRequest('formRead', undefined);
  readJsonBodies(app, fastify);
  app.useBodyParser('application/x-www-form-urlencoded', {}, refusedBody);
  fastify.removeContentTypeParser('text/plain');
  takePerRouteLimits(fastify);
  revalidateLookups(fastify);
  watchRequestKeys(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    keepForwardedAddresses(request.raw);
    // A streamed answer is watched by more than ten parts of Node, Fastify and ours.
    reply.raw.setMaxListeners(watchersMax);
    stamp(request, reply);
    done();
  });
  if (config.ACCESS_LOG) logAccess(fastify, app.get(Logger, { strict: false }));
  if (config.CORS_ORIGINS.length > 0) await app.register(cors, corsOptions(config.CORS_ORIGINS));
  await app.register(multipart, { limits: formLimits, throwFileSizeLimit: true });
  fastify.addHook('onRequest', (request, _reply, done) => done(complaintAboutHead(request.raw)));
  const expectations = meetExpectations(fastify);
  refuseOtherProtocols(fastify);
  answerHalfClosed(fastify);
  answerUnroutedRequests(fastify);
  if (config.TRUSTED_PROXIES.length === 0) noticeProxies(fastify, app.get(Logger, { strict: false }));
  admitFirst(fastify, app.get(Admission, { strict: false }));
  refuseUnwantedTypes(fastify);
  expectations.continueAdmitted();
  leaveUnreadBodies(fastify);
}

const watchersMax = 20;

/** Logs the route's template, never the actual path: paths and queries may hold private data. */
function logAccess(fastify: FastifyInstance, log: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId, principal } = request;
    log.info('Request answered', {
      requestId,
      method,
      route: request.is404 ? 'no route' : request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(principal && { orgId: principal.orgId, keyId: principal.keyId }),
    });
    done();
  });
}

/** For forms without files. A route that takes a file sets its own limits where it reads it. */
const formLimits = {
  fieldNameSize: 100,
  fieldSize: 65_536,
  fields: 50,
  fileSize: 10_485_760,
  files: 1,
  parts: 51,
  headerPairs: 20,
};

function corsOptions(origin: string[]) {
  return {
    origin,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: [
      'content-type',
      'if-none-match',
      'x-api-key',
      'x-request-id',
      'idempotency-key',
      'traceparent',
      'x-device-imei',
    ],
    exposedHeaders: [
      'etag',
      'x-request-id',
      'x-session-uuid',
      'x-answer-text',
      'x-answer-text-cut',
      'x-unsaid-characters',
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'idempotent-replayed',
    ],
    maxAge: 600,
    strictPreflight: false,
  };
}

/** The largest body without a key. */
const publicBodyBytesMax = 16_384;

/**
 * Nest cannot set a body limit per route, so endpoints declare it. The limit does not depend on the caller besides: whoever is
 * admitted may make that call, and two keys that may both send a recording send equally long ones. A kind of key that has no use
 * for a large body is refused by its endpoints before any of it is read, and tokens open sockets only.
 */
function takePerRouteLimits(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const { bodyLimitBytes = fastify.initialConfig.bodyLimit, keys } = route.config?.endpoint ?? {};
    const limit = keys === 'public' ? Math.min(publicBodyBytesMax, bodyLimitBytes ?? publicBodyBytesMax) : bodyLimitBytes;
    if (limit !== undefined) route.bodyLimit = limit;
  });
}

/** Requests waiting for their turn. Beyond this, one of the organization with the most is refused. */
const waitingMax = 5_000;

/**
 * Authenticates before any of the body is read, and admits requests in turns by organization, so that none queues behind
 * another's. It runs last, so that refusals carry every header.
 */
function admitFirst(fastify: FastifyInstance, admission: Admission): void {
  const starts = new StartQueue(waitingMax);
  fastify.addHook('onRequest', (request, reply, done) => {
    const refuse = (): void => done(new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }));
    const enter = (): void => starts.take(request.principal?.orgId ?? request.ip, { begin: () => done(), refuse });
    try {
      const admitted = admission.admit(request, reply);
      if (admitted) admitted.then(enter, done);
      else enter();
    } catch (error) {
      done(asError(error));
    }
  });
}

/** Refuses a content type that the endpoint does not accept, and names those it does. */
function refuseUnwantedTypes(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', ({ routeOptions, headers, method }, _reply, payload, done) => {
    const { endpoint } = routeOptions.config ?? {};
    const given = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    const taken = endpoint ? typesOf(endpoint) : [];
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    const isOther = given ? !taken.some((type) => type === given) : hasBody;
    const isRefused = endpoint && isOther && method === 'POST' && taken.length > 0;
    const message = `This endpoint takes ${taken.join(' or ')}.`;
    done(isRefused ? new Fault('UNSUPPORTED_MEDIA_TYPE', { message }) : null, payload);
  });
}

function typesOf(endpoint: Endpoint): readonly string[] {
  if ('accepts' in endpoint) return endpoint.accepts;
  return endpoint.input === 'form' ? ['multipart/form-data'] : ['application/json'];
}

/**
 * Answers the header Expect like any other part of a request. Node would answer an unknown value without a body, and would ask for the
 * body of a request that its headers alone get refused. A client that was not asked for its body may send it or not, so the
 * connection cannot be used again.
 */
function meetExpectations(fastify: FastifyInstance): { continueAdmitted(): void } {
  const waiting = new WeakSet<IncomingMessage>();
  const unknown = new WeakSet<IncomingMessage>();
  for (const event of ['checkContinue', 'checkExpectation'])
    fastify.server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      (request.headers.expect?.toLowerCase() === '100-continue' ? waiting : unknown).add(request);
      fastify.server.emit('request', request, response);
    });
  fastify.addHook('onRequest', ({ raw }, _reply, done) => done(unknown.has(raw) ? new Fault('EXPECTATION_FAILED') : undefined));
  fastify.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (waiting.has(raw) || unknown.has(raw)) void reply.header('connection', 'close');
    done(null, payload);
  });
  const continueAdmitted = (): void =>
    void fastify.addHook('preParsing', ({ raw, headers, routeOptions }, reply, payload, done) => {
      if (!waiting.has(raw)) return done(null, payload);
      // The files of a form have limits of their own, which apply while it is read.
      const isForm = headers['content-type']?.startsWith('multipart/') ?? false;
      if (!isForm && Number(headers['content-length'] ?? 0) > routeOptions.bodyLimit) return done(new Fault('PAYLOAD_TOO_LARGE'));
      waiting.delete(raw);
      reply.raw.writeContinue();
      done(null, payload);
    });
  return { continueAdmitted };
}

/**
 * Answers a request to change to another protocol like any other, but as the last of its connection: Node has dropped what came with
 * it, and would take the answer to a later request for that one's.
 */
function refuseOtherProtocols(fastify: FastifyInstance): void {
  fastify.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (raw.headers.upgrade !== undefined) void reply.header('connection', 'close');
    done(null, payload);
  });
  fastify.server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    answerBadUpgrade(socket, new Fault('VALIDATION_FAILED', { message: 'This server is no proxy.' })),
  );
}

/** How long a client is answered that sends no more. Nearly all answers take less, and longer work is not done for clients that left. */
const halfClosedMsMax = 2_000;

/**
 * Answers clients that close their half of the connection behind their requests; Node would drop the answers. Whoever is charged or
 * sent a stream counts as gone: almost always they are, and that would not show before something is written to them.
 */
function answerHalfClosed(fastify: FastifyInstance): void {
  Object.assign(fastify.server, { httpAllowHalfOpen: true });
  /** How many answers of each connection end with its client's half. */
  const costly = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: number): unknown => costly.set(socket, (costly.get(socket) ?? 0) + change);
  fastify.server.on('connection', (socket) =>
    socket.once('end', () => {
      if (costly.get(socket)) socket.end();
      else setTimeout(() => socket.end(), halfClosedMsMax).unref();
    }),
  );
  fastify.addHook('onRequest', ({ raw: { socket }, routeOptions }, reply, done) => {
    if (isCostly(routeOptions.config.endpoint)) {
      if (socket.readableEnded) socket.end();
      count(socket, 1);
      reply.raw.once('close', () => count(socket, -1));
    }
    done();
  });
}

function isCostly(endpoint: Endpoint | undefined): boolean {
  if (!endpoint || !('answers' in endpoint)) return false;
  return endpoint.charges !== undefined || endpoint.answers.some(({ contentType }) => contentType !== 'application/json');
}

/** The characters of a name or address with an optional port. */
const hostCharacters = /^[\w.~:[\]%!$&'()*+,;=-]*$/;

/** HTTP/1.1 requires a request to name its host, and every version that it names no second one. Bodies come plain or chunked. */
export function complaintAboutHead({
  headers,
  rawHeaders,
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'httpVersion'>): Fault | undefined {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return new Fault('VALIDATION_FAILED', { message: 'The request has more than one Host header.' });
  if (headers['transfer-encoding'] !== undefined && headers['transfer-encoding'].toLowerCase() !== 'chunked')
    return new Fault('VALIDATION_FAILED', { message: 'The only Transfer-Encoding that is understood is chunked.' });
  if (!hostCharacters.test(headers.host ?? ''))
    return new Fault('VALIDATION_FAILED', { message: 'The Host header names no host.' });
  if (headers.host !== undefined || httpVersion === '1.0') return undefined;
  return new Fault('VALIDATION_FAILED', { message: 'The request has no Host header.' });
}

/** Behind an unconfigured proxy every client seems to have the proxy's address, which makes limits and address lists useless. */
function noticeProxies(fastify: FastifyInstance, log: Logger): void {
  let isSaid = false;
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!isSaid && request.headers['x-forwarded-for'] !== undefined) {
      isSaid = true;
      log.warn('A proxy is in front of this gateway and TRUSTED_PROXIES is empty: all clients count as one address');
    }
    done();
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('refused', { cause: error });
}

/** Answers requests that have no handler before their body is read: unknown routes, wrong methods, OPTIONS. */
function answerUnroutedRequests(fastify: FastifyInstance): void {
  const paths = new KnownPaths();
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) paths.add(name, url);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && !paths.isOfAnother(request.method, request.url)) return done();
    answerUnrouted(paths, request, reply, done);
  });
}

function answerUnrouted(paths: KnownPaths, request: FastifyRequest, reply: FastifyReply, done: (fault: Fault) => void): void {
  const methods = paths.methodsOf(request.url);
  if (!methods) return done(new Fault('ROUTE_NOT_FOUND'));
  reply.header('allow', methods.join(', '));
  const message = `This path takes ${methods.join(', ')}.`;
  if (request.method !== 'OPTIONS') return done(new Fault('METHOD_NOT_ALLOWED', { message }));
  reply.status(204).send();
}

/** Lookups that rarely change carry an ETag: a client that already has one gets an empty 304. Other routes are not affected. */
function revalidateLookups(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {};
    if (endpoint && 'revalidates' in endpoint && endpoint.revalidates) route.onSend = revalidate;
  });
}

function revalidate(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: HookDone): void {
  if (typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload);
  const tag = `"${hash('sha256', payload, 'base64url').slice(0, 27)}"`;
  // Cached privately and always revalidated: a label may change with the next release.
  reply.header('etag', tag).header('cache-control', 'private, no-cache');
  if (!isKnown(request.headers['if-none-match'], tag)) return done(null, payload);
  reply.code(304).removeHeader('content-length').removeHeader('content-type');
  done(null, '');
}

/** Compressing proxies make an ETag weak; for a comparison that only saves bytes it still counts. */
function isKnown(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((known) => known.trim().replace(/^W\//, '') === tag) ?? false;
}

/** Every path that the gateway serves, with its methods, to tell "no such route" from "wrong method". */
export class KnownPaths {
  private readonly fixed = new Map<string, Set<string>>();
  private readonly variable = new Map<string, { segments: string[]; methods: Set<string> }>();

  add(method: string, pattern: string): void {
    if (pattern.includes('*')) return;
    if (!pattern.includes(':')) {
      const methods = this.fixed.get(pattern) ?? new Set();
      this.fixed.set(pattern, methods.add(method));
      return;
    }
    const known = this.variable.get(pattern) ?? { segments: pattern.split('/'), methods: new Set() };
    known.methods.add(method);
    this.variable.set(pattern, known);
  }

  /** Whether a router would take this fixed path for an id of a variable one, as in DELETE /agent/agent-list. */
  isOfAnother(method: string, url: string): boolean {
    const own = this.fixed.get(pathOf(url));
    return own !== undefined && !own.has(method);
  }

  /** The methods that a path answers, OPTIONS included; nothing for a path that is not ours. */
  methodsOf(url: string): string[] | undefined {
    const path = pathOf(url);
    const segments = path.split('/');
    const fixed = this.fixed.get(path);
    const fitting = fixed ? [{ methods: fixed }] : [...this.variable.values()].filter((known) => fits(known.segments, segments));
    const methods = fitting.flatMap((known) => [...known.methods]);
    return methods.length > 0 ? [...new Set([...methods, 'OPTIONS'])].sort() : undefined;
  }
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

function fits(pattern: string[], segments: string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]));
}

/** Refuses a content type that Nest would parse by default. */
const refusedBody: FastifyBodyParser<Buffer> = (_request, _body, done) => done(new Fault('UNSUPPORTED_MEDIA_TYPE'));
