import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import proxyAddress from '@fastify/proxy-addr';
import { Fault } from '@parley/contracts';
import { commaList, duration, flag, integer } from '@parley/service-kit';
import type { FastifyHttpOptions, RawServerDefault } from 'fastify';
import type { z } from 'zod';
import { isSocketPath } from '../../endpoint/endpoint';
import { newRequestId, requestIdOf, stamp } from '../../endpoint/gateway-call';
import { answerFault, faultBody, faultOf } from '../faults';

function areProxies(proxies: readonly string[]): boolean {
  try {
    proxyAddress.compile([...proxies]);
    return true;
  } catch {
    return false;
  }
}

/** A browser sends no path and no usual port; whatever else is listed would match no page. Apps have schemes of their own. */
function areOrigins(origins: readonly string[]): boolean {
  return origins.every(
    (origin) =>
      origin === '*' ||
      (/^[a-z][a-z\d+.-]*:\/\/[^/?#@*\s]+$/.test(origin) && ['null', origin].includes(URL.parse(origin)?.origin ?? '')),
  );
}

/** What an operator can set about requests and their connections. */
export const httpVariables = {
  ACCESS_LOG: flag().default(false).meta({
    description:
      'Logs every answered request: route, status, time, organization and key. Health and metrics have their own port and are not logged.',
    example: 'true',
  }),
  BODY_LIMIT_BYTES: integer({ min: 1024, max: 16_777_216 }).default(1_048_576).meta({
    description: 'The largest JSON body; a larger one gets 413. Routes that accept files have their own limits.',
    example: '1048576',
  }),
  HEADERS_LIMIT_BYTES: integer({ min: 1024, max: 1_048_576 }).default(16_384).meta({
    description: 'The largest set of request headers; a larger one gets 431.',
    example: '16384',
  }),
  PATH_SEGMENT_LIMIT: integer({ min: 36, max: 4096 }).default(200).meta({
    description: 'The maximum number of characters in one variable segment of a path; a longer one gets 400.',
    example: '200',
  }),
  REQUEST_TIMEOUT: duration({ min: '100ms', max: '1h' }).default(60_000).meta({
    description: 'The time that a client has to send a whole request; then it gets 408 and the connection closes.',
    example: '60s',
  }),
  HEADERS_TIMEOUT: duration({ min: '100ms', max: '1h' })
    .default(10_000)
    .meta({
      description: 'The time that a client has to send its headers; then it gets 408 and the connection closes.',
      example: '10s',
      bound: { by: 'REQUEST_TIMEOUT' },
    }),
  TIMEOUT_CHECK_INTERVAL: duration({ min: '10ms', max: '1m' }).default(5_000).meta({
    description: 'How often slow connections are checked for. A timeout takes effect at most this much later.',
    example: '5s',
  }),
  KEEP_ALIVE: duration({ min: '1s', max: '1h' }).default(72_000).meta({
    description: 'How long an idle connection stays open. It must be longer than that of the load balancer in front.',
    example: '72s',
  }),
  TRUSTED_PROXIES: commaList().refine(areProxies).default([]).meta({
    expected: 'addresses, ranges such as 10.0.0.0/8, and the words loopback, linklocal and uniquelocal between commas',
    description:
      'Addresses and ranges whose X-Forwarded-For is trusted. Without any, a client’s address is that of its connection.',
    example: '10.0.0.0/8,loopback',
  }),
  CORS_ORIGINS: commaList().refine(areOrigins).default([]).meta({
    expected: 'origins (a scheme, a host and a port that is not the usual one) between commas, or *',
    description: 'Origins whose pages may call the API from a browser; * for all. By default, none may.',
    example: 'https://app.example.com',
  }),
};
export type HttpVariables = { readonly [Name in keyof typeof httpVariables]: z.output<(typeof httpVariables)[Name]> };

const port = /(?<=^\d+\.\d+\.\d+\.\d+|^\[[\da-f:.]+\]):\d+$/i;

/**
 * Leaves addresses alone in X-Forwarded-For, as the limits count them and lists name them: without the ports and brackets that some proxies
 * write, with which each connection of a client would be an address of its own. What stands before an entry that is no address was said
 * by nobody who is known.
 */
export function keepForwardedAddresses({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded !== 'string') return;
  const entries = forwarded.split(',').map((each) =>
    each
      .trim()
      .replace(port, '')
      .replace(/^\[(.*)\]$/, '$1'),
  );
  const known = entries.slice(entries.findLastIndex((each) => isIP(each) === 0) + 1);
  if (known.length > 0) headers['x-forwarded-for'] = known.join(', ');
  else delete headers['x-forwarded-for'];
}

const unreadBytesMax = 16_384;

/** The settings of the public HTTP server: every limit that applies before a route is looked up. */
export function fastifyOptions(config: HttpVariables): FastifyHttpOptions<RawServerDefault> {
  return {
    bodyLimit: config.BODY_LIMIT_BYTES,
    serverFactory: (handle) => serverOf(config, handle),
    routerOptions: { maxParamLength: config.PATH_SEGMENT_LIMIT },
    trustProxy: config.TRUSTED_PROXIES.length > 0 && config.TRUSTED_PROXIES,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    genReqId: requestIdOf,
    requestIdHeader: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      stamp(request, reply);
      answerFault(reply, faultOf(error));
    },
  };
}

function serverOf(config: HttpVariables, handle: RequestListener): Server {
  const limits = {
    requestTimeout: config.REQUEST_TIMEOUT,
    keepAliveTimeout: config.KEEP_ALIVE,
    // Node would answer without a body; a hook sends our usual error instead.
    requireHostHeader: false,
    // At most this much of an unread body is buffered.
    highWaterMark: unreadBytesMax,
    maxHeaderSize: config.HEADERS_LIMIT_BYTES,
    headersTimeout: config.HEADERS_TIMEOUT,
    connectionsCheckingInterval: config.TIMEOUT_CHECK_INTERVAL,
    // Some clients offer HTTP/2 with every request; only WebSocket upgrades are handled outside HTTP.
    shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === 'websocket' && isSocketPath(url),
  };
  const early = new EarlyRequests();
  return createServer(limits, (request, response) => {
    const { socket } = request;
    const before = unanswered.get(socket) ?? 0;
    if (before >= unansweredMax) return void socket.destroy();
    unanswered.set(socket, before + 1);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (before === 0) return handle(request, response);
    early.add(() => socket.destroyed || handle(request, response));
  });
}

/** How many requests of each connection are not answered yet. */
const unanswered = new WeakMap<Socket, number>();
/** Node takes every request of a read at once, before anybody else has a turn: few bytes would be thousands of requests. */
const unansweredMax = 32;
/** How long requests that did not await the answers before them may take, before others have a turn. */
const earlyMs = 5;

/** Requests that came before the answer to an earlier one of their connection: others, on connections of their own, do not wait for them. */
class EarlyRequests {
  private readonly waiting: (() => void)[] = [];

  add(handle: () => void): void {
    if (this.waiting.push(handle) === 1) setImmediate(() => this.handleSome());
  }

  private handleSome(): void {
    const untilMs = performance.now() + earlyMs;
    let handled = 0;
    do this.waiting[handled++]?.();
    while (handled < this.waiting.length && performance.now() < untilMs);
    this.waiting.splice(0, handled);
    if (this.waiting.length > 0) setImmediate(() => this.handleSome());
  }
}

/** Connections that are closed once the requests before the error are answered. */
const closing = new WeakSet<Socket>();

/**
 * Answers what never became a request (garbage, oversized headers, a slow client) and closes the connection. Complete requests before
 * it on the same connection are answered first, since they may have been carried out. Then the connection only closes: a client that
 * already sends its next request would take the refusal for the answer to that.
 */
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  if (closing.has(socket)) return;
  closing.add(socket);
  const isOwed = owedAnswer(socket) !== undefined;
  afterAnswers(socket, () => {
    // Anything after a request that closes the connection is ignored.
    if (isOwed || error.code === 'HPE_CLOSED_CONNECTION' || !socket.writable) socket.destroySoon();
    else socket.end(rawAnswer(clientFault(error.code)), () => socket.destroy());
  });
}

