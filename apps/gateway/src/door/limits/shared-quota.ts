/** A limit: so many in a row, and then one each interval. */
export interface Policy {
  readonly limit: number;
  readonly intervalMs: number;
}

/** What became of a request under one limit. */
export interface Taken {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** Until everything is available again. */
  readonly resetMs: number;
  /** Until one more would be granted; 0 when this one was. */
  readonly retryMs: number;
}

/** How long a gateway that took from a limit counts as taking from it. */
const activeMs = 1_000;
/** Gateways tell each other what they took this often. */
export const tickMs = 100;
const settlingMs = 3 * tickMs;
/** Floating point must not turn the last one of a limit into none. */
const wholeOne = 1 - 1e-6;

/**
 * One limit as this gateway knows it: a cell rate counter (GCRA) that others' takings are added to as they are heard.
 * What this gateway took and the others have not heard of yet may be at most its share of what was left. So all gateways
 * together never give out more than there is, without asking each other; and a gateway that others leave alone with a
 * limit may give out all of it.
 */
export class SharedQuota {
  /** When the counter will be empty, as in GCRA's theoretical arrival time. */
  private emptyAtMs = 0;
  private takenThisTick = 0;
  /** Announced at the last tick, and perhaps crossing with what others announced then. */
  private takenLastTick = 0;
  private firstTakenAtMs = Number.NEGATIVE_INFINITY;
  private lastTakenAtMs = Number.NEGATIVE_INFINITY;
  private readonly othersAtMs = new Map<string, number>();

  /** What one costs, as it was last taken. */
  intervalMs = 0;

  /** What a request would get now. Nothing is taken. */
  look({ limit, intervalMs }: Policy, nowMs: number, gateways: number): Taken {
    const busyMs = Math.max(0, this.emptyAtMs - nowMs);
    const left = limit - busyMs / intervalMs;
    if (left < wholeOne) {
      return { isGranted: false, remaining: 0, resetMs: busyMs, retryMs: Math.max(1, (1 - left) * intervalMs) };
    }
    const isGranted = this.shareOf(left, nowMs, gateways) >= wholeOne;
    if (isGranted) return { isGranted, remaining: Math.floor(left - wholeOne), resetMs: busyMs + intervalMs, retryMs: 0 };
    return { isGranted, remaining: Math.floor(left), resetMs: busyMs, retryMs: 2 * tickMs };
  }

  take(intervalMs: number, nowMs: number): void {
    if (nowMs - this.lastTakenAtMs > activeMs) this.firstTakenAtMs = nowMs;
    this.lastTakenAtMs = nowMs;
    this.intervalMs = intervalMs;
    this.takenThisTick += 1;
    this.emptyAtMs = Math.max(this.emptyAtMs, nowMs) + intervalMs;
  }

  /** Adds what another gateway has taken. */
  hear(gateway: string, tookMs: number, nowMs: number): void {
    this.othersAtMs.set(gateway, nowMs);
    this.emptyAtMs = Math.max(this.emptyAtMs, nowMs) + tookMs;
  }

  /** Ends a tick; answers what has to be announced of it. */
  endTick(): number {
    this.takenLastTick = this.takenThisTick;
    this.takenThisTick = 0;
    return this.takenLastTick;
  }

  /** Whether forgetting it would change nothing. */
  isIdle(nowMs: number): boolean {
    return this.emptyAtMs <= nowMs && this.takenThisTick + this.takenLastTick === 0;
  }

  /** How many this gateway may still give out of what is left before it has heard from the others again. */
  private shareOf(left: number, nowMs: number, gateways: number): number {
    const unheard = this.takenThisTick + this.takenLastTick;
    const share = (left + unheard) / this.sharers(nowMs, gateways) - unheard;
    // A limit smaller than the number of gateways still has to let somebody in. Should two do so at once, it is paid back.
    return unheard === 0 ? Math.max(1, share) : share;
  }

  /** Among how many gateways what is left has to be divided. */
  private sharers(nowMs: number, gateways: number): number {
    if (gateways <= 1) return 1;
    // Whoever has just begun cannot have heard who else has: so it reckons with everybody.
    if (nowMs - this.firstTakenAtMs < settlingMs || nowMs - this.lastTakenAtMs > activeMs) return gateways;
    let active = 1;
    for (const [gateway, heardAtMs] of this.othersAtMs) {
      if (nowMs - heardAtMs <= activeMs) active += 1;
      else this.othersAtMs.delete(gateway);
    }
    return Math.min(active, gateways);
  }
}
