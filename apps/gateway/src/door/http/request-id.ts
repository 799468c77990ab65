import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const saneRequestId = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's own X-Request-ID when it is safe to log and to echo, a new one otherwise. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && saneRequestId.test(given) ? given : newRequestId();
}

/** A UUID of version 7: sorts by time, so that requests of one minute lie together in logs and indexes. */
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
