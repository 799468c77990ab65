import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';

/** A limit: a burst of this many, then one each interval. */
interface Policy {
  readonly limit: number;
  readonly intervalMs: number;
}

/** The outcome of a request under one limit. */
export interface Taken {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** Until the limit is fully available again. */
  readonly resetMs: number;
  /** Until the next request would be granted; 0 if this one was. */
  readonly retryMs: number;
}

/** For how long after its last request a gateway counts as using a limit. */
const activeMs = 1_000;
/** How often gateways tell each other what they took. */
export const tickMs = 100;
const settlingMs = 3 * tickMs;
/** Floating-point error must not turn the last one of a limit into none. */
const wholeOne = 1 - 1e-6;

/**
 * One limit as this gateway knows it: a cell rate counter (GCRA), to which what other gateways took is added as it is announced.
 * Between announcements this gateway takes at most its share of what was left. So all gateways together never exceed the limit,
 * without asking each other, and a gateway that alone uses a limit may use all of it. Written by hand because libraries count in
 * one process, or query a store on every request.
 */
class SharedQuota {
  /** When the counter will be empty, as in GCRA's theoretical arrival time. */
  private emptyAtMs = 0;
  private takenThisTick = 0;
  /** Announced at the last tick, possibly at the same moment as the others' announcements. */
  private takenLastTick = 0;
  private firstTakenAtMs = Number.NEGATIVE_INFINITY;
  private lastTakenAtMs = Number.NEGATIVE_INFINITY;
  private readonly othersAtMs = new Map<string, number>();

  /** The interval of the last request: what one request costs. */
  intervalMs = 0;

  /** The result that a request would get now. Takes nothing. */
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

  /** Ends a tick; returns what must be announced. */
  endTick(): number {
    this.takenLastTick = this.takenThisTick;
    this.takenThisTick = 0;
    return this.takenLastTick;
  }

  /** Whether the limit is unused, so that forgetting it changes nothing. */
  isIdle(nowMs: number): boolean {
    return this.emptyAtMs <= nowMs && this.takenThisTick + this.takenLastTick === 0;
  }

  /** How many this gateway may still grant before it hears from the others again. */
  private shareOf(left: number, nowMs: number, gateways: number): number {
    const unheard = this.takenThisTick + this.takenLastTick;
    const share = (left + unheard) / this.sharers(nowMs, gateways) - unheard;
    // A limit smaller than the number of gateways must still admit one. If two gateways do so at once, the excess is repaid.
    return unheard === 0 ? Math.max(1, share) : share;
  }

  /** The number of gateways that share what is left. */
  private sharers(nowMs: number, gateways: number): number {
    if (gateways <= 1) return 1;
    // A limit just started may be in use elsewhere, unannounced: assume all gateways share it.
    if (nowMs - this.firstTakenAtMs < settlingMs || nowMs - this.lastTakenAtMs > activeMs) return gateways;
    let active = 1;
    for (const [gateway, heardAtMs] of this.othersAtMs) {
      if (nowMs - heardAtMs <= activeMs) active += 1;
      else this.othersAtMs.delete(gateway);
    }
    return Math.min(active, gateways);
  }
}

/** How many limits one gateway tracks. */
const quotasMax = 100_000;
/** Entries checked per tick for whether they can be dropped. */
const sweptAtOnce = 2_000;

/** What one gateway took, as announced to the others. */
export interface Takings {
  readonly buckets: string[];
  readonly counts: number[];
  readonly intervalsMs: number[];
}

/** One limit that a request is checked against. */
export interface Bucket {
  readonly name: string;
  readonly policy: Policy;
}

/** Every limit that this gateway has used recently. */
export class Quotas {
  private readonly byName = new Map<string, SharedQuota>();
  private readonly touched = new Set<string>();
  private settling = new Set<string>();
  private sweep: Iterator<[string, SharedQuota]> = this.byName.entries();
  private onFirst = (): void => undefined;
  /** The number of gateways, including this one. */
  gateways = 1;

