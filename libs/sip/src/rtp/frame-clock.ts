const tickMs = 20;
// A process that slept for longer than this does not send the past in a rush.
const caughtUpMax = 5;

/** Time as the clock sees it, so that tests need not wait. */
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
  /** Since when it was due: what came meanwhile may still lie unread in its socket. */
  readonly dueMs: number;
  /** Frames to be sent now: more than one only after a stall. */
  readonly ticks: number;
  /** Frames that the stall was too long for: time that passed without them. */
  readonly skipped: number;
}

/** One monotonic beat of 20 ms for every call of the process: one timer, however many calls there are. */
export class FrameClock {
  private readonly members = new Set<(beat: Beat) => void>();
  private cancel: (() => void) | undefined;
  private dueMs = 0;
  private counted = { ticks: 0, late: 0, skipped: 0, latestMs: 0 };

  constructor(private readonly time: FrameTime = machineTime) {}

  now(): number {
    return this.time.now();
  }

  /** Is told every 20 ms; answers how to leave. */
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
