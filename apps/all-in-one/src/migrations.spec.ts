import {
  createIndex,
  inBatches,
  migrateSchema,
  type Migration,
  type SchemaDefinition,
  step,
  tenantTable,
} from '@parley/database';
import { testDatabase } from '@parley/testing';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { schemas } from './platform';

/** Tables that stay small in any installation, since people fill them by hand. A migration may rewrite and scan them. */
const small: Readonly<Record<string, readonly string[]>> = {
  // Sessions in progress, which are few.
  gateway: ['credit_holds'],
  telephony: ['campaigns'],
};

/**
 * Older than this rule; the list must not grow. The first three sum statistics under triggers that must not miss a row, so only
 * the projection of events waits, and events are kept. The last one empties its table first.
 */
const ranBefore: readonly string[] = [
  'AddDays1764000000000',
  'AddLatencyDays1764500000000',
  'PackLatencyQuarters1764600000000',
  'AddCallersToClaims1763732000000',
];

type MadeMigration = new () => Migration;

/** What Postgres reports about a table during a transaction. */
interface Seen {
  readonly name: string;
  readonly file: string;
  /** How many scans of it this transaction has started, sequential or by index. */
  readonly scans: number;
  /** Whether this transaction blocks writers. */
  readonly isHeld: boolean;
}

/**
 * Finds what a schema's migrations do to large existing tables that blocks writers for a time that grows with the table. At the
 * end of each transaction Postgres is asked which tables were read or rewritten under a lock that blocks writers. An UPDATE is
 * accepted in batches only, and outside of transactions only what blocks nobody.
 */
async function stopsOf(definition: SchemaDefinition): Promise<string[]> {
  const database = await testDatabase();
  const stops: string[] = [];
  try {
    const migrations = definition.migrations.map((made) => watched(made, small[definition.schema] ?? [], stops));
    await migrateSchema({ ...definition, migrations }, database.url);
  } finally {
    await database.close();
  }
  return stops;
}

function watched(Made: MadeMigration, smallTables: readonly string[], stops: string[]): MadeMigration {
  return class implements Migration {
    private readonly migration = new Made();
    readonly name = this.migration.name ?? Made.name;
    readonly breaksOlder = this.migration.breaksOlder ?? false;
    readonly transaction = this.migration.transaction ?? true;

    async up(runner: QueryRunner): Promise<void> {
      const before = await openMonths(runner).then(() => seen(runner));
      const large = before.filter(({ name }) => !smallTables.some((table) => name === table));
      const transaction = new WatchedTransaction(runner, large, (what) => stops.push(`${this.name}: ${what}`));
      await this.migration.up(transaction.runner);
      if (this.transaction) await transaction.judge();
    }

    async down(): Promise<void> {}
  };
}

class WatchedTransaction {
  private before: readonly Seen[];
  private statements: string[] = [];
  readonly runner: QueryRunner;

  constructor(
    private readonly unwatched: QueryRunner,
    private readonly large: readonly Seen[],
    private readonly stops: (what: string) => void,
  ) {
    this.before = large;
    this.runner = new Proxy(unwatched, { get: (target, property) => this.partOf(target, property) });
  }

  private partOf(target: QueryRunner, property: string | symbol): unknown {
    if (property === 'query') return (sql: string, values?: unknown[]) => this.query(sql, values);
    if (property === 'startTransaction') return () => this.start();
    if (property === 'commitTransaction') return () => this.judge().then(() => target.commitTransaction());
    const part: unknown = Reflect.get(target, property, target);
    return typeof part === 'function' ? part.bind(target) : part;
  }

  private async query(sql: string, values?: unknown[]): Promise<unknown> {
    this.statements.push(sql);
    if (!this.unwatched.isTransactionActive && !/^\s*(CREATE|DROP) INDEX CONCURRENTLY |^\s*SET |VALIDATE CONSTRAINT/.test(sql))
      this.stops(`outside of a step: ${sql.trim()}`);
    return this.unwatched.query(sql, values);
  }

