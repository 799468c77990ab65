import { Client } from 'pg';
import { testDatabase } from './postgres';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('testDatabase', () => {
  it('gives every caller an empty database of its own', async () => {
    const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
    await query(one.url, 'CREATE TABLE only_here AS SELECT 1 AS n');
    const tables = `SELECT count(*)::int AS n FROM pg_tables WHERE tablename = 'only_here'`;
    expect(await query(one.url, tables)).toEqual([{ n: 1 }]);
    expect(await query(other.url, tables)).toEqual([{ n: 0 }]);
    await Promise.all([one.close(), other.close()]);
  });

  it('connects as a role that row-level security binds', async () => {
    const database = await testDatabase();
    const role = await query(database.url, 'SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user');
    expect(role).toEqual([{ rolsuper: false, rolbypassrls: false }]);
    await database.close();
  });

  it('counts ids of 64 bits from beyond 32, and leaves those of 32 alone', async () => {
    const database = await testDatabase();
    await query(
      database.url,
      'CREATE TABLE things (wide bigint GENERATED ALWAYS AS IDENTITY, narrow int GENERATED ALWAYS AS IDENTITY, name text)',
    );
    await query(database.url, "INSERT INTO things (name) VALUES ('one')");
    expect(await query(database.url, 'SELECT wide::text, narrow FROM things')).toEqual([{ wide: '4294967297', narrow: 1 }]);
    await database.close();
  });

  it('drops the database although somebody is still connected', async () => {
    const database = await testDatabase();
    const left = new Client({ connectionString: database.url });
    left.on('error', () => undefined);
    await left.connect();
    const thrownOut = new Promise((resolve) => left.once('end', resolve));
    await database.close();
    await thrownOut;
    await expect(query(database.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
  });
});
