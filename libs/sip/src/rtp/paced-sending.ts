const frameBytes = 160;

/** What a frame's turn brings: the marks that everything before it has passed, and the sound, if there is any. */
interface Turn {
  readonly marks: readonly string[];
  readonly payload: Uint8Array | undefined;
}

/** Sound on its way out, and the marks between it. Sound that no full frame is left of waits one turn for more. */
export class RtpSendQueue {
  private items: (Uint8Array | string)[] = [];
  private offset = 0;
  private bytes = 0;
  private hasWaited = false;

  constructor(private readonly limits = { bytes: 8000 * 120, marks: 1000 }) {}

  /** Milliseconds of sound that wait. */
  get queuedMs(): number {
    return this.bytes / 8;
  }

  /** False when it would not fit: nothing of it is taken. */
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

  /** Drops everything; the names of the marks that were in it. */
  clear(): string[] {
    const marks = this.items.filter((item) => typeof item === 'string');
    this.items = [];
    this.offset = this.bytes = 0;
    return marks;
  }

  /** The next frame, every 20 ms. */
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

  /** How much of a frame there is before the next mark. */
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
// A process that slept for longer than this does not send the past in a rush.
const caughtUpMax = 5;

/** The clock's view of time, so that tests need not wait. */
export interface FrameTime {
  /** Milliseconds that never jump back. */
  now(): number;
  /** Calls once at or after the time; the returned function takes it back. */
  wakeAt(atMs: number, wake: () => void): () => void;
}

const machineTime: FrameTime = {
  now: () => performance.now(),
  wakeAt: (atMs, wake) => {
    const timer = setTimeout(wake, Math.max(0, atMs - performance.now()));
    return () => clearTimeout(timer);
  },
};

/** How punctual the clock was, for a benchmark and for metrics. */
interface Punctuality {
  readonly ticks: number;
  /** Ticks that came a whole frame late or more: what a listener may hear. */
  readonly late: number;
  /** Frames never sent, since the process slept too long. */
  readonly skipped: number;
  readonly latestMs: number;
}

export interface Beat {
  readonly nowMs: number;
  /** When the beat was due: packets that came since may still be unread in the socket. */
  readonly dueMs: number;
  /** Frames to be sent now: more than one only after a stall. */
  readonly ticks: number;
  /** Frames that the stall was too long for: time that passed without them. */
  readonly skipped: number;
}

/** One monotonic 20 ms beat for every call of the process: a single timer, however many calls there are. */
export class FrameClock {
  private readonly members = new Set<(beat: Beat) => void>();
  private cancel: (() => void) | undefined;
  private dueMs = 0;
  private counted = { ticks: 0, late: 0, skipped: 0, latestMs: 0 };

  constructor(private readonly time: FrameTime = machineTime) {}

  now(): number {
    return this.time.now();
  }

  /** Calls back every 20 ms; returns how to leave. */
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
    // Before the members: what goes wrong in one call must not stop the clock of the others.
    this.wait();
    for (const member of this.members) member(beat);
  }
}