  private async start(): Promise<void> {
    await this.unwatched.startTransaction();
    this.statements = [];
    this.before = await seen(this.unwatched);
  }

  async judge(): Promise<void> {
    const after = await seen(this.unwatched);
    const isBatch = this.statements.some((sql) => /LIMIT 1$/.test(sql));
    for (const { name } of isBatch ? [] : this.large) {
      const [was, is] = [this.before, after].map((tables) => tables.find((table) => table.name === name));
      if (!was || !is) continue;
      if (was.file !== is.file) this.stops(`rewrites ${name}`);
      else if (is.isHeld && is.scans > was.scans) this.stops(`reads ${name} while nobody may write to it`);
      if (this.statements.some((sql) => new RegExp(`\\b(UPDATE|DELETE FROM) ${name}\\b`).test(sql)))
        this.stops(`changes rows of ${name} in one go`);
    }
  }
}

async function seen(runner: QueryRunner): Promise<Seen[]> {
  return runner.manager.query<Seen[]>(`
    SELECT relname AS name, coalesce(pg_relation_filenode(c.oid), 0)::text AS file,
      (coalesce(pg_stat_get_xact_numscans(c.oid), 0)
        + (SELECT coalesce(sum(pg_stat_get_xact_numscans(indexrelid)), 0) FROM pg_index WHERE indrelid = c.oid))::int AS scans,
      -- Who writes to a partition comes by its table.
      EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid()
        AND (relation = c.oid OR relation IN (SELECT relid FROM pg_partition_ancestors(c.oid)))
        AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) AS "isHeld"
    FROM pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
    ORDER BY relname`);
}

/** A table partitioned by month has one, as in an installation: without any, nothing would be read. */
async function openMonths(runner: QueryRunner): Promise<void> {
  const parents = await runner.manager.query<{ name: string }[]>(`
    SELECT relname AS name FROM pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind = 'p'
      AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid)`);
  for (const { name } of parents)
    await runner.query(`CREATE TABLE ${name}_2026_11 PARTITION OF ${name} FOR VALUES FROM ('2026-11-01') TO ('2026-12-01')`);
}

/** A table with rows of two organizations behind row-level security, and a migration to be judged on it. */
const canary = (...migrations: MadeMigration[]): SchemaDefinition => ({
  schema: 'canary',
  entities: [],
  migrations: [CreateSongs1700000000000, ...migrations],
});

class CreateSongs1700000000000 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE songs (id int PRIMARY KEY, org_id int NOT NULL, title text)');
    await runner.query(
      'CREATE TABLE plays (song_id int NOT NULL, org_id int NOT NULL, at timestamptz NOT NULL) PARTITION BY RANGE (at)',
    );
    for (const table of ['songs', 'plays']) await tenantTable(runner, table);
  }
  async down(): Promise<void> {}
}

const stopping = {
  'an index': ['CREATE INDEX songs_by_title ON songs (title)', 'reads songs while nobody may write to it'],
  'an index over partitions': ['CREATE INDEX plays_of ON plays (song_id)', 'reads plays_2026_11 while nobody may write to it'],
  'a check of every row': ['ALTER TABLE songs ADD CHECK (id > 0)', 'reads songs while nobody may write to it'],
  'a column that may not be empty': [
    'ALTER TABLE songs ALTER COLUMN title SET NOT NULL',
    'reads songs while nobody may write to it',
  ],
  'another type': ['ALTER TABLE songs ALTER COLUMN id TYPE bigint', 'rewrites songs'],
  'a default by row': ['ALTER TABLE songs ADD COLUMN key uuid DEFAULT gen_random_uuid()', 'rewrites songs'],
  'a change of all rows': [`UPDATE songs SET title = ''`, 'changes rows of songs in one go'],
  'a deletion of all rows': ['DELETE FROM songs', 'changes rows of songs in one go'],
} as const;

