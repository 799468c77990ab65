/** A session's time. With the virtual clock an hour of talk takes a second, and runs the same every time. */
export interface Clock {
  /** Milliseconds that never jump back. */
  now(): number;
  /** Calls once at or after the time; the returned function takes it back. */
  wakeAt(atMs: number, wake: () => void): () => void;
}

/** Resolves when the work is done, or has failed, or so much time of this clock has passed. */
export async function settledBy(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let forget = (): void => undefined;
  const timeout = new Promise<void>((resolve) => {
    forget = clock.wakeAt(clock.now() + ms, resolve);
  });
  await Promise.race([work.catch(() => undefined), timeout]);
  forget();
}

interface Alarm {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Time advanced by hand: an hour of talk takes as long as its computation. */
export class VirtualClock implements Clock {
  private nowMs = 0;
  private order = 0;
  private readonly alarms = new Set<Alarm>();

  now(): number {
    return this.nowMs;
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const alarm = { atMs, order: this.order++, wake };
    this.alarms.add(alarm);
    return () => void this.alarms.delete(alarm);
  }

  /** Resolves once so much time has passed and everything due in it has been done, in the order of its times. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    await settled();
    for (let next = this.next(untilMs); next; next = this.next(untilMs)) {
      this.alarms.delete(next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.wake();
      await settled();
    }
    this.nowMs = untilMs;
  }

  private next(untilMs: number): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.alarms) {
      if (alarm.atMs <= untilMs && (!first || isBefore(alarm, first))) first = alarm;
    }
    return first;
  }
}

function isBefore(one: Alarm, other: Alarm): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** Lets everything that waits on nothing but a promise continue. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

const gridMs = 8;
/** Node's timers wait no longer than 24 days; one that rings early waits again. */
const waitMsMax = 3_600_000;

/**
 * One shared timer, set only when an alarm is due: alarms due within the same eight milliseconds fire together, since waking a
 * process costs more than what a session does then.
 */
class SharedAlarms implements Clock {
  private readonly alarms = new Set<Alarm>();
  private timer: NodeJS.Timeout | undefined;
  private timerAtMs = Number.POSITIVE_INFINITY;

  now(): number {
    return performance.now();
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const alarm = { atMs, order: 0, wake };
    this.alarms.add(alarm);
    this.arm(atMs);
    return () => this.forget(alarm);
  }

  private arm(atMs: number): void {
    const onGridMs = Math.ceil(atMs / gridMs) * gridMs;
    if (onGridMs >= this.timerAtMs) return;
    clearTimeout(this.timer);
    this.timerAtMs = onGridMs;
    const waitMs = Math.ceil(onGridMs - this.now());
    this.timer = setTimeout(() => this.ring(), Math.min(Math.max(0, waitMs), waitMsMax));
  }

  private ring(): void {
    const nowMs = this.now();
    // Fired alarms usually set themselves again: the timer is set once, after all of them.
    this.timerAtMs = Number.NEGATIVE_INFINITY;
    try {
      for (const alarm of [...this.alarms]) if (alarm.atMs <= nowMs && this.alarms.delete(alarm)) alarm.wake();
    } finally {
      this.timerAtMs = Number.POSITIVE_INFINITY;
      let nextMs = Number.POSITIVE_INFINITY;
      for (const { atMs } of this.alarms) nextMs = Math.min(nextMs, atMs);
      if (Number.isFinite(nextMs)) this.arm(nextMs);
    }
  }

  /** A timer without alarms left finds out when it fires, unless there are none at all. */
  private forget(alarm: Alarm): void {
    this.alarms.delete(alarm);
    if (this.alarms.size > 0 || this.timerAtMs === Number.NEGATIVE_INFINITY) return;
    clearTimeout(this.timer);
    this.timerAtMs = Number.POSITIVE_INFINITY;
  }
}

/** The machine's monotonic time, good to eight milliseconds. */
export const realClock: Clock = new SharedAlarms();
