export { Coalescer } from './coalescer';
export { connectionOptions, type ConnectionLimits, type SchemaConnection } from './connection-options';
export {
  containing,
  inParts,
  isTemporaryFailure,
  isUniqueViolation,
  numberContaining,
  type Page,
  pageOf,
  prepared,
  type Statement,
} from './queries';
export { Database, DatabaseModule } from './database.module';
export {
  type PostgresAddresses,
  prepareGivenPostgres,
  runningPostgresUrl,
  startEmbeddedPostgres,
} from './embedded/embedded-postgres';
export { createIndex, inBatches, step } from './large-tables';
export { type Migration, migrateSchema, type SchemaDefinition } from './migrate-schema';
export { Outbox, outboxColumns, outboxRow } from './outbox/outbox';
export { OutboxModule, OutboxPublisher } from './outbox/outbox-publisher';
export { DeletedOrganizations, noteDeleted, type Tombstone } from './deleted-organizations';
export {
  adminDatabaseRole,
  adminStatements,
  roleStatements,
  serviceRole,
  systemRole,
  tenantTable,
  withEveryRow,
} from './tenancy/roles';
export { TenantScope, type TenantStatement } from './tenancy/tenant-scope';
