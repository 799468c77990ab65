import type { QueryRunner } from 'typeorm';

/** Members of this role see the rows of every organization. The role owns no table and cannot log in. */
export const everyOrganization = 'parley_every_organization';

/** The role of a schema's service: it sees only that schema, and one organization in it at a time. */
export function serviceRole(schema: string): string {
  return `parley_${schema}`;
}

/** The role of the operator's command: in every schema it can read the events that were set aside, and requeue them. */
export const adminDatabaseRole = 'parley_admin';

/** A service's second role, for the few jobs that have no organization. It connects separately: no session can switch to it. */
export function systemRole(role: string): string {
  return `${role}_system`;
}

/** The same URL, password included, for the role that works across organizations. */
export function systemUrl(url: string): string {
  const changed = new URL(url);
  changed.username = systemRole(changed.username);
  return changed.href;
}

/** Lets a service's two roles use its schema without changing it; roles that do not exist on this server are skipped. */
export async function grantSchema(runner: QueryRunner, schema: string): Promise<void> {
  const roles = [serviceRole(schema), systemRole(serviceRole(schema))];
  const found = await runner.manager.query<{ name: string }[]>('SELECT rolname AS name FROM pg_roles WHERE rolname = ANY ($1)', [
    roles,
  ]);
  for (const { name } of found)
    await runner.query(`
      GRANT USAGE ON SCHEMA "${schema}" TO "${name}";
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${name}";
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA "${schema}" TO "${name}";
      REVOKE INSERT, UPDATE, DELETE ON "${schema}".migrations FROM "${name}"`);
  const admins = await runner.manager.query<unknown[]>('SELECT FROM pg_roles WHERE rolname = $1', [adminDatabaseRole]);
  if (admins.length > 0)
    await runner.query(`
      GRANT USAGE ON SCHEMA "${schema}" TO ${adminDatabaseRole};
      GRANT SELECT, UPDATE, DELETE ON "${schema}".dead_events TO ${adminDatabaseRole};
      GRANT INSERT ON "${schema}".outbox TO ${adminDatabaseRole}`);
}

/** The statements with which a superuser creates the role of the operator's command; `password` is a literal. */
export function adminStatements(password: string): string[] {
  return roleMade(adminDatabaseRole, password);
}

/**
 * The statements with which a superuser creates the roles of some schemas; repeating them does no harm. `passwordOf` returns a
 * literal. No role of a service can bypass row-level security, create anything, or switch to another role.
 */
export function roleStatements(schemas: readonly string[], passwordOf: (role: string) => string): string[] {
  const group = `DO $$ BEGIN CREATE ROLE ${everyOrganization} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`;
  return [
    group,
    ...schemas.flatMap((schema) => [...pairOf(serviceRole(schema), passwordOf(serviceRole(schema))), ...settingsOf(schema)]),
  ];
}

/** Settings for every connection of a service, even one shared by a pooler: the search path and the timeouts. */
function settingsOf(schema: string): string[] {
  const settings = [`search_path = ${schema}`, ...timeouts];
  return [serviceRole(schema), systemRole(serviceRole(schema))].flatMap((role) =>
    settings.map((setting) => `ALTER ROLE ${role} SET ${setting}`),
  );
}

const timeouts = [`statement_timeout = '10s'`, `lock_timeout = '10s'`, `idle_in_transaction_session_timeout = '15s'`];

function pairOf(role: string, password: string): string[] {
  const made = [role, systemRole(role)].flatMap((name) => roleMade(name, password));
  return [...made, `GRANT ${everyOrganization} TO ${systemRole(role)}`];
}

function roleMade(name: string, password: string): string[] {
  return [
    `DO $$ BEGIN CREATE ROLE ${name}; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`,
    `ALTER ROLE ${name} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD ${password}`,
  ];
}

/** The statements that create the owner of all schemas, `parley`, and its second role, like `roleStatements` for services. */
export function ownerStatements(password: string, owner = 'parley'): string[] {
  return [...roleStatements([], () => password), ...pairOf(owner, password), `GRANT ${owner} TO ${systemRole(owner)}`];
}

// Wrapped in a subselect, the setting is read once per statement and not once per row. After it was set for a transaction, it
// reads as '' instead of NULL.
const isOwn = `org_id = (SELECT NULLIF(current_setting('parley.org_id', true), '')::int)`;

/**
 * For migrations: restricts a table to rows of the organization that TenantScope has set, even for its owner. Without a scope
 * there are no rows. Only roles in `everyOrganization` see more, and no setting turns a session into one of those. The table must
 * have an integer column `org_id`.
 */
export async function tenantTable(runner: QueryRunner, table: string): Promise<void> {
  const name = identifier(table);
  await runner.query(`
    ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE POLICY tenant ON ${name} USING (${isOwn}) WITH CHECK (${isOwn});
    CREATE POLICY every_organization ON ${name} TO ${everyOrganization} USING (true) WITH CHECK (true)`);
}

/**
 * For migrations that change rows: temporarily lets the owner of these tables see all rows, which row-level security would
 * otherwise hide from the migration itself. If a migration fails, this is rolled back with it.
 */
export async function withEveryRow(runner: QueryRunner, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  for (const table of tables) await runner.query(`ALTER TABLE ${identifier(table)} NO FORCE ROW LEVEL SECURITY`);
  await work();
  for (const table of tables) await runner.query(`ALTER TABLE ${identifier(table)} FORCE ROW LEVEL SECURITY`);
}

/** Removes from a schema's policies a setting of earlier builds that gave access to every organization. */
export async function closeTenantPolicies(runner: QueryRunner): Promise<void> {
  const open = await runner.manager.query<{ name: string }[]>(
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
