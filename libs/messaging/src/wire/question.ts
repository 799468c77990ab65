import type { Principal } from '@parley/contracts';
import type { PrincipalCodec } from '../access/signed-principals';

/** What asks for work: the call that it belongs to, and its body. */
interface Question {
  readonly headers: CallHeaders;
  readonly body: Uint8Array;
}

const lengthBytes = 4;

/** Lays a question out: how long its headers are, its headers, its body. Brokers and their clients have more to do for headers of theirs. */
export function encodeQuestion(headers: CallHeaders, body: string, principals: PrincipalCodec): Uint8Array {
  const head = encodeCallHeaders(headers, principals);
  const bytes = Buffer.allocUnsafe(lengthBytes + head.length + Buffer.byteLength(body));
  bytes.writeUInt32LE(head.length);
  bytes.write(head, lengthBytes, 'latin1');
  bytes.write(body, lengthBytes + head.length);
  return bytes;
}

/** Reads a question. Throws when its principal is not believed; bytes without headers are a question that nobody has time for. */
export function decodeQuestion({ buffer, byteOffset, byteLength }: Uint8Array, principals: PrincipalCodec): Question {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const bodyAt = byteLength < lengthBytes ? byteLength : lengthBytes + bytes.readUInt32LE();
  return { headers: decodeCallHeaders(bytes.toString('latin1', lengthBytes, bodyAt), principals), body: bytes.subarray(bodyAt) };
}

/** What a message says of the call that it belongs to. What is left of the deadline travels, not its hour: clocks differ. */
export interface CallHeaders {
  readonly requestId: string;
  readonly leftMs: number;
  readonly principal?: Principal;
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** Does not travel: for how long the principal has to be believed, when that is longer than the call. */
  readonly principalMs?: number;
}

/** Lays a call out as a line for itself, and two for its trace if it has one. Every character is ASCII. */
function encodeCallHeaders(headers: CallHeaders, principals: PrincipalCodec): string {
  const { leftMs, requestId, principal, traceparent, tracestate = '', principalMs = leftMs } = headers;
  const call = `${Math.ceil(leftMs)} ${requestId}`;
  const line = principal ? `${call} ${principals.encode(principal, principalMs)}` : call;
  return traceparent ? `${line}\n${traceparent}\n${tracestate}` : line;
}

/** Reads the call of a message. Throws when a principal that is there is not believed: nobody works for an unknown one. */
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
