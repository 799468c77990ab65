import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';
import type { NewTurn } from './claims';
import { leaseSeconds } from './turn-statements';
import { statementsOf } from './turn-write';

const renewalMs = (leaseSeconds * 1000) / 3;

type Held = Pick<NewTurn, 'orgId' | 'sessionUuid' | 'turnUuid'>;

/** Keeps the sessions of turns held while this process lives: of all that are under way by one timer and one transaction. */
@Injectable()
export class Leases implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly held = new Map<string, Held>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tenants: TenantScope,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.renew(), renewalMs);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  hold(turn: Held): void {
    this.held.set(turn.turnUuid, turn);
  }

  release({ turnUuid }: Held): void {
    this.held.delete(turnUuid);
  }

  /** Those that began a moment ago as well: it costs less than to know their age. */
  async renew(): Promise<void> {
    if (this.held.size === 0) return;
    const rowOf = ({ turnUuid, sessionUuid }: Held) => ({ turn_uuid: turnUuid, session_uuid: sessionUuid });
    const writes = [...this.held.values()].map((turn) => ({ orgId: turn.orgId, deed: 'renewing' as const, row: rowOf(turn) }));
    try {
      await this.tenants.together(statementsOf(writes));
    } catch (err) {
      this.log.warn('Turns could not renew their hold on their sessions', { err, turns: writes.length });
    }
  }
}
