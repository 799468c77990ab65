import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { Fault } from '@parley/contracts';
import type { Bucket, Quotas } from './quotas';

/** Concurrent look-ups for addresses that tried too many wrong credentials. */
const slowAtOnce = 2;
/** Beyond this many, look-ups are refused instead of waiting. */
const slowWaitingMax = 1_000;

/**
 * How many wrong credentials one address may try. Only failed look-ups are counted, and only they are refused: others behind the
 * same address with a valid key or widget are admitted. Beyond the limit an address's look-ups run one after the other, so that
 * guessing cannot overload the database.
 */
@Injectable()
export class FailedKeys {
  private readonly policy: Bucket['policy'];
  private readonly waiting: (() => void)[] = [];
  private slow = 0;

  constructor(
    private readonly quotas: Quotas,
    perMinute: number,
  ) {
    this.policy = { limit: perMinute, intervalMs: 60_000 / perMinute };
  }

  /** The result of `find` for a credential from this address. Finding nothing counts as a failure. */
  async lookUp<Found>(address: string, find: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const found = this.quotas.hasLeft(this.bucketOf(address)).isGranted ? await find() : await this.inTurn(find);
    if (found === undefined) this.note(address);
    return found;
  }

  /** Counts a wrong credential; returns a Fault once there were too many. */
  note(address: string): void {
    const [taken] = this.quotas.take([this.bucketOf(address)]);
    if (taken?.isGranted !== false) return;
    const retryAfterSeconds = Math.ceil(taken.retryMs / 1_000);
    throw new Fault('RATE_LIMITED', { message: 'Too many wrong keys from this address.', retryAfterSeconds });
  }

  private async inTurn<Found>(find: () => Promise<Found>): Promise<Found> {
    if (this.waiting.length >= slowWaitingMax) throw new Fault('RATE_LIMITED', { retryAfterSeconds: 1 });
    if (this.slow >= slowAtOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.slow += 1;
    try {
      return await find();
    } finally {
      // The longest waiting request takes over this place.
      const next = this.waiting.shift();
      if (next) next();
      else this.slow -= 1;
    }
  }

  private bucketOf(address: string): Bucket {
    return { name: `wrong keys ${normalizeIp(address)}`, policy: this.policy };
  }
}
