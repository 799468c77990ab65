import type { FactTable } from './fact-table';
import { placesMax } from './turn-facts';

const one = (condition: string) => `(${condition})::int`;
const isHungUp = `channel IN ('VOICE', 'PHONE') AND reason IN ('ENDED_BY_USER', 'CALL_ENDED')`;

/** Conversations by how they ended. */
export const sessionQuarters = {
  name: 'session_quarters',
  days: 'session_days',
  dimensions: { agent_id: 'int', channel: 'text' },
  measures: ['sessions', 'engaged', 'contained', 'answered', 'unanswered', 'transferred', 'abandoned', 'failed', 'hung_up'],
  contribution: `agent_id, channel, 1 AS sessions, ${one('turn_count > 0')} AS engaged,
    ${one(`turn_count > 0 AND outcome <> 'TRANSFERRED'`)} AS contained, ${one(`outcome = 'ANSWERED'`)} AS answered,
    ${one(`outcome = 'UNANSWERED'`)} AS unanswered, ${one(`outcome = 'TRANSFERRED'`)} AS transferred,
    ${one(`outcome = 'ABANDONED'`)} AS abandoned, ${one(`outcome = 'FAILED'`)} AS failed, ${one(isHungUp)} AS hung_up FROM fact`,
};

/** After how many turns callers hang up. */
export const hangUpQuarters = {
  name: 'hang_up_quarters',
  days: 'hang_up_days',
  dimensions: { agent_id: 'int', place: 'smallint' },
  measures: ['hung_up'],
  contribution: `agent_id, least(turn_count, ${placesMax})::smallint AS place, 1 AS hung_up FROM fact WHERE ${isHungUp}`,
};

/** A conversation that has ended. One that was taken up again ends again, and the later end stands. */
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
  },
  figures: [sessionQuarters, hangUpQuarters],
};

/** The agent of a charge that belongs to none. */
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
