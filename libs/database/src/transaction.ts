import { type ClientBase, type Connection, Query, type QueryResult, type QueryResultRow } from 'pg';
import { type DataSource, type EntityManager, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { isOfStandby, meaningOf, type Statement } from './queries';

interface TransactionOpening {
  /** The statements that open the transaction, settings included, as one message. */
  readonly opening: string;
  /** The end of a transaction that wrote nothing is not worth waiting for. */
  readonly isReadOnly?: boolean;
  readonly reach?: Reach;
}

/**
 * A transaction with as few round trips as possible. The opening is sent together with the first statement, since connections are
 * pipelined and Postgres works in order. If the opening fails, that statement finds no organization set, so row-level security
 * returns no rows, and the failure is thrown before any COMMIT.
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
  } catch (error) {
    throw isReadOnly ? error : runner.failed(error);
  } finally {
    if (closing && isReadOnly) void closing.catch(() => undefined).then(() => runner.release());
    else await runner.release();
  }
}

/** The outcome of a transaction: its result, and final statements whose answers decide nothing more. */
export interface TransactionEnd<T> {
  readonly result: T;
  readonly last: readonly Statement[];
}

/** A transaction whose last statements are sent in one message with COMMIT, which saves a round trip. */
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
    // Even after a failure, the connection is returned only once Postgres has answered everything.
    await Promise.allSettled(answers);
    await Promise.all(answers);
    return result;
  } catch (error) {
    throw runner.failed(error);
  } finally {
    await runner.release();
  }
}

/**
 * A transaction whose statements are all known in advance; returns the rows of each. It is sent as one message, because nothing
 * must be decided before its end.
 */
export async function inOneTrip<Row extends QueryResultRow>(
  dataSource: DataSource,
  statements: readonly Statement[],
  { reach = 'organization', isReadOnly = false }: Omit<TransactionOpening, 'opening'> = {},
): Promise<Row[][]> {
  const runner = TransactionRunner.over(dataSource, reach);
  try {
    const client: ClientBase = await runner.connect();
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<Row>[]>();
    const trip = new OneTrip(statements);
    const over = (error: Error | undefined, results: QueryResult<Row> | QueryResult<Row>[]): void => {
      trip.end();
      if (error) reject(error);
      else resolve([results].flat());
    };
    // Tracing expects the callback as an argument.
    Reflect.apply(client.query, client, [trip, over]);
    const results = await promise;
    return results.map(({ rows }) => rows);
  } catch (error) {
    throw isReadOnly ? error : runner.failed(error);
  } finally {
    await runner.release();
  }
}

type Known = Record<string, string>;
type Knowing = Connection & { readonly parsedStatements: Known; readonly submittedNamedStatements: Known };

/**
 * Prepared statements without BEGIN and COMMIT, which Postgres would parse and answer each time: everything before one Sync
 * message is one transaction.
 */
export class OneTrip extends Query {
  /** The last statement, which identifies the trip in traces. */
  readonly text: string;
  /** Statements sent to be parsed and not yet reported as parsed, in the order of the reports. */
  private readonly unparsed: Statement[] = [];
  private connection: Connection | undefined;

  constructor(private readonly statements: readonly Statement[]) {
    super({ text: '' });
    this.text = statements.at(-1)?.text ?? '';
  }

  /** The same for a connection shared by a pooler, on which nothing may be prepared under a name. */
  nameless(): OneTrip {
    return new OneTrip(this.statements.map((statement) => ({ ...statement, name: '' })));
  }

  override submit = (connection: Connection): void => {
    this.connection = connection;
    const syncless = Object.create(connection, { sync: { value: () => undefined } });
    for (const statement of this.statements) {
      if (!isKnown(connection, statement.name)) this.unparsed.push(statement);
      // Without a name and values the driver would send a simple query, which ends the trip before its last statement.
      const extended = { ...statement, queryMode: 'extended' };
      // Fails if a value cannot be serialized. What was already sent must not become part of another transaction.
      const part = new Query(extended, (error) => error && connection.stream.destroy(error));
      part.submit(syncless);
    }
    if (this.unparsed.some(({ name }) => name !== '')) connection.on('parseComplete', this.noteParsed);
    connection.sync();
  };

