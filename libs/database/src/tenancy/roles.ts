import type { QueryRunner } from 'typeorm';

/** Members of this role see the rows of every organization. It owns no table and cannot log in. */
export const everyOrganization = 'parley_every_organization';

/** The role of the service that owns a schema: it sees that schema, and in it one organization at a time. */
export function serviceRole(schema: string): string {
  return `parley_${schema}`;
}

/** The role of the operator's command: in every schema it reads the events that were put aside, and puts them back. */
export const adminRole = 'parley_admin';

/** The role beside a service's own for the few jobs that have no organization. It connects by itself: no session can become it. */
function systemRole(role: string): string {
  return `${role}_system`;
}

/** The same address, password included, for the role of a service's work across organizations. */
export function systemUrl(url: string): string {
  const changed = new URL(url);
  changed.username = systemRole(changed.username);
  return changed.href;
}

/** Lets the two roles of a service use its schema, and not change it; roles that this server does not have are left out. */
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
  const admins = await runner.manager.query<unknown[]>('SELECT FROM pg_roles WHERE rolname = $1', [adminRole]);
  if (admins.length > 0)
    await runner.query(`
      GRANT USAGE ON SCHEMA "${schema}" TO ${adminRole};
      GRANT SELECT, UPDATE, DELETE ON "${schema}".dead_events TO ${adminRole};
      GRANT INSERT ON "${schema}".outbox TO ${adminRole}`);
}

/** The statements by which a superuser makes the role of the operator's command; `password` is a literal. */
export function adminStatements(password: string): string[] {
  return roleMade(adminRole, password);
}

/**
 * The statements by which a superuser makes the roles of some schemas, again and again without harm. `passwordOf` gives a literal.
 * No role of a service is bound to bypass row-level security, to make anything, or to become another.
 */
export function roleStatements(schemas: readonly string[], passwordOf: (role: string) => string): string[] {
  const group = `DO $$ BEGIN CREATE ROLE ${everyOrganization} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`;
  return [
    group,
    ...schemas.flatMap((schema) => [...pairOf(serviceRole(schema), passwordOf(serviceRole(schema))), ...settingsOf(schema)]),
  ];
}

/** Settings of every connection of a service, also of one shared by a pooler: the search path and the timeouts. */
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

/** The statements that make the owner of every schema, `parley`, and the role beside it: what `roleStatements` makes for services. */
export function ownerStatements(password: string, owner = 'parley'): string[] {
  return [...roleStatements([], () => password), ...pairOf(owner, password), `GRANT ${owner} TO ${systemRole(owner)}`];
}

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