/** Calls back once no complete request of this connection is without its answer. */
export function afterAnswers(socket: Duplex, done: () => void): void {
  const answering = owedAnswer(socket);
  if (answering) answering.once('close', () => afterAnswers(socket, done));
  else done();
}

/** The answer in progress to a complete request: Node attaches it to the socket, and the next one when that is finished. */
function owedAnswer(socket: Duplex): ServerResponse | undefined {
  const answering: unknown = Reflect.get(socket, '_httpMessage');
  return isResponse(answering) && answering.req.complete ? answering : undefined;
}

function isResponse(value: unknown): value is ServerResponse {
  return value instanceof ServerResponse;
}

const noWebSocket = new Fault('VALIDATION_FAILED', { message: 'The request does not open a WebSocket as RFC 6455 says.' });

/** Rejects an invalid WebSocket upgrade after the answers to the requests before it, and closes the connection. */
export function answerBadUpgrade(socket: Duplex, fault = noWebSocket): void {
  afterAnswers(socket, () => socket.end(rawAnswer(fault), () => socket.destroy()));
}

function clientFault(code: string | undefined): Fault {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Fault('REQUEST_TIMEOUT');
  if (code === 'HPE_HEADER_OVERFLOW') return new Fault('HEADERS_TOO_LARGE');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Fault('PAYLOAD_TOO_LARGE');
  return new Fault('VALIDATION_FAILED', { message: 'The request is not valid HTTP.' });
}

function rawAnswer(fault: Fault): string {
  const requestId = newRequestId();
  const body = JSON.stringify(faultBody(fault, requestId));
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
