import type { MediaClock } from './call-media';

interface Alarm {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Time that passes only when it is told to, at once and without promises: for media, which never waits. */
export class ManualClock implements MediaClock {
  private nowMs = 0;
  private readonly alarms = new Set<Alarm>();

  now(): number {
    return this.nowMs;
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const alarm = { atMs, wake };
    this.alarms.add(alarm);
    return () => void this.alarms.delete(alarm);
  }

  /** Does everything that is due in so many milliseconds, in the order of its times. */
  pass(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let next = this.nextBy(untilMs); next; next = this.nextBy(untilMs)) {
      this.alarms.delete(next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.wake();
    }
    this.nowMs = untilMs;
  }

  /** How many alarms are set: none, once everything that used this clock is over. */
  get waiting(): number {
    return this.alarms.size;
  }

  private nextBy(untilMs: number): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.alarms) if (alarm.atMs <= untilMs && (!first || alarm.atMs < first.atMs)) first = alarm;
    return first;
  }
}
