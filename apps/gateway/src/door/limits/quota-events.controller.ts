import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Controller, type OnApplicationBootstrap } from '@nestjs/common';
import { quotaTaken } from '@parley/contracts';
import { Broadcasts, Hears } from '@parley/messaging';
import type { z } from 'zod';
import { Quotas, type Takings, tickMs } from './quotas';

/** A gateway announces itself this often, and is considered gone after three missed announcements. */
const helloMs = 1_000;
const goneMs = 3_000;
/**
 * A gateway on its own reports less often, since each message keeps the broker awake: a new gateway announces itself and is
 * answered at once.
 */
const aloneHelloMs = 5_000;
/** The most buckets in one message; the contract refuses more. */
const bucketsAtOnce = 2_000;
/**
 * A gateway accepts no requests until the others had time to answer its first announcement. If it assumed gateways that are not
 * there, it would grant too little; if it missed ones that are, it would ignore what they have granted already.
 */
const arrivalMs = 4 * tickMs;

/** Announces to the other gateways what this one took from the limits, ten times a second, and receives theirs. */
@Controller()
export class QuotaEventsController implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly gateway = randomUUID().slice(0, 8);
  private readonly heardAtMs = new Map<string, number>();
  private announcedAtMs = Number.NEGATIVE_INFINITY;
  private isResting = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly quotas: Quotas,
    private readonly broadcasts: Broadcasts,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.quotas.onFirstTaken(() => this.wake());
    this.tick();
    await delay(arrivalMs);
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  @Hears(quotaTaken)
  hear({ gateway, ...takings }: z.output<typeof quotaTaken.payload>): void {
    if (gateway === this.gateway) return;
    const nowMs = performance.now();
    // Answer at once, so that the new gateway learns that it is not alone.
    if (!this.heardAtMs.has(gateway)) {
      this.announcedAtMs = Number.NEGATIVE_INFINITY;
      this.wake();
    }
    this.heardAtMs.set(gateway, nowMs);
    this.countGateways(nowMs);
    this.quotas.hear(gateway, takings);
  }

  // Ticks follow the wall clock, so that all gateways announce at the same time and hear each other before the next tick.
  private tick(): void {
    const nowMs = performance.now();
    this.countGateways(nowMs);
    const takings = this.quotas.endTick();
    if (this.heardAtMs.size > 0) this.announceAll(takings, nowMs);
    const helloEveryMs = this.heardAtMs.size > 0 ? helloMs : aloneHelloMs;
    if (nowMs - this.announcedAtMs >= helloEveryMs) this.announce({ buckets: [], counts: [], intervalsMs: [] }, nowMs);
    this.isResting = this.quotas.isQuiet;
    this.tickIn(this.isResting ? Math.max(tickMs, helloEveryMs - (nowMs - this.announcedAtMs)) : tickMs);
  }

  /** Leaves the resting state, in which there is nothing to announce but this gateway's presence. */
  private wake(): void {
    if (!this.isResting) return;
    this.isResting = false;
    clearTimeout(this.timer);
    this.tickIn(tickMs);
  }

  private tickIn(ms: number): void {
    this.timer = setTimeout(() => this.tick(), ms - (Date.now() % tickMs)).unref();
  }

  private announceAll({ buckets, counts, intervalsMs }: Takings, nowMs: number): void {
    for (let from = 0; from < buckets.length; from += bucketsAtOnce) {
      const to = from + bucketsAtOnce;
      const part = { buckets: buckets.slice(from, to), counts: counts.slice(from, to), intervalsMs: intervalsMs.slice(from, to) };
      this.announce(part, nowMs);
    }
  }

  private announce(takings: Takings, nowMs: number): void {
    this.announcedAtMs = nowMs;
    this.broadcasts.announce(quotaTaken, { orgId: null, payload: { gateway: this.gateway, ...takings } });
  }

  private countGateways(nowMs: number): void {
    for (const [gateway, atMs] of this.heardAtMs) if (nowMs - atMs > goneMs) this.heardAtMs.delete(gateway);
    this.quotas.gateways = 1 + this.heardAtMs.size;
  }
}
