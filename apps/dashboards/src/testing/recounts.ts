/** From the first day to the last ($2, $3) in a time zone ($4), for one organization ($1) and some agents ($5, null for all). */
const within = (at: string) => `org_id = $1 AND (${at} AT TIME ZONE $4)::date BETWEEN $2::date AND $3::date`;
const ofAgents = '($5::int[] IS NULL OR agent_id = ANY($5))';
const ofRepresentatives = `${within('started_at')} AND ($5::int[] IS NULL OR representative_id = ANY($5))`;
const isConnected = `outcome IN ('CONNECTED', 'CALLBACK', 'CONVERTED')`;
const salesFigures = `count(*)::int AS calls, count(*) FILTER (WHERE ${isConnected})::int AS "connectedCalls",
  coalesce(sum(duration_seconds) FILTER (WHERE ${isConnected}), 0)::int AS "talkSeconds",
  count(*) FILTER (WHERE outcome = 'CONVERTED')::int AS conversions`;
const percentile = (share: number) => `percentile_disc(${share}) WITHIN GROUP (ORDER BY ms)`;

/**
 * The definition of each figure as a readable count over the facts: for one organization ($1), from day ($2) to day ($3) in a
 * time zone ($4), for some agents or representatives ($5, null for all), trends by steps of a width ($6). Slow on purpose; tests
 * compare the endpoints with them.
 */
