import type { FactTable } from './fact-table';

const isAnswered = `(answered_at IS NOT NULL OR state = 'IN_PROGRESS')`;
const isOpen = `state IN ('QUEUED', 'RINGING', 'IN_PROGRESS')`;
const one = (condition: string) => `(${condition})::int`;

const counts = `
  1 AS total, ${one(`state = 'COMPLETED'`)} AS completed, ${one(isAnswered)} AS answered, ${one(`state = 'MISSED'`)} AS missed,
  ${one(`state = 'FAILED'`)} AS failed, ${one(`state = 'CANCELLED'`)} AS cancelled, ${one(isOpen)} AS open,
  ${one(`${isAnswered} AND NOT ${isOpen}`)} AS talks, CASE WHEN ${isAnswered} AND NOT ${isOpen} THEN duration_seconds ELSE 0 END AS talk_seconds`;
const measures = ['total', 'completed', 'answered', 'missed', 'failed', 'cancelled', 'open', 'talks', 'talk_seconds'];

/** Telephone calls by agent. */
export const callQuarters = {
  name: 'call_quarters',
  days: 'call_days',
  dimensions: { agent_id: 'int' },
  measures,
  contribution: `agent_id, ${counts} FROM fact`,
};

/** Calls of campaigns. */
export const campaignQuarters = {
  name: 'campaign_quarters',
  days: 'campaign_days',
  dimensions: { campaign_id: 'int', agent_id: 'int' },
  measures,
  contribution: `campaign_id, agent_id, ${counts} FROM fact WHERE campaign_id IS NOT NULL`,
};

/** How calls sounded. */
export const qualityQuarters = {
  name: 'quality_quarters',
  days: 'quality_days',
  dimensions: { agent_id: 'int' },
  measures: ['calls', 'frames', 'late_frames', 'jitter_us', 'one_way', 'lost_frames', 'packet_frames'],
  contribution: `agent_id, 1 AS calls, frames, late_frames, jitter_us, is_one_way::int AS one_way,
    coalesce(lost_frames, 0) AS lost_frames, CASE WHEN lost_frames IS NULL THEN 0 ELSE frames END AS packet_frames FROM fact WHERE frames IS NOT NULL`,
};

/** A telephone call, as last reported by its bridge. */
export const callFacts: FactTable = {
  name: 'call_facts',
  key: 'call_key',
  at: 'queued_at',
  columns: {
    call_id: 'bigint',
    agent_id: 'int',
    campaign_id: 'int',
    campaign_contact_id: 'bigint',
    contact_id: 'bigint',
    direction: 'text',
    state: 'text',
    is_machine: 'boolean',
    session_uuid: 'uuid',
    answered_at: 'timestamptz',
    ended_at: 'timestamptz',
    duration_seconds: 'int',
    frames: 'bigint',
    late_frames: 'bigint',
    jitter_us: 'bigint',
    is_one_way: 'boolean',
    lost_frames: 'bigint',
  },
  figures: [callQuarters, campaignQuarters, qualityQuarters],
};

/** Turns are counted by position in the conversation up to the twentieth. */
const placesMax = 20;

/** Each bin is 8 % wider than the previous one, so its middle is within 4 % of every value in it. */
export const binGrowth = 1.08;
const binsMax = 160;
const binOf = (ms: string) =>
  `CASE WHEN ${ms} < 1 THEN 0 WHEN ${ms} >= 1 THEN least(${binsMax}, 1 + floor(ln(${ms}::float8) / ln(${binGrowth}::float8)))::int END`;

/** The column of each part of a turn's delay. */
export const latencyColumns = {
  endOfTurn: 'end_of_turn_ms',
  transcription: 'transcription_ms',
  retrieval: 'retrieval_ms',
  firstToken: 'first_token_ms',
  firstAudio: 'first_audio_ms',
  pacing: 'pacing_ms',
  total: 'total_ms',
} as const;
/** A code combines the position of a part, counted from 1, and the bin. */
const codes = Object.values(latencyColumns).map((column, index) => `${256 * (index + 1)} + ${binOf(column)}`);
const partNames = `ARRAY[${Object.keys(latencyColumns)
  .map((part) => `'${part}'`)
  .join(', ')}]`;
const isCounted = `status <> 'DISCARDED'`;

