import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

interface FaultEntry {
  readonly status: number;
  /** The default message for the client. */
  readonly message: string;
  /** What the client can do about it. */
  readonly remedy: string;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;
  readonly log: 'debug' | 'info' | 'warn' | 'error';
}

/**
 * Every error that a client can meet: its status, public message and log level. `docs/errors.md` and the OpenAPI document are
 * generated from this table.
 */
export const faultCatalogue = {
  VALIDATION_FAILED: {
    status: 400,
    isRetryable: false,
    log: 'debug',
    message: 'The request is not valid.',
    remedy:
      'Correct the fields named in `details`. A recording without speech is charged for being listened to; with an `Idempotency-Key`, once.',
  },
  MALFORMED_JSON: {
    status: 400,
    isRetryable: false,
    log: 'debug',
    message: 'The body is not valid JSON.',
    remedy: 'Send valid JSON in UTF-8.',
  },
  API_KEY_MISSING: {
    status: 401,
    isRetryable: false,
    log: 'debug',
    message: 'Send your API key in the x-api-key header.',
    remedy: 'Add the header `x-api-key`.',
  },
  API_KEY_INVALID: {
    status: 401,
    isRetryable: false,
    log: 'info',
    message: 'This API key is unknown, expired or revoked.',
    remedy: 'Ask an admin of the organization for a new key.',
  },
  SCOPE_MISSING: {
    status: 403,
    isRetryable: false,
    log: 'info',
    message: 'This API key may not do that.',
    remedy:
      'The message names the permission or the kind of key. An Owner or Admin grants permissions with `team-management/add-update-Invitation`, and members create keys with `integrations/keys`.',
  },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    isRetryable: false,
    log: 'info',
    message: 'This API key may not be used from this address.',
    remedy: 'Call from an address of the key’s `allowedIps`, or use another key. Behind a proxy, see TRUSTED_PROXIES.',
  },
  CREDITS_EXHAUSTED: {
    status: 403,
    isRetryable: false,
    log: 'info',
    message: 'The organization has no credits left for this.',
    remedy:
      'Top up the kind of credits that the message names, or ask again when what has set them aside is over. An answer that had begun when the balance ran out is not an error: it is cut off there, delivered and charged. So is the sound of a spoken answer, whose text is whole. If a model has used tools and nothing is left for its answer, what it used until then is charged.',
  },
  DEVICE_LOCKED: {
    status: 403,
    isRetryable: false,
    log: 'info',
    message: 'This member is bound to another device.',
    remedy: 'Have an admin reset the IMEI of the member.',
  },
  NOT_FOUND: {
    status: 404,
    isRetryable: false,
    log: 'debug',
    message: 'There is no such record.',
    remedy: 'Check the id: it is unknown, deleted or belongs to another organization.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    isRetryable: false,
    log: 'debug',
    message: 'There is no such route.',
    remedy: 'Check the path against the API reference.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    isRetryable: false,
    log: 'debug',
    message: 'This route does not support that method.',
    remedy: 'Use a method listed in the `Allow` header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    isRetryable: true,
    log: 'debug',
    message: 'The request did not arrive in time.',
    remedy: 'Send the whole request without pausing.',
  },
  CONFLICT: {
    status: 409,
    isRetryable: false,
    log: 'debug',
    message: 'The record is not in a state that allows this.',
    remedy: 'Read the record again, then decide.',
  },
  SESSION_BUSY: {
    status: 409,
    isRetryable: true,
    log: 'debug',
    message: 'The session is still answering the previous turn.',
    remedy: 'Wait for the answer, then send the next turn.',
  },
  IDEMPOTENCY_KEY_IN_FLIGHT: {
    status: 409,
    isRetryable: true,
    log: 'debug',
    message: 'A request with this Idempotency-Key is still being answered.',
    remedy: 'Wait, then send the same request again.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    isRetryable: false,
    log: 'info',
    message: 'This Idempotency-Key was used with another body.',
    remedy: 'Use a new `Idempotency-Key` for a new request.',
  },
  SHOWN_ONCE: {
    status: 409,
    isRetryable: false,
    log: 'info',
    message:
      'An earlier request with this Idempotency-Key already did this; its response contained a secret, which is shown only once.',
    remedy: 'If the secret was lost, replace it: rotate the key, or request another token with a new `Idempotency-Key`.',
  },
  PROVIDER_NOT_CONFIGURED: {
    status: 409,
    isRetryable: false,
    log: 'info',
    message: 'This provider is not configured on this installation.',
    remedy:
      'Configure the setting that the message names, or choose another provider. An answer that no voice can say is charged as text; with an `Idempotency-Key`, once.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    isRetryable: false,
    log: 'info',
    message: 'The body is larger than this route accepts.',
    remedy: 'Send less, or split the request.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    isRetryable: false,
    log: 'debug',
    message: 'The only supported value of the Expect header is 100-continue.',
    remedy: 'Omit the `Expect` header.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    isRetryable: false,
    log: 'debug',
    message: 'This route does not accept that content type.',
    remedy: 'Send a content type that the route accepts.',
  },
  UPGRADE_REQUIRED: {
    status: 426,
    isRetryable: false,
    log: 'debug',
    message: 'This path is a WebSocket.',
    remedy: 'Open it with a WebSocket client; `/asyncapi.json` describes its protocol.',
  },
  RATE_LIMITED: {
    status: 429,
    isRetryable: true,
    log: 'info',
    message: 'Too many requests.',
    remedy:
      'Wait as long as `Retry-After` says. There are limits on the request rate, and on streams, sockets and long requests open at once, for each key, organization and address; the message says which one was reached.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    isRetryable: false,
    log: 'info',
    message: 'The request headers are too large.',
    remedy: 'Send fewer or shorter headers.',
  },
  CANCELLED: {
    status: 499,
    isRetryable: false,
    log: 'debug',
    message: 'The client disconnected.',
    remedy: 'Nothing: the connection was closed before the response.',
  },
  INTERNAL: {
    status: 500,
    isRetryable: true,
    log: 'error',
    message: 'Something failed on our side.',
    remedy: 'Try once more; if the error persists, report the `requestId`. It is charged as `SERVICE_UNAVAILABLE` is.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    isRetryable: true,
    log: 'warn',
    message: 'A service behind this route is not available.',
    remedy:
      'Wait as long as `Retry-After` says, then back off exponentially, with the same `Idempotency-Key`: what was produced but lost on its way is charged, and whoever asks again with that key gets it, or a new answer, for no further charge. Without a key nobody can have it any more, and it is not charged; of a stream or a sound, what was sent is.',
  },
  SPEECH_PROVIDER_UNAVAILABLE: {
    status: 503,
    isRetryable: true,
    log: 'warn',
    message: 'No speech provider answered.',
    remedy: 'Wait as long as `Retry-After` says, then back off exponentially.',
  },
  MODEL_PROVIDER_UNAVAILABLE: {
    status: 503,
    isRetryable: true,
    log: 'warn',
    message: 'No language model answered.',
    remedy:
      'Wait as long as `Retry-After` says, then back off exponentially. If a model fails while it writes, its prompt and what it wrote are charged for each attempt, even with the same `Idempotency-Key`; if it fails before, nothing is.',
  },
  DEADLINE_EXCEEDED: {
    status: 504,
    isRetryable: true,
    log: 'warn',
    message: 'The answer did not come in time.',
    remedy: 'Try again with the same `Idempotency-Key`, so that nothing is charged twice.',
  },
} as const satisfies Record<string, FaultEntry>;

