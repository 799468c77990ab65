import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';
import { CreditBook } from './credit-book';

const everyMs = 5_000;
const holdsMax = 1_000;
const patienceMs = 5_000;

/** Releases what crashed gateways left held. Any number of sweepers may run: the book releases a hold once. */
@Injectable()
export class HoldSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<number> | undefined;

  constructor(
    private readonly tenants: TenantScope,
    private readonly book: CreditBook,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweepQuietly(), everyMs).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running?.catch(() => undefined);
  }

  /** Releases holds that expired, a bounded number at a time, and answers how many it released. */
  async sweep(): Promise<number> {
    const expired: { orgId: number; id: string }[] = await this.tenants.acrossTenants(
      'holds of every organization expire',
      (manager) =>
        manager.query('SELECT DISTINCT org_id AS "orgId", id FROM credit_holds WHERE expires_at <= now() LIMIT $1', [holdsMax]),
    );
    const outcomes = await Promise.all(
      expired.map(({ orgId, id }) => this.book.do({ type: 'release', orgId, id, onlyExpired: true }, patienceMs)),
    );
    return outcomes.filter(({ outcome }) => outcome === 'done').length;
  }

  private async sweepQuietly(): Promise<void> {
    if (this.running) return;
    this.running = this.sweep();
    try {
      const released = await this.running;
      if (released > 0) this.log.info('Expired holds were released', { released });
    } catch (error) {
      this.log.warn('Expired holds could not be looked for', { error });
    } finally {
      this.running = undefined;
    }
  }
}
