export { Coalescer } from './coalescer';
export { connectionOptions, type ConnectionLimits, type Pooling, type SchemaConnection } from './connection-options';
export { containing, type Page, pageOf, type PageQuery } from './page-of';
export { Database, DatabaseModule } from './database.module';
export {
  runningPostgresUrl,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded/embedded-postgres';
export { MigrationRefused, migrateSchema } from './migrate-schema';
export { Outbox, outboxColumns, outboxRow } from './outbox/outbox';
export { onceOnly, OutboxModule, OutboxRelay } from './outbox/outbox-relay';
export { prepared, type Statement } from './prepared';
export * from './schema-definition';
export { isPassingFailure, isUniqueViolation } from './sql-failure';
export type { Ending } from './transaction';
export { adminRole, adminStatements, ownerStatements, roleStatements, serviceRole } from './tenancy/roles';
export { TenantScope, type TenantStatement } from './tenancy/tenant-scope';
export { tenantTable, withEveryRow } from './tenancy/tenant-table';
