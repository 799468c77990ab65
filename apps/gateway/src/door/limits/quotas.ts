import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { type Policy, SharedQuota, type Taken } from './shared-quota';

/** Limits that one gateway keeps count of at a time. */
const quotasMax = 100_000;
/** Entries looked at in one tick for whether they can go. */
const sweptAtOnce = 2_000;

/** What one gateway took, for the others to hear. */
export interface Takings {
  readonly buckets: string[];
  readonly counts: number[];
  readonly intervalsMs: number[];
}

/** One limit that a request has to pass. */
export interface Bucket {
  readonly name: string;
  readonly policy: Policy;
}

/** Every limit that this gateway has lately counted. */
export class Quotas {
  private readonly byName = new Map<string, SharedQuota>();
  private readonly touched = new Set<string>();
  private settling = new Set<string>();
  private sweep: Iterator<[string, SharedQuota]> = this.byName.entries();
  private onFirst = (): void => undefined;
  /** How many gateways there are, this one included. */
  gateways = 1;

  constructor(private readonly now: () => number = Date.now) {}

  get size(): number {
    return this.byName.size;
  }

  /** Calls back at the first taking of a tick. */
  onFirstTaken(listener: () => void): void {
    this.onFirst = listener;
  }

  /** Whether ending a tick would change nothing. */
  get isQuiet(): boolean {
    return this.touched.size + this.settling.size === 0;
  }

  /** Takes one from every bucket, or from none when one of them has none left. */
  take(buckets: readonly Bucket[]): Taken[] {
    const nowMs = this.now();
    const asked = buckets.map(({ name, policy }) => ({ name, policy, quota: this.quotaOf(name) }));
    const looks = asked.map(({ policy, quota }) => quota.look(policy, nowMs, this.gateways));
    if (looks.some(({ isGranted }) => !isGranted)) return looks;
    if (this.touched.size === 0) this.onFirst();
    for (const { name, policy, quota } of asked) {
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

  /** Ends a tick: what was taken in it, and what need not be remembered any more is forgotten. */
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
    // At the bound the longest known goes, which is lenient towards its holder and keeps the door open.
    const [oldest] = this.byName.size >= quotasMax ? this.byName.keys() : [];
    if (oldest !== undefined) this.byName.delete(oldest);
    const quota = new SharedQuota();
    this.byName.set(name, quota);
    return quota;
  }

  private forgetIdle(): void {
    const nowMs = this.now();
    for (let seen = 0; seen < sweptAtOnce; seen += 1) {
      const { value, done } = this.sweep.next();
      if (done) {
        this.sweep = this.byName.entries();
        return;
      }
      const [name, quota] = value;
      if (quota.isIdle(nowMs)) this.byName.delete(name);
    }
  }
}

type Hit = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The store of `@nestjs/throttler` over the limits that all gateways share. */
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
