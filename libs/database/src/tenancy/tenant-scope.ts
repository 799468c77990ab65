import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import type { Statement } from '../prepared';
import { orUnavailable } from '../sql-failure';
import { type Ending, inOneTrip, inTransaction, inTransactionEndingWith } from '../transaction';

/** Work on the rows of one organization, which Postgres holds it to. A Postgres that is away is SERVICE_UNAVAILABLE. */
@Injectable()
export class TenantScope {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs work in a transaction that sees and writes rows of this organization only. Rolls back when it throws. */
  run<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return orUnavailable(inTransaction(this.dataSource, { opening: `BEGIN; ${setOrganization(orgId)}` }, work));
  }

  /** The same for work that only reads: a write is refused, and the answer does not wait for the end of the transaction. */
  read<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const opening = `BEGIN READ ONLY; ${setOrganization(orgId)}`;
    return orUnavailable(inTransaction(this.dataSource, { opening, isReadOnly: true }, work));
  }

  /** The same as `run` for work that is one statement: it costs one round trip. */
  once<Row extends QueryResultRow>(orgId: number, statement: Statement): Promise<Row[]> {
    return orUnavailable(inOneTrip(this.dataSource, `BEGIN; ${setOrganization(orgId)}`, statement));
  }

  /** For the few jobs of the system itself that have no organization. Say why; reviewers search for this name. */
  acrossTenants<T>(reason: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    requireReason(reason);
    return orUnavailable(inTransaction(this.dataSource, { opening: openedAcrossTenants }, work));
  }

  /** The same for work that knows its last statements beforehand: they leave together with the COMMIT. */
  acrossTenantsEndingWith<T>(reason: string, work: (manager: EntityManager) => Promise<Ending<T>>): Promise<T> {
    requireReason(reason);
    return orUnavailable(inTransactionEndingWith(this.dataSource, openedAcrossTenants, work));
  }
}

const openedAcrossTenants = `BEGIN; SELECT set_config('parley.across_tenants', 'yes', true)`;

function requireReason(reason: string): void {
  if (reason.trim() === '') throw new TypeError('acrossTenants needs a reason');
}

function setOrganization(orgId: number): string {
  if (!Number.isInteger(orgId) || orgId <= 0) throw new TypeError('an organization is a positive integer');
  return `SELECT set_config('parley.org_id', '${orgId}', true)`;
}
