import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { isUniqueViolation, TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import type { CarrierAccount } from './entities';

const leaseMs = 6_000;
const leasedMax = 1_000;
const why = 'a replica listens for accounts of many organizations';

/** The ports that accounts may use, as opened by the operator. */
export abstract class OpenPorts {
  abstract readonly host: string;
  abstract readonly from: number | undefined;
  abstract readonly to: number | undefined;
  abstract readonly perOrganization: number;
}

/** A port that this replica is to listen on. */
interface LeasedPort {
  readonly port: number;
  readonly accountKey: string;
}

/** Assigns ports to accounts, and leases each port to one replica at a time; if that dies, another one soon takes it. */
@Injectable()
export class AccountPorts {
  /** This replica. */
  private readonly owner = randomUUID();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly open: OpenPorts,
  ) {}

  /** The address to listen on. */
  get host(): string {
    return this.open.host;
  }

  /** Assigns a port, or none, to an account. VALIDATION_FAILED if it is not open, CONFLICT if another account has it or the organization too many. */
  async claim(manager: EntityManager, { id, orgId }: CarrierAccount, port: number | undefined): Promise<void> {
    await manager.query('DELETE FROM account_ports WHERE account_id = $1 AND port IS DISTINCT FROM $2', [id, port ?? null]);
    if (port === undefined) return;
    const { from, to } = this.open;
    if (from === undefined || to === undefined || port < from || port > to) {
      const message =
        from === undefined ? 'no port is open for SIP here: see SIP_PORTS' : `must be one of SIP_PORTS, ${from} to ${to}`;
      throw new Fault('VALIDATION_FAILED', { details: [{ field: 'credentials.port', message }] });
    }
    await this.requireFewer(manager, { id, orgId });
    const text =
      'INSERT INTO account_ports (port, org_id, account_id) VALUES ($1, $2, $3) ON CONFLICT (account_id) DO UPDATE SET port = $1';
    await manager.query(text, [port, orgId, id]).catch((cause: unknown) => {
      if (!isUniqueViolation(cause, 'account_ports_pkey')) throw cause;
      throw new Fault('CONFLICT', { message: 'The port belongs to another account.', cause });
    });
  }

  /** No organization may take all ports. An account that has one may change it. */
  private async requireFewer(manager: EntityManager, { id, orgId }: Pick<CarrierAccount, 'id' | 'orgId'>): Promise<void> {
    // Accounts that are saved at the same time are counted one after the other.
    await manager.query(`SELECT pg_advisory_xact_lock(hashtext('account_ports'), $1)`, [orgId]);
    const text = `SELECT count(*)::int AS count, coalesce(bool_or(account_id = $2), false) AS "isOurs" FROM account_ports WHERE org_id = $1`;
    const [taken]: { count: number; isOurs: boolean }[] = await manager.query(text, [orgId, id]);
    const { perOrganization } = this.open;
    if (!taken || taken.isOurs || taken.count < perOrganization) return;
    throw new Fault('CONFLICT', {
      message: `An organization may have ${perOrganization} SIP ports here (SIP_PORTS_PER_ORGANIZATION), and yours has ${taken.count}.`,
    });
  }

  /** Calls the listener whenever an account was saved or deleted at this replica, which may change its port. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** To be called after a claim is committed. */
  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /**
   * Leases free ports and renews this replica's, of which it has some `opened`. Returns those to listen on until the next call; undefined
   * if no account has a port.
   */
  async lease(opened: readonly number[]): Promise<LeasedPort[] | undefined> {
    if (this.open.from === undefined) return undefined;
    const any = { name: 'any-account-port', text: 'SELECT FROM account_ports LIMIT 1', values: [] };
    if ((await this.tenants.acrossTenantsOnce(why, any)).length === 0) return undefined;
    return this.tenants.acrossTenants(why, async (manager) => {
      const taken = [this.owner, leaseMs, leasedMax, opened];
      await manager.query(
        `UPDATE account_ports SET owner = $1, expires_at = now() + $2 * interval '1 millisecond',
           opened_by = CASE WHEN port = ANY ($4::int[]) THEN $1::uuid END
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

  /** Records that this replica opened a port that is leased to it, or no longer has it open. */
  async mark(port: number, isOpen: boolean): Promise<void> {
    const text = 'UPDATE account_ports SET opened_by = $3::uuid WHERE port = $1 AND owner = $2';
    await this.tenants.acrossTenants(why, (manager) => manager.query(text, [port, this.owner, isOpen ? this.owner : null]));
  }

  /** Whether the replica that the account's port is leased to has it open. */
  async isOpen({ id, orgId }: CarrierAccount): Promise<boolean> {
    const text = 'SELECT 1 FROM account_ports WHERE account_id = $1 AND opened_by = owner AND expires_at > now()';
    const rows: unknown[] = await this.tenants.read(orgId, (manager) => manager.query(text, [id]));
    return rows.length > 0;
  }

  /** Ends this replica's leases, so that another replica can listen at once. */
  async release(): Promise<void> {
    await this.tenants.acrossTenants(why, (manager) =>
      manager.query(`UPDATE account_ports SET expires_at = '-infinity' WHERE owner = $1`, [this.owner]),
    );
  }
}
