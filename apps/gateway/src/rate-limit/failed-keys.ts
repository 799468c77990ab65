import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { Fault } from '@parley/contracts';
import { type Bucket, Quotas } from './quotas';

/** How many wrong keys one address may try. Keys that a gateway knows already are not held up by it. */
@Injectable()
export class FailedKeys {
  private readonly policy: Bucket['policy'];

  constructor(
    private readonly quotas: Quotas,
    perMinute: number,
  ) {
    this.policy = { limit: perMinute, intervalMs: 60_000 / perMinute };
  }

  /** Refuses to look at one more unknown key from an address that tried too many. */
  requireRoom(address: string): void {
    const { isGranted, retryMs } = this.quotas.hasLeft(this.bucketOf(address));
    if (!isGranted)
      throw new Fault('RATE_LIMITED', { message: 'Too many wrong keys.', retryAfterSeconds: Math.ceil(retryMs / 1_000) });
  }

  /** Counts a wrong key. */
  note(address: string): void {
    this.requireRoom(address);
    this.quotas.take([this.bucketOf(address)]);
  }

  private bucketOf(address: string): Bucket {
    return { name: `wrong keys ${normalizeIp(address)}`, policy: this.policy };
  }
}
