import { tenantTable, withEveryRow } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Packs latencies by quarter like those by day: a turn took four rows of `latency_quarters` or more, and now takes at most one.
 * Replicas of an earlier version still write to the old table, whose trigger forwards the changes to both packed ones. The old
 * table stores nothing itself, so a later migration can drop it.
 */
export class PackLatencyQuarters1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE latency_histograms (
        org_id int NOT NULL, quarter timestamptz NOT NULL, agent_id int NOT NULL, channel text NOT NULL,
        codes int[] NOT NULL, counts int[] NOT NULL,
        PRIMARY KEY (org_id, quarter, agent_id, channel)
      ) PARTITION BY RANGE (quarter)`);
    await tenantTable(runner, 'latency_histograms');
    await withEveryRow(runner, ['latency_quarters', 'latency_histograms'], async () => {
      await runner.query(monthsOf('latency_histograms', 'latency_quarters'));
      await runner.query(adding('latency_histograms', 'quarter', 'SELECT 1 AS sign, * FROM latency_quarters'));
    });
    await runner.query(`TRUNCATE latency_quarters; ${keeping(['latency_days', 'latency_histograms'])}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await withEveryRow(runner, ['latency_quarters', 'latency_histograms'], async () => {
      await runner.query(`TRUNCATE latency_quarters; ${keeping([])}`);
      await runner.query(monthsOf('latency_quarters', 'latency_histograms'));
      await runner.query(`
        INSERT INTO latency_quarters (org_id, quarter, agent_id, channel, part, bin, turns)
        SELECT org_id, quarter, agent_id, channel, (${parts})[code / 256], (code % 256)::smallint, n
        FROM latency_histograms CROSS JOIN LATERAL unnest(codes, counts) AS bins (code, n)`);
    });
    await runner.query(`${keeping(['latency_days'])}; DROP TABLE latency_histograms`);
  }
}

const parts = `ARRAY['endOfTurn', 'transcription', 'retrieval', 'firstToken', 'firstAudio', 'pacing', 'total']`;

const monthsOf = (table: string, rows: string): string => `
  SELECT open_month('${table}', month) FROM (SELECT DISTINCT date_trunc('month', quarter, 'UTC') AS month FROM ${rows}) months`;

const instantOf = { latency_days: `date_bin('1 day', quarter, timestamptz 'epoch')`, latency_histograms: 'quarter' } as const;
const columnOf = { latency_days: 'day', latency_histograms: 'quarter' } as const;
type Packed = keyof typeof columnOf;

/** Adds signed rows of the old table to a packed one. */
function adding(table: Packed, at: string, rows: string): string {
  const key = `org_id, ${at}, agent_id, channel`;
  return `
    INSERT INTO ${table} AS standing (${key}, codes, counts)
    SELECT ${key}, array_agg(code ORDER BY code), array_agg(n ORDER BY code) FROM (
      SELECT org_id, ${instantOf[table]} AS ${at}, agent_id, channel, array_position(${parts}, part) * 256 + bin AS code, sum(sign * turns)::int AS n
      FROM (${rows}) signed GROUP BY 1, 2, 3, 4, 5 HAVING sum(sign * turns) <> 0
    ) bins GROUP BY ${key}
    ON CONFLICT (${key}) DO UPDATE SET (codes, counts) = (
      SELECT coalesce(array_agg(code ORDER BY code), '{}'), coalesce(array_agg(n ORDER BY code), '{}') FROM (
        SELECT code, sum(n)::int AS n FROM (
          SELECT * FROM unnest(standing.codes, standing.counts) UNION ALL SELECT * FROM unnest(excluded.codes, excluded.counts)
        ) AS together (code, n) GROUP BY code HAVING sum(n) <> 0
      ) bins);`;
}

/** Also deletes rows that have become empty. */
function addingAndClearing(table: Packed, rows: string): string {
  const at = columnOf[table];
  return `${adding(table, at, rows)}
    DELETE FROM ${table} USING (SELECT DISTINCT org_id, ${instantOf[table]} AS ${at} FROM (${rows}) signed) touched
    WHERE ${table}.org_id = touched.org_id AND ${table}.${at} = touched.${at} AND codes = '{}';`;
}

function keeping(tables: readonly Packed[]): string {
  const keep = (rows: string) => tables.map((table) => addingAndClearing(table, rows)).join('');
  return `
    CREATE OR REPLACE FUNCTION keep_latency_days() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN ${keep('SELECT 1 AS sign, * FROM came')} NULL;
      ELSIF TG_OP = 'UPDATE' THEN ${keep('SELECT 1 AS sign, * FROM came UNION ALL SELECT -1, * FROM gone')} NULL;
      ELSE ${keep('SELECT -1 AS sign, * FROM gone')} NULL;
      END IF;
      RETURN NULL;
    END $$`;
}