export type FaultCode = keyof typeof faultCatalogue;

export const faultCodes = Object.keys(faultCatalogue).filter(isFaultCode);

/** Which field was wrong, and how. */
export const FaultDetailSchema = z.object({ field: z.string(), message: z.string() });
export type FaultDetail = z.output<typeof FaultDetailSchema>;

interface FaultOptions {
  message?: string;
  details?: FaultDetail[];
  retryAfterSeconds?: number;
  /** What was unavailable, or failed: a service, `postgres` or `nats`. For logs only. */
  dependency?: string;
  cause?: unknown;
}

/**
 * An error that clients may see. `message` and `details` are public; `dependency` is only sent between services, and `cause`
 * never leaves the process. Without a message, the first detail is used.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: FaultDetail[];
  readonly retryAfterSeconds: number | undefined;
  readonly dependency: string | undefined;

  constructor(code: FaultCode, options: FaultOptions = {}) {
    const details = (options.details ?? []).map(({ field, message }) => ({ field, message: sentenceOf(field, message) }));
    const framesMax = Error.stackTraceLimit;
    // Recording a stack is most of what such a fault costs, and a client's mistake has its cause outside this process.
    if (faultCatalogue[code].status < 500) Error.stackTraceLimit = 0;
    super(options.message ?? details[0]?.message ?? faultCatalogue[code].message, { cause: options.cause });
    Error.stackTraceLimit = framesMax;
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.dependency = options.dependency;
  }

  get status(): number {
    return faultCatalogue[this.code].status;
  }
}

/** Whether a part of our platform failed or was lost, and neither the caller nor a provider. */
export function isOurFault(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'INTERNAL' || error.code === 'SERVICE_UNAVAILABLE');
}

