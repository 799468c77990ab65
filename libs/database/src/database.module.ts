import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { connectionOptions, type SchemaConnection } from './connection-options';
import { Database } from './database';
import type { SchemaDefinition } from './schema-definition';
import { requireBoundRole } from './tenancy/bound-role';
import { TenantScope } from './tenancy/tenant-scope';

/** Says that the connections end because we end them. */
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
