import { Logger } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import type { SchemaDefinition } from './schema-definition';
import { GatheringSocket } from './gathering-socket';
import { SnakeCaseColumns } from './snake-case-columns';

/** How many connections a service may hold and how long its statements may take. */
export interface ConnectionLimits {
  /** Connections of this process, idle or busy. */
  readonly poolMax?: number;
  /** Postgres cancels a statement after this long; 0 means never. */
  readonly statementTimeoutMs?: number;
  /** A caller that finds every connection busy gives up after this long. */
  readonly acquireTimeoutMs?: number;
}

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** Where a schema lives and what its service may use of it. */
export type SchemaConnection = ConnectionLimits & {
  readonly url: string;
  /** Aborted when we hang up ourselves: a connection that ends from then on is no news. */
  readonly closing?: AbortSignal;
};

const idleInTransactionMs = 15_000;
const networkAllowanceMs = 2_000;
const idleConnectionMs = 30_000;

/** TypeORM's options for one schema: bounded in connections and time, and never synchronizing. */
export function connectionOptions(definition: SchemaDefinition, connection: SchemaConnection): PostgresOptions {
  const { url, closing, poolMax = 10, statementTimeoutMs = 10_000, acquireTimeoutMs = 5_000 } = connection;
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(definition.schema)) throw new TypeError(`${definition.schema} is not a name for a schema`);
  const log = new Logger('Postgres');
  return {
    type: 'postgres',
    url,
    schema: definition.schema,
    entities: definition.entities,
    namingStrategy: new SnakeCaseColumns(),
    synchronize: false,
    installExtensions: false,
    // TypeORM would print statements with their values.
    logging: false,
    applicationName: `parley-${definition.schema}`,
    poolSize: poolMax,
    connectTimeoutMS: acquireTimeoutMs,
    poolErrorHandler: (error: NodeJS.ErrnoException) => {
      if (!closing?.aborted) log.warn({ code: error.code }, 'a Postgres connection was lost');
    },
    extra: {
      // Statements of one connection leave without waiting for the answers before them; see TenantScope.
      pipeline: true,
      stream: () => new GatheringSocket(),
      options: `-c search_path=${definition.schema}`,
      statement_timeout: statementTimeoutMs,
      lock_timeout: statementTimeoutMs,
      // A connection into a black hole has nobody at the other end to cancel a statement.
      query_timeout: statementTimeoutMs && statementTimeoutMs + networkAllowanceMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      idleTimeoutMillis: idleConnectionMs,
      keepAlive: true,
    },
  };
}
