import { tenantTable, withEveryRow } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums by day (UTC) in addition to those by quarter of an hour, so that a span of months reads one row per day. Triggers maintain
 * them, also for replicas of an earlier version, which do not know of days. They are a hundredth of the size of the quarters, and
 * not partitioned.
 */
export class AddDays1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE call_facts ADD COLUMN lost_frames bigint;
      CREATE INDEX turns_in_vain ON turn_facts (org_id, asked_at) WHERE question IS NOT NULL AND NOT is_known`);
    await runner.query(`
      ALTER TABLE quality_quarters
        ADD COLUMN lost_frames bigint NOT NULL DEFAULT 0, ADD COLUMN packet_frames bigint NOT NULL DEFAULT 0`);
    for (const figure of figures) {
      const { name, dimensions, measures } = figure;
      const typed = Object.entries(dimensions).map(([dimension, type]) => `${dimension} ${type} NOT NULL`);
      const sums = measures.map((measure) => `${measure} bigint NOT NULL`);
      await runner.query(`
        CREATE TABLE ${name}_days (
          org_id int NOT NULL, day timestamptz NOT NULL, ${[...typed, ...sums].join(', ')},
          PRIMARY KEY (org_id, day, ${Object.keys(dimensions).join(', ')})
        )`);
      await tenantTable(runner, `${name}_days`);
      await withEveryRow(runner, [`${name}_quarters`, `${name}_days`], async () => {
        await runner.query(`INSERT INTO ${name}_days ${summed(figure, `SELECT 1 AS sign, * FROM ${name}_quarters`)}`);
      });
      await runner.query(keepingDays(figure));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of figures)
      await runner.query(`
        DROP TRIGGER days_of_new ON ${name}_quarters; DROP TRIGGER days_of_changed ON ${name}_quarters;
        DROP TRIGGER days_of_gone ON ${name}_quarters; DROP FUNCTION keep_${name}_days; DROP TABLE ${name}_days`);
    await runner.query(`
      ALTER TABLE quality_quarters DROP COLUMN lost_frames, DROP COLUMN packet_frames;
      ALTER TABLE call_facts DROP COLUMN lost_frames;
      DROP INDEX turns_in_vain`);
  }
}

interface Figure {
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly measures: readonly string[];
}

const calls = ['total', 'completed', 'answered', 'missed', 'failed', 'cancelled', 'open', 'talks', 'talk_seconds'];
const ends = ['sessions', 'engaged', 'contained', 'answered', 'unanswered', 'transferred', 'abandoned', 'failed', 'hung_up'];
const tokens = ['prompt_tokens', 'completion_tokens', 'audio_seconds'];

const figures: readonly Figure[] = [
  { name: 'call', dimensions: { agent_id: 'int' }, measures: calls },
  { name: 'campaign', dimensions: { campaign_id: 'int', agent_id: 'int' }, measures: calls },
  {
    name: 'quality',
    dimensions: { agent_id: 'int' },
    measures: ['calls', 'frames', 'late_frames', 'jitter_us', 'one_way', 'lost_frames', 'packet_frames'],
  },
  {
    name: 'turn',
    dimensions: { agent_id: 'int', channel: 'text', language: 'text' },
    measures: ['turns', 'interrupted', 'failed', 'lost', 'from_faq', 'known', ...tokens],
  },
  { name: 'place', dimensions: { agent_id: 'int', place: 'smallint' }, measures: ['turns', 'interrupted'] },
  { name: 'faq', dimensions: { agent_id: 'int', faq_id: 'int' }, measures: ['hits'] },
  { name: 'session', dimensions: { agent_id: 'int', channel: 'text' }, measures: ends },
  { name: 'hang_up', dimensions: { agent_id: 'int', place: 'smallint' }, measures: ['hung_up'] },
  { name: 'usage', dimensions: { agent_id: 'int', kind: 'text' }, measures: ['requests', 'units'] },
  { name: 'sales', dimensions: { representative_id: 'int' }, measures: ['calls', 'connected', 'talk_seconds', 'conversions'] },
];

const day = `date_trunc('day', quarter, 'UTC')`;

/** The sums of signed rows of quarters, by day. */
function summed({ dimensions, measures }: Figure, rows: string): string {
  const keys = ['org_id', day, ...Object.keys(dimensions)].join(', ');
  const sums = measures.map((measure) => `sum(sign * ${measure})::bigint`);
  const isChange = measures.map((measure) => `sum(sign * ${measure}) <> 0`).join(' OR ');
  return `SELECT ${keys}, ${sums.join(', ')} FROM (${rows}) signed GROUP BY ${keys} HAVING ${isChange}`;
}

/** The trigger that maintains the days of a figure. A day whose sums are all zero is deleted, like a quarter. */
function keepingDays(figure: Figure): string {
  const { name, dimensions, measures } = figure;
  const keys = ['org_id', 'day', ...Object.keys(dimensions)].join(', ');
  const added = measures.map((measure) => `${measure} = d.${measure} + excluded.${measure}`).join(', ');
  const add = (rows: string) => `
    INSERT INTO ${name}_days AS d (${keys}, ${measures.join(', ')}) ${summed(figure, rows)}
    ON CONFLICT (${keys}) DO UPDATE SET ${added};`;
  const clear = `
    DELETE FROM ${name}_days d USING (SELECT DISTINCT org_id, ${day} AS day FROM gone) touched
    WHERE d.org_id = touched.org_id AND d.day = touched.day AND d.${measures[0]} = 0;`;
  const trigger = (what: string, when: string, tables: string) => `
    CREATE TRIGGER days_of_${what} AFTER ${when} ON ${name}_quarters REFERENCING ${tables}
    FOR EACH STATEMENT EXECUTE FUNCTION keep_${name}_days();`;
  return `
    CREATE FUNCTION keep_${name}_days() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN ${add('SELECT 1 AS sign, * FROM came')}
      ELSIF TG_OP = 'UPDATE' THEN
        ${add('SELECT 1 AS sign, * FROM came UNION ALL SELECT -1, * FROM gone')} ${clear}
      ELSE ${add('SELECT -1 AS sign, * FROM gone')} ${clear}
      END IF;
      RETURN NULL;
    END $$;
    ${trigger('new', 'INSERT', 'NEW TABLE AS came')}
    ${trigger('changed', 'UPDATE', 'OLD TABLE AS gone NEW TABLE AS came')}
    ${trigger('gone', 'DELETE', 'OLD TABLE AS gone')}`;
}
