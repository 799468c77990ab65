import type { FactTable } from './fact-table';

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
