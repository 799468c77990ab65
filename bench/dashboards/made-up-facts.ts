import { Client } from 'pg';

/** How much there is to look at. */
export interface Size {
  readonly facts: number;
  readonly organizations: number;
  readonly days: number;
}

/** Columns of a table, each with what makes it of the number `n` of a fact, of chance `h`, `org_id`, `agent_id` and `at`. */
type Drawing = Readonly<Record<string, string>>;

const told = { rank: '0', told_at: 'at', told_by: 'n::text' };

const calls: Drawing = {
  queued_at: 'at',
  call_key: 'gen_random_uuid()',
  call_id: 'n',
  agent_id: 'agent_id',
  campaign_id: 'CASE WHEN h % 3 = 0 THEN agent_id END',
  contact_id: 'h % 10000',
  direction: `'OUTBOUND'`,
  state: `CASE WHEN h % 10 < 7 THEN 'COMPLETED' WHEN h % 10 < 9 THEN 'MISSED' ELSE 'FAILED' END`,
  answered_at: `CASE WHEN h % 10 < 7 THEN at + interval '5 seconds' END`,
  duration_seconds: 'CASE WHEN h % 10 < 7 THEN h % 300 ELSE 0 END',
  frames: 'CASE WHEN h % 10 < 7 THEN 15000 END',
  late_frames: 'h % 40',
  jitter_us: '4000 + h % 5000',
  is_one_way: 'h % 500 = 0',
  ...told,
  rank: '3',
};

/** One for every five calls of each of these. */
const others: Readonly<Record<string, Drawing>> = {
  turn_facts: {
    asked_at: 'at',
    turn_uuid: 'gen_random_uuid()',
    session_uuid: 'gen_random_uuid()',
    agent_id: 'agent_id',
    channel: `'PHONE'`,
    language: `CASE h % 3 WHEN 0 THEN 'hindi' ELSE 'english' END`,
    turn_number: '1 + h % 12',
    status: `CASE WHEN h % 9 = 0 THEN 'INTERRUPTED' ELSE 'COMPLETED' END`,
    is_from_faq: 'h % 4 = 0',
    is_known: 'h % 20 > 0',
    faq_id: 'CASE WHEN h % 4 = 0 THEN h % 40 END',
    faq_title: `CASE WHEN h % 4 = 0 THEN 'Question ' || h % 40 END`,
    question: `CASE WHEN h % 20 = 0 THEN 'is this question number ' || h % 600 || ' known' END`,
    prompt_tokens: '400',
    completion_tokens: '40',
    audio_seconds: '3',
    transcription_ms: '90 + h % 80',
    first_token_ms: '200 + h % 400',
    first_audio_ms: '100 + h % 90',
    total_ms: '400 + h % 900',
    provider_errors: `CASE WHEN h % 200 = 0 THEN '[{"role":"LANGUAGE_MODEL","provider":"openai/gpt-4.1-mini","kind":"BUSY"}]'::jsonb END`,
    ...told,
  },
  usage_facts: {
    charged_at: 'at',
    event_id: 'gen_random_uuid()',
    agent_id: 'agent_id',
    kind: `CASE h % 3 WHEN 0 THEN 'TTT_API' WHEN 1 THEN 'TTS_API' ELSE 'STT_API' END`,
    requests: '1',
    units: '400',
    ...told,
  },
  session_facts: {
    started_at: 'at',
    session_uuid: 'gen_random_uuid()',
    agent_id: 'agent_id',
    channel: `'PHONE'`,
    reason: `'ENDED_BY_USER'`,
    outcome: `CASE h % 8 WHEN 0 THEN 'TRANSFERRED' ELSE 'ANSWERED' END`,
    duration_seconds: '60',
    turn_count: 'h % 12',
    total_tokens: '4000',
    heard_seconds: '40',
    spoken_seconds: '18',
    is_unheard: 'h % 100 = 0',
    provider_errors: `CASE WHEN h % 200 = 0 THEN '[{"role":"SPEECH_TO_TEXT","provider":"deepgram","kind":"TIMEOUT"}]'::jsonb END`,
    ...told,
  },
  sales_call_facts: {
    started_at: 'at',
    sales_call_key: 'gen_random_uuid()',
    representative_id: 'agent_id',
    contact_id: 'h % 1000',
    duration_seconds: 'h % 300',
    outcome: `CASE h % 4 WHEN 0 THEN 'CONVERTED' ELSE 'CONNECTED' END`,
    ...told,
  },
};

