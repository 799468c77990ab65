import type { FactTable } from './fact-table';

const one = (condition: string) => `(${condition})::int`;

/** Places in a conversation are told apart up to the twentieth turn. */
export const placesMax = 20;

/** A bin is 8 % wider than the one before: its middle is within 4 % of everything in it. */
export const binGrowth = 1.08;
const binsMax = 160;
const binOf = (ms: string) =>
  `CASE WHEN ${ms} < 1 THEN 0 ELSE least(${binsMax}, 1 + floor(ln(${ms}::float8) / ln(${binGrowth}::float8)))::int END`;

/** Where each part of a turn's wait stands. */
export const latencyColumns = {
  endOfTurn: 'end_of_turn_ms',
  transcription: 'transcription_ms',
  retrieval: 'retrieval_ms',
  firstToken: 'first_token_ms',
  firstAudio: 'first_audio_ms',
  pacing: 'pacing_ms',
  total: 'total_ms',
} as const;
const parts = Object.entries(latencyColumns).map(([part, column]) => `('${part}', ${column})`);
const isCounted = `status <> 'DISCARDED'`;

/** Turns by what they came to. */
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

/** Turns by their place in the conversation. */
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

/** A histogram of each part of the wait; histograms of quarters add up to that of any span. */
export const latencyQuarters = {
  name: 'latency_quarters',
  dimensions: { agent_id: 'int', channel: 'text', part: 'text', bin: 'smallint' },
  measures: ['turns'],
  contribution: `agent_id, channel, measured.part, ${binOf('measured.ms')}::smallint AS bin, 1 AS turns
    FROM fact CROSS JOIN LATERAL (VALUES ${parts.join(', ')}) AS measured (part, ms)
    WHERE measured.ms IS NOT NULL AND ${isCounted}`,
};

/** Providers that failed in turns, by how. */
export const failureQuarters = {
  name: 'failure_quarters',
  dimensions: { agent_id: 'int', role: 'text', provider: 'text', kind: 'text' },
  measures: ['errors'],
  contribution: `agent_id, failed.role, failed.provider, failed.kind, 1 AS errors
    FROM fact CROSS JOIN LATERAL jsonb_to_recordset(provider_errors) AS failed (role text, provider text, kind text)
    WHERE provider_errors IS NOT NULL AND ${isCounted}`,
};

/** A turn of a conversation, as conversation last told it. */
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
