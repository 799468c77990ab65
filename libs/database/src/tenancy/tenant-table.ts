import type { QueryRunner } from 'typeorm';

/**
 * For migrations: from here on the table shows and takes only rows of the organization that TenantScope has set,
 * its owner included. No scope means no rows. The table must have an integer column `org_id`.
 */
export async function tenantTable(runner: QueryRunner, table: string): Promise<void> {
  const name = identifier(table);
  // In brackets with SELECT, Postgres reads each setting once a statement and not once a row.
  // A setting that was once set for a transaction reads as '' afterwards, not as NULL.
  const isOwn = `org_id = (SELECT NULLIF(current_setting('parley.org_id', true), '')::int)`;
  const isSystem = `(SELECT current_setting('parley.across_tenants', true) = 'yes')`;
  await runner.query(`
    ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE POLICY tenant ON ${name} USING (${isOwn} OR ${isSystem}) WITH CHECK (${isOwn} OR ${isSystem})`);
}

function identifier(name: string): string {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`${name} is not a name for a table`);
  return `"${name}"`;
}
