import type { QueryRunner } from 'typeorm';
import { everyOrganization } from './roles';

// In brackets with SELECT, Postgres reads the setting once a statement and not once a row.
// A setting that was once set for a transaction reads as '' afterwards, not as NULL.
const isOwn = `org_id = (SELECT NULLIF(current_setting('parley.org_id', true), '')::int)`;

/**
 * For migrations: from here on the table shows and takes only rows of the organization that TenantScope has set,
 * its owner included. No scope means no rows. Only who connects as a role of `everyOrganization` sees more, and no
 * setting makes a session one of those. The table must have an integer column `org_id`.
 */
export async function tenantTable(runner: QueryRunner, table: string): Promise<void> {
  const name = identifier(table);
  await runner.query(`
    ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE POLICY tenant ON ${name} USING (${isOwn}) WITH CHECK (${isOwn});
    CREATE POLICY every_organization ON ${name} TO ${everyOrganization} USING (true) WITH CHECK (true)`);
}

/**
 * For migrations that change rows: lets the owner of these tables see all of them for a while. Row-level security otherwise hides
 * every row from its own migration. A migration that fails is rolled back, and this with it.
 */
export async function withEveryRow(runner: QueryRunner, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  for (const table of tables) await runner.query(`ALTER TABLE ${identifier(table)} NO FORCE ROW LEVEL SECURITY`);
  await work();
  for (const table of tables) await runner.query(`ALTER TABLE ${identifier(table)} FORCE ROW LEVEL SECURITY`);
}

/** Takes from the policies of a schema what earlier builds left in them: a setting that opened every organization. */
export async function closeTenantPolicies(runner: QueryRunner): Promise<void> {
  const open: { name: string }[] = await runner.query(
    `SELECT tablename AS name FROM pg_policies
     WHERE schemaname = current_schema() AND policyname = 'tenant' AND qual LIKE '%parley.across_tenants%'`,
  );
  for (const { name } of open)
    await runner.query(`
      ALTER POLICY tenant ON ${identifier(name)} USING (${isOwn}) WITH CHECK (${isOwn});
      CREATE POLICY every_organization ON ${identifier(name)} TO ${everyOrganization} USING (true) WITH CHECK (true)`);
}

function identifier(name: string): string {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`${name} is not a name for a table`);
  return `"${name}"`;
}
