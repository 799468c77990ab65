import { type DynamicModule, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { within } from '@parley/ports';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { connectionOptions, onePoolOptions, type SchemaConnection } from './connection-options';
import type { SchemaDefinition } from './migrate-schema';
import { isTemporaryFailure } from './queries';
import { everyOrganization } from './tenancy/roles';
import { type ReadingCopy, TenantScope } from './tenancy/tenant-scope';

/** Aborted when we close the connections ourselves. */
class Closing extends AbortController {
  standby: Standby | undefined;
}

/**
 * Provides the DataSource, the repositories, TenantScope and Database to every module of a service. Not through
 * `TypeOrmModule.forRoot`, whose registry of names is global, while several services may share a process here.
 */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    private readonly closing: Closing,
  ) {}

  /** Connects to a schema that `migrateSchema` has migrated. Refuses a role that can bypass tenancy. */
  static forSchema(definition: SchemaDefinition, connection: SchemaConnection): DynamicModule {
    const closing = new Closing();
    const closed = { ...connection, closing: closing.signal };
    const connectNow = () => connect(definition, closed);
    const openScope = async (primary: DataSource) => {
      closing.standby = await Standby.open(primary, definition, closed);
      return new TenantScope(primary, closing.standby);
    };
    return {
      module: DatabaseModule,
      global: true,
      imports: [TypeOrmModule.forFeature(definition.entities)],
      providers: [
        { provide: DataSource, useFactory: connectNow },
        { provide: Closing, useValue: closing },
        Database,
        { provide: TenantScope, inject: [DataSource], useFactory: openScope },
      ],
      exports: [DataSource, TypeOrmModule, Database, TenantScope],
    };
  }

  /** Runs after everything that may still query has stopped. */
  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.closing.standby?.close();
    await this.dataSource.destroy();
  }
}

async function connect(definition: SchemaDefinition, connection: SchemaConnection): Promise<DataSource> {
  const { url, readUrl } = connection;
  await requireBoundRole(url);
  // An unavailable standby must not keep a service from starting.
  if (readUrl !== undefined)
    await requireBoundRole(readUrl, 'DATABASE_READ_URL').catch((error: unknown) => {
      if (!isTemporaryFailure(error)) throw error;
    });
  return new DataSource(connectionOptions(definition, connection)).initialize();
}

const usual = { lookEveryMs: 2_000, behindMaxMs: 10_000 };

/**
 * A streaming standby. It is used as long as it has replayed what was written ten seconds ago, compared by log positions instead
 * of clocks: a standby whose replication has stopped still answers queries.
 */
export class Standby implements ReadingCopy {
  private readonly log = new Logger('Postgres');
  private usableUntilMs = 0;
  private wasUsable = true;
  private looking: Promise<void> | undefined;
  private lookAtMs = 0;
  /** The primary's log position, and when it was read. */
  private written: { readonly atMs: number; readonly position: string } | undefined;

  constructor(
    private readonly primary: DataSource,
    readonly dataSource: DataSource,
    private readonly url: string,
    private readonly limits = usual,
  ) {}

  /** Undefined if none is configured. */
  static async open(
    primary: DataSource,
    definition: SchemaDefinition,
    connection: SchemaConnection,
  ): Promise<Standby | undefined> {
    const { readUrl: url } = connection;
    if (url === undefined) return undefined;
    const standby = new Standby(primary, new DataSource(onePoolOptions(definition, { ...connection, url })), url);
    await standby.lookAnew();
    return standby;
  }

  isUsable(): boolean {
    const nowMs = performance.now();
    if (nowMs >= this.lookAtMs) void this.lookAnew();
    return nowMs < this.usableUntilMs;
  }

  suspend(): void {
    this.usableUntilMs = 0;
    this.written = undefined;
  }

