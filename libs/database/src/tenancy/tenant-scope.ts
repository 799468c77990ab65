import { Injectable } from '@nestjs/common';
import { currentCall, FairQueue } from '@parley/messaging';
import type { QueryResultRow } from 'pg';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { isTemporaryFailure, isReplayConflict, orUnavailable, type Statement } from '../queries';
import { type TransactionEnd, inOneTrip, inTransaction, inTransactionEndingWith } from '../transaction';

/** A statement, and the organization whose rows it concerns. */
export interface TenantStatement {
  readonly orgId: number;
  readonly statement: Statement;
}

/** A second Postgres that replicates the first, for work that may see changes a moment later. */
export interface ReadingCopy {
  readonly dataSource: DataSource;
  /** Whether it answers and is not far behind. */
  isUsable(): boolean;
  /** Called after it failed: it is not used for a while. */
  suspend(): void;
}

/**
 * Work on the rows of one organization, enforced by Postgres. If Postgres is unavailable, the caller gets SERVICE_UNAVAILABLE.
 */
@Injectable()
export class TenantScope {
  private readonly turns: ConnectionQueue;
  private readonly copyTurns: ConnectionQueue | undefined;
  private planned = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly copy?: ReadingCopy,
  ) {
    this.turns = ConnectionQueue.of(dataSource.options);
    this.copyTurns = copy && ConnectionQueue.of(copy.dataSource.options);
  }

  /** How many callers wait because all connections, or all that their organization may use, are busy. */
  get waiting(): number {
    return this.turns.waiting + (this.copyTurns?.waiting ?? 0);
  }

  /** Runs work in a transaction that sees and writes only rows of this organization. Rolls back if it throws. */
  run<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    // A read-only call may be sent to another replica as well, so it must not write.
    if (currentCall()?.onlyReads) return this.read(orgId, work);
    const opening = `BEGIN; ${setOrganization(orgId)}`;
    return orUnavailable(this.turns.pass(orgId, () => inTransaction(this.dataSource, { opening }, work)));
  }

  /**
   * The same for work that only reads: writes are refused, and the result does not wait for the end of the transaction. If there
   * is a standby, the work runs there, and again here if the standby fails.
   */
  async read<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const opening = { opening: `BEGIN READ ONLY; ${setOrganization(orgId)}`, isReadOnly: true };
    const { copy, copyTurns } = this;
    if (copy?.isUsable() && copyTurns)
      try {
        return await copyTurns.pass(orgId, () => inTransaction(copy.dataSource, opening, work));
      } catch (error) {
        if (!isTemporaryFailure(error) && !isReplayConflict(error)) throw error;
        copy.suspend();
      }
    return orUnavailable(this.turns.pass(orgId, () => inTransaction(this.dataSource, opening, work)));
  }

  /** Like `run`, for a single statement, in one round trip. Set `isByKey` if it concerns only a handful of rows. */
  async once<Row extends QueryResultRow>(orgId: number, statement: Statement, way: { isByKey?: boolean } = {}): Promise<Row[]> {
    const [rows = []] = await this.inOrder<Row>(orgId, [statement], way);
    return rows;
  }

  /** The same for several, one after the other: each sees what those before it changed, or waited for. Returns the rows of each. */
  async inOrder<Row extends QueryResultRow>(
    orgId: number,
    statements: readonly Statement[],
    { isByKey = false }: { isByKey?: boolean } = {},
  ): Promise<Row[][]> {
    const isReadOnly = currentCall()?.onlyReads ?? false;
    const ways: TransactionSetting[] = [...(isByKey ? this.byKey() : []), ...(isReadOnly ? [readsOnly] : [])];
    const trip = [settings(ways, orgId), ...statements];
    const passed = this.turns.pass(orgId, () => inOneTrip<Row>(this.dataSource, trip, { isReadOnly }));
    const [, ...found] = await orUnavailable(passed);
    return found;
  }

  /**
   * Statements of several organizations in one transaction and one round trip; returns the rows of each. Each statement sees and
   * writes only its own organization's rows. All succeed, or none.
   */
  async together<Row extends QueryResultRow>(parts: readonly TenantStatement[]): Promise<Row[][]> {
    const ways = this.byKey();
    const trip = parts.flatMap(({ orgId, statement }) => [settings(ways, orgId), statement]);
    const found = await orUnavailable(inOneTrip<Row>(this.dataSource, trip));
    return found.filter((_rows, place) => place % 2 === 1);
  }

  /**
   * For the few jobs of the system itself that have no organization: uses a connection of the service's second role, which no
   * statement on an ordinary connection can switch to. The reason is for reviewers, who search for this name.
   */
  acrossTenants<T>(reason: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    requireReason(reason);
    return orUnavailable(inTransaction(this.dataSource, everybody, work));
  }

  private byKey(): TransactionSetting[] {
    this.planned += 1;
    return [byIndex, this.planned > plannedAnewMax ? plannedOnce : plannedAnew];
  }

  /** The same for a single statement about a handful of rows, in one round trip. */
  async acrossTenantsOnce<Row extends QueryResultRow>(reason: string, statement: Statement): Promise<Row[]> {
    requireReason(reason);
    const trip = [settings(this.byKey()), statement];
    const [, rows = []] = await orUnavailable(inOneTrip<Row>(this.dataSource, trip, { reach: 'everybody' }));
    return rows;
  }

  /** The same for work whose last statements are known in advance: they are sent together with COMMIT. */
  acrossTenantsEndingWith<T>(reason: string, work: (manager: EntityManager) => Promise<TransactionEnd<T>>): Promise<T> {
    requireReason(reason);
    return orUnavailable(inTransactionEndingWith(this.dataSource, everybody, work));
  }
}

