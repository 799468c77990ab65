import { isRemembered, isSpokenTo } from '../sessions/session.entity';

/** How long a turn holds its session without renewal, and so how long a dead replica holds it. */
export const leaseSeconds = 15;
const leased = `now() + interval '${leaseSeconds} seconds'`;

const historyMax = 60;

/** SQL for the turns that the summary does not cover, up to a limit, oldest first. */
export const latestOf = (sessionId: string): string => `
  SELECT coalesce(json_agg(json_build_object('id', id::text, 'question', question, 'answer', answer,
    'isInterrupted', status <> 'COMPLETED') ORDER BY id), '[]')
  FROM (
    SELECT turns.id, question, answer, turns.status FROM turns JOIN sessions ON sessions.id = session_id
    WHERE session_id = ${sessionId} AND turns.id > summarized_turn_id AND ${isRemembered}
    ORDER BY turns.id DESC LIMIT ${historyMax}
  ) past`;

/** SQL that records changes of turns, for services that fetch and count changed turns. */
export const tellOf = (changed: string): string =>
  `INSERT INTO turn_changes (org_id, turn_uuid) SELECT org_id, turn_uuid FROM ${changed}`;

/** SQL condition: whether services that count are told what was asked in a turn. */
export const isToldWithQuestion = `NOT turns.is_known AND turns.status IN ('COMPLETED', 'INTERRUPTED')`;

/**
 * SQL for a statement's parameter as a table. Postgres would estimate a hundred rows and scan everything of the organization; the
 * condition, which is always true, makes it estimate one row and look up by key.
 */
const given = (name: string, ...columns: string[]): string => `${name} AS MATERIALIZED (
    SELECT * FROM ROWS FROM (jsonb_to_recordset($2) AS (${['turn_uuid uuid, session_uuid uuid', ...columns].join(', ')})) WITH ORDINALITY
    WHERE ordinality - ordinality = 0
  )`;

// A session locked by another transaction is skipped, never waited for: a blocked one must not block the others, and transactions
// that do not wait cannot deadlock. Sessions are selected by id alone; row-level security restricts the statement to the
// organization.

const endColumns = `status text, answer text, language text, sources jsonb, latency jsonb, prompt_tokens int, completion_tokens int,
  is_from_faq boolean, is_known boolean, is_unanswered boolean, kb_id int, question text, audio_seconds int, provider_errors jsonb,
  summary text, summarized_turn_id bigint`;
const sessionColumns = 'agent_id int, variables jsonb, agent_key_id uuid, agent_name text, channel text';

/**
 * Ends turns and admits the next ones to their sessions: the answer and the session's sums are written together. For a turn that has
 * already ended, because the reply to its commit was lost, it returns the same as before.
 */
const closing = `
  WITH ${given('ended', endColumns)}, held AS MATERIALIZED (
    SELECT sessions.id, ended.* FROM ended JOIN sessions ON sessions.session_uuid = ended.session_uuid
    WHERE busy_turn = turn_uuid FOR NO KEY UPDATE OF sessions SKIP LOCKED
  ), closed AS (
    UPDATE sessions SET busy_turn = NULL, busy_until = NULL, active_on = now(), language = held.language,
      turn_count = turn_count + (held.status <> 'FAILED')::int, known_count = known_count + held.is_known::int,
      prompt_tokens = sessions.prompt_tokens + held.prompt_tokens,
      completion_tokens = sessions.completion_tokens + held.completion_tokens,
      preview = CASE WHEN preview = '' THEN left(held.question, 200) ELSE preview END,
      summary = coalesce(held.summary, sessions.summary),
      summarized_turn_id = coalesce(held.summarized_turn_id, sessions.summarized_turn_id),
      duration_seconds = ceil(extract(epoch FROM now() - created_on))::int
    FROM held WHERE sessions.id = held.id RETURNING sessions.org_id, held.*
  ), answered AS (
    UPDATE turns SET status = closed.status,
      answer = CASE WHEN closed.status IN ('INTERRUPTED', 'FAILED') AND closed.answer = '' THEN turns.answer ELSE closed.answer END,
      question = CASE WHEN turns.question = '' THEN closed.question ELSE turns.question END, sources = closed.sources, latency = closed.latency,
      prompt_tokens = closed.prompt_tokens, completion_tokens = closed.completion_tokens, is_from_faq = closed.is_from_faq,
      is_known = closed.is_known, is_unanswered = coalesce(closed.is_unanswered, false), kb_id = closed.kb_id, audio_seconds = closed.audio_seconds,
      provider_errors = closed.provider_errors, answered_on = now()
    FROM closed WHERE turns.turn_uuid = closed.turn_uuid AND closed.org_id = $1
  ), told AS (
    ${tellOf('closed')}
  )
  SELECT turns.turn_uuid AS "turnUuid",
    coalesce(closed.id, CASE WHEN turns.status <> 'RUNNING' THEN session_id END) AS "sessionId"
  FROM ended JOIN turns ON turns.turn_uuid = ended.turn_uuid LEFT JOIN closed ON closed.turn_uuid = ended.turn_uuid
  WHERE turns.status <> 'LOST'`;

