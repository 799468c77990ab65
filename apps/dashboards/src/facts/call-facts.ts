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

/** A telephone call, as its bridge last told it. */
export const callFacts: FactTable = {
  name: 'call_facts',
  key: 'call_key',
  at: 'queued_at',
  columns: {
    call_id: 'int',
    agent_id: 'int',
    campaign_id: 'int',
    contact_id: 'int',
    direction: 'text',
    state: 'text',
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
