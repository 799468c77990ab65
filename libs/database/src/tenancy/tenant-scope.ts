import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import type { Statement } from '../prepared';
import { orUnavailable } from '../sql-failure';
import { ConnectionTurns } from './connection-turns';
import { type Ending, inOneTrip, inTransaction, inTransactionEndingWith } from '../transaction';

/** A statement and the organization whose rows it is about. */
export interface TenantStatement {
  readonly orgId: number;
  readonly statement: Statement;
}

/** Work on the rows of one organization, which Postgres holds it to. A Postgres that is away is SERVICE_UNAVAILABLE. */
@Injectable()
export class TenantScope {
  private readonly turns: ConnectionTurns;

  constructor(private readonly dataSource: DataSource) {
    this.turns = ConnectionTurns.of(dataSource.options);
  }

  /** Runs work in a transaction that sees and writes rows of this organization only. Rolls back when it throws. */
  run<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const opening = `BEGIN; ${setOrganization(orgId)}`;
    return orUnavailable(this.turns.pass(orgId, () => inTransaction(this.dataSource, { opening }, work)));
  }

  /** The same for work that only reads: a write is refused, and the answer does not wait for the end of the transaction. */
  read<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const opening = `BEGIN READ ONLY; ${setOrganization(orgId)}`;
    return orUnavailable(this.turns.pass(orgId, () => inTransaction(this.dataSource, { opening, isReadOnly: true }, work)));
  }

  /** The same as `run` for work that is one statement: it costs one round trip. */
  async once<Row extends QueryResultRow>(orgId: number, statement: Statement): Promise<Row[]> {
    const step = { opening: setOrganization(orgId), statement };
    const [rows = []] = await orUnavailable(this.turns.pass(orgId, () => inOneTrip<Row>(this.dataSource, [step])));
    return rows;
  }

  /**
   * Statements of several organizations in one transaction and one round trip; answers the rows of each. Each sees and writes rows
   * of its own organization only, as if it were alone. All of them are done or none.
   */
  together<Row extends QueryResultRow>(parts: readonly TenantStatement[]): Promise<Row[][]> {
    const steps = parts.map(({ orgId, statement }) => ({ opening: `${setOrganization(orgId)}, ${byIndex}`, statement }));
    return orUnavailable(inOneTrip(this.dataSource, steps));
  }

  /**
   * For the few jobs of the system itself that have no organization: on a connection of the service's second role, which no
   * statement of an ordinary one can become. Say why; reviewers search for this name.
   */
  acrossTenants<T>(reason: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    requireReason(reason);
    return orUnavailable(inTransaction(this.dataSource, everybody, work));
  }

  /** The same for work that is one statement about a handful of rows: it costs one round trip. */
  async acrossTenantsOnce<Row extends QueryResultRow>(reason: string, statement: Statement): Promise<Row[]> {
    requireReason(reason);
    const [rows = []] = await orUnavailable(
      inOneTrip<Row>(this.dataSource, [{ opening: `SELECT ${byIndex}`, statement }], 'everybody'),
    );
    return rows;
  }

  /** The same for work that knows its last statements beforehand: they leave together with the COMMIT. */
  acrossTenantsEndingWith<T>(reason: string, work: (manager: EntityManager) => Promise<Ending<T>>): Promise<T> {
    requireReason(reason);
    return orUnavailable(inTransactionEndingWith(this.dataSource, everybody, work));
  }
}

/**
 * A statement about a handful of rows finds each by its key. Planned while a table is empty, reading all of it looks as cheap, and
 * the plan is kept when there are millions.
 */
const byIndex = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']
  .map((way) => `set_config('${way}', 'off', true)`)
  .join(', ');

const everybody = { opening: 'BEGIN', reach: 'everybody' } as const;

function requireReason(reason: string): void {
  if (reason.trim() === '') throw new TypeError('acrossTenants needs a reason');
}

function setOrganization(orgId: number): string {
  if (!Number.isInteger(orgId) || orgId <= 0) throw new TypeError('an organization is a positive integer');
  return `SELECT set_config('parley.org_id', '${orgId}', true)`;
}
