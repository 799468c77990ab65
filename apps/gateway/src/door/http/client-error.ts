import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault } from '@parley/contracts';
import { newRequestId } from './request-id';
import { faultBody } from '../faults/fault-body';

/** Answers what never became a request (garbage, oversized headers, a client too slow) and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  socket.end(rawAnswer(clientFault(error.code)), () => socket.destroy());
}

/** Answers a request for a WebSocket that is none, and closes the connection. */
export function answerBadUpgrade(socket: Duplex): void {
  const fault = new Fault('VALIDATION_FAILED', { message: 'The request does not open a WebSocket as RFC 6455 says.' });
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