describe('this rule', () => {
  it.each(Object.entries(stopping))('refuses %s', async (_what, [sql, why]) => {
    class Stop1700000000001 implements Migration {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query(sql);
      }
      async down(): Promise<void> {}
    }
    expect(await stopsOf(canary(Stop1700000000001))).toEqual([`Stop1700000000001: ${why}`]);
  });

  it('refuses the same in a step and on its own outside of one', async () => {
    class Stop1700000000001 implements Migration {
      readonly transaction = false;
      async up(runner: QueryRunner): Promise<void> {
        await step(runner, async () => {
          await runner.query('CREATE INDEX songs_by_title ON songs (title)');
        });
        await runner.query('CREATE INDEX songs_of ON songs (org_id)');
      }
      async down(): Promise<void> {}
    }
    expect(await stopsOf(canary(Stop1700000000001))).toEqual([
      'Stop1700000000001: reads songs while nobody may write to it',
      'Stop1700000000001: outside of a step: CREATE INDEX songs_of ON songs (org_id)',
    ]);
  });

  it('allows concurrent indexes, batches, columns with a constant default and new tables', async () => {
    class Pass1700000000001 implements Migration {
      readonly transaction = false;
      async up(runner: QueryRunner): Promise<void> {
        await step(runner, async () => {
          await runner.query('CREATE TABLE albums (id int PRIMARY KEY); CREATE INDEX albums_by_id ON albums (id)');
          await runner.query(
            `ALTER TABLE songs ADD COLUMN rating int NOT NULL DEFAULT 0, ADD CONSTRAINT rated CHECK (rating >= 0) NOT VALID`,
          );
        });
        await runner.query('ALTER TABLE songs VALIDATE CONSTRAINT rated');
        await createIndex(runner, { name: 'songs_by_title', table: 'songs', on: '(title)' });
        await createIndex(runner, { name: 'plays_of_song', table: 'plays', on: '(song_id)' });
        await inBatches(runner, { table: 'songs' }, (within) => `UPDATE songs SET rating = 1 WHERE ${within}`);
      }
      async down(): Promise<void> {}
    }
    expect(await stopsOf(canary(Pass1700000000001))).toEqual([]);
  });
});

describe.each(schemas.map((definition) => ({ schema: definition.schema, definition })))(
  'migrations of $schema',
  ({ definition }) => {
    it('never block writers of a large table', async () => {
      const stops = await stopsOf(definition);
      expect(stops.filter((stop) => !ranBefore.some((name) => stop.startsWith(`${name}: `)))).toEqual([]);
    });
  },
);

/** Tables whose rows people make one by one, or that hold one row for each number at most: 32 bits are enough for their ids. */
const madeByHand = [
  ...['agent_versions', 'agents', 'business_profiles', 'campaign_webhooks', 'campaigns', 'carrier_accounts', 'catalog_items'],
  ...['contact_uploads', 'do_not_call', 'documents', 'faqs', 'integration_keys', 'knowledge_bases', 'memberships', 'numbers'],
  ...['operator_actions', 'organizations', 'provider_keys', 'representatives', 'sales_targets', 'users', 'widgets'],
];

it('ids of what grows with use have 64 bits, and so has every column that names one', async () => {
  const database = await testDatabase();
  try {
    for (const definition of schemas) await migrateSchema(definition, database.url);
    const narrow = await rowsOf<{ name: string; column: string; isIdentity: boolean }>(
      database.adminUrl,
      `SELECT relname AS name, attname AS column, attidentity <> '' AS "isIdentity" FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
       WHERE relkind IN ('r', 'p') AND atttypid = 'int'::regtype AND attnum > 0
         AND relnamespace::regnamespace::text = ANY ($1) ORDER BY relname`,
      [schemas.map(({ schema }) => schema)],
    );
    const ids = narrow.filter(({ isIdentity }) => isIdentity).map(({ name }) => name);
    expect(ids).toEqual(madeByHand);
    const named = /(^|_)(call|contact|session|turn|mail)_id$/;
    expect(narrow.filter(({ column }) => named.test(column)).map(({ name, column }) => `${name}.${column}`)).toEqual([]);
  } finally {
    await database.close();
  }
});

async function rowsOf<Row extends object>(connectionString: string, sql: string, values: unknown[]): Promise<Row[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
