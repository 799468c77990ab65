import { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { Client, type ClientConfig } from 'pg';
import { type DataSourceOptions, DefaultNamingStrategy } from 'typeorm';
import type { SchemaDefinition } from './migrate-schema';
import { systemUrl } from './tenancy/roles';

/**
 * What stands between a service and Postgres. With `session`, the default, a connection is the service's own. With `transaction` it
 * is another's as soon as a transaction ends: nothing may be set on it or prepared, and the roles hold what is set.
 */
export type Pooling = 'session' | 'transaction';

/** How many connections a service may hold and how long its statements may take. */
export interface ConnectionLimits {
  /** Connections of this process, idle or busy. */
  readonly poolMax?: number;
  /** Postgres cancels a statement after this long; 0 means never. */
  readonly statementTimeoutMs?: number;
  /** A caller that finds every connection busy gives up after this long. */
  readonly acquireTimeoutMs?: number;
  readonly pooling?: Pooling;
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

/**
 * TypeORM's options for one schema: bounded in connections and time, and never synchronizing. There are two pools, and TypeORM
 * knows two as replicas: the master's connects as the service, for one organization at a time, and is the one for everything that
 * does not ask; the other as the role beside it, for TenantScope's work across organizations.
 */
export function connectionOptions(definition: SchemaDefinition, connection: SchemaConnection): PostgresOptions {
  const { url } = connection;
  const slaves = [{ url: systemUrl(url) }];
  return { ...poolOptions(definition, connection), replication: { defaultMode: 'master', master: { url }, slaves } };
}

/** The same for whoever owns the schema and changes it: one pool. */
export function ownerOptions(definition: SchemaDefinition, connection: SchemaConnection): PostgresOptions {
  return { ...poolOptions(definition, connection), url: connection.url };
}

function poolOptions(definition: SchemaDefinition, connection: SchemaConnection): PostgresOptions {
  const { closing, pooling = 'session', poolMax = 10, statementTimeoutMs = 10_000, acquireTimeoutMs = 5_000 } = connection;
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(definition.schema)) throw new TypeError(`${definition.schema} is not a name for a schema`);
  const log = new Logger('Postgres');
  return {
    type: 'postgres',
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
      ...(pooling === 'transaction' ? { Client: NamelessClient } : setOnConnecting(definition, statementTimeoutMs)),
      // A connection into a black hole has nobody at the other end to cancel a statement.
      query_timeout: statementTimeoutMs && statementTimeoutMs + networkAllowanceMs,
      idleTimeoutMillis: idleConnectionMs,
      keepAlive: true,
    },
  };
}

/** What Postgres is told when a connection opens. A pooler that shares connections refuses it, or forgets it. */
function setOnConnecting({ schema }: SchemaDefinition, statementTimeoutMs: number) {
  return {
    options: `-c search_path=${schema}`,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
}

/** A connection whose statements have no names: what one transaction prepared, the next would look for on another connection. */
class NamelessClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const query: unknown = this.query.bind(this);
    if (typeof query !== 'function') throw new TypeError('a client of pg has no query');
    const nameless = (statement: unknown, ...rest: unknown[]): unknown =>
      Reflect.apply(query, this, [withoutName(statement), ...rest]);
    Object.defineProperty(this, 'query', { value: nameless });
  }
}

/** A statement as it is, or of its fields all but the name. A query that somebody made an object of keeps its kind. */
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || Object.getPrototypeOf(statement) !== Object.prototype)
    return statement;
  return Object.fromEntries(Object.entries(statement).filter(([field]) => field !== 'name'));
}

/** `createdAt` in code is `created_at` in Postgres, for columns, join columns and tables alike. */
class SnakeCaseColumns extends DefaultNamingStrategy {
  override tableName(className: string, customName: string | undefined): string {
    return customName ?? snakeCase(className);
  }

  override columnName(propertyName: string, customName: string | undefined, embeddedPrefixes: string[]): string {
    return [...embeddedPrefixes.map(snakeCase), customName ?? snakeCase(propertyName)].join('_');
  }

  override relationName(propertyName: string): string {
    return snakeCase(propertyName);
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return `${snakeCase(relationName)}_${snakeCase(referencedColumnName)}`;
  }
}

/** `agentKeyID` → `agent_key_id`. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/**
 * Sends what is written in one go in one piece: statements that leave together cost one system call, and wake Postgres once.
 */
export class GatheringSocket extends Socket {
  private isGathering = false;

  constructor() {
    super();
    // While it connects, Node puts its own `write` before the one of a subclass.
    this.once('connect', () => Reflect.deleteProperty(this, 'write'));
  }

  override write(chunk: Uint8Array | string, ...rest: never[]): boolean {
    this.gather();
    return super.write(chunk, ...rest);
  }

  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    this.cork();
    process.nextTick(() => {
      this.isGathering = false;
      this.uncork();
    });
  }
}