/** Turns by their outcome. */
export const turnQuarters = {
  name: 'turn_quarters',
  days: 'turn_days',
  dimensions: { agent_id: 'int', channel: 'text', language: 'text' },
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
  contribution: `agent_id, channel, language, 1 AS turns, ${one(`status = 'INTERRUPTED'`)} AS interrupted,
    ${one(`status = 'FAILED'`)} AS failed, ${one(`status = 'LOST'`)} AS lost, is_from_faq::int AS from_faq, is_known::int AS known,
    prompt_tokens, completion_tokens, audio_seconds FROM fact WHERE ${isCounted}`,
};

/** Turns by their position in the conversation. */
export const placeQuarters = {
  name: 'place_quarters',
  days: 'place_days',
  dimensions: { agent_id: 'int', place: 'smallint' },
  measures: ['turns', 'interrupted'],
  contribution: `agent_id, least(turn_number, ${placesMax})::smallint AS place, 1 AS turns,
    ${one(`status = 'INTERRUPTED'`)} AS interrupted FROM fact WHERE ${isCounted}`,
};

/** How often stored answers were given. */
export const faqQuarters = {
  name: 'faq_quarters',
  days: 'faq_days',
  dimensions: { agent_id: 'int', faq_id: 'int' },
  measures: ['hits'],
  contribution: `agent_id, faq_id, 1 AS hits FROM fact WHERE faq_id IS NOT NULL AND ${isCounted}`,
};

/** A histogram of each part of the delay. Histograms of quarters can be added up to that of any span. */
export const latencyQuarters = {
  name: 'latency_histograms',
  days: 'latency_days',
  packed: {
    dimensions: ['part', 'bin'],
    columns: `(${partNames})[code / 256] AS part, (code % 256)::smallint AS bin`,
  },
  dimensions: { agent_id: 'int', channel: 'text', part: 'text', bin: 'smallint' },
  measures: ['turns'],
  contribution: `agent_id, channel, unnest(array_remove(ARRAY[${codes.join(', ')}], NULL)) AS code, 1 AS turns FROM fact WHERE ${isCounted}`,
};

const failures = {
  dimensions: { agent_id: 'int', role: 'text', provider: 'text', kind: 'text' },
  measures: ['errors'],
  contribution: `agent_id, failed.role, failed.provider, failed.kind, 1 AS errors
    FROM fact CROSS JOIN LATERAL jsonb_to_recordset(provider_errors) AS failed (role text, provider text, kind text)
    WHERE provider_errors IS NOT NULL`,
};

/** Providers that failed in turns, by kind of failure. */
export const failureQuarters = {
  ...failures,
  name: 'failure_quarters',
  contribution: `${failures.contribution} AND ${isCounted}`,
};

/** A turn of a conversation, as last reported by the conversation service. */
export const turnFacts: FactTable = {
  name: 'turn_facts',
  key: 'turn_uuid',
  at: 'asked_at',
  columns: {
    session_uuid: 'uuid',
    agent_id: 'int',
    channel: 'text',
    language: 'text',
    turn_number: 'int',
    status: 'text',
    is_from_faq: 'boolean',
    is_known: 'boolean',
    faq_id: 'int',
    faq_title: 'text',
    question: 'text',
    prompt_tokens: 'int',
    completion_tokens: 'int',
    audio_seconds: 'int',
    ...Object.fromEntries(Object.values(latencyColumns).map((column) => [column, 'real'])),
    provider_errors: 'jsonb',
  },
  figures: [turnQuarters, placeQuarters, faqQuarters, latencyQuarters, failureQuarters],
};

const isHungUp = `channel IN ('VOICE', 'PHONE') AND reason = 'ENDED_BY_USER'`;

