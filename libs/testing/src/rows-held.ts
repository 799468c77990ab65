import { Client } from 'pg';
import { eventually } from './eventually';

/** Does work that waits for the rows of a table: they are let go once so many wait for them, so that all begin before any ends. */
export async function whileRowsAreHeld<T>(
  { adminUrl, table, waiting }: { readonly adminUrl: string; readonly table: string; readonly waiting: number },
  work: () => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT 1 FROM ${table} FOR UPDATE`);
    const done = work();
    await eventually(`${waiting} wait for ${table}`, async () => {
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return (rows[0]?.count ?? 0) >= waiting;
    });
    await client.query('COMMIT');
    return await done;
  } finally {
    await client.end();
  }
}
