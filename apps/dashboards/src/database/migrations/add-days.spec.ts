import { migrateSchema } from '@parley/database';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { dashboardsSchema } from '../schema';

let database: TestDatabase;
let sql: Client;
beforeAll(async () => {
  database = await testDatabase();
  await migrateSchema({ ...dashboardsSchema, migrations: dashboardsSchema.migrations.slice(0, 1) }, database.url);
  sql = new Client({ connectionString: database.adminUrl, options: '-c search_path=dashboards' });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await database.close();
});

const days = async () => {
  const { rows } = await sql.query(
    `SELECT org_id, to_char(day AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS day, agent_id, faq_id, hits::int FROM faq_days ORDER BY 1, 2, 3, 4`,
  );
  return rows.map((row) => Object.values(row).join(' '));
};

it('an installation with existing figures gets their days, which replicas of the previous version keep correct', async () => {
  await sql.query(`
    SELECT open_month('faq_quarters', '2026-03-01T00:00Z');
    INSERT INTO faq_quarters (org_id, quarter, agent_id, faq_id, hits) VALUES
      (1, '2026-03-02T00:00Z', 12, 21, 3), (1, '2026-03-02T23:45Z', 12, 21, 4), (1, '2026-03-03T00:00Z', 12, 21, 5),
      (2, '2026-03-02T09:00Z', 12, 21, 6);
    SELECT open_month('latency_quarters', '2026-03-01T00:00Z');
    INSERT INTO latency_quarters (org_id, quarter, agent_id, channel, part, bin, turns) VALUES
      (1, '2026-03-02T09:00Z', 12, 'PHONE', 'transcription', 85, 2), (1, '2026-03-02T09:00Z', 12, 'PHONE', 'total', 60, 1),
      (1, '2026-03-02T23:45Z', 12, 'PHONE', 'total', 60, 2), (2, '2026-03-02T00:00Z', 12, 'API', 'total', 60, 4)`);
  await migrateSchema(dashboardsSchema, database.url);
  expect(await days()).toEqual(['1 2026-03-02 00:00 12 21 7', '1 2026-03-03 00:00 12 21 5', '2 2026-03-02 00:00 12 21 6']);
  await sql.query(`
    INSERT INTO faq_quarters (org_id, quarter, agent_id, faq_id, hits) VALUES (1, '2026-03-02T00:00Z', 12, 21, 1), (1, '2026-03-02T10:00Z', 12, 22, 2)
      ON CONFLICT (org_id, quarter, agent_id, faq_id) DO UPDATE SET hits = faq_quarters.hits + excluded.hits;
    DELETE FROM faq_quarters WHERE quarter = '2026-03-03T00:00Z'`);
  expect(await days()).toEqual(['1 2026-03-02 00:00 12 21 8', '1 2026-03-02 00:00 12 22 2', '2 2026-03-02 00:00 12 21 6']);
});

it('days of waiting times are packed from existing rows, and stay correct while replicas of the previous version write', async () => {
  const waits = async () => {
    const { rows } = await sql.query(
      `SELECT org_id, to_char(day AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, agent_id, channel, codes::text, counts::text FROM latency_days ORDER BY 1, 2, 3, 4`,
    );
    return rows.map((row) => Object.values(row).join(' '));
  };
  const quarter = (...rows: string[]) => `INSERT INTO latency_quarters VALUES ${rows.join(', ')}
    ON CONFLICT (org_id, quarter, agent_id, channel, part, bin) DO UPDATE SET turns = latency_quarters.turns + excluded.turns`;
  expect(await waits()).toEqual(['1 2026-03-02 12 PHONE {597,1852} {2,3}', '2 2026-03-02 12 API {1852} {4}']);
  await sql.query(
    quarter(`(1, '2026-03-02T10:00Z', 12, 'PHONE', 'total', 60, 5)`, `(1, '2026-03-02T10:00Z', 12, 'PHONE', 'endOfTurn', 1, 6)`),
  );
  await sql.query(quarter(`(1, '2026-03-02T09:00Z', 12, 'PHONE', 'transcription', 85, -2)`));
  expect(await waits()).toEqual(['1 2026-03-02 12 PHONE {257,1852} {6,8}', '2 2026-03-02 12 API {1852} {4}']);
  await sql.query(quarter(`(2, '2026-03-02T00:00Z', 12, 'API', 'total', 60, -4)`));
  expect(await waits()).toEqual(['1 2026-03-02 12 PHONE {257,1852} {6,8}']);
  const { rows } = await sql.query(
    `SELECT to_char(quarter AT TIME ZONE 'UTC', 'HH24:MI') AS at, codes::text, counts::text FROM latency_histograms ORDER BY 1`,
  );
  expect(rows.map((row) => Object.values(row).join(' '))).toEqual([
    '09:00 {1852} {1}',
    '10:00 {257,1852} {6,5}',
    '23:45 {1852} {2}',
  ]);
});