/** Conversations by how they ended. */
export const sessionQuarters = {
  name: 'session_quarters',
  days: 'session_days',
  dimensions: { agent_id: 'int', channel: 'text' },
  measures: [
    ...['sessions', 'engaged', 'contained', 'answered', 'unanswered', 'transferred', 'abandoned', 'failed', 'hung_up'],
    ...['unheard', 'heard_seconds', 'spoken_seconds'],
  ],
  contribution: `agent_id, channel, 1 AS sessions, ${one('turn_count > 0')} AS engaged,
    ${one(`turn_count > 0 AND outcome <> 'TRANSFERRED'`)} AS contained, ${one(`outcome = 'ANSWERED'`)} AS answered,
    ${one(`outcome = 'UNANSWERED'`)} AS unanswered, ${one(`outcome = 'TRANSFERRED'`)} AS transferred,
    ${one(`outcome = 'ABANDONED'`)} AS abandoned, ${one(`outcome = 'FAILED'`)} AS failed, ${one(isHungUp)} AS hung_up,
    is_unheard::int AS unheard, heard_seconds, spoken_seconds FROM fact`,
};

/** Providers that failed in conversations without a turn that reports it. */
export const sessionFailureQuarters = { ...failures, name: 'session_failure_quarters' };

/** After how many turns callers hang up. */
export const hangUpQuarters = {
  name: 'hang_up_quarters',
  days: 'hang_up_days',
  dimensions: { agent_id: 'int', place: 'smallint' },
  measures: ['hung_up'],
  contribution: `agent_id, least(turn_count, ${placesMax})::smallint AS place, 1 AS hung_up FROM fact WHERE ${isHungUp}`,
};

/** A conversation that has ended. One that is resumed ends again, and the later end counts. */
export const sessionFacts: FactTable = {
  name: 'session_facts',
  key: 'session_uuid',
  at: 'started_at',
  columns: {
    agent_id: 'int',
    channel: 'text',
    reason: 'text',
    outcome: 'text',
    duration_seconds: 'int',
    turn_count: 'int',
    total_tokens: 'bigint',
    is_unheard: 'boolean',
    heard_seconds: 'int',
    spoken_seconds: 'int',
    provider_errors: 'jsonb',
  },
  figures: [sessionQuarters, hangUpQuarters, sessionFailureQuarters],
};

/** Stands for the agent of a charge without one. */
export const noAgent = 0;

/** Credits by agent and kind. */
export const usageQuarters = {
  name: 'usage_quarters',
  days: 'usage_days',
  dimensions: { agent_id: 'int', kind: 'text' },
  measures: ['requests', 'units'],
  contribution: `agent_id, kind, requests, units FROM fact`,
};

/** What one commit of the gateway charged for one agent. */
export const usageFacts: FactTable = {
  name: 'usage_facts',
  key: 'event_id',
  at: 'charged_at',
  columns: { agent_id: 'int', kind: 'text', requests: 'int', units: 'bigint' },
  figures: [usageQuarters],
};

const isConnected = `outcome IN ('CONNECTED', 'CALLBACK', 'CONVERTED')`;

/** Calls of sales representatives. */
export const salesQuarters = {
  name: 'sales_quarters',
  days: 'sales_days',
  dimensions: { representative_id: 'int' },
  measures: ['calls', 'connected', 'talk_seconds', 'conversions'],
  contribution: `representative_id, 1 AS calls, (${isConnected})::int AS connected,
    CASE WHEN ${isConnected} THEN duration_seconds ELSE 0 END AS talk_seconds, (outcome = 'CONVERTED')::int AS conversions FROM fact`,
};

/** A call reported by a representative; if the phone was offline, it counts on the day of the call. */
export const salesCallFacts: FactTable = {
  name: 'sales_call_facts',
  key: 'sales_call_key',
  at: 'started_at',
  columns: { representative_id: 'int', contact_id: 'bigint', duration_seconds: 'int', outcome: 'text' },
  figures: [salesQuarters],
};

/** How many contacts representatives were assigned, and how many they lost. */
export const assignmentQuarters = {
  name: 'assignment_quarters',
  dimensions: { representative_id: 'int' },
  measures: ['changes', 'contacts'],
  contribution: `representative_id, 1 AS changes, contacts FROM fact`,
  isKept: true as const,
};

/** Contacts that were assigned to a representative, or taken away. */
export const assignmentFacts: FactTable = {
  name: 'assignment_facts',
  key: 'event_id',
  at: 'assigned_at',
  columns: { representative_id: 'int', contacts: 'int' },
  figures: [assignmentQuarters],
};

/** Every kind of fact. */
export const factTables: readonly FactTable[] = [callFacts, turnFacts, sessionFacts, usageFacts, salesCallFacts, assignmentFacts];
