import { type ClientBase, type Connection, Query, type QueryResult, type QueryResultRow } from 'pg';
import { type DataSource, type EntityManager, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { Statement } from './queries';

interface TransactionOpening {
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
  { opening, isReadOnly = false, reach = 'organization' }: TransactionOpening,
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
export interface TransactionEnd<T> {
  readonly result: T;
  readonly last: readonly Statement[];
}

/** A transaction whose last statements leave in one piece with its COMMIT: a round trip less. */
export async function inTransactionEndingWith<T>(
  dataSource: DataSource,
  { opening, reach = 'organization' }: TransactionOpening,
  work: (manager: EntityManager) => Promise<TransactionEnd<T>>,
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

/**
 * A transaction whose statements are all known beforehand; answers the rows of each. It leaves in one piece and is over with the
 * answer, because nothing has to be decided before its end.
 */
export async function inOneTrip<Row extends QueryResultRow>(
  dataSource: DataSource,
  statements: readonly Statement[],
  reach: Reach = 'organization',
): Promise<Row[][]> {
  const runner = TransactionRunner.over(dataSource, reach);
  try {
    const client: ClientBase = await runner.connect();
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<Row>[]>();
    const trip = new OneTrip(statements);
    const over = (error: Error | undefined, results: QueryResult<Row> | QueryResult<Row>[]): void => {
      if (!error) return resolve([results].flat());
      trip.unlearn();
      reject(error);
    };
    // With the callback beside it, as tracing expects it of whatever it is to trace.
    Reflect.apply(client.query, client, [trip, over]);
    const results = await promise;
    return results.map(({ rows }) => rows);
  } finally {
    await runner.release();
  }
}

type Known = Record<string, string>;
type Knowing = Connection & { readonly parsedStatements: Known; readonly submittedNamedStatements: Known };

/**
 * Prepared statements without a BEGIN and a COMMIT, which Postgres would parse and answer each time: what comes before one sync
 * is one transaction.
 */
export class OneTrip extends Query {
  /** The last statement, by which it is traced. */
  readonly text: string;
  /** Statements that Postgres knows from now on, unless the trip fails. */
  private learned: string[] = [];
  private connection: Connection | undefined;

  constructor(private readonly statements: readonly Statement[]) {
    super({ text: '' });
    this.text = statements.at(-1)?.text ?? '';
  }

  /** The same for a connection that others share: nothing is prepared on it under a name. */
  nameless(): OneTrip {
    return new OneTrip(this.statements.map((statement) => ({ ...statement, name: '' })));
  }

  override submit = (connection: Connection): void => {
    this.connection = connection;
    const syncless = Object.create(connection, { sync: { value: () => undefined } });
    for (const { name, text, values } of this.statements) {
      if (name !== '' && !isKnown(connection, name)) {
        // An earlier trip may have failed before or after Postgres had parsed it.
        connection.close({ type: 'S', name }, true);
        this.learned.push(name);
      }
      // It fails where a value cannot be written. What is on the wire already must not become part of another transaction.
      const part = new Query({ name, text, values }, (error) => error && connection.stream.destroy(error));
      part.submit(syncless);
    }
    connection.sync();
  };

  /** It failed: Postgres may know some of its statements and not others. */
  unlearn(): void {
    const { connection } = this;
    if (!connection || !knows(connection)) return;
    for (const name of this.learned) Reflect.deleteProperty(connection.submittedNamedStatements, name);
  }
}

/** Not in the types of the driver, which keeps there what it has sent to be prepared and what has been. */
function knows(connection: Connection): connection is Knowing {
  return 'parsedStatements' in connection && 'submittedNamedStatements' in connection;
}

function isKnown(connection: Connection, name: string): boolean {
  return knows(connection) && (name in connection.parsedStatements || name in connection.submittedNamedStatements);
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
