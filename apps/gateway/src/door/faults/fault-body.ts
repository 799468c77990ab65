import { STATUS_CODES } from 'node:http';
import type { Fault } from '@parley/contracts';

const detailsMax = 50;

/** The one shape of every error, over HTTP and WebSocket alike. */
export function faultBody(fault: Fault, requestId: string) {
  return {
    statusCode: fault.status,
    error: STATUS_CODES[fault.status] ?? 'Client Closed Request',
    code: fault.code,
    message: fault.message,
    details: fault.details.slice(0, detailsMax),
    requestId,
  };
}

/** Seconds after which the same request may work, for the faults that promise it. */
export function retryAfterOf(fault: Fault): number | undefined {
  const promises = fault.status === 429 || fault.status === 503 || fault.code === 'IDEMPOTENCY_KEY_IN_FLIGHT';
  if (!promises) return undefined;
  return Math.max(1, Math.ceil(fault.retryAfterSeconds ?? 1));
}
