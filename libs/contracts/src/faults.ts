import { z } from 'zod';

/**
 * Every error that a client can meet: its status, the sentence it may read, and how loud our log is about it.
 * `docs/errors.md` and the OpenAPI document are made from this table.
 */
export const faultCatalogue = {
  VALIDATION_FAILED: { status: 400, message: 'The request is not valid.', log: 'debug' },
  MALFORMED_JSON: { status: 400, message: 'The body is not valid JSON.', log: 'debug' },
  API_KEY_MISSING: { status: 401, message: 'Send your API key in the x-api-key header.', log: 'debug' },
  API_KEY_INVALID: { status: 401, message: 'This API key is unknown, expired or revoked.', log: 'info' },
  SCOPE_MISSING: { status: 403, message: 'This API key may not do that.', log: 'info' },
  CREDITS_EXHAUSTED: { status: 403, message: 'The workspace has no credits left for this.', log: 'info' },
  DEVICE_LOCKED: { status: 403, message: 'This member is bound to another device.', log: 'info' },
  NOT_FOUND: { status: 404, message: 'There is no such record.', log: 'debug' },
  ROUTE_NOT_FOUND: { status: 404, message: 'There is no such route.', log: 'debug' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This route does not answer that method.', log: 'debug' },
  CONFLICT: { status: 409, message: 'The record is not in a state that allows this.', log: 'debug' },
  SESSION_BUSY: { status: 409, message: 'The session is still answering the turn before.', log: 'debug' },
  IDEMPOTENCY_KEY_IN_FLIGHT: { status: 409, message: 'A request with this Idempotency-Key is still being answered.', log: 'debug' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: 'This Idempotency-Key was used with another body.', log: 'info' },
  PROVIDER_NOT_CONFIGURED: { status: 409, message: 'This provider is not configured on this installation.', log: 'info' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than this route takes.', log: 'info' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'This route does not take that content type.', log: 'debug' },
  RATE_LIMITED: { status: 429, message: 'Too many requests.', log: 'info' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.', log: 'info' },
  CANCELLED: { status: 499, message: 'The caller went away.', log: 'debug' },
  INTERNAL: { status: 500, message: 'Something failed on our side.', log: 'error' },
  NOT_IMPLEMENTED: { status: 501, message: 'This endpoint is part of the contract; no service answers it yet.', log: 'debug' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'A service behind this route is not available.', log: 'warn' },
  SPEECH_PROVIDER_UNAVAILABLE: { status: 503, message: 'No speech provider answered.', log: 'warn' },
  MODEL_PROVIDER_UNAVAILABLE: { status: 503, message: 'No language model answered.', log: 'warn' },
  DEADLINE_EXCEEDED: { status: 504, message: 'The answer did not come in time.', log: 'warn' },
} as const satisfies Record<string, { status: number; message: string; log: 'debug' | 'info' | 'warn' | 'error' }>;

export type FaultCode = keyof typeof faultCatalogue;

export const faultCodes = Object.keys(faultCatalogue).filter(isFaultCode);

/** Which field was wrong, and how. */
export const FaultDetailSchema = z.object({ field: z.string(), message: z.string() });
export type FaultDetail = z.output<typeof FaultDetailSchema>;

interface FaultOptions {
  message?: string;
  details?: FaultDetail[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An outcome that a client may be told of. `message` and `details` are public; `cause` never leaves the process. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: FaultDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: FaultCode, options: FaultOptions = {}) {
    super(options.message ?? faultCatalogue[code].message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return faultCatalogue[this.code].status;
  }
}

/** Whether a word read from a message is a code of our catalogue. */
export function isFaultCode(word: string): word is FaultCode {
  return Object.hasOwn(faultCatalogue, word);
}
