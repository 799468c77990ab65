import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { Fault, faultCatalogue, type FaultCode } from '@parley/contracts';
import { ProviderFailure } from '@parley/ports';
import { Logger, reasonOf } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The edge: everything thrown while answering is logged once, here, and sent in the one error shape. */
@Catch()
export class FaultFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const fault = faultOf(error);
    this.report(fault, http.getRequest<FastifyRequest>());
    answerFault(http.getResponse<FastifyReply>(), fault);
  }

  private report(fault: Fault, request: FastifyRequest): void {
    const { method, id: requestId, principal } = request;
    const route = request.routeOptions.url;
    // Where something is away, the stack of each request that needed it would hide the lines that say what.
    const isAway = fault.dependency !== undefined && fault.code !== 'INTERNAL';
    const reported = isAway ? { reason: reasonOf(fault.cause) } : { error: fault.cause };
    const cause = fault.cause === undefined ? {} : reported;
    const holder = principal && { orgId: principal.orgId, keyId: principal.keyId };
    this.log[faultCatalogue[fault.code].log]('A request failed', {
      code: fault.code,
      requestId,
      method,
      route,
      ...holder,
      ...(fault.dependency && { dependency: fault.dependency }),
      ...cause,
    });
  }
}

interface PublicFault {
  code: FaultCode;
  message?: string;
}

/** What Fastify raises before a handler runs, as our own faults. */
const byFastifyCode: Record<string, PublicFault> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'MALFORMED_JSON' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'MALFORMED_JSON' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'VALIDATION_FAILED', message: 'The body is not as long as Content-Length says.' },
  FST_ERR_BAD_URL: { code: 'VALIDATION_FAILED', message: 'The URL is not validly encoded.' },
  FST_INVALID_JSON_FIELD_ERROR: {
    code: 'VALIDATION_FAILED',
    message: 'A part of the form says that it is JSON, but is none or too long.',
  },
  FST_FILES_LIMIT: { code: 'VALIDATION_FAILED', message: 'A form may have one file.' },
  // The client disconnected while the answer was being sent.
  ERR_STREAM_PREMATURE_CLOSE: { code: 'CANCELLED' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'VALIDATION_FAILED', message: 'A segment of the path is too long.' },
};

/** What Nest's own guards and plugins throw. */
const byStatus: Record<number, FaultCode> = {
  400: 'VALIDATION_FAILED',
  401: 'API_KEY_INVALID',
  403: 'SCOPE_MISSING',
  404: 'ROUTE_NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  431: 'HEADERS_TOO_LARGE',
  503: 'SERVICE_UNAVAILABLE',
};

/** Any thrown value as an error for the client. An unexpected one becomes INTERNAL and keeps its text inside. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof ProviderFailure) return new Fault('SERVICE_UNAVAILABLE', { dependency: error.provider, cause: error });
  if (error instanceof HttpException) {
    return foreseen(error.cause) ?? faultOfStatus(error.getStatus(), error);
  }
  return foreseen(error) ?? new Fault('INTERNAL', { cause: error });
}

function foreseen(error: unknown): Fault | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const known =
    byFastifyCode[error.code] ?? (isRefusal(error) ? { code: byStatus[error.statusCode] ?? 'VALIDATION_FAILED' } : undefined);
  return known && new Fault(known.code, { cause: error, ...(known.message && { message: known.message }) });
}

/** A Fastify plugin's 4xx blames the request; its 5xx is unexpected. */
function isRefusal(error: Error): error is Error & { statusCode: number } {
  const status = 'statusCode' in error ? error.statusCode : undefined;
  return error.name === 'FastifyError' && typeof status === 'number' && status >= 400 && status < 500;
}

function faultOfStatus(status: number, cause: Error): Fault {
  return new Fault(byStatus[status] ?? 'INTERNAL', { cause });
}

/** Sends a fault in the one shape. A reply whose headers were sent can only be cut off, unless it is complete. */
export function answerFault(reply: FastifyReply, fault: Fault): void {
  if (reply.raw.headersSent) {
    if (!reply.raw.writableEnded) reply.raw.destroy();
    return;
  }
  const retryAfter = retryAfterOf(fault);
  if (retryAfter !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfter);
  if (fault.code === 'UPGRADE_REQUIRED') reply.headers({ upgrade: 'websocket', connection: 'upgrade' });
  reply.removeHeader('content-type');
  reply.status(fault.status).send(faultBody(fault, reply.request.id));
}

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

/** After how many seconds the same request may succeed, for faults that say so. */
function retryAfterOf(fault: Fault): number | undefined {
  const promises = fault.status === 429 || fault.status === 503 || fault.code === 'IDEMPOTENCY_KEY_IN_FLIGHT';
  if (!promises) return undefined;
  return Math.max(1, Math.ceil(fault.retryAfterSeconds ?? 1));
}
