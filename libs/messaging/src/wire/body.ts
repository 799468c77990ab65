import { Fault, type FaultDetail, isFaultCode, type Principal, type ServiceName, type StreamContract } from '@parley/contracts';
import { ProviderFailure } from '@parley/ports';
import { z } from 'zod';
import type { PrincipalCodec } from '../access/signed-principals';
import { limits } from '../limits';

/** A message violates its contract. Whose fault that is depends on the reader. */
export class ContractBreach extends Error {
  override readonly name = 'ContractBreach';

  constructor(readonly details: FaultDetail[]) {
    super(details.map(({ field, message }) => `${field}: ${message}`).join('; '));
  }
}

/** A message is larger than the bus can carry. */
export class Oversize extends Error {
  override readonly name = 'Oversize';

  constructor(readonly bytes: number) {
    super(`${bytes} bytes, ${limits.bodyBytesMax} fit a message`);
  }
}

/** Checks a value against its contract; throws a ContractBreach that names the fields. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ContractBreach(parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message })));
}

/**
 * The JSON text of a value that matches its contract. The value itself is sent, not the parsed one: the reader parses too, and a
 * schema that transforms would transform twice.
 */
export function encodeBody(schema: z.ZodType, value: unknown): string {
  parse(schema, value);
  const text = value === undefined ? '' : JSON.stringify(value);
  // A character takes at most three bytes, so most messages need no exact count.
  if (text.length * 3 <= limits.bodyBytesMax) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bodyBytesMax) throw new Oversize(bytes);
  return text;
}

/** Parses what `encodeBody` wrote; throws a ContractBreach if it does not match. */
export function decodeBody<Schema extends z.ZodType>(schema: Schema, data: Uint8Array): z.output<Schema> {
  return parse(schema, data.byteLength === 0 ? undefined : parseJson(data));
}

/** Whether the producer of a stream waits after this item until its reader asks for the next one. */
export function isPause({ pausesAfter }: StreamContract, item: unknown): boolean {
  return pausesAfter !== undefined && typeof item === 'object' && item !== null && 'type' in item && item.type === pausesAfter;
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(data));
  } catch {
    throw new ContractBreach([{ field: '', message: 'not JSON' }]);
  }
}

/** The text of some bytes, without copying them first. */
export function textOf(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
}

/** The fault for the sender of a request, who can correct the body. */
export function asRequestFault(error: unknown): unknown {
  if (error instanceof ProviderFailure && error.retryable) return providerAway(error);
  if (error instanceof ContractBreach) return new Fault('VALIDATION_FAILED', { details: error.details, cause: error });
  if (error instanceof Oversize) return new Fault('PAYLOAD_TOO_LARGE', { cause: error });
  return error;
}

const dependencyLettersMax = 64;

/** A server that a service needs is away or overloaded, which is an outage and no defect. */
function providerAway(cause: ProviderFailure): Fault {
  const retryAfterSeconds = Math.ceil((cause.retryAfterMs ?? 1000) / 1000);
  const dependency = cause.provider.slice(0, dependencyLettersMax);
  return new Fault('SERVICE_UNAVAILABLE', { dependency, retryAfterSeconds, cause });
}

/** The fault for the reader of an answer, who cannot correct it: the details stay internal. */
export function asAnswerFault(error: unknown): unknown {
  if (error instanceof ContractBreach || error instanceof Oversize) return new Fault('INTERNAL', { cause: error });
  return error;
}

const FaultBody = z.object({
  code: z.string().transform((word) => (isFaultCode(word) ? word : 'INTERNAL')),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })),
  retryAfterSeconds: z.number().optional(),
  dependency: z.string().max(64).optional(),
});

const detailsMax = 100;

/** What another service may learn of a fault. Its cause is not sent. */
export function encodeFault({ code, message, details, retryAfterSeconds, dependency }: Fault): string {
  const shortened = { message: message.slice(0, 2000), details: details.slice(0, detailsMax) };
  return JSON.stringify({ code, ...shortened, retryAfterSeconds, dependency });
}

