import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, killHard, typeScriptProcess, type TypeScriptProcess } from '@parley/testing';
import { Client } from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres';
import { commandLine, processIdentity } from './running-process';

jest.setTimeout(60_000);
/** Spares the tests the waits on the disk. A killed process loses nothing by that; only a machine could. */
const durability = 'throwaway' as const;
const owner = 'libs/database/src/embedded/owner-process.fake.ts';

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

async function firstLine(child: TypeScriptProcess): Promise<string> {
  for await (const text of child.stdout.setEncoding('utf8')) return String(text).trim();
  throw new Error('the owner ended before its Postgres was up');
}

describe('embedded Postgres', () => {
  let home = '';
  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'parley-embedded-'));
    await chmod(home, 0o711);
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const serverPid = async () => Number.parseInt(await readFile(path.join(home, 'postgres/data/postmaster.pid'), 'utf8'), 10);
  const isGone = (pid: number) => () => processIdentity(pid) === undefined;
  /** The shell that stops Postgres when its owner dies. */
  const killGuardian = async (server: number) => {
    for (let pid = server; pid < server + 50; pid += 1) {
      if (commandLine(pid).includes(`kill -INT "$0" ${server}`)) return process.kill(pid, 'SIGKILL');
    }
    throw new Error('no guardian found');
  };

  it('keeps its data from one start to the next, behind passwords that only the owner can read', async () => {
    const first = await startEmbeddedPostgres({ home });
    await ask(first.url, 'CREATE TABLE t AS SELECT 7 AS n');
    const pid = await serverPid();
    await first.stop();
    expect(processIdentity(pid)).toBeUndefined();
    const second = await startEmbeddedPostgres({ home, durability });
    expect(await ask(second.url, 'SELECT n FROM t')).toEqual([7]);
    expect((await stat(path.join(second.folder, 'passwords.json'))).mode & 0o777).toBe(0o600);
    await expect(ask(second.url.replace(/:[0-9a-f]+@/, ':guess@'), 'SELECT 1')).rejects.toThrow('password');
    await second.stop();
  });

  it('lets services in as a role that row-level security binds and that owns its database', async () => {
    const postgres = await startEmbeddedPostgres({ home, durability });
    const role = `SELECT concat_ws(' ', rolname, rolsuper, rolbypassrls) FROM pg_roles WHERE rolname = current_user`;
    expect(await ask(postgres.url, role)).toEqual(['parley f f']);
    await ask(postgres.url, 'CREATE SCHEMA anything');
    await postgres.stop();
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('ends with its owner when that gets %s', async (signal) => {
    const child = typeScriptProcess(owner, 'ownPostgres', home);
    await firstLine(child);
    const pid = await serverPid();
    child.kill(signal);
    await eventually('the server is gone', isGone(pid));
  });

  it('ends with an owner that exits without stopping it', async () => {
    const url = await firstLine(typeScriptProcess(owner, 'ownPostgresAndFail', home));
    await eventually('nobody answers', () =>
      ask(url, 'SELECT 1').then(
        () => false,
        () => true,
      ),
    );
    await eventually(
      'the server has shut down',
      async () => !(await stat(path.join(home, 'postgres/data/postmaster.pid')).catch(() => undefined)),
    );
  });

  it('takes over the data from an orphan that nobody stopped', async () => {
    const child = typeScriptProcess(owner, 'ownPostgres', home);
    await ask(await firstLine(child), 'CREATE TABLE t AS SELECT 8 AS n');
    const orphan = await serverPid();
    await killGuardian(orphan);
    await killHard(child);
    expect(processIdentity(orphan)).toBeDefined();
    const postgres = await startEmbeddedPostgres({ home, durability });
    expect(processIdentity(orphan)).toBeUndefined();
    expect(await ask(postgres.url, 'SELECT n FROM t')).toEqual([8]);
    await postgres.stop();
  });

  it('refuses data that a living process is using, and leaves that process alone', async () => {
    const child = typeScriptProcess(owner, 'ownPostgres', home);
    const url = await firstLine(child);
    await expect(startEmbeddedPostgres({ home, durability })).rejects.toThrow(`in use by another Parley (process ${child.pid})`);
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([1]);
    const pid = await serverPid();
    await killHard(child);
    await eventually('the server is gone', isGone(pid));
  });

  it('comes back on the same port, with what was committed, when the server is killed', async () => {
    const notices: string[] = [];
    const postgres = await startEmbeddedPostgres({ home, durability, onNotice: (line) => notices.push(line) });
    await ask(postgres.url, 'CREATE TABLE t AS SELECT 9 AS n');
    process.kill(await serverPid(), 'SIGKILL');
    await eventually('the row is back', () =>
      ask(postgres.url, 'SELECT n FROM t').then(
        ([n]) => n === 9,
        () => false,
      ),
    );
    expect(notices).toEqual(['Postgres ended unexpectedly and is started again']);
    await postgres.stop();
  });

  it('starts over after a first start that was killed half-way, and ignores the lock of a dead server', async () => {
    await mkdir(path.join(home, 'postgres/data.unfinished'), { recursive: true });
    await writeFile(path.join(home, 'postgres/data.unfinished/PG_VERSION'), '18');
    const first = await startEmbeddedPostgres({ home, durability });
    await first.stop();
    await writeFile(path.join(home, 'postgres/data/postmaster.pid'), `${process.pid}\n`);
    const second = await startEmbeddedPostgres({ home, durability });
    expect(await ask(second.url, 'SELECT 1 AS one')).toEqual([1]);
    await second.stop();
  });

  it('says in one line which Postgres made data that it cannot read', async () => {
    await (await startEmbeddedPostgres({ home, durability })).stop();
    await writeFile(path.join(home, 'postgres/data/PG_VERSION'), '15\n');
    await expect(startEmbeddedPostgres({ home, durability })).rejects.toThrow('was made by Postgres 15');
  });

  // Only root lends Postgres another account, so only root can have a home that this account cannot reach.
  (process.getuid?.() === 0 ? it : it.skip)('as root below a closed folder, keeps its data elsewhere and says so', async () => {
    await chmod(home, 0o700);
    const notices: string[] = [];
    const options = { home, durability, onNotice: (line: string) => notices.push(line) };
    const first = await startEmbeddedPostgres(options);
    await ask(first.url, 'CREATE TABLE t AS SELECT 1 AS n');
    await first.stop();
    const second = await startEmbeddedPostgres(options);
    expect(await ask(second.url, 'SELECT n FROM t')).toEqual([1]);
    await second.stop();
    expect(second.folder).not.toContain(home);
    expect(notices[0]).toMatch(`cannot reach ${home}: its data lives in ${second.folder}`);
    await rm(second.folder, { recursive: true });
  });
});
