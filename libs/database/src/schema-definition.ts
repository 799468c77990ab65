import type { MigrationInterface } from 'typeorm';

/** A change of a schema. Builds that do not know it go on working, unless it says that it takes something away from them. */
export interface Migration extends MigrationInterface {
  readonly breaksOlder?: boolean;
}

/** One Postgres schema, owned by one service: what is in it and how it came to be. */
export interface SchemaDefinition {
  readonly schema: string;
  readonly entities: (new () => object)[];
  readonly migrations: (new () => Migration)[];
}
