import { eventually, testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { createIndex, inBatches } from './large-tables';
import { migrateSchema, type Migration, type SchemaDefinition } from './migrate-schema';
import { tenantTable } from './tenancy/roles';

const rows = 2_500;
const byTitle = { name: 'songs_by_title', table: 'songs', on: '(title) WHERE title IS NOT NULL' };

class CreateSongs1700000000001 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE songs (id int PRIMARY KEY, org_id int NOT NULL, title text, rating int);
      INSERT INTO songs SELECT n, n % 3 + 1, 'song ' || n FROM generate_series(1, ${rows}) n;
      CREATE TABLE plays (song_id int NOT NULL, org_id int NOT NULL, day date NOT NULL) PARTITION BY RANGE (day);
      CREATE TABLE plays_2026_10 PARTITION OF plays FOR VALUES FROM ('2026-10-01') TO ('2026-11-01');
      CREATE TABLE plays_2026_11 PARTITION OF plays FOR VALUES FROM ('2026-11-01') TO ('2026-12-01')`);
    await tenantTable(runner, 'songs');
  }
  async down(): Promise<void> {}
}

const doing = (work: (runner: QueryRunner) => Promise<void>): SchemaDefinition => {
  class Do1700000000002 implements Migration {
    readonly transaction = false;
    async up(runner: QueryRunner): Promise<void> {
      await work(runner);
    }
    async down(): Promise<void> {}
  }
  return { schema: 'songs', entities: [], migrations: [CreateSongs1700000000001, Do1700000000002] };
};

const isWaiting = (client: Client, statement: string): Promise<void> =>
  eventually(`${statement} waits for a lock`, async () => {
    const { rowCount } = await client.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [statement],
    );
    return rowCount === 1;
  });

describe('a migration of a large table', () => {
  let database: TestDatabase;
  let admin: Client;
  beforeEach(async () => {
    database = await testDatabase();
    await migrateSchema({ schema: 'songs', entities: [], migrations: [CreateSongs1700000000001] }, database.url);
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query('SET search_path TO songs');
  });
  afterEach(async () => {
    await admin.end();
    await database.close();
  });

  const validity = async (...names: string[]): Promise<unknown> => {
    const { rows: found } = await admin.query<{ name: string; valid: boolean }>(
      `SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relname = ANY ($1) ORDER BY 1`,
      [names],
    );
    return Object.fromEntries(found.map(({ name, valid }) => [name, valid]));
  };

  it('fills the rows of every organization, a thousand in a transaction, and hides them from their owner again', async () => {
    const filling = doing((runner) =>
      inBatches(runner, { table: 'songs' }, (within) => `UPDATE songs SET rating = 5 WHERE ${within}`),
    );
    await migrateSchema(filling, database.url);
    const { rows: batches } = await admin.query(
      `SELECT count(*)::int AS rows, min(id) AS first FROM songs WHERE rating = 5 GROUP BY xmin::text ORDER BY 2`,
    );
    expect(batches).toEqual([
      { rows: 1000, first: 1 },
      { rows: 1000, first: 1001 },
      { rows: 500, first: 2001 },
    ]);
    const { rows: policies } = await admin.query(`SELECT relforcerowsecurity AS forced FROM pg_class WHERE relname = 'songs'`);
    expect(policies).toEqual([{ forced: true }]);
  });

  it('waits for a batch whose rows are locked, restarts no other work, and releases its lock meanwhile', async () => {
    await admin.query('BEGIN; LOCK TABLE songs IN ROW EXCLUSIVE MODE');
    const statements: string[] = [];
    const filling = doing((runner) =>
      inBatches(runner, { table: 'songs' }, (within) => {
        statements.push(within);
        return `UPDATE songs SET rating = 5 WHERE ${within}`;
      }),
    );
    const migrated = migrateSchema(filling, database.url);
    const other = new Client({ connectionString: database.adminUrl });
    await other.connect();
    await isWaiting(other, 'ALTER%');
    await other.end();
    await admin.query('COMMIT');
    await migrated;
    expect(statements).toHaveLength(3);
  });

  it('makes an index while a transaction that has written is still open, and drops what an earlier try left of it', async () => {
    // What stays behind when the process or its server dies half-way.
    await admin.query(`CREATE INDEX songs_by_title ON songs (rating)`);
    await admin.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'songs_by_title'::regclass`);
    const writer = new Client({ connectionString: database.adminUrl });
    await writer.connect();
    await writer.query(`BEGIN; UPDATE songs.songs SET title = 'other' WHERE id = 1`);
    const migrated = migrateSchema(
      doing((runner) => createIndex(runner, byTitle)),
      database.url,
    );
    await isWaiting(admin, '%INDEX CONCURRENTLY%');
    // Writers do not wait for it.
    await admin.query(`SET lock_timeout = 200; INSERT INTO songs VALUES (0, 1, 'new')`);
    await writer.query('COMMIT');
    await writer.end();
    await migrated;
    expect(await validity('songs_by_title')).toEqual({ songs_by_title: true });
    const { rows: defined } = await admin.query<{ as: string }>(`SELECT pg_get_indexdef('songs_by_title'::regclass) AS "as"`);
    expect(defined[0]?.as).toContain('(title)');
  });

  it('runs once when several replicas start together, and a waiting replica does not block the index', async () => {
    const definition = doing((runner) => createIndex(runner, byTitle));
    const ran = await Promise.all(Array.from({ length: 4 }, () => migrateSchema(definition, database.url)));
    expect(ran.flat()).toEqual(['Do1700000000002']);
  });

  it('gives every partition its index, resumes after an interruption, and later partitions have it too', async () => {
    const definition = doing(async (runner) => {
      await createIndex(runner, { name: 'plays_of_song', table: 'plays', on: '(song_id)' });
    });
    await admin.query(
      `CREATE INDEX plays_of_song ON ONLY plays (song_id); CREATE INDEX plays_2026_10_plays_of_song ON plays_2026_10 (song_id)`,
    );
    await migrateSchema(definition, database.url);
    await admin.query(`CREATE TABLE plays_2026_12 PARTITION OF plays FOR VALUES FROM ('2026-12-01') TO ('2027-01-01')`);
    expect(await validity('plays_of_song', 'plays_2026_10_plays_of_song', 'plays_2026_11_plays_of_song')).toEqual({
      plays_2026_10_plays_of_song: true,
      plays_2026_11_plays_of_song: true,
      plays_of_song: true,
    });
    const { rows: later } = await admin.query(`SELECT FROM pg_indexes WHERE tablename = 'plays_2026_12'`);
    expect(later).toHaveLength(1);
  });
});
