import type { ClientBase, QueryResultRow } from 'pg';
import { type DataSource, type EntityManager, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { Statement } from './queries';

interface Opening {
  /** What opens the transaction, settings included, in one message. */
  readonly opening: string;
  /** The end of a transaction that wrote nothing is not worth waiting for. */
  readonly isReadOnly?: boolean;
  readonly reach?: Reach;
}

/**
 * A transaction with as few round trips as possible. The opening is sent together with the first statement: connections are
 * pipelined, and Postgres works in order. If the opening fails, that statement finds no organization set, so row-level security
 * returns nothing, and the failure is thrown before any COMMIT.
 */
export async function inTransaction<T>(
  dataSource: DataSource,
  { opening, isReadOnly = false, reach = 'organization' }: Opening,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = TransactionRunner.over(dataSource, reach);
  let closing: Promise<void> | undefined;
  try {
    const client: ClientBase = await runner.connect();
    const opened = client.query(opening);
    await runner.startTransaction();
    const result = await settle(runner, opened, work);
    closing = commit(runner, client);
    if (!isReadOnly) await closing;
    return result;
  } finally {
    if (closing && isReadOnly) void closing.catch(() => undefined).then(() => runner.release());
    else await runner.release();
  }
}

/** What a transaction comes to: its result, and statements after which nothing has to be decided any more. */
export interface Ending<T> {
  readonly result: T;
  readonly last: readonly Statement[];
}

/** A transaction whose last statements leave in one piece with its COMMIT: a round trip less. */
export async function inTransactionEndingWith<T>(
  dataSource: DataSource,
  { opening, reach = 'organization' }: Opening,
  work: (manager: EntityManager) => Promise<Ending<T>>,
): Promise<T> {
  const runner = TransactionRunner.over(dataSource, reach);
  try {
    const client: ClientBase = await runner.connect();
    const opened = client.query(opening);
    await runner.startTransaction();
    const { result, last } = await settle(runner, opened, work);
    const sent = last.map((statement) => client.query({ ...statement }));
    const answers = [...sent, commit(runner, client)];
    // On failure too, the connection is returned only after Postgres has answered everything.
    await Promise.allSettled(answers);
    await Promise.all(answers);
    return result;
  } finally {
    await runner.release();
  }
}

/** One step of a transaction: its settings and its statement. */
interface Step {
  /** Settings that hold until the next step has others, in one message. */
  readonly opening: string;
  readonly statement: Statement;
}

/**
 * A transaction whose statements are all known beforehand; answers the rows of each. It leaves in one piece and costs one round
 * trip, because nothing has to be decided before its COMMIT.
 */
export async function inOneTrip<Row extends QueryResultRow>(
  dataSource: DataSource,
  steps: readonly Step[],
  reach: Reach = 'organization',
): Promise<Row[][]> {
  const runner = TransactionRunner.over(dataSource, reach);
  try {
    const client: ClientBase = await runner.connect();
    const answers = steps.map(({ opening, statement }, place) => {
      const isNew = opening !== steps[place - 1]?.opening;
      const opened = isNew ? client.query(place === 0 ? `BEGIN; ${opening}` : opening) : undefined;
      return [opened, client.query<Row>({ ...statement })] as const;
    });
    const committed = client.query('COMMIT');
    // On failure too, the connection is returned only after Postgres has answered everything.
    await Promise.allSettled([...answers.flat(), committed]);
    const found: Row[][] = [];
    // In order, so that the failure which is thrown is the first one, and not what Postgres says to those behind it.
    for (const [opened, result] of answers) {
      await opened;
      found.push((await result).rows);
    }
    if ((await committed).command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement had failed');
    return found;
  } finally {
    await runner.release();
  }
}

/** The result of the work; whatever it does, no transaction stays open, for the connection is reused. */
async function settle<T>(
  runner: TransactionRunner,
  opened: Promise<unknown>,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    // Work may throw before it makes a promise, too.
    const [result] = await Promise.all([(async () => work(runner.manager))(), opened]);
    return result;
  } catch (error) {
    await runner.undo();
    throw error;
  }
}

/**
 * Postgres answers the COMMIT of a failed transaction with a silent ROLLBACK, which must be reported when the failure was
 * swallowed.
 */
async function commit(runner: TransactionRunner, client: ClientBase): Promise<void> {
  const { command } = await client.query('COMMIT');
  // Afterwards, because subscribers take this for the moment from which others see the rows.
  await (command === 'COMMIT' ? runner.commitTransaction() : runner.noteRollback());
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement in it had failed');
}

/** Whose rows a transaction may touch: one organization's, or all, which uses another role's connection. */
type Reach = 'organization' | 'everybody';

/**
 * Runs one transaction whose BEGIN and COMMIT are sent together with other statements. TypeORM is informed, for its entities and
 * subscribers; nested savepoints are its own.
 */
class TransactionRunner extends PostgresQueryRunner {
  private isOver = false;

  static over(dataSource: DataSource, reach: Reach): TransactionRunner {
    const { driver } = dataSource;
    if (!(driver instanceof PostgresDriver)) throw new TypeError('this DataSource is not one of Postgres');
    // The second pool of a DataSource holds the connections of the other role; see `connectionOptions`.
    const runner = new TransactionRunner(driver, reach === 'everybody' ? 'slave' : 'master');
    return Object.assign(runner, { manager: dataSource.createEntityManager(runner) });
  }

  override async startTransaction(): Promise<void> {
    if (this.transactionDepth > 0) return super.startTransaction();
    this.isTransactionActive = true;
    await this.broadcaster.broadcast('BeforeTransactionStart');
    this.transactionDepth = 1;
    await this.broadcaster.broadcast('AfterTransactionStart');
  }

  override async commitTransaction(): Promise<void> {
    if (this.transactionDepth > 1) return super.commitTransaction();
    await this.broadcaster.broadcast('BeforeTransactionCommit');
    this.isTransactionActive = false;
    this.transactionDepth = 0;
    await this.broadcaster.broadcast('AfterTransactionCommit');
  }

  /**
   * Rolls everything back, savepoints included. Parts of the work that continue after another failed send nothing more: it would
   * be outside the transaction, and soon inside another organization's.
   */
  async undo(): Promise<void> {
    try {
      const client: ClientBase = await this.connect();
      this.isOver = true;
      await client.query('ROLLBACK');
      await this.noteRollback();
    } catch (error) {
      // The connection's state is unknown: the pool must not reuse it.
      this.releaseCallback?.(error instanceof Error ? error : new Error('the ROLLBACK failed'));
      this.releaseCallback = undefined;
    }
  }

  override connect(): ReturnType<PostgresQueryRunner['connect']> {
    return this.isOver || this.isReleased ? Promise.reject(new QueryRunnerAlreadyReleasedError()) : super.connect();
  }

  /** Postgres has rolled back by itself. */
  async noteRollback(): Promise<void> {
    this.isTransactionActive = false;
    this.transactionDepth = 0;
    await this.broadcaster.broadcast('AfterTransactionRollback');
  }
}