/**
 * Claims sessions, each for the first turn that asks, unless another turn holds it. It is a single statement, so that no two replicas
 * claim the same one. A turn left by a dead replica is marked as lost, and an ended conversation is reopened. If a session changes
 * meanwhile, its current state is claimed, but its turns are those read before. The sum keeps Postgres from reading all sessions of
 * an agent.
 */
const claiming = `
  WITH ${given('asked', 'agent_id int, question text, variables jsonb, is_spoken boolean, usual_pause_ms real')}, free AS MATERIALIZED (
    SELECT sessions.id, asked.* FROM (SELECT DISTINCT ON (session_uuid) * FROM asked ORDER BY session_uuid, ordinality) asked
    JOIN sessions ON sessions.session_uuid = asked.session_uuid AND sessions.agent_id + 0 = asked.agent_id
    WHERE busy_turn IS NULL OR busy_turn = turn_uuid OR busy_until < now() FOR NO KEY UPDATE OF sessions SKIP LOCKED
  ), claimed AS (
    UPDATE sessions SET busy_turn = turn_uuid, busy_until = ${leased}, active_on = now(),
      variables = sessions.variables || free.variables, status = 'OPEN', ended_on = NULL, outcome = NULL, end_reason = NULL,
      usual_pause_ms = coalesce(free.usual_pause_ms, sessions.usual_pause_ms)
    FROM free WHERE sessions.id = free.id
    RETURNING sessions.id, turn_uuid, question, is_spoken, channel, language, sessions.variables, summary, summarized_turn_id, turn_count
  ), lost AS (
    UPDATE turns SET answered_on = now(),
      status = CASE WHEN turns.question <> '' AND ${isSpokenTo('claimed')} THEN 'INTERRUPTED' ELSE 'LOST' END
    FROM claimed WHERE session_id = claimed.id AND turns.status = 'RUNNING' AND turns.turn_uuid <> claimed.turn_uuid
    RETURNING turns.org_id, turns.turn_uuid
  ), told AS (
    ${tellOf('lost')}
  ), begun AS (
    INSERT INTO turns (org_id, session_id, turn_uuid, status, question, is_spoken)
    SELECT $1, id, turn_uuid, 'RUNNING', question, coalesce(is_spoken, false) FROM claimed
    ON CONFLICT (turn_uuid) DO NOTHING
  )
  SELECT asked.turn_uuid AS "turnUuid", claimed.id AS "sessionId", CASE WHEN claimed.id IS NOT NULL THEN json_build_object(
    'channel', claimed.channel, 'language', claimed.language, 'variables', claimed.variables, 'summary', claimed.summary,
    'summarizedTurnId', claimed.summarized_turn_id::text, 'isStale', claimed.turn_count <> known.turn_count,
    'history', (${latestOf('claimed.id')})) END AS claimed
  FROM asked JOIN sessions known ON known.session_uuid = asked.session_uuid AND known.agent_id + 0 = asked.agent_id
    LEFT JOIN claimed ON claimed.turn_uuid = asked.turn_uuid`;

