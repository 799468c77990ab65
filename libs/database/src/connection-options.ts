import { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { Client, type ClientConfig, types } from 'pg';
import { type DataSourceOptions, DefaultNamingStrategy } from 'typeorm';
import { systemUrl } from './tenancy/roles';
import { OneTrip } from './transaction';

/** A Postgres schema and the entities mapped to its tables. */
export interface MappedSchema {
  readonly schema: string;
  readonly entities: (new () => object)[];
}

/**
 * How a service's connections to Postgres are pooled. With `session`, the default, a connection belongs to one client. With
 * `transaction`, a pooler gives it to another client after each transaction, so nothing may be set or prepared on it, and
 * settings are made on the roles.
 */
export type Pooling = 'session' | 'transaction';

/** How many connections a service may hold and how long its statements may take. */
export interface ConnectionLimits {
  /** Connections of this process, idle or busy. */
  readonly poolMax?: number;
  /** Postgres cancels a statement after this long; 0 means never. */
  readonly statementTimeoutMs?: number;
  /** After this long, a caller that finds every connection busy gives up. */
  readonly acquireTimeoutMs?: number;
  readonly pooling?: Pooling;
}

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** The location of a schema, and the limits of the service that uses it. */
export type SchemaConnection = ConnectionLimits & {
  readonly url: string;
  /** A streaming standby of the same database, used with the same role for work that only reads. */
  readonly readUrl?: string | undefined;
  /** Aborted when we close: connections that end after that are not reported as errors. */
  readonly closing?: AbortSignal;
};

const idleInTransactionMs = 15_000;
const networkAllowanceMs = 2_000;
const idleConnectionMs = 30_000;

/**
 * TypeORM's options for one schema: limited in connections and time, never synchronizing. There are two pools, which TypeORM
 * treats as replicas: the master, used by default, connects as the service, for one organization at a time; the other connects as
 * the system role, for TenantScope's work across organizations.
 */
export function connectionOptions(definition: MappedSchema, connection: SchemaConnection): PostgresOptions {
  const { url } = connection;
  const slaves = [{ url: systemUrl(url) }];
  return { ...poolOptions(definition, connection), replication: { defaultMode: 'master', master: { url }, slaves } };
}

/** The same with one pool: for the schema's owner, who migrates it, and for a standby. */
export function onePoolOptions(definition: MappedSchema, connection: SchemaConnection): PostgresOptions {
  return { ...poolOptions(definition, connection), url: connection.url };
}

function poolOptions(definition: MappedSchema, connection: SchemaConnection): PostgresOptions {
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
    // TypeORM would log statements with their values.
    logging: false,
    applicationName: `parley-${definition.schema}`,
    poolSize: poolMax,
    connectTimeoutMS: acquireTimeoutMs,
    poolErrorHandler: (error: NodeJS.ErrnoException) => {
      if (!closing?.aborted) log.warn({ code: error.code }, 'a Postgres connection was lost');
    },
    extra: {
      // Statements are sent without waiting for the answers to earlier ones; see TenantScope.
      pipeline: true,
      types: { getTypeParser: parserOf },
      stream: () => new GatheringSocket(),
      ...(pooling === 'transaction' ? { Client: NamelessClient } : setOnConnecting(definition, statementTimeoutMs)),
      // If packets are dropped silently, the server cannot cancel a statement for us.
      query_timeout: statementTimeoutMs && statementTimeoutMs + networkAllowanceMs,
      idleTimeoutMillis: idleConnectionMs,
      keepAlive: true,
    },
  };
}

/** A bigint is read as a number, like an integer: it is an id, a sum or a count, none of which reaches 2^53. */
const parserOf: typeof types.getTypeParser = (oid, format): unknown =>
  oid === types.builtins.INT8 ? wholeNumber : types.getTypeParser(oid, format);

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`);
  return value;
}

/** Start-up parameters of a connection. A pooler that shares connections refuses or drops them. */
function setOnConnecting({ schema }: MappedSchema, statementTimeoutMs: number) {
  return {
    options: `-c search_path=${schema}`,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
}

/** A client whose statements have no names: a prepared statement would later be looked up on another connection. */
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

/** A statement without its name. Query objects keep their prototype. */
function withoutName(statement: unknown): unknown {
  if (statement instanceof OneTrip) return statement.nameless();
  if (typeof statement !== 'object' || statement === null || Object.getPrototypeOf(statement) !== Object.prototype)
    return statement;
  return Object.fromEntries(Object.entries(statement).filter(([field]) => field !== 'name'));
}

/** Maps `createdAt` in code to `created_at` in Postgres, for columns, join columns and tables. */
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

/** Sends all statements from one turn of the event loop in one write: one system call, and one wake-up of Postgres. */
export class GatheringSocket extends Socket {
  private isGathering = false;

  constructor() {
    super();
    // While connecting, Node replaces a subclass's `write` with its own.
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
