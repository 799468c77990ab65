import { limits } from '../limits';
import type { Transport } from '../transport/transport';
import { decodeFrame, encodeFrame, type Frame } from './frame';

const lengthBytes = 4;

/**
 * The way of frames to one address. Those of one turn of the event loop leave as one message, in their order: each message
 * wakes a broker and a reader, which costs more than all its bytes.
 */
export class Parcels {
  private frames: Uint8Array[] = [];
  private bytes = 0;
  private isLeaving = false;

  /** `first` goes along with whatever is sent first. */
  constructor(
    private readonly transport: Transport,
    private readonly address: string,
    first: Uint8Array,
  ) {
    this.enclose(first);
  }

  send(frame: Uint8Array): void {
    if (this.bytes + frame.byteLength > limits.parcelBytesMax) this.close();
    if (frame.byteLength > limits.parcelBytesMax) return this.transport.publish(this.address, frame);
    this.enclose(frame);
    this.leave();
  }

  /** Lets leave what has not yet, if anything. */
  leave(): void {
    const { frames } = this;
    if (this.isLeaving || frames.length === 0) return;
    this.isLeaving = true;
    this.transport.publish(this.address, () => {
      if (this.frames === frames) this.begin();
      return packed(frames);
    });
  }

  private enclose(frame: Uint8Array): void {
    this.frames.push(frame);
    this.bytes += frame.byteLength;
  }

  private close(): void {
    this.leave();
    this.begin();
  }

  private begin(): void {
    this.frames = [];
    this.bytes = 0;
    this.isLeaving = false;
  }
}

/** Hands over the frames of a message in their order; undefined stands for bytes that no version of this protocol sends. */
export function eachFrame(message: Uint8Array, hear: (frame: Frame | undefined) => void): void {
  const whole = decodeFrame(message);
  if (whole?.kind !== 'parcel') return hear(whole);
  const { body } = whole;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  for (let at = 0; at < body.byteLength;) {
    const from = at + lengthBytes;
    at = from > body.byteLength ? Number.POSITIVE_INFINITY : from + view.getUint32(from - lengthBytes, true);
    hear(at > body.byteLength ? undefined : decodeFrame(body.subarray(from, at)));
  }
}

function packed(frames: readonly Uint8Array[]): Uint8Array {
  const [first] = frames;
  if (first && frames.length === 1) return first;
  const body = Buffer.allocUnsafe(frames.reduce((bytes, frame) => bytes + lengthBytes + frame.byteLength, 0));
  let at = 0;
  for (const frame of frames) {
    body.set(frame, body.writeUInt32LE(frame.byteLength, at));
    at += lengthBytes + frame.byteLength;
  }
  return encodeFrame('parcel', frames.length, body);
}
