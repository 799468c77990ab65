import { HttpException } from '@nestjs/common';
import { Fault, type FaultCode } from '@parley/contracts';

interface PublicFault {
  code: FaultCode;
  message?: string;
}

/** What Fastify raises before a handler runs, in our words. */
const byFastifyCode: Record<string, PublicFault> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'MALFORMED_JSON' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'MALFORMED_JSON' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'VALIDATION_FAILED', message: 'The body is not as long as Content-Length says.' },
  FST_ERR_BAD_URL: { code: 'VALIDATION_FAILED', message: 'The URL is not validly encoded.' },
  FST_FILES_LIMIT: { code: 'VALIDATION_FAILED', message: 'A form may have one file.' },
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

/** Any thrown value as something a client may be told. What nobody foresaw becomes INTERNAL and keeps its text inside. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
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

/** A plugin of Fastify blames the request. What it blames on itself is unforeseen. */
function isRefusal(error: Error): error is Error & { statusCode: number } {
  const status = 'statusCode' in error ? error.statusCode : undefined;
  return error.name === 'FastifyError' && typeof status === 'number' && status >= 400 && status < 500;
}

function faultOfStatus(status: number, cause: Error): Fault {
  return new Fault(byStatus[status] ?? 'INTERNAL', { cause });
}
