export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * The log of one service. The message is a fixed sentence, so that lines can be counted; what varies goes into fields.
 * What people said, their numbers and prompts go under `pii`, which is written only where the operator allows it.
 */
export abstract class Logger {
  abstract debug(message: string, fields?: object): void;
  abstract info(message: string, fields?: object): void;
  abstract warn(message: string, fields?: object): void;
  abstract error(message: string, fields?: object): void;
  /** The same log with fields on every line. */
  abstract with(fields: object): Logger;
}

/** What a log line may hold: nested this deep, this many entries, this many characters of one text. */
const depthMax = 5;
const entriesMax = 50;
const charactersMax = 4_000;

const secretNames = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|token|api_?key)$/i;
const urlPassword = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,100}):[^\s@/]{1,200}@/gi;
const issuedKey = /\b(agt|ext_api|wsk)_[0-9A-Za-z]{8,}/g;

/** Text without passwords in URLs and without the secret part of our own keys. */
export function scrubText(text: string): string {
  const cut = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
  return cut.replace(urlPassword, '$1:[redacted]@').replace(issuedKey, '$1_[redacted]');
}

/** The fields of a log line as they may be written: no secrets, `pii` only where the operator asked for it. */
export function scrubFields(fields: object, writesPii: boolean): Record<string, unknown> {
  return scrubRecord(fields, writesPii, 0);
}

function scrubRecord(record: object, writesPii: boolean, depth: number): Record<string, unknown> {
  const entries = Object.entries(record).slice(0, entriesMax);
  const kept = entries.filter(([name]) => writesPii || (name !== 'pii' && !name.startsWith('pii.')));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, secretNames.test(name) ? '[redacted]' : scrub(value, writesPii, depth + 1)]),
  );
}

function scrub(value: unknown, writesPii: boolean, depth: number): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value;
  if (value instanceof Error) return describeError(value, writesPii, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > depthMax) return '[deeper]';
  if (Array.isArray(value)) return value.slice(0, entriesMax).map((item) => scrub(item, writesPii, depth + 1));
  return scrubRecord(value, writesPii, depth);
}

/** An error with its cause chain; the place is kept, the values that a driver glues to its errors are not. */
function describeError(error: Error, writesPii: boolean, depth: number): Record<string, unknown> {
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: scrubText(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: scrubText(error.stack ?? ''),
    ...(error.cause === undefined || depth > depthMax ? {} : { cause: scrub(error.cause, writesPii, depth + 1) }),
  };
}
