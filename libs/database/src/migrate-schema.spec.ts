import { testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrateSchema, type Migration, type SchemaDefinition } from './migrate-schema';

class CreateCounters1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Slow and not repeatable: a second run at the same time would fail or count twice.
    await runner.query('CREATE TABLE counters (n int NOT NULL); INSERT INTO counters VALUES (0); SELECT pg_sleep(0.1)');
  }
  async down(): Promise<void> {}
}

class CountOnce1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE counters SET n = n + 1');
  }
  async down(): Promise<void> {}
}

class BreakHalfWay1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE counters SET n = 100');
    await runner.query('INSERT INTO nowhere VALUES (1)');
  }
  async down(): Promise<void> {}
}

class DropCounters1700000000004 implements Migration {
  readonly breaksOlder = true;
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE counters');
  }
  async down(): Promise<void> {}
}

/** Its time is before that of `CountOnce`. Has Postgres give up waiting as it would after five seconds. */
class GiveUpOnce1700000000005 implements MigrationInterface {
  static readonly waiting = Promise.withResolvers<void>();
  static readonly gaveUp = GiveUpOnce1700000000005.waiting.promise;
  readonly name = 'GiveUpOnce1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL lock_timeout = 50');
    try {
      await runner.query('ALTER TABLE counters ADD COLUMN given int');
    } catch (error) {
      GiveUpOnce1700000000005.waiting.resolve();
      throw error;
    }
  }
  async down(): Promise<void> {}
}

const schema = 'counting';
const older: SchemaDefinition = { schema, entities: [], migrations: [CreateCounters1700000000001] };
const current: SchemaDefinition = { schema, entities: [], migrations: [CountOnce1700000000002, CreateCounters1700000000001] };
const broken: SchemaDefinition = { schema, entities: [], migrations: [...current.migrations, BreakHalfWay1700000000003] };

describe('migrateSchema', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.close());

  const counters = async (): Promise<unknown> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ n: number }>(`SELECT n FROM ${schema}.counters`);
    await client.end();
    return rows.map(({ n }) => n);
  };

  it('runs every migration once, in the order of their times, when eight replicas start together', async () => {
    const ran = await Promise.all(Array.from({ length: 8 }, () => migrateSchema(current, database.url)));
    expect(ran.map((names) => names.slice(-2)).filter((names) => names.length > 0)).toEqual([
      ['CreateCounters1700000000001', 'CountOnce1700000000002'],
    ]);
    expect(await counters()).toEqual([1]);
  });

  it('runs only what is new', async () => {
    expect((await migrateSchema(older, database.url)).at(-1)).toBe('CreateCounters1700000000001');
    expect(await migrateSchema(current, database.url)).toEqual(['CountOnce1700000000002']);
    expect(await migrateSchema(current, database.url)).toEqual([]);
  });

  it('takes a database that a newer build has migrated as it is, so that an upgrade can be taken back', async () => {
    await migrateSchema(current, database.url);
    expect(await migrateSchema(older, database.url)).toEqual([]);
    expect(await counters()).toEqual([1]);
  });

  it('refuses a database from which a newer build took something away, naming the migration', async () => {
    await migrateSchema({ ...current, migrations: [...current.migrations, DropCounters1700000000004] }, database.url);
    await expect(migrateSchema(current, database.url)).rejects.toThrow(
      'schema counting has migration DropCounters1700000000004, after which builds that do not know it cannot work: use a newer build',
    );
  });

  it('lets go of a table that is busy and tries again, so that requests pass in between', async () => {
    await migrateSchema(older, database.url);
    const busy = new Client({ connectionString: database.url });
    await busy.connect();
    await busy.query(`BEGIN; LOCK TABLE ${schema}.counters`);
    const migrated = migrateSchema({ ...current, migrations: [...current.migrations, GiveUpOnce1700000000005] }, database.url);
    await GiveUpOnce1700000000005.gaveUp;
    await busy.query('COMMIT');
    await busy.end();
    expect(await migrated).toContain('GiveUpOnce1700000000001');
  });

  it('undoes a migration that fails half-way, says which, and can be tried again', async () => {
    const failed =
      'migration BreakHalfWay1700000000003 of schema counting failed and was rolled back: relation "nowhere" does not exist';
    await expect(migrateSchema(broken, database.url)).rejects.toThrow(failed);
    await expect(migrateSchema(broken, database.url)).rejects.toThrow(failed);
    expect(await counters()).toEqual([1]);
    expect(await migrateSchema(current, database.url)).toEqual([]);
  });

  it('refuses a name that would have to be quoted', async () => {
    await expect(migrateSchema({ ...older, schema: 'a"; DROP' }, database.url)).rejects.toThrow('not a name');
  });
});