/** Whether too little is left to hold: of the organization's credits, or of a widget's daily budget. */
export function isOutOfCredits(error: unknown): error is Fault {
  return error instanceof Fault && (error.code === 'CREDITS_EXHAUSTED' || error.code === 'RATE_LIMITED');
}

/** Whether credits are missing only because others have set them aside: some of them may be free in as many seconds as it says. */
export function areCreditsSetAside(error: unknown): boolean {
  return error instanceof Fault && error.code === 'CREDITS_EXHAUSTED' && error.retryAfterSeconds !== undefined;
}

/** A detail may be a predicate, such as `is required`; then its field is put in front. Clients always read a sentence. */
function sentenceOf(field: string, message: string): string {
  const isSentence = field === '' || /^\p{Lu}/u.test(message) || message.startsWith(`${field} `);
  return isSentence ? message : `${field} ${message}`;
}

/** The fault for a record that does not exist. A hidden one looks the same. */
export function notThere(what: string): Fault {
  return new Fault('NOT_FOUND', { message: `There is no such ${what}.` });
}

/** VALIDATION_FAILED for fields whose values only the service can check. Each message is a complete sentence. */
export function invalidFields(details: FaultDetail[]): Fault {
  const [first] = details;
  return new Fault('VALIDATION_FAILED', { details, ...(first && { message: first.message }) });
}

/** Whether a word from a message is a code in our catalogue. */
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
  "details": [{ "field": "question", "message": "question is required" }],
  "requestId": "0b6f2d1e"
}
\`\`\`

Branch on \`code\`: its meaning never changes. \`message\` is for people and may change its wording. Quote \`requestId\` (also in
the header \`X-Request-ID\`) when you report a problem. 429, 503 and \`IDEMPOTENCY_KEY_IN_FLIGHT\` carry \`Retry-After\` in seconds. Every answer to a
request that was counted against its limits, refusals included, says what remains: in one number each by \`RateLimit-Limit\`,
\`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds), and with all limits by \`RateLimit\` and \`RateLimit-Policy\`.

A path that exists answers 405 to a method that it does not have, whatever the key. Its header \`Allow\` lists the methods that it has, and
so does the answer to \`OPTIONS\`:

\`\`\`
$ curl -i -X PUT https://voice.example/api/v1/ttt
HTTP/1.1 405 Method Not Allowed
allow: OPTIONS, POST
\`\`\`

408, 417 and 431 may answer any request, because they concern its head or how slowly it came; they close the connection.

This page is generated from \`libs/contracts/src/faults.ts\`; a test keeps the two equal.
`;

/** The text of docs/errors.md. */
export function errorsPage(): string {
  const rows = faultCodes.map((code) => {
    const { status, message, remedy, isRetryable } = faultCatalogue[code];
    return `| \`${code}\` | ${statusText(status)} | ${message} | ${remedy} | ${isRetryable ? 'yes' : 'no'} |`;
  });
  return [intro, '| Code | Status | Meaning | What to do | Retry |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}

/** 499 is not a registered status; proxies use it for a client that disconnected. */
function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? 'Client Closed Request'}`;
}