  /** Set back, the wall clock would refuse everything until it is again where it was. */
  constructor(private readonly now = () => performance.now()) {}

  get size(): number {
    return this.byName.size;
  }

  /** Calls back when something is first taken in a tick. */
  onFirstTaken(listener: () => void): void {
    this.onFirst = listener;
  }

  /** Whether ending a tick would change nothing. */
  get isQuiet(): boolean {
    return this.touched.size + this.settling.size === 0;
  }

  /** Takes one from every bucket, or from none if one of them is empty. */
  take(buckets: readonly Bucket[]): Taken[] {
    const nowMs = this.now();
    const requested = buckets.map(({ name, policy }) => ({ name, policy, quota: this.quotaOf(name) }));
    const looks = requested.map(({ policy, quota }) => quota.look(policy, nowMs, this.gateways));
    if (looks.some(({ isGranted }) => !isGranted)) return looks;
    if (this.touched.size === 0) this.onFirst();
    for (const { name, policy, quota } of requested) {
      quota.take(policy.intervalMs, nowMs);
      this.touched.add(name);
    }
    return looks;
  }

  /** Whether one could be taken. */
  hasLeft({ name, policy }: Bucket): Taken {
    return (this.byName.get(name) ?? new SharedQuota()).look(policy, this.now(), this.gateways);
  }

  hear(gateway: string, { buckets, counts, intervalsMs }: Takings): void {
    const nowMs = this.now();
    buckets.forEach((name, index) => {
      const tookMs = (counts[index] ?? 0) * (intervalsMs[index] ?? 0);
      this.quotaOf(name).hear(gateway, tookMs, nowMs);
    });
  }

  /** Ends a tick: returns what was taken, and drops limits that are full again. */
  endTick(): Takings {
    const takings: Takings = { buckets: [], counts: [], intervalsMs: [] };
    for (const name of this.settling) if (!this.touched.has(name)) this.byName.get(name)?.endTick();
    for (const name of this.touched) {
      const quota = this.byName.get(name);
      const count = quota?.endTick() ?? 0;
      if (!quota || count === 0) continue;
      takings.buckets.push(name);
      takings.counts.push(count);
      takings.intervalsMs.push(quota.intervalMs);
    }
    this.settling = new Set(this.touched);
    this.touched.clear();
    this.forgetIdle();
    return takings;
  }

  private quotaOf(name: string): SharedQuota {
    const known = this.byName.get(name);
    if (known) return known;
    // At the bound the oldest is dropped, so that no request is refused for it. Not an LRU cache: `forgetIdle` iterates over this
    // map, and continues where it stopped.
    const [oldest] = this.byName.size >= quotasMax ? this.byName.keys() : [];
    if (oldest !== undefined) this.byName.delete(oldest);
    const quota = new SharedQuota();
    this.byName.set(name, quota);
    return quota;
  }

  private forgetIdle(): void {
    const nowMs = this.now();
    for (let seen = 0; seen < sweptAtOnce; seen += 1) {
      const next = this.sweep.next();
      if (next.done) {
        this.sweep = this.byName.entries();
        return;
      }
      const [name, quota] = next.value;
      if (quota.isIdle(nowMs)) this.byName.delete(name);
    }
  }
}

type Hit = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Backs `@nestjs/throttler` with the limits that all gateways share. */
@Injectable()
export class QuotaStorage implements ThrottlerStorage {
  constructor(private readonly quotas: Quotas) {}

  async increment(key: string, ttlMs: number, limit: number): Promise<Hit> {
    const [taken] = this.quotas.take([{ name: key, policy: { limit, intervalMs: ttlMs / limit } }]);
    if (!taken) throw new TypeError('one limit has one answer');
    const { isGranted, remaining, resetMs, retryMs } = taken;
    const timeToExpire = Math.ceil(resetMs / 1_000);
    return { totalHits: limit - remaining, timeToExpire, isBlocked: !isGranted, timeToBlockExpire: Math.ceil(retryMs / 1_000) };
  }
}
