import { Client } from 'pg';
import { everyOrganization } from './roles';

/** Refuses a database role that Postgres would let past row-level security, or that its policies let see every organization. */
export async function requireBoundRole(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; unbound: boolean }>(
      `SELECT rolname AS name, rolsuper OR rolbypassrls OR EXISTS (
         SELECT FROM pg_roles every WHERE every.rolname = $1 AND pg_has_role(current_user, every.oid, 'MEMBER')) AS unbound
       FROM pg_roles WHERE rolname = current_user`,
      [everyOrganization],
    );
    const { name, unbound } = rows[0] ?? { name: 'an unknown role', unbound: true };
    if (unbound)
      throw new Error(
        `DATABASE_URL connects as ${name}, which row-level security does not bind: use a role that is NOSUPERUSER NOBYPASSRLS`,
      );
  } finally {
    await client.end();
  }
}
