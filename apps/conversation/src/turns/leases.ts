import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';
import { leaseSeconds, type NewTurn } from './claims';

const renewalMs = (leaseSeconds * 1000) / 3;

type Held = Pick<NewTurn, 'orgId' | 'sessionUuid' | 'turnUuid'>;

/** Keeps the sessions of long turns held while this process lives. */
@Injectable()
export class Leases implements OnApplicationShutdown {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly log: Logger,
  ) {}

  hold(turn: Held): void {
    this.timers.set(turn.turnUuid, setInterval(() => void this.renew(turn), renewalMs));
  }

  release({ turnUuid }: Held): void {
    clearInterval(this.timers.get(turnUuid));
    this.timers.delete(turnUuid);
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers.values()) clearInterval(timer);
  }

  private async renew({ orgId, sessionUuid, turnUuid }: Held): Promise<void> {
    try {
      await this.tenants.run(orgId, (manager) =>
        manager.query(`UPDATE sessions SET busy_until = now() + $3 * interval '1 second' WHERE session_uuid = $1 AND busy_turn = $2`, [
          sessionUuid, turnUuid, leaseSeconds,
        ]),
      );
    } catch (err) {
      this.log.warn('A turn could not renew its hold on the session', { err, turnUuid });
    }
  }
}