/** A setting for one transaction, and the name under which its statement is prepared. */
interface TransactionSetting {
  readonly name: string;
  readonly text: string;
}

/**
 * A statement about a handful of rows must find each by its key. Planned while a table is empty, reading all of the table, or all
 * of an organization, looks just as cheap, and that plan is kept when there are millions of rows.
 */
const byIndex: TransactionSetting = {
  name: 'by-index',
  text: ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_material']
    .map((way) => `set_config('${way}', 'off', true)`)
    .join(', '),
};

/**
 * This many statements of a process are planned individually. The plan made after that is based on tables that are no longer
 * empty, and is kept: planning the changes of a batch again costs more than executing them.
 */
const plannedAnewMax = 300;
const plannedOnce: TransactionSetting = {
  name: 'planned-once',
  text: `set_config('plan_cache_mode', 'force_generic_plan', true)`,
};
const plannedAnew: TransactionSetting = {
  name: 'planned-anew',
  text: `set_config('plan_cache_mode', 'force_custom_plan', true)`,
};
const readsOnly: TransactionSetting = { name: 'reads-only', text: `set_config('transaction_read_only', 'on', true)` };

/** Prepared too: otherwise Postgres would parse and plan it for each transaction. */
function settings(ways: readonly TransactionSetting[], orgId?: number): Statement {
  const name = ['set', ...ways.map((way) => way.name), ...(orgId === undefined ? [] : ['organization'])].join(' ');
  const own = orgId === undefined ? [] : [`set_config('parley.org_id', $1, true)`];
  const text = `SELECT ${[...ways.map((way) => way.text), ...own].join(', ')}`;
  return { name, text, values: orgId === undefined ? [] : [organizationText(orgId)] };
}

const everybody = { opening: 'BEGIN', reach: 'everybody' } as const;

function requireReason(reason: string): void {
  if (reason.trim() === '') throw new TypeError('acrossTenants needs a reason');
}

function setOrganization(orgId: number): string {
  return `SELECT set_config('parley.org_id', '${organizationText(orgId)}', true)`;
}

function organizationText(orgId: number): string {
  if (!Number.isInteger(orgId) || orgId <= 0) throw new TypeError('an organization is a positive integer');
  return String(orgId);
}

/** Connections that one organization leaves to the others, however much it asks. */
const leftToOthers = 2;
const waitingMax = 2_000;
const usual = { places: 10, waitMs: 5_000 };

interface WaitingTransaction {
  enter(): void;
  refuse(): void;
}

/**
 * Decides who gets the next connection of a pool. Organizations take turns, so that a hundred requests of one delay another's by
 * one, and none of them may use all connections at once: others would still have to wait for its long statements.
 */
export class ConnectionQueue {
  private readonly working = new Map<number, number>();
  private taken = 0;
  private readonly queue = new FairQueue<WaitingTransaction>(waitingMax);
  private readonly ofOneMax: number;

  constructor(
    private readonly places: number,
    private readonly waitMs: number,
  ) {
    this.ofOneMax = Math.max(1, places - leftToOthers);
  }

  /** For the pool of a DataSource. */
  static of(options: DataSourceOptions): ConnectionQueue {
    const waitMs = options.type === 'postgres' ? options.connectTimeoutMS : undefined;
    return new ConnectionQueue(options.poolSize ?? usual.places, waitMs ?? usual.waitMs);
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** Runs when it is the organization's turn. Waiting too long fails like waiting for a connection. */
  async pass<T>(orgId: number, work: () => Promise<T>): Promise<T> {
    if (this.taken < this.places && this.mayWork(orgId)) this.count(orgId, 1);
    else await this.wait(orgId);
    try {
      return await work();
    } finally {
      this.count(orgId, -1);
      this.letIn();
    }
  }

  private wait(orgId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        clearTimeout(patience);
        reject(new Error('timeout exceeded when trying to connect'));
      };
      const enter = (): void => {
        clearTimeout(patience);
        this.count(orgId, 1);
        resolve();
      };
      const waiting: WaitingTransaction = { enter, refuse };
      const patience = setTimeout(() => {
        this.queue.remove(waiting);
        refuse();
      }, this.waitMs);
      this.queue.push(orgId, waiting)?.refuse();
    });
  }

  private letIn(): void {
    while (this.taken < this.places) {
      const next = this.queue.shift((organization) => typeof organization === 'number' && this.mayWork(organization));
      if (!next) return;
      next.enter();
    }
  }

  private mayWork(orgId: number): boolean {
    return (this.working.get(orgId) ?? 0) < this.ofOneMax;
  }

  private count(orgId: number, change: 1 | -1): void {
    this.taken += change;
    const working = (this.working.get(orgId) ?? 0) + change;
    if (working > 0) this.working.set(orgId, working);
    else this.working.delete(orgId);
  }
}
