import type { DataSource } from 'typeorm';

/** Refuses a database role that Postgres would let past row-level security. */
export async function requireBoundRole(dataSource: DataSource): Promise<void> {
  const rows: { name: string; unbound: boolean }[] = await dataSource.query(
    'SELECT rolname AS name, rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = current_user',
  );
  const role = rows[0];
  if (role && !role.unbound) return;
  const name = role?.name ?? 'an unknown role';
  throw new Error(
    `DATABASE_URL connects as ${name}, which row-level security does not bind: use a role that is NOSUPERUSER NOBYPASSRLS`,
  );
}
