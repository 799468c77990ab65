import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables as first created; later changes of their definitions have migrations of their own. Facts and figures are partitioned
 * by month; the projection creates the months.
 */
export class CreateDashboards1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, { key, at, columns }] of Object.entries(facts)) {
      await runner.query(`
        CREATE TABLE ${name} (
          org_id int NOT NULL, ${at} timestamptz NOT NULL, ${key} uuid NOT NULL, ${columns},
          rank smallint NOT NULL, told_at timestamptz NOT NULL, told_by text NOT NULL,
          PRIMARY KEY (org_id, ${at}, ${key})
        ) PARTITION BY RANGE (${at})`);
      await tenantTable(runner, name);
    }
    for (const [name, { dimensions, measures }] of Object.entries(figures)) {
      const typed = dimensions.map((dimension) => `${dimension} ${typeOf(dimension)} NOT NULL`);
      const sums = measures.map((measure) => `${measure} bigint NOT NULL`);
      const partitions = name === 'assignment_quarters' ? '' : 'PARTITION BY RANGE (quarter)';
      await runner.query(`
        CREATE TABLE ${name} (
          org_id int NOT NULL, quarter timestamptz NOT NULL, ${[...typed, ...sums].join(', ')},
          PRIMARY KEY (org_id, quarter, ${dimensions.join(', ')})
        ) ${partitions}`);
      await tenantTable(runner, name);
    }
    await this.createSmallTables(runner);
    await runner.query(monthFunctions);
  }

  async down(runner: QueryRunner): Promise<void> {
    const names = [...Object.keys(facts), ...Object.keys(figures), ...smallTables, 'sealed_facts', 'checkpoints'];
    await runner.query(`DROP TABLE ${names.join(', ')}; DROP FUNCTION open_month, drop_month, partition_of`);
  }

  private async createSmallTables(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE campaigns (
        org_id int NOT NULL, campaign_id int NOT NULL, campaign_key uuid NOT NULL, name text NOT NULL, status text NOT NULL,
        contact_count int NOT NULL, told_at timestamptz NOT NULL, told_by text NOT NULL,
        PRIMARY KEY (org_id, campaign_id)
      );
      CREATE TABLE sales_targets (
        org_id int NOT NULL, target_key uuid NOT NULL, target_id int NOT NULL, representative_id int NOT NULL, metric text NOT NULL,
        target int NOT NULL, start_date date NOT NULL, end_date date NOT NULL, told_at timestamptz NOT NULL, told_by text NOT NULL,
        PRIMARY KEY (org_id, target_key)
      );
      CREATE TABLE question_vectors (
        org_id int NOT NULL, space text NOT NULL, wording bytea NOT NULL, vector real[] NOT NULL, used_on date NOT NULL,
        PRIMARY KEY (org_id, space, wording)
      );
      CREATE INDEX campaign_calls ON call_facts (org_id, campaign_id, queued_at)
        INCLUDE (contact_id, agent_id, answered_at, state) WHERE campaign_id IS NOT NULL;
      -- Facts before this instant were dropped and stand in the figures for good: news of them would count twice.
      CREATE TABLE sealed_facts (name text PRIMARY KEY, before timestamptz NOT NULL);
      CREATE TABLE checkpoints (
        source text PRIMARY KEY, place text NOT NULL DEFAULT '', told_at timestamptz, applied_at timestamptz NOT NULL DEFAULT now()
      )`);
    for (const name of smallTables) await tenantTable(runner, name);
  }
}

const smallTables = ['campaigns', 'sales_targets', 'question_vectors'];

function typeOf(dimension: string): string {
  return dimension === 'channel' || dimension === 'language' || dimension === 'part' || dimension === 'kind'
    ? 'text'
    : dimension === 'place' || dimension === 'bin'
      ? 'smallint'
      : 'int';
}

const ms = ['end_of_turn', 'transcription', 'retrieval', 'first_token', 'first_audio', 'pacing', 'total'];

const facts = {
  call_facts: {
    key: 'call_key',
    at: 'queued_at',
    columns: `call_id bigint NOT NULL, agent_id int NOT NULL, campaign_id int, contact_id bigint, direction text NOT NULL,
      state text NOT NULL, session_uuid uuid, answered_at timestamptz, ended_at timestamptz, duration_seconds int NOT NULL,
      frames bigint, late_frames bigint, jitter_us bigint, is_one_way boolean`,
  },
  turn_facts: {
    key: 'turn_uuid',
    at: 'asked_at',
    columns: `session_uuid uuid NOT NULL, agent_id int NOT NULL, channel text NOT NULL, language text NOT NULL,
      turn_number int NOT NULL, status text NOT NULL, is_from_faq boolean NOT NULL, is_known boolean NOT NULL, faq_id int,
      faq_title text, question text, prompt_tokens int NOT NULL, completion_tokens int NOT NULL, audio_seconds int NOT NULL,
      ${ms.map((part) => `${part}_ms real`).join(', ')}`,
  },
  session_facts: {
    key: 'session_uuid',
    at: 'started_at',
    columns: `agent_id int NOT NULL, channel text NOT NULL, reason text NOT NULL, outcome text NOT NULL,
      duration_seconds int NOT NULL, turn_count int NOT NULL, total_tokens bigint NOT NULL`,
  },
  usage_facts: {
    key: 'event_id',
    at: 'charged_at',
    columns: 'agent_id int NOT NULL, kind text NOT NULL, requests int NOT NULL, units bigint NOT NULL',
  },
  sales_call_facts: {
    key: 'sales_call_key',
    at: 'started_at',
    columns: 'representative_id int NOT NULL, contact_id bigint, duration_seconds int NOT NULL, outcome text NOT NULL',
  },
  assignment_facts: {
    key: 'event_id',
    at: 'assigned_at',
    columns: 'representative_id int NOT NULL, contacts int NOT NULL',
  },
};

const calls = ['total', 'completed', 'answered', 'missed', 'failed', 'cancelled', 'open', 'talks', 'talk_seconds'];

const figures = {
  call_quarters: { dimensions: ['agent_id'], measures: calls },
  campaign_quarters: { dimensions: ['campaign_id', 'agent_id'], measures: calls },
  quality_quarters: { dimensions: ['agent_id'], measures: ['calls', 'frames', 'late_frames', 'jitter_us', 'one_way'] },
  turn_quarters: {
    dimensions: ['agent_id', 'channel', 'language'],
    measures: [
      'turns',
      'interrupted',
      'failed',
      'lost',
      'from_faq',
      'known',
      'prompt_tokens',
      'completion_tokens',
      'audio_seconds',
    ],
  },
  place_quarters: { dimensions: ['agent_id', 'place'], measures: ['turns', 'interrupted'] },
  faq_quarters: { dimensions: ['agent_id', 'faq_id'], measures: ['hits'] },
  latency_quarters: { dimensions: ['agent_id', 'channel', 'part', 'bin'], measures: ['turns'] },
  session_quarters: {
    dimensions: ['agent_id', 'channel'],
    measures: ['sessions', 'engaged', 'contained', 'answered', 'unanswered', 'transferred', 'abandoned', 'failed', 'hung_up'],
  },
  hang_up_quarters: { dimensions: ['agent_id', 'place'], measures: ['hung_up'] },
  usage_quarters: { dimensions: ['agent_id', 'kind'], measures: ['requests', 'units'] },
  sales_quarters: { dimensions: ['representative_id'], measures: ['calls', 'connected', 'talk_seconds', 'conversions'] },
  assignment_quarters: { dimensions: ['representative_id'], measures: ['changes', 'contacts'] },
};

/**
 * Months are added and dropped while the service runs, but its role may not create tables. These functions run as the owner, and
 * only for partitions of this schema's own tables. Row-level security without a policy makes a partition accessible only through
 * its parent.
 */
const monthFunctions = `
  CREATE FUNCTION partition_of(parent text, first timestamptz) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass(quote_ident(parent)) AND relkind = 'p'
                   AND relnamespace = current_schema()::regnamespace) THEN
      RAISE EXCEPTION '% is no table of months', parent;
    END IF;
    RETURN parent || to_char(first AT TIME ZONE 'UTC', '_YYYY_MM');
  END $$;

  CREATE FUNCTION open_month(parent text, first timestamptz) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    month text := partition_of(parent, first);
    after timestamptz := ((first AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
  BEGIN
    -- Replicas that make the same month at once wait for each other here, and find it made.
    PERFORM pg_advisory_xact_lock(hashtext('dashboards.months'));
    IF to_regclass(quote_ident(month)) IS NOT NULL THEN RETURN; END IF;
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', month, parent, first, after);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', month);
  END $$;

  CREATE FUNCTION drop_month(parent text, first timestamptz) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  BEGIN
    EXECUTE format('DROP TABLE IF EXISTS %I', partition_of(parent, first));
  END $$`;
