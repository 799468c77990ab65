const quarter = (at: string) => `to_timestamp(floor(extract(epoch FROM ${at}) / 900) * 900) AS quarter`;

const callCounts = `count(*) AS total,
  count(*) FILTER (WHERE state = 'COMPLETED') AS completed,
  count(*) FILTER (WHERE answered_at IS NOT NULL OR state = 'IN_PROGRESS') AS answered,
  count(*) FILTER (WHERE state = 'MISSED') AS missed,
  count(*) FILTER (WHERE state = 'FAILED') AS failed,
  count(*) FILTER (WHERE state = 'CANCELLED') AS cancelled,
  count(*) FILTER (WHERE state NOT IN ('COMPLETED', 'MISSED', 'FAILED', 'CANCELLED')) AS open,
  count(*) FILTER (WHERE answered_at IS NOT NULL AND state IN ('COMPLETED', 'MISSED', 'FAILED', 'CANCELLED')) AS talks,
  coalesce(sum(duration_seconds) FILTER (
    WHERE answered_at IS NOT NULL AND state IN ('COMPLETED', 'MISSED', 'FAILED', 'CANCELLED')), 0) AS talk_seconds`;

const wait = (part: string, column: string) => `SELECT org_id, asked_at, agent_id, channel, '${part}' AS part, ${column} AS ms
  FROM turn_facts WHERE ${column} IS NOT NULL AND status <> 'DISCARDED'`;

const waits = [
  wait('endOfTurn', 'end_of_turn_ms'),
  wait('transcription', 'transcription_ms'),
  wait('retrieval', 'retrieval_ms'),
  wait('firstToken', 'first_token_ms'),
  wait('firstAudio', 'first_audio_ms'),
  wait('pacing', 'pacing_ms'),
  wait('total', 'total_ms'),
].join(' UNION ALL ');
const bin = 'CASE WHEN ms < 1 THEN 0 ELSE least(160, floor(log(1.08, ms::numeric))::int + 1) END';

const histograms = (at: string, instant: string) => `
  SELECT org_id, ${at}, agent_id, channel, array_agg(code ORDER BY code) AS codes, array_agg(n ORDER BY code) AS counts FROM (
    SELECT org_id, ${instant}, agent_id, channel,
      256 * CASE part WHEN 'endOfTurn' THEN 1 WHEN 'transcription' THEN 2 WHEN 'retrieval' THEN 3 WHEN 'firstToken' THEN 4
        WHEN 'firstAudio' THEN 5 WHEN 'pacing' THEN 6 ELSE 7 END + ${bin} AS code, count(*) AS n
    FROM (${waits}) waits GROUP BY 1, 2, 3, 4, 5
  ) bins GROUP BY 1, 2, 3, 4`;

/**
 * Each figure counted from all facts in the simplest way, independently of the projection, for tests to compare. Columns are
 * named as in the figure's table.
 */
