import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, killHard, typeScriptProcess, type TypeScriptProcess } from '@parley/testing';
import { Client } from 'pg';
import { prepareGivenPostgres, startEmbeddedPostgres } from './embedded-postgres';
import { commandLine, processIdentity } from './server-process';

/** Skips fsync. A killed process loses nothing by that; only a crashed machine would. */
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
  const homes: string[] = [];
  const owners: TypeScriptProcess[] = [];
  /** Creating a cluster costs more than everything else, so most tests share one, each stopping what the last one left. */
  let home = '';
  beforeAll(async () => {
    home = await freshHome();
  });
  afterEach(() => Promise.all(owners.splice(0).map(killHard)));
  afterAll(() => Promise.all(homes.map((each) => rm(each, { recursive: true, force: true }))));

  const freshHome = async (mode = 0o711): Promise<string> => {
    const made = await mkdtemp(path.join(tmpdir(), 'parley-embedded-'));
    homes.push(made);
    await chmod(made, mode);
    return made;
  };
  const ownerOf = (kind: 'ownPostgres' | 'ownPostgresAndFail'): TypeScriptProcess => {
    const child = typeScriptProcess(owner, kind, home);
    owners.push(child);
    return child;
  };
  const serverPid = async () => Number.parseInt(await readFile(path.join(home, 'postgres/data/postmaster.pid'), 'utf8'), 10);
  const isGone = (pid: number) => () => processIdentity(pid) === undefined;
  /** The shell that stops Postgres when its owner dies. */
  const killGuardian = async (server: number) => {
    for (let pid = server; pid < server + 50; pid += 1) {
      if (commandLine(pid).includes(`kill -INT "$0" ${server}`)) return process.kill(pid, 'SIGKILL');
    }
    throw new Error('no guardian found');
  };

  it('starts over after a start killed half-way, then keeps its data behind passwords that only the owner can read', async () => {
    await mkdir(path.join(home, 'postgres/data.unfinished'), { recursive: true });
    await writeFile(path.join(home, 'postgres/data.unfinished/PG_VERSION'), '18');
    const first = await startEmbeddedPostgres({ home });
    await ask(first.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    const pid = await serverPid();
    await first.stop();
    expect(processIdentity(pid)).toBeUndefined();
    const second = await startEmbeddedPostgres({ home, durability });
    expect(await ask(second.url, 'SELECT n FROM kept')).toEqual([7]);
    expect((await stat(path.join(second.folder, 'passwords.json'))).mode & 0o777).toBe(0o600);
    await expect(ask(second.url.replace(/:[0-9a-f]+@/, ':guess@'), 'SELECT 1')).rejects.toThrow('password');
    await second.stop();
  });

  it('admits services with a role that row-level security binds and that owns its database', async () => {
    const postgres = await startEmbeddedPostgres({ home, durability });
    const role = `SELECT concat_ws(' ', rolname, rolsuper, rolbypassrls) FROM pg_roles WHERE rolname = current_user`;
    expect(await ask(postgres.url, role)).toEqual(['parley f f']);
    await ask(postgres.url, 'CREATE SCHEMA anything');
    await postgres.stop();
  });

  it('makes the same roles in a Postgres of others, and no role by anybody but its administrator', async () => {
    const postgres = await startEmbeddedPostgres({ home, durability });
    const place = { home: await freshHome(), schemas: ['shop'] };
    const made = await prepareGivenPostgres(postgres.adminUrl, place);
    expect(await prepareGivenPostgres(postgres.adminUrl, place)).toMatchObject({ url: made.url });
    const who = 'SELECT current_user, current_database()';
    for (const [url, role] of [
      [made.url, 'parley'],
      [made.urlOf('shop'), 'parley_shop'],
      [made.operatorUrl, 'parley_admin'],
    ] as const)
      expect(await ask(url, who)).toEqual([role]);
    await expect(prepareGivenPostgres(made.url, { ...place, schemas: ['other'] })).rejects.toThrow('permission denied');
    expect((await stat(path.join(place.home, 'given-postgres.json'))).mode & 0o777).toBe(0o600);
    await postgres.stop();
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('ends with its owner when that gets %s', async (signal) => {
    const child = ownerOf('ownPostgres');
    await firstLine(child);
    const pid = await serverPid();
    child.kill(signal);
    await eventually('the server is gone', isGone(pid));
  });

  it('ends with an owner that exits without stopping it', async () => {
    const url = await firstLine(ownerOf('ownPostgresAndFail'));
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

  it('takes over the data from an orphaned server', async () => {
    const child = ownerOf('ownPostgres');
    await ask(await firstLine(child), 'CREATE TABLE orphaned AS SELECT 8 AS n');
    const orphan = await serverPid();
    await killGuardian(orphan);
    await killHard(child);
    expect(processIdentity(orphan)).toBeDefined();
    const postgres = await startEmbeddedPostgres({ home, durability });
    expect(processIdentity(orphan)).toBeUndefined();
    expect(await ask(postgres.url, 'SELECT n FROM orphaned')).toEqual([8]);
    await postgres.stop();
  });

  it('refuses data that a living process is using, and leaves that process alone', async () => {
    const child = ownerOf('ownPostgres');
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
    await ask(postgres.url, 'CREATE TABLE committed AS SELECT 9 AS n');
    process.kill(await serverPid(), 'SIGKILL');
    await eventually('the row is back', () =>
      ask(postgres.url, 'SELECT n FROM committed').then(
        ([n]) => n === 9,
        () => false,
      ),
    );
    expect(notices).toEqual(['Postgres ended unexpectedly and is started again']);
    await postgres.stop();
  });

  it('says in one line which Postgres made data that it cannot read', async () => {
    const versionFile = path.join(home, 'postgres/data/PG_VERSION');
    const version = await readFile(versionFile, 'utf8');
    await writeFile(versionFile, '15\n');
    await expect(startEmbeddedPostgres({ home, durability })).rejects.toThrow('was made by Postgres 15');
    await writeFile(versionFile, version);
  });

  it('ignores the lock of a dead server', async () => {
    await writeFile(path.join(home, 'postgres/data/postmaster.pid'), `${process.pid}\n`);
    const postgres = await startEmbeddedPostgres({ home, durability });
    expect(await ask(postgres.url, 'SELECT 1 AS one')).toEqual([1]);
    await postgres.stop();
  });

  // Only root lends Postgres another account, so only root can have a home that this account cannot reach.
  (process.getuid?.() === 0 ? it : it.skip)('as root below a closed folder, keeps its data elsewhere and says so', async () => {
    const closed = await freshHome(0o700);
    const notices: string[] = [];
    const options = { home: closed, durability, onNotice: (line: string) => notices.push(line) };
    const first = await startEmbeddedPostgres(options);
    await ask(first.url, 'CREATE TABLE t AS SELECT 1 AS n');
    await first.stop();
    const second = await startEmbeddedPostgres(options);
    expect(await ask(second.url, 'SELECT n FROM t')).toEqual([1]);
    await second.stop();
    expect(second.folder).not.toContain(closed);
    expect(notices[0]).toMatch(`cannot reach ${closed}: its data lives in ${second.folder}`);
    await rm(second.folder, { recursive: true });
  });
});

describe.each(['linux', 'darwin'])('what %s says of a process', (platform) => {
  const { platform: ours } = process;
  // What `ps` says can be asked here as well; /proc is there on Linux only.
  const itHere = platform === 'linux' && ours !== 'linux' ? it.skip : it;
  beforeEach(() => void Object.defineProperty(process, 'platform', { value: platform }));
  afterEach(() => void Object.defineProperty(process, 'platform', { value: ours }));

  itHere('is its start and command, and nothing once it has ended, even if its parent has not noticed', async () => {
    // The shell's child ends at once, and the shell becomes a program that never waits for it.
    const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [printed] = await once(parent.stdout, 'data');
      const { pid = 0 } = parent;
      await eventually('the child has ended', () => processIdentity(Number(printed)) === undefined);
      await eventually('the program runs', () => commandLine(pid).trim() === 'sleep 600');
      expect(processIdentity(pid)).toMatch(/./);
      expect(processIdentity(pid)).toBe(processIdentity(pid));
    } finally {
      parent.kill('SIGKILL');
      await once(parent, 'close');
    }
    expect(processIdentity(parent.pid ?? 0)).toBeUndefined();
    expect(commandLine(parent.pid ?? 0)).toBe('');
  });
});
