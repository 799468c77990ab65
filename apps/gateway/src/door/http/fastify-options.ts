import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault } from '@parley/contracts';
import type { FastifyHttpOptions, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify';
import type { GatewayConfig } from '../../config';
import { isSocketPath } from '../../endpoint/endpoint';
import { answerFault, faultBody, faultOf } from '../faults';

const unreadBytesMax = 16_384;

/** The settings of the public HTTP server: each limit that it enforces before a route is even looked for. */
export function fastifyOptions(config: GatewayConfig): FastifyHttpOptions<RawServerDefault> {
  return {
    bodyLimit: config.BODY_LIMIT_BYTES,
    requestTimeout: config.REQUEST_TIMEOUT,
    keepAliveTimeout: config.KEEP_ALIVE,
    http: {
      // Node would answer without a body; a hook answers as everything is answered here.
      requireHostHeader: false,
      // At most this much of an unread body is buffered.
      highWaterMark: unreadBytesMax,
      maxHeaderSize: config.HEADERS_LIMIT_BYTES,
      headersTimeout: config.HEADERS_TIMEOUT,
      connectionsCheckingInterval: config.TIMEOUT_CHECK_INTERVAL,
      // Some clients offer HTTP/2 with every request; only what opens a socket is taken out of HTTP.
      shouldUpgradeCallback: ({ url, headers }) => headers.upgrade?.toLowerCase() === 'websocket' && isSocketPath(url),
    },
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

/** Answers what never became a request (garbage, oversized headers, a client too slow) and closes the connection. */
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  socket.end(rawAnswer(clientFault(error.code)), () => socket.destroy());
}

/** A request of HTTP/1.1 names its host. */
export function complaintAboutHost({
  headers,
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'httpVersion'>): Fault | undefined {
  if (headers.host !== undefined || httpVersion === '1.0') return undefined;
  return new Fault('VALIDATION_FAILED', { message: 'The request has no Host header.' });
}

const noWebSocket = new Fault('VALIDATION_FAILED', { message: 'The request does not open a WebSocket as RFC 6455 says.' });

/** Rejects an invalid WebSocket upgrade, and closes the connection. */
export function answerBadUpgrade(socket: Duplex, fault = noWebSocket): void {
  socket.end(rawAnswer(fault), () => socket.destroy());
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

const saneRequestId = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's own X-Request-ID when it is safe to log and to echo, a new one otherwise. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && saneRequestId.test(given) ? given : newRequestId();
}

/** A UUID of version 7: it sorts by time, so that requests of one minute are adjacent in logs and indexes. */
export function newRequestId(nowMs = Date.now()): string {
  if (nowMs !== spelled.ms) spelled = { ms: nowMs, text: timeText(nowMs) };
  return spelled.text + randomUUID().slice(15);
}

/** Requests of one millisecond begin alike, and spelling it costs more than the random rest. */
let spelled = { ms: Number.NaN, text: '' };

function timeText(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7`;
}

/** Headers of every response. Answers belong to one caller, so nothing on the way may keep or reinterpret them. */
export function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cache-control', 'no-store');
}
