import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { applyLoad, type Load } from '../measure/http-load';
import { familyOf } from '../measure/process-cpu';
import { type Figures, report } from '../measure/report';
import { postmasterOf, type RunningPlatform, startPlatform } from '../measure/running-platform';

const connections = 64;
const roundMs = 6_000;
/** Backends report their counts about once a second. */
const countingMs = 1_500;
const shownMin = 0.02;

const Passwords = z.object({ postgres: z.string() });
const Counted = z.record(z.string(), z.coerce.number());
const StatementRow = z.object({
  role: z.string(),
  calls: z.coerce.number(),
  planUs: z.number(),
  us: z.number(),
  wal: z.coerce.number(),
  query: z.string(),
});

/**
 * A platform whose Postgres counts its statements. It is started twice, because the counting extension is only loaded at a start.
 */
export async function startCounted(home: string, environment: NodeJS.ProcessEnv): Promise<RunningPlatform> {
  const first = await startPlatform('cluster', home, [], environment);
  await first.stop();
  const settings = ["shared_preload_libraries = 'pg_stat_statements'", 'pg_stat_statements.track_planning = on'];
  appendFileSync(path.join(home, 'postgres', 'data', 'postgresql.conf'), `\n${settings.join('\n')}\n`);
  const platform = await startPlatform('cluster', home, [], environment);
  await asked(home, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  return platform;
}

/**
 * What a turn costs Postgres: CPU time by role, transactions and log volume, rows by table, and the most expensive statements.
 */
export async function reportPostgresShare(
  home: string,
  name: string,
  load: Omit<Load, 'connections' | 'durationMs'>,
): Promise<void> {
  await asked(home, 'SELECT pg_stat_statements_reset()');
  const before = { cpu: cpuByRole(home), counts: await countsOf(home) };
  const { requests } = await applyLoad({ ...load, connections, durationMs: roundMs });
  const after = { cpu: cpuByRole(home), counts: await countsOf(home) };
  const rowsOf = (part: 'cpu' | 'counts'): Figures[] =>
    [...after[part]]
      .map(([what, value]) => ({ what, 'a turn': (value - (before[part].get(what) ?? 0)) / requests }))
      .filter((row) => row['a turn'] > shownMin)
      .map((row) => ({ ...row, 'a turn': row['a turn'].toFixed(2) }));
  report(`chat-postgres-cpu, ${name}`, rowsOf('cpu'));
  report(`chat-postgres-counts, ${name}`, rowsOf('counts'));
  report(`chat-postgres-statements, ${name}`, await statementsOf(home, requests));
}

/** The elapsed time of planning and execution, without the start and end of execution. */
async function statementsOf(home: string, turns: number): Promise<Figures[]> {
  const rows = await asked(
    home,
    `SELECT rolname AS role, calls, total_plan_time * 1000 AS "planUs", (total_exec_time + total_plan_time) * 1000 AS us, wal_bytes AS wal,
       regexp_replace(left(query, 90), '\\s+', ' ', 'g') AS query
     FROM pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid ORDER BY us DESC LIMIT 15`,
  );
  return z
    .array(StatementRow)
    .parse(rows)
    .map(({ role, calls, planUs, us, wal, query }) => ({
      role,
      'calls a turn': (calls / turns).toFixed(2),
      'µs a call': (us / calls).toFixed(0),
      'µs a turn': (us / turns).toFixed(1),
      'of it planning': (planUs / turns).toFixed(1),
      'bytes of log a turn': (wal / turns).toFixed(0),
      query,
    }));
}

async function countsOf(home: string): Promise<Map<string, number>> {
  await delay(countingMs);
  const counts = new Map<string, number>();
  const once = [
    "SELECT xact_commit FROM pg_stat_database WHERE datname = 'parley'",
    'SELECT wal_records, wal_bytes FROM pg_stat_wal',
  ];
  for (const text of once)
    for (const row of await asked(home, text))
      for (const [name, value] of Object.entries(Counted.parse(row))) counts.set(name, value);
  const tables = await asked(
    home,
    `SELECT schemaname || '.' || relname AS name, n_tup_ins AS inserted, n_tup_upd AS updated, n_tup_del AS deleted, idx_scan AS "looked up"
     FROM pg_stat_user_tables`,
  );
  for (const { name, ...values } of tables)
    for (const [what, value] of Object.entries(Counted.parse(values))) counts.set(`${String(name)}, ${what}`, value);
  return counts;
}

/** In microseconds, by the scheduler's own accounting. A backend's process title contains its user. */
function cpuByRole(home: string): Map<string, number> {
  const uses = new Map<string, number>();
  for (const pid of familyOf(postmasterOf(home))) {
    const title = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
    const role = /^postgres: (\S+)/.exec(title)?.[1] ?? 'postmaster';
    uses.set(role, (uses.get(role) ?? 0) + Number(textOf(`/proc/${pid}/schedstat`).split(' ')[0]) / 1_000);
  }
  return uses;
}

/** Empty if the process has ended, which may happen while we read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Queries the platform's Postgres as its superuser. */
async function asked(home: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: superuserUrl(home) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** How the superuser reaches the platform's Postgres. */
export function superuserUrl(home: string): string {
  const folder = path.join(home, 'postgres');
  const { postgres } = Passwords.parse(JSON.parse(readFileSync(path.join(folder, 'passwords.json'), 'utf8')));
  const port = readFileSync(path.join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[3];
  return `postgres://postgres:${postgres}@127.0.0.1:${port}/parley`;
}
