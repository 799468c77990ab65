import { type Statement } from '@parley/database';
import type { FactTable } from '../facts/fact-table';

/** Plans are made while tables are empty and kept when they hold millions: rows are looked up by their key. */
const byIndex = `set_config('enable_seqscan', 'off', true)`;

/**
 * One batch of a table at a time, whatever replica it comes from: two that met a new fact at once would both count it. The organizations
 * in it are shared, so that none is rebuilt meanwhile. Both until the end of the transaction; the order keeps batches from waiting for
 * each other in a circle.
 */
export function batchLock({ name }: FactTable, orgIds: readonly number[]): Statement {
  return {
    name: `lock-batch-${name}`,
    text: `SELECT ${byIndex}, pg_advisory_xact_lock(hashtext('dashboards.batch.${name}')), (
      SELECT count(pg_advisory_xact_lock_shared(hashtext('dashboards.${name}'), org_id))
      FROM (SELECT DISTINCT unnest($1::int[]) AS org_id ORDER BY 1) organizations)`,
    values: [orgIds],
  };
}

/** Keeps every batch away from the figures of one organization, until the end of the transaction. */
export function organizationLock({ name }: FactTable, orgId: number): Statement {
  return {
    name: `lock-organization-${name}`,
    text: `SELECT pg_advisory_xact_lock(hashtext('dashboards.${name}'), $1)`,
    values: [orgId],
  };
}
