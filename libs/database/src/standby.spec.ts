import { execFile } from 'node:child_process';
import { chown, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { runInCall } from '@parley/messaging';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { Agent, agentsSchema } from './agents.example';
import { connectionOptions, onePoolOptions } from './connection-options';
import { Database, DatabaseModule, Standby } from './database.module';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres';
import { postgresAccount, postgresBinaries } from './embedded/postgres-binaries';
import { keepRunning, startServer } from './embedded/server-process';
import { migrateSchema } from './migrate-schema';
import { TenantScope } from './tenancy/tenant-scope';

const mine = 1;
/** A standby must allow as much as its primary does. */
const replicated = { wal_level: 'replica', max_wal_senders: '4', max_connections: '60', full_page_writes: 'on' };
const quick = { lookEveryMs: 20, behindMaxMs: 1_000 };

interface Second {
  readonly url: string;
  readonly adminUrl: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

describe('a streaming standby for what only reads', () => {
  let home = '';
  let primary: EmbeddedPostgres;
  let second: Second;
  let dataSource: DataSource;
  let standby: Standby;
  let scope: TenantScope;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    home = await mkdtemp(path.join(tmpdir(), 'parley-standby-'));
    await chmod(home, 0o711);
    primary = await startEmbeddedPostgres({ home, durability: 'throwaway', settings: replicated });
    await migrateSchema(agentsSchema, primary.url);
    second = await standbyOf(primary, home);
    const connection = { url: primary.url, poolMax: 4, statementTimeoutMs: 60_000 };
    dataSource = await new DataSource(connectionOptions(agentsSchema, connection)).initialize();
    const copy = new DataSource(onePoolOptions(agentsSchema, { ...connection, url: second.url }));
    standby = new Standby(dataSource, copy, second.url, quick);
    scope = new TenantScope(dataSource, standby);
  });
  afterAll(async () => {
    await standby.close();
    await dataSource.destroy();
    await second.stop();
    await primary.stop();
    await rm(home, { recursive: true, force: true });
  });

  const isStandby = async (manager: EntityManager) => {
    const [row] = await manager.query<{ standby: boolean }[]>('SELECT pg_is_in_recovery() AS standby');
    return row?.standby;
  };
  const untilUsed = () => eventually('readings go to the standby', async () => (await scope.read(mine, isStandby)) === true);
  const add = (displayName: string) => scope.run(mine, (manager) => manager.insert(Agent, { orgId: mine, displayName }));
  const sees = (displayName: string) =>
    scope.read(mine, async (manager) => (await manager.countBy(Agent, { displayName })) === 1);
  const deadlineAtMs = Date.now() + 3_600_000;
  const reading = { requestId: 'standby', deadlineAtMs, signal: new AbortController().signal, onlyReads: true };

  it('reads there, and writes to the primary', async () => {
    await untilUsed();
    await eventually(
      'what only reads goes there',
      async () => (await runInCall(reading, () => scope.run(mine, isStandby))) === true,
    );
    expect(await scope.run(mine, isStandby)).toBe(false);
    await add('Mira');
    await eventually('the standby repeats a row', () => sees('Mira'));
  });

  it('shows no rows of another organization there', async () => {
    await untilUsed();
    const count = (manager: EntityManager) => manager.count(Agent);
    expect(await scope.read(mine + 1, count)).toBe(0);
    await expect(scope.read(mine, (manager) => manager.delete(Agent, { orgId: mine }))).rejects.toThrow('read-only');
  });

  it('leaves one that answers but no longer replicates, and returns to it', async () => {
    await untilUsed();
    await ask(second.adminUrl, 'SELECT pg_wal_replay_pause()');
    await add('Theo');
    await eventually('the row is seen', () => sees('Theo'));
    expect(await scope.read(mine, isStandby)).toBe(false);
    await ask(second.adminUrl, 'SELECT pg_wal_replay_resume()');
    await untilUsed();
    expect(await sees('Theo')).toBe(true);
  });

  it('answers from the primary when one is killed, and returns to it', async () => {
    await untilUsed();
    await second.kill();
    for (let n = 0; n < 5; n += 1) expect(await scope.read(mine, isStandby)).toBe(false);
    await second.start();
    await untilUsed();
  });

  it('repeats at the primary what a replication conflict cancelled', async () => {
    await untilUsed();
    const begun = Promise.withResolvers<void>();
    const slowThere = 'SELECT pg_sleep(CASE WHEN pg_is_in_recovery() THEN 60 ELSE 0 END), count(*)::int AS count FROM agents';
    const count = scope.read(mine, async (manager) => {
      await manager.query('SELECT count(*) FROM agents');
      begun.resolve();
      const [row] = await manager.query<{ count: number }[]>(slowThere);
      return row?.count;
    });
    await begun.promise;
    await ask(primary.adminUrl.replace(/postgres$/, 'parley'), 'TRUNCATE agents_example.agents');
    expect(await count).toBe(0);
  });

  it('is unavailable to who would write before it is promoted, and every connection is another try', async () => {
    const early = await new DataSource(connectionOptions(agentsSchema, { url: second.url, poolMax: 4 })).initialize();
    const writer = new TenantScope(early);
    const statement = { name: 'add-agent', text: `INSERT INTO agents (org_id, display_name) VALUES (1, 'Early')`, values: [] };
    const away = { code: 'SERVICE_UNAVAILABLE', dependency: 'postgres' };
    const writes = [
      () => writer.run(mine, (manager) => manager.insert(Agent, { orgId: mine, displayName: 'Early' })),
      () => writer.once(mine, statement),
      () => writer.together([{ orgId: mine, statement }]),
      () => writer.acrossTenants('a test', (manager) => manager.query(statement.text)),
      () => writer.acrossTenantsOnce('a test', statement),
      () => writer.acrossTenantsEndingWith('a test', () => Promise.resolve({ result: undefined, last: [statement] })),
    ];
    for (const write of writes) await expect(write()).rejects.toMatchObject(away);
    expect(new Database(early, writer).connections().open).toBe(0);
    // A write where only reading is allowed is a fault of ours, here as at the primary.
    await expect(writer.read(mine, (manager) => manager.delete(Agent, { orgId: mine }))).rejects.toThrow('read-only');
    await expect(runInCall(reading, () => writer.once(mine, statement))).rejects.toThrow('read-only');
    await early.destroy();
  });

  const started = (readUrl: string) => {
    @Module({ imports: [DatabaseModule.forSchema(agentsSchema, { url: primary.url, readUrl, poolMax: 2 })] })
    class Service {}
    return NestFactory.createApplicationContext(Service, { logger: false, abortOnError: false });
  };

  it('uses one from its first reading on, where its role is bound', async () => {
    const app = await started(second.url);
    expect(await app.get(TenantScope).read(mine, isStandby)).toBe(true);
    await app.close();
    await expect(started(second.adminUrl)).rejects.toThrow('DATABASE_READ_URL connects as postgres');
  });

  it('starts without one that is unreachable, and does not use a primary as one', async () => {
    await second.kill();
    for (const url of [second.url, primary.url]) {
      const app = await started(url);
      expect(await app.get(TenantScope).read(mine, isStandby)).toBe(false);
      expect(app.get(DatabaseModule)).toBeDefined();
      await app.close();
    }
    await second.start();
  });
});

