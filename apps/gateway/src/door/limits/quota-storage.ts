import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Quotas } from './quotas';

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
