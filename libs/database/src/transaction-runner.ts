import type { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';

/** Whose rows a transaction is about: one organization's, or everybody's, which is a connection of another role. */
export type Reach = 'organization' | 'everybody';

/**
 * The runner of one transaction whose BEGIN and COMMIT we send ourselves, in one piece with other statements. TypeORM is told of
 * them here, for its entities and subscribers; savepoints inside are its own.
 */
export class TransactionRunner extends PostgresQueryRunner {
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

  /** Postgres has rolled back by itself. */
  async noteRollback(): Promise<void> {
    this.isTransactionActive = false;
    this.transactionDepth = 0;
    await this.broadcaster.broadcast('AfterTransactionRollback');
  }
}
