import { limits } from '../limits';

const frameKinds = ['reply', 'fault', 'beat', 'accept', 'item', 'end', 'credit', 'frame', 'signal', 'close', 'parcel'] as const;
export type FrameKind = (typeof frameKinds)[number];

/** Everything that answers, and everything that lasts, travels in frames: kind, sequence number, bytes. */
export interface Frame {
  readonly kind: FrameKind;
  readonly sequence: number;
  readonly body: Uint8Array;
}

const kindByte = Object.fromEntries(frameKinds.map((kind, index) => [kind, index + 1])) as Record<FrameKind, number>;
const headBytes = 5;

/** Lays a frame out. Text goes straight into place: no second copy. */
export function encodeFrame(kind: FrameKind, sequence: number, body: Uint8Array | string = ''): Uint8Array {
  const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  const bytes = Buffer.allocUnsafe(headBytes + bodyBytes);
  bytes[0] = kindByte[kind];
  bytes.writeUInt32LE(sequence, 1);
  if (typeof body === 'string') bytes.write(body, headBytes);
  else bytes.set(body, headBytes);
  return bytes;
}

/** Undefined for bytes that no version of this protocol sends. */
export function decodeFrame(data: Uint8Array): Frame | undefined {
  const kind = frameKinds[(data[0] ?? 0) - 1];
  if (!kind || data.byteLength < headBytes || data.byteLength > limits.bodyBytesMax + headBytes) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, headBytes);
  return { kind, sequence: view.getUint32(1, true), body: data.subarray(headBytes) };
}
