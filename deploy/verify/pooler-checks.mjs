// The services behind a PgBouncer in transaction mode, as managed Postgres is often used.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { firstAnswer } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { findPgBouncer } from './pgbouncer.mjs';
import { serviceNames, startProcesses } from './processes.mjs';

const tool = path.resolve(import.meta.dirname, '../../tools/fuzz.mjs');
const askedAtOnce = 40;
const drawn = 3_000;
const unlimited = { limit: 10_000_000, windowSeconds: 60 };

export async function poolerChecks(table, home) {
  const title = 'postgres: behind PgBouncer in transaction mode, from nothing to the first answer';
  const { why } = await findPgBouncer();
  if (why) return table.cannot(title, why);
  const folder = path.join(home, 'pooler');
  mkdirSync(folder, { mode: 0o755 });
  let installation;
  let used;
  try {
    const isUp = await table.check(title, async () => {
      const keys = newKeys(folder);
      Object.assign(keys.variables, { DATABASE_POOLING: 'transaction', DATABASE_POOL_MAX: '4' });
      installation = await startProcesses(folder, keys, { isPooled: true, settings: { CARRIERS_IN_PRIVATE_NETWORKS: 'true' } });
      const migrated = await installation.migrate();
      assert.equal(migrated.code, 0, migrated.err);
      for (const name of serviceNames) await installation.start(name);
      used = await firstAnswer(installation);
      const headers = { 'x-api-key': used.agentKey, 'content-type': 'application/json' };
      const body = JSON.stringify({ question: 'When are you open?' });
      const asking = Array.from({ length: askedAtOnce }, () =>
        fetch(`${installation.url}/api/v1/ttt`, { method: 'POST', headers, body }),
      );
      const statuses = (await Promise.all(asking)).map(({ status }) => status);
      assert.deepEqual(
        statuses.filter((status) => status !== 200),
        [],
      );
      const connections = await installation.superuser(
        async (client) =>
          (await client.query(`SELECT count(*)::int AS open FROM pg_stat_activity WHERE usename LIKE 'parley_%'`)).rows[0].open,
      );
      return `${used.figures}; ${askedAtOnce} at once; ${connections} connections at Postgres`;
    });
    if (isUp)
      await table.check('postgres: the same, an event put aside is listed and put back by the operator’s command', () =>
        deadEvent(installation),
      );
    // A connection that changes hands between statements can give one query the rows of another, so every statement is tried.
    const drawnTitle = `postgres: the same, ${drawn} requests drawn from the API document`;
    if (isUp) await table.check(drawnTitle, () => drawnRequests(installation, used.made));
  } finally {
    await installation?.stop();
  }
}

/** An event of an organization that does not exist, which nobody counts. */
async function deadEvent(installation) {
  const id = randomUUID();
  const row = `INSERT INTO gateway.dead_events (seq, id, subject, org_id, occurred_at, payload, attempts, reason)`;
  await installation.superuser((client) =>
    client.query(`${row} VALUES (1, $1, 'gateway.nobody.asked', 0, now(), '{}', 12, 'refused')`, [id]),
  );
  const listed = await installation.admin('events', 'dead', '--json');
  assert.equal(listed.code, 0, listed.err);
  assert.ok(listed.out.includes(id), listed.out);
  const retried = await installation.admin('events', 'retry', '--id', id, '--json');
  assert.equal(retried.code, 0, retried.err);
  assert.match(retried.out, /"putBack": 1/);
  return 'listed, and put back';
}

/** Every route with valid and invalid values: none a 5xx, every answer as documented. */
async function drawnRequests(installation, { OrgID, key }) {
  const quotas = Object.fromEntries(['read', 'write', 'chat', 'speech', 'upload'].map((name) => [name, unlimited]));
  const limits = JSON.stringify({ key: quotas, organization: quotas });
  const operators = [
    ['plan', 'save', '--name', 'drawn', '--limits', limits],
    ['plan', 'assign', '--organization', String(OrgID), '--name', 'drawn'],
  ];
  for (const words of operators) {
    const { code, err } = await installation.admin(...words);
    assert.equal(code, 0, err);
  }
  const words = [tool, 'api', '--requests', String(drawn), '--at', installation.url, '--key', key];
  const run = await promisify(execFile)(process.execPath, words).catch((failed) => failed);
  assert.match(run.stdout, /"complaints"/, run.stderr);
  const { complaints, byStatus, operationsDone, operations } = JSON.parse(run.stdout);
  assert.deepEqual(complaints.slice(0, 2), []);
  return `answered ${JSON.stringify(byStatus).replaceAll('"', '')}; ${operationsDone} of ${operations} operations done`;
}
