export { Coalescer } from './coalescer';
export { connectionOptions, type ConnectionLimits, type Pooling, type SchemaConnection } from './connection-options';
export { containing, isPassingFailure, isUniqueViolation, type Page, pageOf, prepared, type Statement } from './queries';
export { Database, DatabaseModule } from './database.module';
export { runningPostgresUrl, startEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres';
export { createIndex, inBatches, step } from './large-tables';
export { migrateSchema, type Migration, type SchemaDefinition } from './migrate-schema';
export { Outbox, outboxColumns, outboxRow } from './outbox/outbox';
export { onceOnly, OutboxModule, OutboxRelay } from './outbox/outbox-relay';
export type { Ending } from './transaction';
export {
  adminRole,
  adminStatements,
  ownerStatements,
  roleStatements,
  serviceRole,
  tenantTable,
  withEveryRow,
} from './tenancy/roles';
export { TenantScope, type TenantStatement } from './tenancy/tenant-scope';
