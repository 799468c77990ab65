export { connectionOptions, type ConnectionLimits, type SchemaConnection } from './connection-options';
export { Database } from './database';
export { DatabaseModule } from './database.module';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded/embedded-postgres';
export { MigrationRefused, migrateSchema } from './migrate-schema';
export * from './schema-definition';
export { isPassingFailure, isUniqueViolation } from './sql-failure';
export { TenantScope } from './tenancy/tenant-scope';
export { tenantTable } from './tenancy/tenant-table';