export const naiveFigures: Readonly<Record<string, string>> = {
  call_quarters: `SELECT org_id, ${quarter('queued_at')}, agent_id, ${callCounts} FROM call_facts GROUP BY 1, 2, 3`,

  campaign_quarters: `SELECT org_id, ${quarter('queued_at')}, campaign_id, agent_id, ${callCounts}
    FROM call_facts WHERE campaign_id IS NOT NULL GROUP BY 1, 2, 3, 4`,

  quality_quarters: `SELECT org_id, ${quarter('queued_at')}, agent_id, count(*) AS calls, sum(frames) AS frames,
    sum(late_frames) AS late_frames, sum(jitter_us) AS jitter_us, count(*) FILTER (WHERE is_one_way) AS one_way,
    coalesce(sum(lost_frames), 0) AS lost_frames, coalesce(sum(frames) FILTER (WHERE lost_frames >= 0), 0) AS packet_frames
    FROM call_facts WHERE frames IS NOT NULL GROUP BY 1, 2, 3`,

  turn_quarters: `SELECT org_id, ${quarter('asked_at')}, agent_id, channel, language, count(*) AS turns,
    count(*) FILTER (WHERE status = 'INTERRUPTED') AS interrupted, count(*) FILTER (WHERE status = 'FAILED') AS failed,
    count(*) FILTER (WHERE status = 'LOST') AS lost, count(*) FILTER (WHERE is_from_faq) AS from_faq,
    count(*) FILTER (WHERE is_known) AS known, sum(prompt_tokens) AS prompt_tokens,
    sum(completion_tokens) AS completion_tokens, sum(audio_seconds) AS audio_seconds
    FROM turn_facts WHERE status IN ('COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST') GROUP BY 1, 2, 3, 4, 5`,

  place_quarters: `SELECT org_id, ${quarter('asked_at')}, agent_id, CASE WHEN turn_number > 20 THEN 20 ELSE turn_number END AS place,
    count(*) AS turns, count(*) FILTER (WHERE status = 'INTERRUPTED') AS interrupted
    FROM turn_facts WHERE status IN ('COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST') GROUP BY 1, 2, 3, 4`,

  faq_quarters: `SELECT org_id, ${quarter('asked_at')}, agent_id, faq_id, count(*) AS hits
    FROM turn_facts WHERE faq_id >= 0 AND status IN ('COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST') GROUP BY 1, 2, 3, 4`,

  latency_histograms: histograms('quarter', quarter('asked_at')),

  latency_days: histograms('day', `(asked_at AT TIME ZONE 'UTC')::date::timestamp AT TIME ZONE 'UTC' AS day`),

  failure_quarters: `SELECT org_id, ${quarter('asked_at')}, agent_id, error ->> 'role' AS role, error ->> 'provider' AS provider,
    error ->> 'kind' AS kind, count(*) AS errors
    FROM turn_facts, jsonb_array_elements(coalesce(provider_errors, '[]')) error
    WHERE status IN ('COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST') GROUP BY 1, 2, 3, 4, 5, 6`,

  session_quarters: `SELECT org_id, ${quarter('started_at')}, agent_id, channel, count(*) AS sessions,
    count(*) FILTER (WHERE turn_count >= 1) AS engaged,
    count(*) FILTER (WHERE turn_count >= 1 AND NOT outcome = 'TRANSFERRED') AS contained,
    count(*) FILTER (WHERE outcome = 'ANSWERED') AS answered, count(*) FILTER (WHERE outcome = 'UNANSWERED') AS unanswered,
    count(*) FILTER (WHERE outcome = 'TRANSFERRED') AS transferred, count(*) FILTER (WHERE outcome = 'ABANDONED') AS abandoned,
    count(*) FILTER (WHERE outcome = 'FAILED') AS failed,
    count(*) FILTER (WHERE channel <> 'API' AND channel <> 'WIDGET' AND reason = 'ENDED_BY_USER') AS hung_up,
    count(*) FILTER (WHERE is_unheard) AS unheard, sum(heard_seconds) AS heard_seconds, sum(spoken_seconds) AS spoken_seconds
    FROM session_facts GROUP BY 1, 2, 3, 4`,

  session_failure_quarters: `SELECT org_id, ${quarter('started_at')}, agent_id, error ->> 'role' AS role, error ->> 'provider' AS provider,
    error ->> 'kind' AS kind, count(*) AS errors
    FROM session_facts, jsonb_array_elements(coalesce(provider_errors, '[]')) error GROUP BY 1, 2, 3, 4, 5, 6`,

  hang_up_quarters: `SELECT org_id, ${quarter('started_at')}, agent_id, CASE WHEN turn_count > 20 THEN 20 ELSE turn_count END AS place,
    count(*) AS hung_up FROM session_facts
    WHERE channel <> 'API' AND channel <> 'WIDGET' AND reason = 'ENDED_BY_USER' GROUP BY 1, 2, 3, 4`,

  usage_quarters: `SELECT org_id, ${quarter('charged_at')}, agent_id, kind, sum(requests) AS requests, sum(units) AS units
    FROM usage_facts GROUP BY 1, 2, 3, 4`,

  sales_quarters: `SELECT org_id, ${quarter('started_at')}, representative_id, count(*) AS calls,
    count(*) FILTER (WHERE outcome = 'CONNECTED' OR outcome = 'CALLBACK' OR outcome = 'CONVERTED') AS connected,
    coalesce(sum(duration_seconds) FILTER (
      WHERE outcome = 'CONNECTED' OR outcome = 'CALLBACK' OR outcome = 'CONVERTED'), 0) AS talk_seconds,
    count(*) FILTER (WHERE outcome = 'CONVERTED') AS conversions FROM sales_call_facts GROUP BY 1, 2, 3`,

  assignment_quarters: `SELECT org_id, ${quarter('assigned_at')}, representative_id, count(*) AS changes, sum(contacts) AS contacts
    FROM assignment_facts GROUP BY 1, 2, 3`,
};