/** The fault that a service reported; INTERNAL if it cannot be read. That names the service whose log has the cause. */
export function decodeFault(data: Uint8Array, service: ServiceName): Fault {
  try {
    const { code, ...options } = FaultBody.parse(JSON.parse(textOf(data)));
    return new Fault(code, { ...(code === 'INTERNAL' && { dependency: service }), ...options });
  } catch (cause) {
    return new Fault('INTERNAL', { dependency: service, cause });
  }
}

/** What a caller may learn of anything thrown. */
export function callerFault(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : new Fault('INTERNAL', { cause: thrown });
}

/** The fault for an unavailable dependency, named by `dependency`. */
export function unavailable(cause: string | Error, dependency?: string): Fault {
  const error = typeof cause === 'string' ? new Error(cause) : cause;
  return new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause: error, ...(dependency && { dependency }) });
}

/** A request as sent: its call and its body. */
interface IncomingRequest {
  readonly headers: CallHeaders;
  readonly body: Uint8Array;
}

const lengthBytes = 4;

/** Encodes a request: header length, headers, body. Native NATS headers cost brokers and clients more. */
export function encodeRequest(headers: CallHeaders, body: string, principals: PrincipalCodec): Uint8Array {
  const head = encodeCallHeaders(headers, principals);
  const bytes = Buffer.allocUnsafe(lengthBytes + head.length + Buffer.byteLength(body));
  bytes.writeUInt32LE(head.length);
  bytes.write(head, lengthBytes, 'latin1');
  bytes.write(body, lengthBytes + head.length);
  return bytes;
}

/** Decodes a request. Throws if its principal cannot be verified. Without headers the remaining time is zero. */
export function decodeRequest({ buffer, byteOffset, byteLength }: Uint8Array, principals: PrincipalCodec): IncomingRequest {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const bodyAt = byteLength < lengthBytes ? byteLength : lengthBytes + bytes.readUInt32LE();
  return { headers: decodeCallHeaders(bytes.toString('latin1', lengthBytes, bodyAt), principals), body: bytes.subarray(bodyAt) };
}

/** What a message carries of its call. It has the remaining time instead of the deadline, because clocks differ. */
export interface CallHeaders {
  readonly requestId: string;
  readonly leftMs: number;
  readonly principal?: Principal;
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** Not sent: how long the principal's signature must be valid, if longer than the call. */
  readonly principalMs?: number;
}

/** Encodes a call as one line, plus two for a trace, all in ASCII. */
function encodeCallHeaders(headers: CallHeaders, principals: PrincipalCodec): string {
  const { leftMs, requestId, principal, traceparent, tracestate = '', principalMs = leftMs } = headers;
  const call = `${Math.ceil(leftMs)} ${requestId}`;
  const line = principal ? `${call} ${principals.encode(principal, principalMs)}` : call;
  return traceparent ? `${line}\n${traceparent}\n${tracestate}` : line;
}

/** Decodes the call of a message. Throws if it has a principal that cannot be verified. */
function decodeCallHeaders(text: string, principals: PrincipalCodec): CallHeaders {
  const lineEnd = text.indexOf('\n');
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
  const holderAt = line.indexOf(' {');
  const call = holderAt < 0 ? line : line.slice(0, holderAt);
  const leftMs = Number.parseInt(call, 10);
  return {
    requestId: call.slice(call.indexOf(' ') + 1) || 'unknown',
    leftMs: Number.isFinite(leftMs) ? leftMs : 0,
    ...(holderAt < 0 ? {} : { principal: principals.decode(line.slice(holderAt + 1)) }),
    ...(lineEnd < 0 ? {} : traceOf(text.slice(lineEnd + 1))),
  };
}

function traceOf(lines: string): { traceparent?: string; tracestate?: string } {
  const [traceparent, tracestate] = lines.split('\n');
  return { ...(traceparent ? { traceparent } : {}), ...(tracestate ? { tracestate } : {}) };
}