/**
 * Calls, turns and charges of the last days, drawn by Postgres itself in the order of time, as they come in. Organizations are of
 * different sizes, as they are: the first has 2 % of everything, the others a few thousand facts; each has eight agents and calls by
 * day only. Calls are drawn beside all others.
 */
export async function drawFacts(connectionString: string, size: Size, progress: (text: string) => void): Promise<void> {
  const lanes = [
    [['call_facts', calls, size.facts] as const],
    Object.entries(others).map(([table, drawing]) => [table, drawing, Math.round(size.facts / 5)] as const),
  ];
  await Promise.all(
    lanes.map(async (lane) => {
      const sql = new Client({ connectionString, options: '-c search_path=dashboards -c synchronous_commit=off' });
      await sql.connect();
      try {
        for (const [table, drawing, count] of lane)
          await withIndexesAfterwards(sql, table, () => draw(sql, { table, drawing, count, size }, progress));
      } finally {
        await sql.end();
      }
    }),
  );
}

/** A campaign for each agent, and targets of every representative for each month. */
export async function drawRecords(sql: Client, { organizations, days }: Size): Promise<void> {
  await sql.query(`
    INSERT INTO campaigns (org_id, campaign_id, campaign_key, name, status, contact_count, told_at, told_by)
    SELECT org_id, n, gen_random_uuid(), 'Campaign ' || n, 'RUNNING', 10000, now(), 'x'
    FROM generate_series(1, ${organizations}) org_id, generate_series(1, 8) n;
    INSERT INTO sales_targets (org_id, target_key, target_id, representative_id, metric, target, start_date, end_date, told_at, told_by)
    SELECT org_id, gen_random_uuid(), n, 1 + n % 8, (ARRAY['CALLS', 'CONNECTED_CALLS', 'TALK_SECONDS', 'CONVERSIONS'])[1 + n % 4], 1000,
      current_date - ${days} + (n / 8) * 30, current_date - ${days} + (n / 8) * 30 + 29, now(), 'x'
    FROM generate_series(1, ${organizations}) org_id, generate_series(0, 23) n`);
}

/** Kept while rows come in, indexes take longer than the rows. */
async function withIndexesAfterwards(sql: Client, table: string, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql.query<{ drop: string; make: string }>(
    `SELECT CASE WHEN conname IS NULL THEN 'DROP INDEX ' || indexrelid::regclass
         ELSE format('ALTER TABLE %I DROP CONSTRAINT %I', $1::text, conname) END AS drop,
       CASE WHEN conname IS NULL THEN replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
         ELSE format('ALTER TABLE %I ADD CONSTRAINT %I %s', $1::text, conname, pg_get_constraintdef(c.oid)) END AS make
     FROM pg_index LEFT JOIN pg_constraint c ON conindid = indexrelid WHERE indrelid = $1::regclass`,
    [table],
  );
  for (const { drop } of rows) await sql.query(drop);
  await work();
  await sql.query(`SET maintenance_work_mem = '256MB'`);
  for (const { make } of rows) await sql.query(make);
}

interface Drawn {
  readonly table: string;
  readonly drawing: Drawing;
  readonly count: number;
  readonly size: Size;
}

const atOnceMax = 1_000_000;

async function draw(sql: Client, { table, drawing, count, size }: Drawn, progress: (text: string) => void): Promise<void> {
  const dayOf = `(n::bigint * ${size.days} / ${count + 1})`;
  const secondOf = `((n::bigint * ${size.days} % ${count + 1}) * 43200 / ${count + 1})`;
  for (let first = 1; first <= count; first += atOnceMax) {
    const last = Math.min(count, first + atOnceMax - 1);
    await sql.query(`
      INSERT INTO ${table} (org_id, ${Object.keys(drawing).join(', ')})
      SELECT org_id, ${Object.values(drawing).join(', ')} FROM (
        SELECT n, CASE WHEN n % 50 = 0 THEN 1 ELSE 1 + n % ${size.organizations} END AS org_id, 1 + (hashint4(n) & 7) AS agent_id,
          hashint4(n + 1) & 2147483647 AS h,
          date_trunc('day', now()) - interval '${size.days} days' + interval '3 hours' + ${dayOf} * interval '1 day'
            + ${secondOf} * interval '1 second' AS at
        FROM generate_series(${first}, ${last}) n) drawn`);
    progress(`${table}: ${last} of ${count} drawn`);
  }
}
