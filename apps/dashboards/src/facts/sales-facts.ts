import type { FactTable } from './fact-table';

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

/** A call that a representative reported; one from a telephone that was offline lands on its own day. */
export const salesCallFacts: FactTable = {
  name: 'sales_call_facts',
  key: 'sales_call_key',
  at: 'started_at',
  columns: { representative_id: 'int', contact_id: 'int', duration_seconds: 'int', outcome: 'text' },
  figures: [salesQuarters],
};

/** How many contacts representatives got and lost. */
export const assignmentQuarters = {
  name: 'assignment_quarters',
  dimensions: { representative_id: 'int' },
  measures: ['changes', 'contacts'],
  contribution: `representative_id, 1 AS changes, contacts FROM fact`,
  isKept: true as const,
};

/** Contacts that a representative got, or lost. */
export const assignmentFacts: FactTable = {
  name: 'assignment_facts',
  key: 'event_id',
  at: 'assigned_at',
  columns: { representative_id: 'int', contacts: 'int' },
  figures: [assignmentQuarters],
};
