// `npm run bench -- dashboards [--facts 10000000] [--organizations 1000]`: how fast figures are maintained, rebuilt and read.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { parseArgs } from 'node:util';
import { dashboards, dashboardsSchema, type FactTable, factTables, openMonth, Rebuilding } from '@parley/apps/dashboards';
import { callStateChanged, examplesOf } from '@parley/contracts';
import { connectionOptions, startEmbeddedPostgres, TenantScope } from '@parley/database';
import { InProcessBroker, TransportBus } from '@parley/messaging';
import { createLogger, Metrics, startService } from '@parley/service-kit';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { report, type Figures } from '../measure/report';
import { drawFacts, drawRecords, type Size } from './made-up-facts';
import { cpuMsOfAll, measureReading } from './reading';
import { startSurroundings } from './surroundings';

const days = 90;
const projected = 50_000;
/** As many as a consumer processes at a time. */
const underWay = 1_000;
/** How long rebuilds of correct figures are measured. */
const rebuildingForMs = 15_000;
/** Sized for a thousand organizations, not for a laptop: an eighth of the memory of a small server. */
const settings = { shared_buffers: '1GB', max_wal_size: '8GB' };
/** The targets: events per second, and milliseconds at the 99th percentile. */
const targets = { projection: 5_000, rebuild: 50_000, endpointMs: 100 };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { facts: { type: 'string', default: '10000000' }, organizations: { type: 'string', default: '1000' } },
  });
  const size = { facts: Number(values.facts), organizations: Number(values.organizations), days };
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const database = await startEmbeddedPostgres({ home: folder, settings });
  const broker = new InProcessBroker();
  const logger = createLogger({ level: 'error', isReadable: false, writesPii: false, destination: new PassThrough() });
  const host = { environment: {}, transport: broker.connect(), databaseUrl: database.url, logger, metrics: new Metrics() };
  const around = await startSurroundings({ ...host, transport: broker.connect() });
  const service = await startService(dashboards, host);
  try {
    const bus = new TransportBus(broker.connect());
    const projecting = await measureProjection(bus);
    progress(`projected ${projecting['a second']} events a second`);
    const rebuilding = await measureRebuild(database.url, database.adminUrl, size);
    const reading = await measureReading(bus, size, progress);
    report('dashboards', [projecting, ...rebuilding, ...reading]);
    printTargets([projecting], rebuilding, reading);
  } finally {
    await service.stop();
    for (const each of around) await each.stop();
    await database.stop();
    // The database is elsewhere if Postgres runs under an account of its own: gigabytes at full size.
    for (const each of [database.folder, folder]) rmSync(each, { recursive: true, force: true });
  }
}

/** Events of three states of a call, out of order, as from the broker: parsed, merged, counted and committed. */
async function measureProjection(bus: TransportBus): Promise<Figures> {
  const [example] = callStateChanged.payload.array().parse(examplesOf(callStateChanged.payload));
  if (!example) throw new Error('no example');
  const states = ['COMPLETED', 'QUEUED', 'IN_PROGRESS'] as const;
  const events = Array.from({ length: projected }, (_, index) => {
    const callId = Math.floor(index / states.length);
    const payload = { ...example, CallKeyID: keyOf(callId), CallID: callId, state: states[index % states.length] ?? 'QUEUED' };
    return { orgId: 1_000_000 + (callId % 200), payload };
  });
  const [startedMs, cpuMs] = [performance.now(), cpuMsOfAll()];
  let next = 0;
  const tell = async (): Promise<void> => {
    for (let event = events[next++]; event; event = events[next++])
      await bus.emit(callStateChanged, { ...event, id: randomUUID(), occurredAt: new Date().toISOString() });
  };
  await Promise.all(Array.from({ length: underWay }, tell));
  const seconds = (performance.now() - startedMs) / 1000;
  return {
    what: 'projection, events of calls',
    count: projected,
    seconds: seconds.toFixed(1),
    'a second': Math.round(projected / seconds),
    'a CPU-second': Math.round((projected / (cpuMsOfAll() - cpuMs)) * 1000),
  };
}