/** Creates sessions and claims each for its first turn. They have no history, and nobody else knows them yet. */
const creating = `
  WITH ${given('asked', sessionColumns, 'question text, language text')}, created AS (
    INSERT INTO sessions
      (org_id, busy_turn, session_uuid, agent_id, busy_until, variables, agent_key_id, agent_name, channel, language)
    SELECT $1, turn_uuid, session_uuid, agent_id, ${leased}, variables, agent_key_id, agent_name, channel, language FROM asked
    ON CONFLICT (session_uuid) DO NOTHING RETURNING id, busy_turn
  )
  INSERT INTO turns (org_id, session_id, turn_uuid, status, question)
  SELECT $1, created.id, turn_uuid, 'RUNNING', question FROM created JOIN asked ON turn_uuid = busy_turn`;

/**
 * Stores turns together with their new sessions when they end, for turns of which nothing was stored before. For a turn that is
 * already stored, because the reply to its commit was lost, it returns the same as before.
 */
const recording = `
  WITH ${given('ended', endColumns, sessionColumns, 'taken_ms int')}, created AS (
    INSERT INTO sessions (org_id, session_uuid, agent_id, variables, agent_key_id, agent_name, channel, language, turn_count,
      known_count, prompt_tokens, completion_tokens, preview, summary, summarized_turn_id, created_on, duration_seconds)
    SELECT $1, session_uuid, agent_id, variables, agent_key_id, agent_name, channel, language, (status NOT IN ('FAILED', 'DISCARDED'))::int,
      is_known::int, prompt_tokens, completion_tokens, left(question, 200), coalesce(summary, ''), coalesce(summarized_turn_id, 0),
      now() - taken_ms * interval '1 millisecond', ceil(taken_ms / 1000.0)::int
    FROM ended ON CONFLICT (session_uuid) DO NOTHING RETURNING id, session_uuid
  ), stored AS (
    INSERT INTO turns (org_id, session_id, turn_uuid, status, answer, question, sources, latency, prompt_tokens, completion_tokens,
      is_from_faq, is_known, is_unanswered, kb_id, audio_seconds, provider_errors, asked_on, answered_on)
    SELECT $1, created.id, turn_uuid, status, answer, question, sources, latency, prompt_tokens, completion_tokens, is_from_faq,
      is_known, coalesce(is_unanswered, false), kb_id, audio_seconds, provider_errors, now() - taken_ms * interval '1 millisecond', now()
    FROM ended JOIN created ON created.session_uuid = ended.session_uuid RETURNING org_id, turn_uuid, session_id
  ), told AS (
    ${tellOf('stored')}
  )
  SELECT ended.turn_uuid AS "turnUuid", coalesce(stored.session_id, turns.session_id) AS "sessionId"
  FROM ended LEFT JOIN stored ON stored.turn_uuid = ended.turn_uuid LEFT JOIN turns ON turns.turn_uuid = ended.turn_uuid
  WHERE stored.session_id IS NOT NULL OR turns.session_id IS NOT NULL`;

/** Renews leases. A skipped one still lasts for the next two renewals. */
const renewing = `
  WITH ${given('held')}, kept AS MATERIALIZED (
    SELECT sessions.id FROM held JOIN sessions ON sessions.session_uuid = held.session_uuid
    WHERE busy_turn = turn_uuid FOR NO KEY UPDATE OF sessions SKIP LOCKED
  )
  UPDATE sessions SET busy_until = ${leased} FROM kept WHERE sessions.id = kept.id AND org_id = $1`;

/**
 * The statements that change turns, each for many turns of an organization. Their parameters are its id and a JSON array with a row
 * per turn. They run in this order, so that a turn waiting for one that ends in the same commit gets its session at once.
 */
export const turnStatements = { closing, recording, claiming, creating, renewing };
