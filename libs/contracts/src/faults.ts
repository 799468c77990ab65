import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { faultCatalogue } from './fault-catalogue';

export type FaultCode = keyof typeof faultCatalogue;

export const faultCodes = Object.keys(faultCatalogue).filter(isFaultCode);

/** Which field was wrong, and how. */
export const FaultDetailSchema = z.object({ field: z.string(), message: z.string() });
export type FaultDetail = z.output<typeof FaultDetailSchema>;

interface FaultOptions {
  message?: string;
  details?: FaultDetail[];
  retryAfterSeconds?: number;
  /** Whose absence it is: a service, `postgres` or `nats`. For logs; no client is told. */
  dependency?: string;
  cause?: unknown;
}

/**
 * An outcome that a client may be told of. `message` and `details` are public; `dependency` stays among services, and `cause` never
 * leaves the process. Without a
 * message it says the first of its details.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: FaultDetail[];
  readonly retryAfterSeconds: number | undefined;
  readonly dependency: string | undefined;

  constructor(code: FaultCode, options: FaultOptions = {}) {
    super(options.message ?? sentenceOf(options.details?.[0]) ?? faultCatalogue[code].message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.dependency = options.dependency;
  }

  get status(): number {
    return faultCatalogue[this.code].status;
  }
}

/** A detail may leave its field to be said before it. */
function sentenceOf(detail: FaultDetail | undefined): string | undefined {
  if (!detail) return undefined;
  return detail.message.startsWith(detail.field) ? detail.message : `${detail.field} ${detail.message}`;
}

/** Whether a word read from a message is a code of our catalogue. */
export function isFaultCode(word: string): word is FaultCode {
  return Object.hasOwn(faultCatalogue, word);
}

const intro = `# Errors

Every error has one shape, over HTTP and on a WebSocket alike:

\`\`\`json
{
  "statusCode": 400,
  "error": "Bad Request",
  "code": "VALIDATION_FAILED",
  "message": "question is required",
  "details": [{ "field": "question", "message": "is required" }],
  "requestId": "0b6f2d1e"
}
\`\`\`

Decide by \`code\`: it never changes its meaning. \`message\` is for people and may be worded anew. Quote \`requestId\` (also in
the header \`X-Request-ID\`) when you report a problem. 429 and 503 carry \`Retry-After\` in seconds.

This page is made from \`libs/contracts/src/fault-catalogue.ts\`; a test keeps the two equal.
`;

/** The text of docs/errors.md. */
export function errorsPage(): string {
  const rows = faultCodes.map((code) => {
    const { status, message, remedy, isRetryable } = faultCatalogue[code];
    return `| \`${code}\` | ${statusText(status)} | ${message} | ${remedy} | ${isRetryable ? 'yes' : 'no'} |`;
  });
  return [intro, '| Code | Status | Meaning | What to do | Retry |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}

/** 499 is no registered status; proxies use it for a client that went away. */
function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? 'Client Closed Request'}`;
}
