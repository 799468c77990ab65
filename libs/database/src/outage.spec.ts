import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '@parley/testing';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Agent, agentsSchema } from './agents.example';
import { connectionOptions } from './connection-options';
import { Database } from './database.module';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres';
import { migrateSchema } from './migrate-schema';
import { TenantScope } from './tenancy/tenant-scope';

const comeBack = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 };

describe('a service whose Postgres goes away', () => {
  let home = '';
  let restarts = 0;
  let postgres: EmbeddedPostgres;
  let dataSource: DataSource;
  let scope: TenantScope;
  let database: Database;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    home = await mkdtemp(path.join(tmpdir(), 'parley-outage-'));
    await chmod(home, 0o711);
    postgres = await startEmbeddedPostgres({ home, durability: 'throwaway', onNotice: () => (restarts += 1) });
    await migrateSchema(agentsSchema, postgres.url);
    const connection = { url: postgres.url, poolMax: 4, statementTimeoutMs: 500 };
    dataSource = await new DataSource(connectionOptions(agentsSchema, connection)).initialize();
    scope = new TenantScope(dataSource);
    database = new Database(dataSource, scope);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await postgres.stop();
    await rm(home, { recursive: true, force: true });
  });

  const pid = async () => Number.parseInt(await readFile(path.join(postgres.folder, 'data/postmaster.pid'), 'utf8'), 10);
  const untilReady = () => eventually('Postgres answers', () => database.isReady());

  it('recovers by itself when the server is killed, and has lost nothing that was acknowledged', async () => {
    const promised: string[] = [];
    let isOver = false;
    const failures: unknown[] = [];
    const writer = async (name: number) => {
      for (let n = 0; !isOver; n += 1) {
        const displayName = `${name}-${n}`;
        await scope
          .run(1, (manager) => manager.insert(Agent, { orgId: 1, displayName }))
          .then(
            () => promised.push(displayName),
            (failure: unknown) => failures.push(failure),
          );
        await nextTurn();
      }
    };
    const writers = [1, 2, 3].map(writer);
    for (let kill = 0; kill < 3; kill += 1) {
      const before = promised.length;
      await eventually('twenty rows are written', () => promised.length >= before + 20);
      process.kill(await pid(), 'SIGKILL');
      await eventually('the server is started again', () => restarts > kill);
      await untilReady();
    }
    isOver = true;
    await Promise.all(writers);
    const kept = await scope.run(1, (manager) => manager.find(Agent));
    const names = new Set(kept.map((agent) => agent.displayName));
    expect(promised.filter((name) => !names.has(name))).toEqual([]);
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toMatchObject(comeBack);
  });

  it('is not ready while connections do not answer, and continues with fresh ones', async () => {
    await untilReady();
    const rows: { pid: number }[] = await dataSource.query(`SELECT pid FROM pg_stat_activity WHERE usename = 'parley'`);
    for (const backend of rows) process.kill(backend.pid, 'SIGSTOP');
    expect(await database.isReady()).toBe(false);
    await expect(scope.read(1, (manager) => manager.count(Agent))).rejects.toMatchObject(comeBack);
    await untilReady();
    for (const backend of rows) process.kill(backend.pid, 'SIGCONT');
  });

  it('says to come back when it was stopped in a transaction until Postgres ended that', async () => {
    await untilReady();
    const stopped = scope.run(1, async (manager) => {
      await manager.query(`SET LOCAL idle_in_transaction_session_timeout = '50ms'`);
      // As a stopped process: its loop reads nothing of what Postgres says.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      await manager.query('SELECT 1');
    });
    await expect(stopped).rejects.toMatchObject(comeBack);
  });
});
