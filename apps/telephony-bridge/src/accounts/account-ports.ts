import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { isUniqueViolation, TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import type { CarrierAccount } from './entities';

const leaseMs = 6_000;
const leasedMax = 1_000;

/** The ports that accounts may ask for; none, where the operator opened none. */
export abstract class OpenPorts {
  abstract readonly host: string;
  abstract readonly from: number | undefined;
  abstract readonly to: number | undefined;
}

/** A port that this replica is to listen on. */
interface LeasedPort {
  readonly port: number;
  readonly accountKey: string;
}

/** Which account listens on which port, and which replica does it: one at a time, and another one soon after it died. */
@Injectable()
export class AccountPorts {
  /** This replica. */
  private readonly owner = randomUUID();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly open: OpenPorts,
  ) {}

  /** The address that ports are listened on. */
  get host(): string {
    return this.open.host;
  }

  /** Gives an account its port, or none. VALIDATION_FAILED where it is not open, CONFLICT where it is another account's. */
  async claim(manager: EntityManager, { id, orgId }: CarrierAccount, port: number | undefined): Promise<void> {
    await manager.query('DELETE FROM account_ports WHERE account_id = $1 AND port IS DISTINCT FROM $2', [id, port ?? null]);
    if (port === undefined) return;
    const { from, to } = this.open;
    if (from === undefined || to === undefined || port < from || port > to) {
      const message =
        from === undefined ? 'no port is open for SIP here: see SIP_PORTS' : `must be one of SIP_PORTS, ${from} to ${to}`;
      throw new Fault('VALIDATION_FAILED', { details: [{ field: 'credentials.port', message }] });
    }
    const text =
      'INSERT INTO account_ports (port, org_id, account_id) VALUES ($1, $2, $3) ON CONFLICT (account_id) DO UPDATE SET port = $1';
    await manager.query(text, [port, orgId, id]).catch((cause: unknown) => {
      if (!isUniqueViolation(cause, 'account_ports_pkey')) throw cause;
      throw new Fault('CONFLICT', { message: 'The port is another account’s.', cause });
    });
  }

  /** Calls whenever an account was saved or deleted at this replica, which may have changed its port. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** What was claimed is committed. */
  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** Leases free ports, and renews this replica's: those to listen on until the next poll; nothing where no account has one. */
  async lease(): Promise<LeasedPort[] | undefined> {
    if (this.open.from === undefined) return undefined;
    return this.tenants.acrossTenants('a replica listens for accounts of many organizations', async (manager) => {
      const any: unknown[] = await manager.query('SELECT 1 FROM account_ports LIMIT 1');
      if (any.length === 0) return undefined;
      const taken = [this.owner, leaseMs, leasedMax];
      await manager.query(
        `UPDATE account_ports SET owner = $1, expires_at = now() + $2 * interval '1 millisecond'
         WHERE port IN (SELECT port FROM account_ports WHERE owner = $1 OR expires_at <= now()
                        ORDER BY owner = $1 DESC NULLS LAST, port LIMIT $3 FOR UPDATE SKIP LOCKED)`,
        taken,
      );
      return manager.query(
        `SELECT p.port, a.key_id AS "accountKey" FROM account_ports p JOIN carrier_accounts a ON a.id = p.account_id
         WHERE p.owner = $1 AND p.expires_at > now() AND a.deleted_on IS NULL ORDER BY p.port`,
        [this.owner],
      );
    });
  }

  /** Another replica may listen at once. */
  async release(): Promise<void> {
    await this.tenants.acrossTenants('a replica listens for accounts of many organizations', (manager) =>
      manager.query(`UPDATE account_ports SET expires_at = '-infinity' WHERE owner = $1`, [this.owner]),
    );
  }
}
