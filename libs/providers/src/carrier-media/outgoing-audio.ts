import { bytesOfMs, type MediaClock, type MediaFormat, msOfBytes } from '@parley/ports';
import { type ChunkLimits, silenceOf } from './dialect';

/** More queued audio than this is a bug of the sender, not speech. */
const waitingMsMax = 120_000;
/** Senders deliver a frame every 20 to 40 ms; after a pause of this length, the rest is padded with silence and sent. */
const idleMs = 80;
/** Held-back audio is sent in pieces of this length, rather than in tiny ones. */
const pieceMs = 20;

interface OutgoingOptions {
  readonly format: MediaFormat;
  readonly chunk: ChunkLimits;
  readonly aheadMsMax: number;
  readonly clock: MediaClock;
  write(bytes: Uint8Array): void;
  /** Everything before the mark was written. */
  passed(name: string): void;
}

/**
 * Audio queued for a carrier: collected into chunks of the carrier's sizes, and held back if it cannot be cleared later. Bytes are
 * copied only if a chunk spans several pieces.
 */
export class OutgoingAudio {
  private readonly blocks: Uint8Array[] = [];
  private readonly marks: { readonly name: string; readonly place: number }[] = [];
  private waitingBytes = 0;
  private handedOver = 0;
  private lastHandedMs = Number.NEGATIVE_INFINITY;
  private untilMs = Number.NEGATIVE_INFINITY;
  private isHeld = false;
  private isPumping = false;
  private stopWaiting: (() => void) | undefined;

  constructor(private readonly options: OutgoingOptions) {}

  /** When everything written will have been heard, by the clock. */
  get soundsUntilMs(): number {
    return Math.max(this.untilMs, this.options.clock.now());
  }

  /** How long it takes to hear everything sent and queued. */
  get remainingMs(): number {
    return this.soundsUntilMs - this.options.clock.now() + msOfBytes(this.options.format, this.waitingBytes);
  }

  /** Queues audio. False if too much is queued already, and this is dropped. */
  send(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return true;
    if (msOfBytes(this.options.format, this.waitingBytes + bytes.length) > waitingMsMax) return false;
    this.blocks.push(bytes);
    this.waitingBytes += bytes.length;
    this.handedOver += bytes.length;
    this.lastHandedMs = this.options.clock.now();
    this.pump();
    return true;
  }

  /** Adds a mark, which is sent after the chunk with the last byte before it. Later audio may fill that chunk. */
  mark(name: string): void {
    this.marks.push({ name, place: this.handedOver });
    this.pump();
  }

  /** Drops all unwritten audio and returns its marks. `keepsMs` of what was written will still be heard. */
  clear(keepsMs: number): string[] {
    this.blocks.length = 0;
    this.waitingBytes = 0;
    this.untilMs = Math.min(this.untilMs, this.options.clock.now() + keepsMs);
    return this.marks.splice(0).map(({ name }) => name);
  }

  /** The carrier pauses or resumes audio. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (!isHeld) this.pump();
  }

  /** Stops writing. */
  close(): void {
    this.clear(0);
    this.isHeld = true;
    this.stopWaiting?.();
  }

  private pump(): void {
    // Writing may call this again.
    if (this.isPumping) return;
    this.isPumping = true;
    for (let bytes = this.next(); bytes; bytes = this.next()) {
      this.untilMs = this.soundsUntilMs + msOfBytes(this.options.format, bytes.length);
      this.options.write(bytes);
      this.passMarks();
    }
    this.passMarks();
    this.isPumping = false;
    this.waitForMore();
  }

  private passMarks(): void {
    const written = this.handedOver - this.waitingBytes;
    for (let [first] = this.marks; first && first.place <= written; [first] = this.marks) {
      this.marks.shift();
      this.options.passed(first.name);
    }
  }

  private next(): Uint8Array | undefined {
    const { bytesMin, bytesMultiple, bytesMax } = this.options.chunk;
    if (this.isHeld || this.waitingBytes === 0) return undefined;
    const room = Math.min(this.roomBytes, bytesMax);
    if (room < this.pieceBytes) return undefined;
    const bytes = Math.min(this.waitingBytes, room);
    const whole = bytes - (bytes % bytesMultiple);
    if (whole >= bytesMin) return this.take(whole);
    const least = Math.max(bytesMin, bytesMultiple);
    return room >= least && this.idleAtMs <= this.options.clock.now() ? this.filledUp(least) : undefined;
  }

  private get roomBytes(): number {
    const { aheadMsMax, clock, format } = this.options;
    if (aheadMsMax === Number.POSITIVE_INFINITY) return aheadMsMax;
    return bytesOfMs(format, Math.max(0, Math.floor(aheadMsMax - (this.soundsUntilMs - clock.now()))));
  }

  /** The minimum amount of free space before more is written. */
  private get pieceBytes(): number {
    const { chunk, format } = this.options;
    const least = Math.max(chunk.bytesMin, chunk.bytesMultiple);
    return Math.max(least, Math.min(this.waitingBytes, chunk.bytesMax, bytesOfMs(format, pieceMs)));
  }

  private get idleAtMs(): number {
    return this.lastHandedMs + idleMs;
  }

  private filledUp(bytes: number): Uint8Array {
    const chunk = silenceOf(this.options.format, bytes);
    chunk.set(this.take(this.waitingBytes));
    return chunk;
  }

  private take(bytes: number): Uint8Array {
    this.waitingBytes -= bytes;
    const [first] = this.blocks;
    if (first && first.length > bytes) {
      this.blocks[0] = first.subarray(bytes);
      return first.subarray(0, bytes);
    }
    if (first?.length === bytes) return this.blocks.shift() ?? first;
    return this.joined(bytes);
  }

  private joined(bytes: number): Uint8Array {
    const chunk = new Uint8Array(bytes);
    for (let at = 0; at < bytes;) {
      const [block] = this.blocks;
      if (!block) break;
      const part = block.subarray(0, bytes - at);
      chunk.set(part, at);
      at += part.length;
      if (part.length === block.length) this.blocks.shift();
      else this.blocks[0] = block.subarray(part.length);
    }
    return chunk;
  }

  private waitForMore(): void {
    this.stopWaiting?.();
    this.stopWaiting = undefined;
    if (this.waitingBytes === 0 || this.isHeld) return;
    const { chunk, format, aheadMsMax, clock } = this.options;
    const least = Math.max(chunk.bytesMin, chunk.bytesMultiple);
    const roomAtMs =
      aheadMsMax === Number.POSITIVE_INFINITY ? 0 : this.soundsUntilMs + msOfBytes(format, this.pieceBytes) - aheadMsMax;
    const atMs = Math.max(roomAtMs, this.waitingBytes < least ? this.idleAtMs : 0, clock.now() + 1);
    this.stopWaiting = clock.wakeAt(atMs, () => this.pump());
  }
}
