import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres';

jest.setTimeout(60_000);

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

describe('embedded Postgres', () => {
  let home = '';
  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'parley-embedded-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('keeps its data from one start to the next, and stops cleanly', async () => {
    const first = await startEmbeddedPostgres({ home });
    await ask(first.url, 'CREATE TABLE t AS SELECT 7 AS n');
    await first.stop();
    const second = await startEmbeddedPostgres({ home });
    expect(await ask(second.url, 'SELECT n FROM t')).toEqual([7]);
    await second.stop();
    expect((await stat(path.join(second.folder, 'passwords.json'))).mode & 0o777).toBe(0o600);
  });
});
