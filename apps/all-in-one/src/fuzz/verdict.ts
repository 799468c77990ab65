import { type AnswerContent, type ApiDescription, errorSchema, type Operation } from './api-description';
import type { DrawnRequest } from './drawn-request';
import type { Received } from './sending';

/** What only the inside of the platform knows: traces, statements, addresses of files. */
const innards = /\bat (?:async )?[\w.<>]+ \(|node_modules|\.js:\d+|\.ts:\d+|QueryFailed|syntax error at or near|violates \w+|relation "|invalid (?:input|byte) |ECONN|\/(?:home|work|usr|tmp)\//;
/** There is no engine on this machine that hears Hindi or Marathi; who runs the platform may add one. */
const withoutEngine = 'SPEECH_PROVIDER_UNAVAILABLE';
/** Not of an operation: the path or the method was none of its own, or what HTTP itself refuses. */
const ofTheDoor = new Set(['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'HEADERS_TOO_LARGE']);

/** Whether an answer keeps what the document promises. */
export class Verdict {
  constructor(private readonly api: ApiDescription) {}

  /** What is wrong with an answer; nothing when all is well. */
  complaintAbout({ operation: wished, method }: DrawnRequest, { status, headers, body }: Received): string | undefined {
    // Another method may be another operation of the same path.
    const operation = this.api.operations.find((each) => each.path === wished.path && each.method === method) ?? wished;
    const text = body.toString();
    if (!headers['x-request-id']) return 'no X-Request-ID';
    if (method === 'HEAD' || (method === 'OPTIONS' && status === 204)) return isOurs(operation, status) ? `status ${status}` : undefined;
    if (status >= 400) return this.ofError({ operation, status, text, requestId: headers['x-request-id'], retryAfter: headers['retry-after'] });
    return this.ofSuccess(operation, { status, type: String(headers['content-type'] ?? ''), text });
  }

  private ofError(answer: { operation: Operation; status: number; text: string; requestId: unknown; retryAfter?: string | undefined }): string | undefined {
    const { operation, status, text, requestId, retryAfter } = answer;
    if (innards.test(text)) return 'shows the inside of the platform';
    const error = parsed(text);
    if (!isFault(error) || this.api.misfit(errorSchema, error)) return 'an error of another shape';
    if (error.statusCode !== status || error.requestId !== requestId) return 'contradicts its own headers';
    if ((status === 429 || status === 503) && !Number(retryAfter)) return 'no Retry-After';
    if (isOurs(operation, status) && error.code !== withoutEngine) return `status ${status} ${error.code}`;
    if (ofTheDoor.has(error.code)) return undefined;
    const documented = operation.answers.get(status)?.get('application/json')?.codes ?? [];
    return documented.includes(error.code) ? undefined : `${status} ${error.code} is not documented`;
  }

  private ofSuccess(operation: Operation, { status, type, text }: { status: number; type: string; text: string }): string | undefined {
    const content = operation.answers.get(status)?.get(type.split(';')[0] ?? '');
    if (!content) return `${status} ${type} is not documented`;
    if (content.isEvents) return this.ofEvents(content, text);
    if (!content.shape) return text === '' ? 'an empty body' : undefined;
    const misfit = this.api.misfit(content.shape, parsed(text));
    return misfit && `does not fit its schema: ${misfit}`;
  }

  private ofEvents({ shape = {} }: AnswerContent, text: string): string | undefined {
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => json);
    const odd = data.find((json) => this.api.misfit(shape, parsed(json)) !== undefined);
    if (odd !== undefined) return `an event fits nothing: ${odd}`;
    return data.length > 0 ? undefined : 'no events';
  }
}

/** A failure of ours; what is only promised says so. */
function isOurs({ isPlanned }: Operation, status: number): boolean {
  return status >= 500 && !(status === 501 && isPlanned);
}

function isFault(value: unknown): value is { statusCode: unknown; code: string; requestId: unknown } {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string' && 'requestId' in value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