const keys = new Map<number, string>();
function keyOf(call: number): string {
  const key = keys.get(call) ?? randomUUID();
  keys.set(call, key);
  return key;
}

async function measureRebuild(url: string, adminUrl: string, size: Size): Promise<Figures[]> {
  // As a superuser, bypassing row-level security, which would require an organization for every row.
  const asAdmin = new URL(adminUrl);
  asAdmin.pathname = new URL(url).pathname;
  const sql = new Client({ connectionString: asAdmin.href, options: '-c search_path=dashboards' });
  await sql.connect();
  const source = await new DataSource(
    connectionOptions(dashboardsSchema, { url, poolMax: 3, statementTimeoutMs: 300_000 }),
  ).initialize();
  try {
    const months = new Set(
      Array.from({ length: days + 1 }, (_, day) => new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 7)),
    );
    for (const table of factTables) for (const month of months) await openMonth(source, table, month);
    await drawRecords(sql, size);
    await drawFacts(asAdmin.href, size, progress);
    await sql.query('ANALYZE');
    const rows: Figures[] = [];
    for (const table of factTables.slice(0, -1)) {
      // Missing figures must be written; correct ones are only compared.
      rows.push({ what: `count of ${table.name} from nothing`, ...(await rebuildOf(table, source)) });
      progress(`${table.name}: counted from nothing, ${rows.at(-1)?.['a second']} a second`);
      rows.push({ what: `rebuild of ${table.name}`, ...(await rebuildOf(table, source, rebuildingForMs)) });
      progress(`${table.name}: rebuilt, ${rows.at(-1)?.['a second']} a second`);
    }
    // As autovacuum would leave them; for the other tables only the statistics matter.
    await sql.query('VACUUM ANALYZE call_facts, turn_facts');
    await sql.query('ANALYZE');
    progress('vacuumed');
    return rows.filter(({ count }) => Number(count) > 0);
  } finally {
    await source.destroy();
    await sql.end();
  }
}

const toldEvery = 1_000_000;

/** Rebuilds from all facts, or from as many days as fit into the given time. */
async function rebuildOf(table: FactTable, source: DataSource, forMs = Infinity): Promise<Figures> {
  const [startedMs, cpuMs] = [performance.now(), cpuMsOfAll()];
  let [count, told] = [0, 0];
  for await (const { facts } of new Rebuilding(source, new TenantScope(source), false).run(table)) {
    count += facts;
    if (count - told >= toldEvery) progress(`${table.name}: ${(told = count)} counted`);
    if (performance.now() - startedMs > forMs) break;
  }
  const seconds = (performance.now() - startedMs) / 1000;
  return {
    count,
    seconds: seconds.toFixed(1),
    'a second': Math.round(count / seconds),
    'a CPU-second': Math.round((count / (cpuMsOfAll() - cpuMs)) * 1000),
  };
}

/** Prints one line with the targets met, and one with those missed and by how much. */
function printTargets(projecting: readonly Figures[], rebuilding: readonly Figures[], reading: readonly Figures[]): void {
  const rate = (bar: number) => (row: Figures) => ({
    what: `${row['what']} ${row['a second']}/s`,
    isMet: Number(row['a second']) >= bar,
  });
  const wait = (column: string) => (row: Figures) => ({
    what: `${row['what']}, ${column} ${row[column]} ms`,
    isMet: Number(row[column]) <= targets.endpointMs,
  });
  const all = [
    ...projecting.map(rate(targets.projection)),
    ...rebuilding.map(rate(targets.rebuild)),
    ...reading.flatMap((row) => [wait('p99')(row), wait('largest p99')(row)]),
  ];
  const missed = all.filter(({ isMet }) => !isMet);
  process.stdout.write(`\nbars met: ${all.length - missed.length} of ${all.length}; missed: `);
  process.stdout.write(`${missed.map(({ what }) => what).join(' · ') || 'none'}\n`);
  progress(`done; Postgres with ${Object.entries(settings).flat().join(' ')}`);
}

const beganMs = performance.now();

/** Prints progress with time and load, because the full size takes minutes. */
function progress(text: string): void {
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(0).padStart(5);
  process.stdout.write(`${seconds} s  load ${loadavg()[0]?.toFixed(1)}  ${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
