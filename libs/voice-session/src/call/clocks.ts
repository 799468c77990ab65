import type { Clock } from './surroundings';

interface Alarm {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Time that passes only when it is told to: an hour of talk takes as long as its computing. */
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

/** Lets everything that waits on nothing but a promise go on. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

const tickMs = 5;

/** One ticker for everybody: a hundred sessions are woken by one timer, and none runs while nobody waits. */
class SharedTicker implements Clock {
  private readonly alarms = new Set<Alarm>();
  private ticker: NodeJS.Timeout | undefined;

  now(): number {
    return performance.now();
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const alarm = { atMs, order: 0, wake };
    this.alarms.add(alarm);
    this.ticker ??= setInterval(() => this.tick(), tickMs);
    return () => this.forget(alarm);
  }

  private tick(): void {
    const nowMs = this.now();
    for (const alarm of [...this.alarms]) {
      if (alarm.atMs > nowMs || !this.alarms.delete(alarm)) continue;
      alarm.wake();
    }
    if (this.alarms.size === 0) this.stop();
  }

  private forget(alarm: Alarm): void {
    this.alarms.delete(alarm);
    if (this.alarms.size === 0) this.stop();
  }

  private stop(): void {
    clearInterval(this.ticker);
    this.ticker = undefined;
  }
}

/** The machine's monotonic time, good to five milliseconds. */
export const realClock: Clock = new SharedTicker();
