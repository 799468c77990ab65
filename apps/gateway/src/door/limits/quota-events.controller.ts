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
/** A gateway alone rarely reports: a new one announces itself and is answered at once. Each message keeps the broker awake. */
const aloneHelloMs = 5_000;
/** What one message names at most; the contract refuses more. */
const bucketsAtOnce = 2_000;
/**
 * A gateway accepts no requests until the others had time to answer its first announcement: assuming absent gateways, it would
 * give out too little, and overlooking present ones, what they have given out already.
 */
const arrivalMs = 4 * tickMs;

/** Announces to the other gateways what this one gave out of the limits, ten times a second, and receives theirs. */
@Controller()
export class QuotaEventsController implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly gateway = randomUUID().slice(0, 8);
  private readonly heardAtMs = new Map<string, number>();
  private saidAtMs = 0;
  private isResting = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly quotas: Quotas,
    private readonly broadcasts: Broadcasts,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.quotas.onFirstTaken(() => this.awake());
    this.tick();
    await delay(arrivalMs);
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  @Hears(quotaTaken)
  hear({ gateway, ...takings }: z.output<typeof quotaTaken.payload>): void {
    if (gateway === this.gateway) return;
    const nowMs = Date.now();
    // A new gateway learns at once that it is not alone.
    if (!this.heardAtMs.has(gateway)) {
      this.saidAtMs = 0;
      this.awake();
    }
    this.heardAtMs.set(gateway, nowMs);
    this.countGateways(nowMs);
    this.quotas.hear(gateway, takings);
  }

  // Ticks keep to the clock on the wall, so that all gateways speak at the same time and hear each other before the next one.
  private tick(): void {
    const nowMs = Date.now();
    this.countGateways(nowMs);
    const takings = this.quotas.endTick();
    if (this.heardAtMs.size > 0) this.announceAll(takings, nowMs);
    const helloEveryMs = this.heardAtMs.size > 0 ? helloMs : aloneHelloMs;
    if (nowMs - this.saidAtMs >= helloEveryMs) this.announce({ buckets: [], counts: [], intervalsMs: [] }, nowMs);
    this.isResting = this.quotas.isQuiet;
    this.tickIn(this.isResting ? Math.max(tickMs, helloEveryMs - (nowMs - this.saidAtMs)) : tickMs);
  }

  /** While nothing is taken there is nothing to tell but that this gateway is there. */
  private awake(): void {
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
    this.saidAtMs = nowMs;
    this.broadcasts.announce(quotaTaken, { orgId: null, payload: { gateway: this.gateway, ...takings } });
  }

  private countGateways(nowMs: number): void {
    for (const [gateway, atMs] of this.heardAtMs) if (nowMs - atMs > goneMs) this.heardAtMs.delete(gateway);
    this.quotas.gateways = 1 + this.heardAtMs.size;
  }
}