/** A real one, from a base backup, whose files are copied as pg_basebackup would. */
async function standbyOf(primary: EmbeddedPostgres, home: string): Promise<Second> {
  const data = path.join(home, 'standby', 'data');
  const account = postgresAccount(data);
  await mkdir(path.dirname(data), { recursive: true });
  const client = await connected(primary.adminUrl);
  try {
    await client.query(`SELECT pg_backup_start('standby', fast => true)`);
    await promisify(execFile)('cp', ['-a', path.join(primary.folder, 'data'), data]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    await rm(path.join(data, 'postmaster.pid'));
    for (const [name, text] of Object.entries({ backup_label: rows[0]?.labelfile ?? '', 'standby.signal': '' })) {
      await writeFile(path.join(data, name), text);
      if (account) await chown(path.join(data, name), account.uid, account.gid);
    }
  } finally {
    await client.end();
  }
  const from = new URL(primary.adminUrl);
  const following = `host=127.0.0.1 port=${primary.port} user=postgres password=${from.password}`;
  const { postgres } = await postgresBinaries(account, path.join(home, 'postgres'));
  const settings = { ...replicated, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' };
  const own = { ...settings, primary_conninfo: following, max_standby_streaming_delay: '0' };
  const words = (port: number) => Object.entries({ ...own, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = (port: number) => startServer(postgres, ['-D', data, ...words(port)], account);
  const first = await keepRunning(start, () => undefined);
  const { port } = first;
  let server = { stop: first.stop };
  const at = (url: string) => url.replace(`:${primary.port}/`, `:${port}/`);
  return {
    url: at(primary.url),
    adminUrl: at(primary.adminUrl),
    kill: () => server.stop(),
    start: async () => {
      server = await start(port);
    },
    stop: () => server.stop(),
  };
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function ask(url: string, sql: string): Promise<void> {
  const client = await connected(url);
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
