/** The time of a session: real, or virtual in tests. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `wake` once, at or after the time. The returned function cancels it. */
  wakeAt(atMs: number, wake: () => void): () => void;
}

/** Resolves when the work is done or has failed, or when this much time has passed. */
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

/** Time advanced by a test: an hour of talk takes only as long as its computation, and runs the same every time. */
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

  /** Advances the time; resolves once everything due by then has run, in order. */
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

/** Resolves after all pending promise callbacks have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

const gridMs = 8;
/** Node's timers cannot wait longer than 24 days; one that fires early is set again. */
const waitMsMax = 3_600_000;

/**
 * One timer for all alarms. Those due within the same eight milliseconds fire together, since waking the process costs more than
 * the work done then.
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
    // Alarms usually set new ones when they fire, so the timer is set once, after all of them.
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

  /** The timer is cleared only if no alarm is left. Otherwise it may fire without a due alarm. */
  private forget(alarm: Alarm): void {
    this.alarms.delete(alarm);
    if (this.alarms.size > 0 || this.timerAtMs === Number.NEGATIVE_INFINITY) return;
    clearTimeout(this.timer);
    this.timerAtMs = Number.POSITIVE_INFINITY;
  }
}

/** The machine's monotonic time, good to eight milliseconds. */
export const realClock: Clock = new SharedAlarms();

/** Resolves after this much time of the clock, or at once when the signal aborts. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const forget = clock.wakeAt(clock.now() + ms, () => done());
    const done = (): void => {
      forget();
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
  });
}
