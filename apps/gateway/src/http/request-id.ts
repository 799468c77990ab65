import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const saneRequestId = /^[A-Za-z0-9._:-]{8,128}$/;

/** The client's own X-Request-ID when it is safe to log and to echo, a new one otherwise. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && saneRequestId.test(given) ? given : newRequestId();
}

/** A UUID of version 7: sorts by time, so that requests of one minute lie together in logs and indexes. */
export function newRequestId(nowMs = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0');
  const random = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
