import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { within } from '@parley/contracts';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions, type SchemaConnection } from './connection-options';
import type { SchemaDefinition } from './migrate-schema';
import { everyOrganization } from './tenancy/roles';
import { TenantScope } from './tenancy/tenant-scope';

/** Marks that connections end because we close them. */
class Closing extends AbortController {}

/**
 * Gives every module of a service its DataSource, its repositories, TenantScope and Database. Not through
 * `TypeOrmModule.forRoot`: its registry of names is one per process, and here several services may share a process.
 */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    private readonly closing: Closing,
  ) {}

  /** Connects to a schema that `migrateSchema` has brought up to date. Refuses a role that tenancy cannot bind. */
  static forSchema(definition: SchemaDefinition, connection: SchemaConnection): DynamicModule {
    const closing = new Closing();
    const connectNow = () => connect(definition, { ...connection, closing: closing.signal });
    return {
      module: DatabaseModule,
      global: true,
      imports: [TypeOrmModule.forFeature(definition.entities)],
      providers: [
        { provide: DataSource, useFactory: connectNow },
        { provide: Closing, useValue: closing },
        Database,
        TenantScope,
      ],
      exports: [DataSource, TypeOrmModule, Database, TenantScope],
    };
  }

  /** After everything that may still query has stopped. */
  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.dataSource.destroy();
  }
}

async function connect(definition: SchemaDefinition, connection: SchemaConnection): Promise<DataSource> {
  await requireBoundRole(connection.url);
  return new DataSource(connectionOptions(definition, connection)).initialize();
}

const probeTimeoutMs = 1_000;

/** The service's database, for health checks. */
@Injectable()
export class Database {
  constructor(private readonly dataSource: DataSource) {}

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
export async function requireBoundRole(url: string): Promise<void> {
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
        `DATABASE_URL connects as ${name}, which row-level security does not bind: use a role that is NOSUPERUSER NOBYPASSRLS`,
      );
  } finally {
    await client.end();
  }
}
