import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Logger } from '@parley/service-kit';
import type { Claim } from './claim';
import { Claims, leaseSeconds } from './claims';

const pruneEveryMs = 60_000;

/** Renews the leases of requests that this gateway is answering, and clears away what is a day old. */
@Injectable()
export class ClaimKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly open = new Set<Claim>();
  private timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly claims: Claims,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const renewing = setInterval(() => void this.renew(), (leaseSeconds * 1_000) / 3);
    const pruning = setInterval(() => void this.quietly(this.claims.prune()), pruneEveryMs);
    this.timers = [renewing.unref(), pruning.unref()];
  }

  onApplicationShutdown(): void {
    this.timers.forEach(clearInterval);
  }

  hold(claim: Claim): void {
    this.open.add(claim);
  }

  drop(claim: Claim): void {
    this.open.delete(claim);
  }

  private async renew(): Promise<void> {
    if (this.open.size > 0) await this.quietly(this.claims.renew([...this.open]));
  }

  private async quietly(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => this.log.warn('Idempotency keys could not be kept up', { error }));
  }
}
