import type { MigrationInterface } from 'typeorm';

/** One Postgres schema, owned by one service: what is in it and how it came to be. */
export interface SchemaDefinition {
  readonly schema: string;
  readonly entities: (new () => object)[];
  readonly migrations: (new () => MigrationInterface)[];
}
