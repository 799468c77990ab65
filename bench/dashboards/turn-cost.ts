// `node dist/bench/dashboards/turn-cost.js`: what it costs a turn to report its end to the dashboards.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { conversation } from '@parley/apps/conversation';
import { migrateSchema, startEmbeddedPostgres } from '@parley/database';
import { Client } from 'pg';
import { report } from '../measure/report';

const rounds = 60;
const turnsEach = 200;

const told = 'INSERT INTO turn_changes (org_id, turn_uuid) SELECT org_id, turn_uuid FROM answered';
const ending = (tells: boolean): string => `
  WITH answered AS (
    UPDATE turns SET status = 'COMPLETED', answer = repeat('word ', 40), prompt_tokens = 380, answered_on = now()
    WHERE id = $1 RETURNING org_id, turn_uuid
  )${tells ? `, told AS (${told})` : ''} SELECT count(*) FROM answered`;

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const database = await startEmbeddedPostgres({ home: folder });
  if (!conversation.database) throw new Error('conversation keeps nothing');
  await migrateSchema(conversation.database, database.url);
  const asAdmin = new URL(database.adminUrl);
  asAdmin.pathname = new URL(database.url).pathname;
  const sql = new Client({ connectionString: asAdmin.href, options: '-c search_path=conversation' });
  await sql.connect();
  try {
    await sql.query(`
      INSERT INTO sessions (org_id, session_uuid, agent_id, agent_key_id, agent_name, channel, language)
      VALUES (1, gen_random_uuid(), 1, gen_random_uuid(), 'a', 'API', 'english');
      INSERT INTO turns (org_id, session_id, turn_uuid, status, question)
      SELECT 1, (SELECT min(id) FROM sessions), gen_random_uuid(), 'RUNNING', 'Do you deliver to Nashik on Sundays?'
      FROM generate_series(1, ${rounds * turnsEach * 2})`);
    const { rows } = await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    const times: { silent: number[]; telling: number[] } = { silent: [], telling: [] };
    for (let round = 0; round < rounds * 2; round += 1) {
      const kind = round % 2 ? 'telling' : 'silent';
      await sql.query('BEGIN');
      const before = cpuUsOf(pid);
      for (let turn = 1; turn <= turnsEach; turn += 1)
        await sql.query({ name: kind, text: ending(kind === 'telling'), values: [round * turnsEach + turn] });
      times[kind].push((cpuUsOf(pid) - before) / turnsEach);
      await sql.query('COMMIT');
    }
    const median = (all: number[]) => Math.round(all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0);
    report('turn-cost', [
      { what: 'the end of a turn', 'CPU-µs of Postgres': median(times.silent) },
      { what: 'the same, and telling of it', 'CPU-µs of Postgres': median(times.telling) },
    ]);
  } finally {
    await sql.end();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The CPU time of a process so far, which Linux counts in nanoseconds. */
function cpuUsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
}

void main();
