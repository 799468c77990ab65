import type { PrincipalCodec } from '../access/principal-codec';
import { type CallHeaders, decodeCallHeaders, encodeCallHeaders } from './call-headers';

/** What asks for work: the call that it belongs to, and its body. */
export interface Question {
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
