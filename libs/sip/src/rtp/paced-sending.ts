const frameBytes = 160;

/** One step of the queue: the marks that have been passed, and the next frame, if any. */
interface Turn {
  readonly marks: readonly string[];
  readonly payload: Uint8Array | undefined;
}

/** Queued sound with marks. An incomplete last frame waits one step for more sound. */
export class RtpSendQueue {
  private items: (Uint8Array | string)[] = [];
  private offset = 0;
  private bytes = 0;
  private hasWaited = false;

  constructor(private readonly limits = { bytes: 8000 * 120, marks: 1000 }) {}

  /** Milliseconds of queued sound. */
  get queuedMs(): number {
    return this.bytes / 8;
  }

  /** False if it does not fit, in which case none of it is queued. */
  push(sound: Uint8Array): boolean {
    if (this.bytes + sound.length > this.limits.bytes || this.items.length >= this.limits.bytes / frameBytes + this.limits.marks)
      return false;
    if (sound.length > 0) this.items.push(sound);
    this.bytes += sound.length;
    return true;
  }

  mark(name: string): boolean {
    if (this.items.length >= this.limits.bytes / frameBytes + this.limits.marks) return false;
    this.items.push(name);
    return true;
  }

  /** Drops everything; returns the names of the dropped marks. */
  clear(): string[] {
    const marks = this.items.filter((item) => typeof item === 'string');
    this.items = [];
    this.offset = this.bytes = 0;
    return marks;
  }

  /** Takes the next frame; to be called every 20 ms. */
  take(silent: number): Turn {
    const marks = this.passedMarks();
    const ready = this.readyBytes();
    if (ready === 0) return { marks, payload: undefined };
    if (ready < frameBytes && !this.hasWaited && ready === this.bytes && !this.items.some((item) => typeof item === 'string')) {
      this.hasWaited = true;
      return { marks, payload: undefined };
    }
    this.hasWaited = false;
    return { marks, payload: this.cut(Math.min(ready, frameBytes), silent) };
  }

  private passedMarks(): string[] {
    const marks: string[] = [];
    for (let first = this.items[0]; typeof first === 'string'; first = this.items[0]) {
      marks.push(first);
      this.items.shift();
    }
    return marks;
  }

  /** How many bytes of a frame there are before the next mark. */
  private readyBytes(): number {
    let ready = -this.offset;
    for (const item of this.items) {
      if (typeof item === 'string' || ready >= frameBytes) break;
      ready += item.length;
    }
    return Math.max(0, ready);
  }

  private cut(length: number, silent: number): Uint8Array {
    const first = this.items[0];
    this.bytes -= length;
    if (typeof first === 'object' && first.length - this.offset >= frameBytes) {
      const whole = first.subarray(this.offset, this.offset + frameBytes);
      this.advance(first, frameBytes);
      return whole;
    }
    const frame = new Uint8Array(frameBytes).fill(silent, length);
    for (let filled = 0; filled < length;) {
      const item = this.items[0];
      if (typeof item !== 'object') break;
      const part = item.subarray(this.offset, this.offset + length - filled);
      frame.set(part, filled);
      filled += part.length;
      this.advance(item, part.length);
    }
    return frame;
  }

  private advance(item: Uint8Array, bytes: number): void {
    this.offset += bytes;
    if (this.offset < item.length) return;
    this.items.shift();
    this.offset = 0;
  }
}

const tickMs = 20;
// After sleeping for longer than this, missed frames are skipped instead of being sent in a burst.
const caughtUpMax = 5;

/** The time source, which tests replace. */
export interface FrameTime {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `wake` once, at or after the time. The returned function cancels it. */
  wakeAt(atMs: number, wake: () => void): () => void;
}

const machineTime: FrameTime = {
  now: () => performance.now(),
  wakeAt: (atMs, wake) => {
    const timer = setTimeout(wake, Math.max(0, atMs - performance.now()));
    return () => clearTimeout(timer);
  },
};

/** How punctual the clock was, for benchmarks and metrics. */
interface Punctuality {
  readonly ticks: number;
  /** Ticks at least a frame late, which may be audible. */
  readonly late: number;
  /** Frames never sent, because the process slept too long. */
  readonly skipped: number;
  readonly latestMs: number;
}

export interface Beat {
  readonly nowMs: number;
  /** When the beat was due. Packets that arrived since may still be unread in the socket. */
  readonly dueMs: number;
  /** Frames to send now; more than one only after a stall. */
  readonly ticks: number;
  /** Frames that are skipped after a long stall. */
  readonly skipped: number;
}

/** A 20 ms beat for all calls of the process, with a single timer. */
export class FrameClock {
  private readonly members = new Set<(beat: Beat) => void>();
  private cancel: (() => void) | undefined;
  private dueMs = 0;
  private counted = { ticks: 0, late: 0, skipped: 0, latestMs: 0 };

  constructor(private readonly time: FrameTime = machineTime) {}

  now(): number {
    return this.time.now();
  }

  /** Calls back every 20 ms. The returned function stops it. */
  join(beat: (beat: Beat) => void): () => void {
    this.members.add(beat);
    if (!this.cancel) {
      this.dueMs = this.now() + tickMs;
      this.wait();
    }
    return () => {
      this.members.delete(beat);
      if (this.members.size > 0) return;
      this.cancel?.();
      this.cancel = undefined;
    };
  }

  get punctuality(): Punctuality {
    return this.counted;
  }

  private wait(): void {
    this.cancel = this.time.wakeAt(this.dueMs, () => this.beat());
  }

  private beat(): void {
    const nowMs = this.now();
    if (nowMs < this.dueMs) return this.wait();
    const due = 1 + Math.floor((nowMs - this.dueMs) / tickMs);
    const ticks = Math.min(due, caughtUpMax);
    const lateMs = nowMs - this.dueMs;
    const beat = { nowMs, dueMs: this.dueMs, ticks, skipped: due - ticks };
    this.counted.ticks += 1;
    if (lateMs >= tickMs) this.counted.late += 1;
    this.counted.skipped += beat.skipped;
    this.counted.latestMs = Math.max(this.counted.latestMs, lateMs);
    this.dueMs += due * tickMs;
    // The next timer is set first, so that an error in one call does not stop the clock for the others.
    this.wait();
    for (const member of this.members) member(beat);
  }
}