  /** The driver notes this for single statements only. Whatever fails later, Postgres keeps a statement that it has parsed. */
  private readonly noteParsed = (): void => {
    const { connection } = this;
    const statement = this.unparsed.shift();
    if (!statement?.name || !connection || !knows(connection)) return;
    connection.parsedStatements[statement.name] = statement.text;
    Reflect.deleteProperty(connection.submittedNamedStatements, statement.name);
  };

  /** After a failure, the rest of the statements is not parsed. */
  end(): void {
    const { connection } = this;
    connection?.off('parseComplete', this.noteParsed);
    if (!connection || !knows(connection)) return;
    for (const { name } of this.unparsed) Reflect.deleteProperty(connection.submittedNamedStatements, name);
  }
}

/** Fields missing from the driver's types: the statements it has sent to be prepared, and those that have been. */
function knows(connection: Connection): connection is Knowing {
  return 'parsedStatements' in connection && 'submittedNamedStatements' in connection;
}

function isKnown(connection: Connection, name: string): boolean {
  return name !== '' && knows(connection) && (name in connection.parsedStatements || name in connection.submittedNamedStatements);
}

/** Returns the result of the work. Whatever the work does, no transaction stays open, because the connection is reused. */
async function settle<T>(
  runner: TransactionRunner,
  opened: Promise<unknown>,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    // Work may also throw before it returns a promise.
    const [result] = await Promise.all([(async () => work(runner.manager))(), opened]);
    return result;
  } catch (error) {
    await runner.undo();
    throw error;
  }
}

/**
 * Postgres answers the COMMIT of a failed transaction with a silent ROLLBACK, which must be reported if the work swallowed the
 * failure.
 */
async function commit(runner: TransactionRunner, client: ClientBase): Promise<void> {
  const { command } = await client.query('COMMIT');
  // Called after the commit: subscribers take it as the moment from which others see the rows.
  await (command === 'COMMIT' ? runner.commitTransaction() : runner.noteRollback());
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement in it had failed');
}

/** Which rows a transaction may access: one organization's, or all, which uses the other role's connection. */
type Reach = 'organization' | 'everybody';

/**
 * Runs one transaction whose BEGIN and COMMIT are sent together with other statements. TypeORM is informed, for its entities and
 * subscribers; it handles nested savepoints itself.
 */
class TransactionRunner extends PostgresQueryRunner {
  private isOver = false;

  static over(dataSource: DataSource, reach: Reach): TransactionRunner {
    const { driver } = dataSource;
    if (!(driver instanceof PostgresDriver)) throw new TypeError('this DataSource is not one of Postgres');
    // The second pool of a DataSource contains the other role's connections; see `connectionOptions`.
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
   * Rolls everything back, including savepoints. Parts of the work that continue after another failed must send nothing more: it
   * would be outside the transaction, and soon inside another organization's.
   */
  async undo(): Promise<void> {
    try {
      const client: ClientBase = await this.connect();
      this.isOver = true;
      await client.query('ROLLBACK');
      await this.noteRollback();
    } catch (error) {
      // The connection's state is unknown, so the pool must not reuse it.
      this.releaseCallback?.(error instanceof Error ? error : new Error('the ROLLBACK failed'));
      this.releaseCallback = undefined;
    }
  }

  /** What to throw for a failure of work that may write. The connection to a standby is closed: the next one may lead to its primary. */
  failed(error: unknown): unknown {
    const meaning = meaningOf(error);
    if (isOfStandby(meaning)) {
      this.releaseCallback?.(meaning);
      this.releaseCallback = undefined;
    }
    return meaning;
  }

  override connect(): ReturnType<PostgresQueryRunner['connect']> {
    return this.isOver || this.isReleased ? Promise.reject(new QueryRunnerAlreadyReleasedError()) : super.connect();
  }

  /** Postgres has already rolled back. */
  async noteRollback(): Promise<void> {
    this.isTransactionActive = false;
    this.transactionDepth = 0;
    await this.broadcaster.broadcast('AfterTransactionRollback');
  }
}
