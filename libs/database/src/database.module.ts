import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { connectionOptions, type SchemaConnection } from './connection-options';
import { Database } from './database';
import type { SchemaDefinition } from './schema-definition';
import { requireBoundRole } from './tenancy/bound-role';
import { TenantScope } from './tenancy/tenant-scope';

/** Gives every module of a service its DataSource, its repositories, TenantScope and Database. */
@Module({})
export class DatabaseModule {
  /** Connects to a schema that `migrateSchema` has brought up to date. Refuses a role that tenancy cannot bind. */
  static forSchema(definition: SchemaDefinition, connection: SchemaConnection): DynamicModule {
    const root = TypeOrmModule.forRootAsync({
      useFactory: () => ({ ...connectionOptions(definition, connection), retryAttempts: 1, verboseRetryLog: false }),
      dataSourceFactory: () => connect(definition, connection),
    });
    return {
      module: DatabaseModule,
      global: true,
      imports: [root, TypeOrmModule.forFeature(definition.entities)],
      providers: [Database, TenantScope],
      exports: [TypeOrmModule, Database, TenantScope],
    };
  }
}

async function connect(definition: SchemaDefinition, connection: SchemaConnection): Promise<DataSource> {
  const dataSource = await new DataSource(connectionOptions(definition, connection)).initialize();
  try {
    await requireBoundRole(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}
