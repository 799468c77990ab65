import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';
import { leaseSeconds } from './claims';
import type { OpenTurn } from './turn-begin';

const renewalMs = (leaseSeconds * 1000) / 3;

/** Keeps the session of a long turn held while this process lives. */
@Injectable()
export class Leases {
  constructor(
    private readonly tenants: TenantScope,
    private readonly log: Logger,
  ) {}

  /** Renews until disposed. */
  hold(turn: OpenTurn): Disposable {
    const timer = setInterval(() => void this.renew(turn), renewalMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  private async renew({ orgId, turnUuid, session }: OpenTurn): Promise<void> {
    try {
      await this.tenants.run(orgId, (manager) =>
        manager.query(
          `UPDATE sessions SET busy_until = now() + $4 * interval '1 second' WHERE org_id = $1 AND id = $2 AND busy_turn = $3`,
          [orgId, session.id, turnUuid, leaseSeconds],
        ),
      );
    } catch (err) {
      this.log.warn('A turn could not renew its hold on the session', { err, turnUuid });
    }
  }
}
