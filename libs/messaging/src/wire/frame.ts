import { z } from 'zod';
import { limits } from '../limits';

const frameKinds = ['reply', 'fault', 'beat', 'accept', 'item', 'end', 'credit', 'frame', 'signal', 'close', 'batch'] as const;
type FrameKind = (typeof frameKinds)[number];

/** The unit in which every answer, stream and channel is sent: kind, sequence number, bytes. */
export interface Frame {
  readonly kind: FrameKind;
  readonly sequence: number;
  readonly body: Uint8Array;
}

const kindByte = Object.fromEntries(frameKinds.map((kind, index) => [kind, index + 1])) as Record<FrameKind, number>;
const headBytes = 5;

/**
 * Encodes a frame. Text is written in place, without a second copy. The body begins at an even address, where samples are read
 * without one.
 */
export function encodeFrame(kind: FrameKind, sequence: number, body: Uint8Array | string = ''): Uint8Array {
  const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  const bytes = Buffer.allocUnsafe(1 + headBytes + bodyBytes).subarray(1);
  bytes[0] = kindByte[kind];
  bytes.writeUInt32LE(sequence, 1);
  if (typeof body === 'string') bytes.write(body, headBytes);
  else bytes.set(body, headBytes);
  return bytes;
}

/** Undefined for bytes that are not a frame of this protocol. */
export function decodeFrame(data: Uint8Array): Frame | undefined {
  const kind = frameKinds[(data[0] ?? 0) - 1];
  if (!kind || data.byteLength < headBytes || data.byteLength > limits.bodyBytesMax + headBytes) return undefined;
  return { kind, sequence: sequenceOf(data), body: data.subarray(headBytes) };
}

/** Read byte by byte, since a DataView would be another object for each frame of sound. */
function sequenceOf(data: Uint8Array): number {
  return ((data[1] ?? 0) | ((data[2] ?? 0) << 8) | ((data[3] ?? 0) << 16) | ((data[4] ?? 0) << 24)) >>> 0;
}

/** What a reader has taken so far, as totals, so that a lost or repeated message does no harm. */
interface Taken {
  readonly items: number;
  readonly bytes: number;
}

const totalBytes = 8;

/** The body of a credit frame; the number of items is its sequence number. */
export function encodeTakenBytes(bytes: number): Uint8Array {
  const body = Buffer.allocUnsafe(totalBytes);
  body.writeDoubleLE(bytes);
  return body;
}

/** Zero for an invalid total, so that a faulty reader gains no credit. */
export function decodeTakenBytes(body: Uint8Array): number {
  if (body.byteLength !== totalBytes) return 0;
  const total = new DataView(body.buffer, body.byteOffset, totalBytes).getFloat64(0, true);
  return Number.isFinite(total) ? total : 0;
}

/** How far the reader is behind the producer. */
export class SendWindow {
  private sentItems = 0;
  private sentBytes = 0;
  private taken: Taken = { items: 0, bytes: 0 };
  private wake: (() => void) | undefined;

  /**
   * Resolves once another item may be sent; undefined if one may be sent now, as for nearly every item. An item larger than the
   * window may be sent if nothing else is unread.
   */
  room(): Promise<void> | undefined {
    return this.isOpen() ? undefined : this.opened();
  }

  private async opened(): Promise<void> {
    while (!this.isOpen()) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Resolves once everything sent has been taken. */
  async emptied(): Promise<void> {
    while (this.sentItems > this.taken.items) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  sent(bytes: number): number {
    this.sentBytes += bytes;
    this.sentItems += 1;
    return this.sentItems;
  }

  credit(taken: Taken): void {
    if (taken.items > this.sentItems || taken.items < this.taken.items) return;
    this.taken = taken;
    this.wake?.();
  }

  private isOpen(): boolean {
    const items = this.sentItems - this.taken.items;
    return items === 0 || (items < limits.windowItems && this.sentBytes - this.taken.bytes < limits.windowBytes);
  }
}

/** Sent by the serving end when it accepts a line: its address, and its reply to the caller. */
export const ChannelAccepted = z.object({ address: z.string(), accepted: z.unknown() });

const lengthBytes = 4;

interface FramePublisher {
  publish(address: string, data: Uint8Array | (() => Uint8Array)): void;
}

/**
 * Sends frames to one address. Frames from one turn of the event loop share a message, in order: each message wakes a broker and
 * a reader, which costs more than its bytes.
 */
export class FrameBatches {
  private frames: Uint8Array[] = [];
  private bytes = 0;
  private isLeaving = false;

  /** `first` is sent with the first frame. */
  constructor(
    private readonly transport: FramePublisher,
    private readonly address: string,
    first: Uint8Array,
  ) {
    this.enclose(first);
  }

  send(frame: Uint8Array): void {
    if (this.bytes + frame.byteLength > limits.batchBytesMax) this.close();
    if (frame.byteLength > limits.batchBytesMax) return this.transport.publish(this.address, frame);
    this.enclose(frame);
    this.flush();
  }

  /** Sends what is still buffered, if anything. */
  flush(): void {
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
    this.flush();
    this.begin();
  }

  private begin(): void {
    this.frames = [];
    this.bytes = 0;
    this.isLeaving = false;
  }
}

/** Calls back with the frames of a message in order; undefined stands for bytes that are not a frame of this protocol. */
export function eachFrame(message: Uint8Array, hear: (frame: Frame | undefined) => void): void {
  const whole = decodeFrame(message);
  if (whole?.kind !== 'batch') return hear(whole);
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
  return encodeFrame('batch', frames.length, body);
}