export const recounts = {
  getDashboardCount: `
SELECT (queued_at AT TIME ZONE $4)::date::text AS date,
  count(*)::int AS "totalCalls",
  count(*) FILTER (WHERE state = 'COMPLETED')::int AS completed,
  count(*) FILTER (WHERE answered_at IS NOT NULL OR state = 'IN_PROGRESS')::int AS answered,
  count(*) FILTER (WHERE state = 'MISSED')::int AS missed,
  count(*) FILTER (WHERE state = 'FAILED')::int AS failed,
  count(*) FILTER (WHERE state = 'CANCELLED')::int AS cancelled,
  count(*) FILTER (WHERE state IN ('QUEUED', 'RINGING', 'IN_PROGRESS'))::int AS open,
  coalesce(round(avg(duration_seconds) FILTER (
    WHERE answered_at IS NOT NULL AND state NOT IN ('QUEUED', 'RINGING', 'IN_PROGRESS')), 2), 0)::float8 AS "averageDurationSeconds"
FROM call_facts WHERE ${within('queued_at')} AND ${ofAgents}
GROUP BY 1 ORDER BY 1`,

  getCampaignDashboard: `
SELECT campaign_id AS "CampaignID", count(*)::int AS "totalCalls",
  count(*) FILTER (WHERE answered_at IS NOT NULL OR state = 'IN_PROGRESS')::int AS answered,
  count(DISTINCT (campaign_contact_id, contact_id)) FILTER (
    WHERE (answered_at IS NOT NULL OR state = 'IN_PROGRESS') AND is_machine IS NOT TRUE AND coalesce(campaign_contact_id, contact_id) IS NOT NULL)::int AS "contactsReached"
FROM call_facts WHERE campaign_id IS NOT NULL AND ${within('queued_at')} AND ${ofAgents}
GROUP BY 1 ORDER BY 1`,

  getSalesSummary: `
SELECT ${salesFigures}, (
    SELECT greatest(0, coalesce(sum(contacts), 0))::int FROM assignment_facts WHERE org_id = $1
      AND (assigned_at AT TIME ZONE $4)::date <= $3::date AND ($5::int[] IS NULL OR representative_id = ANY($5))
  ) AS "assignedContacts"
FROM sales_call_facts WHERE ${ofRepresentatives}`,

  getSalesLeaderboard: `
SELECT representative_id AS "SalesUserID", ${salesFigures}
FROM sales_call_facts WHERE ${ofRepresentatives}
GROUP BY 1 ORDER BY 1`,

  getCallTrends: `
SELECT to_char(CASE $6 WHEN 'hour' THEN
    date_trunc('day', started_at, $4) + floor(extract(epoch FROM started_at - date_trunc('day', started_at, $4)) / 3600) * interval '1 hour'
    ELSE date_trunc($6, started_at, $4) END AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at,
  ${salesFigures}
FROM sales_call_facts WHERE ${ofRepresentatives}
GROUP BY 1 ORDER BY 1`,

  getTargetAchievement: `
SELECT target_id AS "SalesTargetID", (
    SELECT coalesce(sum(CASE metric WHEN 'CALLS' THEN 1 WHEN 'TALK_SECONDS' THEN duration_seconds ELSE 1 END), 0)::int
    FROM sales_call_facts c WHERE c.org_id = t.org_id AND c.representative_id = t.representative_id
      AND (started_at AT TIME ZONE $4)::date BETWEEN start_date AND end_date
      AND (metric = 'CALLS' OR (metric = 'CONVERSIONS' AND outcome = 'CONVERTED')
        OR (metric IN ('CONNECTED_CALLS', 'TALK_SECONDS') AND outcome IN ('CONNECTED', 'CALLBACK', 'CONVERTED')))
  ) AS achieved
FROM sales_targets t WHERE org_id = $1 AND start_date <= $3::date AND end_date >= $2::date
  AND ($5::int[] IS NULL OR representative_id = ANY($5)) ORDER BY 1`,

  getLatencyFigures: `
SELECT agent_id AS "AgentID", channel, part, count(*)::int AS turns, ${percentile(0.5)} AS "p50Ms", ${percentile(0.9)} AS "p90Ms",
  ${percentile(0.95)} AS "p95Ms", ${percentile(0.99)} AS "p99Ms"
FROM turn_facts CROSS JOIN LATERAL (VALUES ('endOfTurn', end_of_turn_ms), ('transcription', transcription_ms),
  ('retrieval', retrieval_ms), ('firstToken', first_token_ms), ('firstAudio', first_audio_ms), ('pacing', pacing_ms),
  ('total', total_ms)) AS waits (part, ms)
WHERE ms IS NOT NULL AND status <> 'DISCARDED' AND ${within('asked_at')} AND ${ofAgents}
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,

  getUsageFigures: `
SELECT (charged_at AT TIME ZONE $4)::date::text AS date, nullif(agent_id, 0) AS "AgentID", kind,
  sum(units)::int AS units, sum(requests)::int AS requests
FROM usage_facts WHERE ${within('charged_at')} AND ${ofAgents}
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,

  usedByTurns: `
SELECT (asked_at AT TIME ZONE $4)::date::text AS date, agent_id AS "AgentID", sum(prompt_tokens)::int AS "promptTokens",
  sum(completion_tokens)::int AS "completionTokens", sum(audio_seconds)::int AS "audioSeconds"
FROM turn_facts WHERE status <> 'DISCARDED' AND ${within('asked_at')} AND ${ofAgents}
GROUP BY 1, 2 ORDER BY 1, 2`,

  soundOfConversations: `
SELECT (started_at AT TIME ZONE $4)::date::text AS date, agent_id AS "AgentID", sum(heard_seconds)::int AS "heardSeconds",
  sum(spoken_seconds)::int AS "spokenSeconds"
FROM session_facts WHERE ${within('started_at')} AND ${ofAgents}
GROUP BY 1, 2 ORDER BY 1, 2`,

  getConversationFigures: `
SELECT agent_id AS "AgentID", count(*)::int AS conversations,
  count(*) FILTER (WHERE turn_count > 0)::int AS engaged,
  count(*) FILTER (WHERE turn_count > 0 AND outcome <> 'TRANSFERRED')::int AS contained,
  count(*) FILTER (WHERE outcome = 'ANSWERED')::int AS answered,
  count(*) FILTER (WHERE outcome = 'UNANSWERED')::int AS unanswered,
  count(*) FILTER (WHERE outcome = 'TRANSFERRED')::int AS transferred,
  count(*) FILTER (WHERE outcome = 'ABANDONED')::int AS abandoned,
  count(*) FILTER (WHERE outcome = 'FAILED')::int AS failed,
  count(*) FILTER (WHERE is_unheard)::int AS unheard,
  count(*) FILTER (WHERE channel IN ('VOICE', 'PHONE') AND reason = 'ENDED_BY_USER')::int AS "hungUp"
FROM session_facts WHERE ${within('started_at')} AND ${ofAgents}
GROUP BY 1 ORDER BY 1`,

  turnsByLanguage: `
SELECT language, count(*)::int AS turns
FROM turn_facts WHERE status <> 'DISCARDED' AND ${within('asked_at')} AND ${ofAgents}
GROUP BY 1 ORDER BY 2 DESC, 1`,

  turnsByPlace: `
SELECT least(turn_number, 20) AS turn, count(*)::int AS turns,
  count(*) FILTER (WHERE status = 'INTERRUPTED')::int AS "interruptedTurns"
FROM turn_facts WHERE status <> 'DISCARDED' AND ${within('asked_at')} AND ${ofAgents}
GROUP BY 1 ORDER BY 1`,

  providerErrors: `
SELECT error ->> 'role' AS role, error ->> 'provider' AS provider, error ->> 'kind' AS kind, count(*)::int AS errors
FROM (
  SELECT provider_errors FROM turn_facts
  WHERE provider_errors IS NOT NULL AND status <> 'DISCARDED' AND ${within('asked_at')} AND ${ofAgents}
  UNION ALL
  SELECT provider_errors FROM session_facts WHERE provider_errors IS NOT NULL AND ${within('started_at')} AND ${ofAgents}
) failed CROSS JOIN LATERAL jsonb_array_elements(provider_errors) error
GROUP BY 1, 2, 3 ORDER BY 4 DESC, 2`,

  getFaqHits: `
SELECT faq_id AS "KBFAQID", count(*)::int AS hits
FROM turn_facts WHERE faq_id IS NOT NULL AND status <> 'DISCARDED' AND ${within('asked_at')} AND ${ofAgents}
GROUP BY 1 ORDER BY 2 DESC, 1`,

  getUnansweredQuestions: `
SELECT count(*)::int AS questions
FROM turn_facts WHERE question ~ '\\S+\\s+\\S+\\s+\\S+' AND NOT is_known AND status IN ('COMPLETED', 'INTERRUPTED')
  AND ${within('asked_at')} AND ${ofAgents}`,

  getVoiceQuality: `
SELECT count(*)::int AS calls, coalesce(round(sum(late_frames)::numeric / nullif(sum(frames), 0), 6), 0)::float8 AS "lateFrameRate",
  coalesce(round(sum(lost_frames)::numeric / nullif(sum(frames) FILTER (WHERE lost_frames IS NOT NULL), 0), 6), 0)::float8 AS "lostFrameRate",
  coalesce(round(avg(jitter_us) / 1000, 2), 0)::float8 AS "averageJitterMs",
  count(*) FILTER (WHERE is_one_way)::int AS "oneWayCalls"
FROM call_facts WHERE frames IS NOT NULL AND ${within('queued_at')} AND ${ofAgents}`,
} as const;
