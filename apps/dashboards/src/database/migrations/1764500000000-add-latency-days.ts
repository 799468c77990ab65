import { tenantTable, withEveryRow } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Latencies by day (UTC): one row per agent and channel, with its histograms in two arrays. A row per bin, as for quarters, would
 * be almost one per turn. A trigger on the quarters maintains them, also for replicas and rebuilds of an earlier version.
 */
export class AddLatencyDays1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE latency_days (
        org_id int NOT NULL, day timestamptz NOT NULL, agent_id int NOT NULL, channel text NOT NULL,
        codes int[] NOT NULL, counts int[] NOT NULL,
        PRIMARY KEY (org_id, day, agent_id, channel)
      )`);
    await tenantTable(runner, 'latency_days');
    await withEveryRow(runner, ['latency_quarters', 'latency_days'], async () => {
      await runner.query(`
        INSERT INTO latency_days (${key}, codes, counts) ${packed(coded('SELECT 1 AS sign, * FROM latency_quarters'))}`);
    });
    await runner.query(keepingDays);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER days_of_new ON latency_quarters; DROP TRIGGER days_of_changed ON latency_quarters;
      DROP TRIGGER days_of_gone ON latency_quarters; DROP FUNCTION keep_latency_days; DROP TABLE latency_days`);
  }
}

const key = 'org_id, day, agent_id, channel';
const parts = `ARRAY['endOfTurn', 'transcription', 'retrieval', 'firstToken', 'firstAudio', 'pacing', 'total']`;

const day = `date_bin('1 day', quarter, timestamptz 'epoch')`;

/** Signed rows of quarters, by day and code. */
const coded = (rows: string) => `
  SELECT org_id, ${day} AS day, agent_id, channel, array_position(${parts}, part) * 256 + bin AS code, (sign * turns)::int AS n
  FROM (${rows}) signed`;

/** Rows with codes as one row per day. */
const packed = (rows: string) => `
  SELECT ${key}, array_agg(code ORDER BY code) AS codes, array_agg(n ORDER BY code) AS counts
  FROM (SELECT ${key}, code, sum(n)::int AS n FROM (${rows}) rows GROUP BY ${key}, code HAVING sum(n) <> 0) bins GROUP BY ${key}`;

/**
 * Repacks the days that a change touches; an empty day is deleted, like a quarter. Stored rows are looked up by key: whatever
 * size Postgres estimates for the table, it must not join all days with all touched ones.
 */
const packing = (rows: string) => `
  WITH change AS MATERIALIZED (${coded(rows)}), standing AS MATERIALIZED (
    SELECT touched.*, was.place, was.codes, was.counts FROM (SELECT DISTINCT ${key} FROM change) touched CROSS JOIN LATERAL (
      SELECT d.ctid AS place, d.codes, d.counts FROM latency_days d
      WHERE d.org_id = touched.org_id AND d.day = touched.day AND d.agent_id = touched.agent_id AND d.channel = touched.channel OFFSET 0
    ) was
  ), whole AS MATERIALIZED (
    ${packed(`
      SELECT ${key}, code, n FROM change
      UNION ALL
      SELECT ${key}, bins.code, bins.n FROM standing CROSS JOIN LATERAL unnest(codes, counts) AS bins (code, n)`)}
  ), removed AS (
    DELETE FROM latency_days
    WHERE ctid = ANY (ARRAY (SELECT place FROM standing WHERE (${key}) NOT IN (SELECT ${key} FROM whole)))
  )
  INSERT INTO latency_days (${key}, codes, counts) SELECT ${key}, codes, counts FROM whole ORDER BY ${key}
  ON CONFLICT (${key}) DO UPDATE SET codes = excluded.codes, counts = excluded.counts;`;

const trigger = (what: string, when: string, tables: string) => `
  CREATE TRIGGER days_of_${what} AFTER ${when} ON latency_quarters REFERENCING ${tables}
  FOR EACH STATEMENT EXECUTE FUNCTION keep_latency_days();`;

const keepingDays = `
  CREATE FUNCTION keep_latency_days() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN ${packing('SELECT 1 AS sign, * FROM came')}
    ELSIF TG_OP = 'UPDATE' THEN ${packing('SELECT 1 AS sign, * FROM came UNION ALL SELECT -1, * FROM gone')}
    ELSE ${packing('SELECT -1 AS sign, * FROM gone')}
    END IF;
    RETURN NULL;
  END $$;
  ${trigger('new', 'INSERT', 'NEW TABLE AS came')}
  ${trigger('changed', 'UPDATE', 'OLD TABLE AS gone NEW TABLE AS came')}
  ${trigger('gone', 'DELETE', 'OLD TABLE AS gone')}`;