  async close(): Promise<void> {
    this.lookAtMs = Infinity;
    await this.looking;
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /** Checks how far it has replayed, unless a check is in progress. */
  private lookAnew(): Promise<void> {
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  /** Never throws: a standby that does not answer is simply not used. */
  private async look(): Promise<void> {
    const failure = await this.compare().catch((error: unknown) => error);
    if (failure !== undefined) this.suspend();
    const nowMs = performance.now();
    if (this.lookAtMs < Infinity) this.lookAtMs = nowMs + this.limits.lookEveryMs;
    const isUsable = nowMs < this.usableUntilMs;
    if (isUsable === this.wasUsable) return;
    this.wasUsable = isUsable;
    if (isUsable) this.log.log('The standby answers: what only reads goes there');
    else this.log.warn({ err: failure }, 'The standby is away or behind: what only reads goes to the primary');
  }

  private async compare(): Promise<void> {
    if (!this.dataSource.isInitialized) {
      await requireBoundRole(this.url, 'DATABASE_READ_URL');
      await this.dataSource.initialize();
    }
    this.written ??= { atMs: performance.now(), position: await writtenBy(this.primary) };
    if (!(await hasRepeated(this.dataSource, this.written.position))) return;
    this.usableUntilMs = this.written.atMs + this.limits.behindMaxMs;
    this.written = undefined;
  }
}

async function writtenBy(primary: DataSource): Promise<string> {
  const [row] = await primary.query<{ position: string }[]>('SELECT pg_current_wal_lsn()::text AS position');
  return row?.position ?? '';
}

/** A promoted server replays nothing, so it is no longer a standby. */
async function hasRepeated(standby: DataSource, position: string): Promise<boolean> {
  const [row] = await standby.query<{ repeated: boolean | null }[]>(
    'SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS repeated',
    [position],
  );
  return row?.repeated === true;
}

const probeTimeoutMs = 1_000;

/** The state of a service's connections, as a scrape shows it. */
interface Connections {
  readonly open: number;
  readonly idle: number;
  /** Callers for whom none is free. */
  readonly waiting: number;
}

const Pool = z.object({ totalCount: z.number(), idleCount: z.number(), waitingCount: z.number() });
const Pools = z.object({ master: Pool, slaves: z.array(Pool) });

/** The service's database, for health checks and metrics. */
@Injectable()
export class Database {
  constructor(
    private readonly dataSource: DataSource,
    private readonly scope: TenantScope,
  ) {}

  /** Counts both pools, and who waits for a turn before either of them; a standby's connections are not counted. */
  connections(): Connections {
    const { master, slaves } = Pools.parse(this.dataSource.driver);
    const counted = { open: 0, idle: 0, waiting: this.scope.waiting };
    for (const { totalCount, idleCount, waitingCount } of [master, ...slaves]) {
      counted.open += totalCount;
      counted.idle += idleCount;
      // A pool keeps every caller for a tick, even one who then gets an idle connection.
      counted.waiting += Math.max(0, waitingCount - idleCount);
    }
    return counted;
  }

  /** Whether Postgres answers within a second. Never throws. */
  async isReady(): Promise<boolean> {
    const answer = this.dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    );
    return within(probeTimeoutMs, answer, () => false);
  }
}

/** Refuses a database role that bypasses row-level security, or whose policies show every organization. */
export async function requireBoundRole(url: string, variable = 'DATABASE_URL'): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; unbound: boolean }>(
      `SELECT rolname AS name, rolsuper OR rolbypassrls OR EXISTS (
         SELECT FROM pg_roles every WHERE every.rolname = $1 AND pg_has_role(current_user, every.oid, 'MEMBER')) AS unbound
       FROM pg_roles WHERE rolname = current_user`,
      [everyOrganization],
    );
    const { name, unbound } = rows[0] ?? { name: 'an unknown role', unbound: true };
    if (unbound)
      throw new Error(
        `${variable} connects as ${name}, which row-level security does not bind: use a role that is NOSUPERUSER NOBYPASSRLS`,
      );
  } finally {
    await client.end();
  }
}
