import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { spawn } from "node:child_process";
import { Client } from 'pg';
import { z } from 'zod';
import { applyLoad, type Load } from '../measure/http-load';
import { familyOf } from '../measure/process-cpu';
import { type Figures, report } from '../measure/report';
import { postmasterOf, type RunningPlatform, startPlatform } from '../measure/running-platform';

const connections = 64;
const roundMs = 6_000;

const Passwords = z.object({ postgres: z.string() });

/** A platform whose Postgres counts its statements. It has to be started twice: only a restart loads what counts. */
export async function startCounted(home: string, environment: NodeJS.ProcessEnv): Promise<RunningPlatform> {
  const first = await startPlatform('cluster', home, [], environment);
  await first.stop();
  const settings = "\nshared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track_planning = on\ntrack_wal_io_timing = off\n";
  appendFileSync(path.join(home, 'postgres', 'data', 'postgresql.conf'), settings);
  const platform = await startPlatform('cluster', home, [], environment);
  await asked(home, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  return platform;
}

/** What a turn costs Postgres: CPU by the role it works for, transactions, log, rows by table, and its dearest statements. */
export async function reportPostgresShare(home: string, name: string, load: Omit<Load, 'connections' | 'durationMs'>): Promise<void> {
  const perf = process.env['CHAT_PERF'];
  await asked(home, 'SELECT pg_stat_statements_reset()');
  const [cpuBefore, before] = [cpuByRole(home), await counted(home)];
  const perfed = perf ? spawnPerf(home, name) : undefined;
  const { requests } = await applyLoad({ ...load, connections, durationMs: roundMs });
  await perfed;
  const [cpuAfter, after] = [cpuByRole(home), await counted(home)];
  const cpu: Record<string, string | number> = { turns: requests };
  let all = 0;
  for (const [role, used] of [...cpuAfter].toSorted(([, one], [, other]) => other - one)) {
    const perTurn = (used - (cpuBefore.get(role) ?? 0)) / requests;
    all += perTurn;
    if (perTurn >= 2) cpu[role] = perTurn.toFixed(0);
  }
  report(`postgres cpu ${name}`, [{ ...cpu, all: all.toFixed(0) }]);
  const rows: Figures[] = [];
  for (const [what, value] of after) {
    const perTurn = (value - (before.get(what) ?? 0)) / requests;
    if (perTurn > 0.02) rows.push({ what, 'a turn': perTurn.toFixed(2) });
  }
  report(`postgres counts ${name}`, rows);
  const statements = await asked(home, `
    SELECT r.rolname AS role, calls, total_exec_time + total_plan_time AS ms, total_plan_time AS plan, rows, wal_bytes, wal_fpi,
      regexp_replace(left(query, 110), '\\s+', ' ', 'g') AS query
    FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid ORDER BY 3 DESC LIMIT 34`);
  report(`postgres statements ${name}`, statements.map((row) => ({
    role: String(row['role']), 'calls/turn': (Number(row['calls']) / requests).toFixed(2), 'us/call': (Number(row['ms']) * 1000 / Number(row['calls'])).toFixed(0),
    'us/turn': (Number(row['ms']) * 1000 / requests).toFixed(1), 'plan us/turn': (Number(row['plan']) * 1000 / requests).toFixed(1),
    'rows/call': (Number(row['rows']) / Number(row['calls'])).toFixed(1), 'wal/turn': (Number(row['wal_bytes']) / requests).toFixed(0), fpi: String(row['wal_fpi']), query: String(row['query']),
  })));
}

async function spawnPerf(home: string, name: string): Promise<void> {
  const pids = familyOf(postmasterOf(home)).join(',');
  const out = `/tmp/chat-perf-${name}.data`;
  

  const child = spawn('perf', ['record', '-o', out, '-F', '997', '-g', '-p', pids, 'sleep', '5'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
}

async function asked(home: string, text: string): Promise<Record<string, unknown>[]> {
  const folder = path.join(home, 'postgres');
  const { postgres } = Passwords.parse(JSON.parse(readFileSync(path.join(folder, 'passwords.json'), 'utf8')));
  const port = readFileSync(path.join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[3];
  const client = new Client({ connectionString: `postgres://postgres:${postgres}@127.0.0.1:${port}/parley` });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function counted(home: string): Promise<Map<string, number>> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const counts = new Map<string, number>();
  const [database] = await asked(home, `SELECT xact_commit, xact_rollback FROM pg_stat_database WHERE datname = 'parley'`);
  const [wal] = await asked(home, 'SELECT wal_records, wal_fpi, wal_bytes FROM pg_stat_wal');
  const io = await asked(home, `SELECT sum(writes) AS wal_writes, sum(fsyncs) AS wal_fsyncs FROM pg_stat_io WHERE object = 'wal'`);
  for (const [name, value] of Object.entries({ ...database, ...wal, ...io[0] })) counts.set(name, Number(value));
  const tables = await asked(home, `SELECT schemaname || '.' || relname AS name, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch FROM pg_stat_user_tables`);
  for (const { name, ...values } of tables) for (const [column, value] of Object.entries(values)) counts.set(`${String(name)} ${column}`, Number(value));
  return counts;
}

function cpuByRole(home: string): Map<string, number> {
  const uses = new Map<string, number>();
  for (const pid of familyOf(postmasterOf(home))) {
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const role = /^postgres: (.+?)(?: parley | 127|$| *$)/.exec(title)?.[1] ?? 'postmaster';
      let us = 0;
      for (const thread of readdirSync(`/proc/${pid}/task`)) us += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000;
      uses.set(role, (uses.get(role) ?? 0) + us);
    } catch {
      // It has ended meanwhile.
    }
  }
  return uses;
}
