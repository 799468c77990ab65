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

/** What a rebuild sorts and hashes of a batch stays in memory. */
const inMemory = `set_config('work_mem', '64MB', true)`;

/** Keeps every batch away from the figures of some organizations, until the end of the transaction; in the order of batches. */
export function organizationsLock({ name }: FactTable, orgIds: readonly number[]): Statement {
  return {
    name: `lock-organizations-${name}`,
    text: `SELECT ${byIndex}, ${inMemory}, (
      SELECT count(pg_advisory_xact_lock(hashtext('dashboards.${name}'), org_id))
      FROM (SELECT DISTINCT unnest($1::int[]) AS org_id ORDER BY 1) organizations)`,
    values: [orgIds],
  };
}
