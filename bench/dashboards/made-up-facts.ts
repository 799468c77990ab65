import type { Client } from 'pg';

/** How much there is to look at. */
export interface Size {
  readonly facts: number;
  readonly organizations: number;
  readonly days: number;
}

/**
 * Calls, turns and charges of the last days, drawn by Postgres itself. Organizations are of different sizes, as they are: the first has
 * 2 % of everything, the last ones a few thousand facts; each has ten agents and calls by day more than by night.
 */
export async function drawFacts(sql: Client, { facts, organizations, days }: Size): Promise<void> {
  const turns = Math.round(facts / 5);
  const drawn = (count: number) => `
    SELECT n, org_id, agent_id, date_trunc('day', now()) - day * interval '1 day' + hour * interval '1 hour' + second * interval '1 second' AS at
    FROM (
      SELECT n, CASE WHEN n % 50 = 0 THEN 1 ELSE 1 + n % ${organizations} END AS org_id, 1 + (hashint4(n) & 7) AS agent_id,
        (hashint4(n + 1) & 1048575) % ${days} AS day, 3 + (hashint4(n + 2) & 1048575) % 12 AS hour,
        (hashint4(n + 3) & 1048575) % 3600 AS second
      FROM generate_series(1, ${count}) n) drawn`;
  await sql.query(`
    INSERT INTO call_facts (org_id, queued_at, call_key, call_id, agent_id, campaign_id, contact_id, direction, state,
      answered_at, duration_seconds, frames, late_frames, jitter_us, is_one_way, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), n, agent_id, CASE WHEN n % 3 = 0 THEN agent_id END, n % 10000, 'OUTBOUND',
      CASE WHEN n % 10 < 7 THEN 'COMPLETED' WHEN n % 10 < 9 THEN 'MISSED' ELSE 'FAILED' END,
      CASE WHEN n % 10 < 7 THEN at + interval '5 seconds' END, CASE WHEN n % 10 < 7 THEN n % 300 ELSE 0 END,
      CASE WHEN n % 10 < 7 THEN 15000 END, n % 40, 4000 + n % 5000, n % 500 = 0, 3, at, n::text
    FROM (${drawn(facts)}) d`);
  await sql.query(`
    INSERT INTO turn_facts (org_id, asked_at, turn_uuid, session_uuid, agent_id, channel, language, turn_number, status, is_from_faq,
      is_known, faq_id, faq_title, question, prompt_tokens, completion_tokens, audio_seconds, transcription_ms, first_token_ms,
      first_audio_ms, total_ms, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), gen_random_uuid(), agent_id, 'PHONE', CASE n % 3 WHEN 0 THEN 'hindi' ELSE 'english' END,
      1 + n % 12, CASE WHEN n % 9 = 0 THEN 'INTERRUPTED' ELSE 'COMPLETED' END, n % 4 = 0, n % 20 > 0,
      CASE WHEN n % 4 = 0 THEN n % 40 END, CASE WHEN n % 4 = 0 THEN 'Question ' || n % 40 END,
      CASE WHEN n % 20 = 0 THEN 'is this question number ' || n % 600 || ' known' END,
      400, 40, 3, 90 + n % 80, 200 + n % 400, 100 + n % 90, 400 + n % 900, 0, at, n::text
    FROM (${drawn(turns)}) d`);
  await sql.query(`
    INSERT INTO usage_facts (org_id, charged_at, event_id, agent_id, kind, requests, units, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), agent_id, CASE n % 3 WHEN 0 THEN 'TTT_API' WHEN 1 THEN 'TTS_API' ELSE 'STT_API' END, 1, 400, 0,
      at, n::text FROM (${drawn(turns)}) d`);
  await sql.query(`
    INSERT INTO session_facts (org_id, started_at, session_uuid, agent_id, channel, reason, outcome, duration_seconds, turn_count,
      total_tokens, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), agent_id, 'PHONE', 'CALL_ENDED', CASE n % 8 WHEN 0 THEN 'TRANSFERRED' ELSE 'ANSWERED' END, 60,
      n % 12, 4000, 0, at, n::text FROM (${drawn(turns)}) d`);
  await sql.query(`
    INSERT INTO sales_call_facts (org_id, started_at, sales_call_key, representative_id, contact_id, duration_seconds, outcome, rank,
      told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), agent_id, n % 1000, n % 300, CASE n % 4 WHEN 0 THEN 'CONVERTED' ELSE 'CONNECTED' END, 0, at,
      n::text FROM (${drawn(turns)}) d`);
}
