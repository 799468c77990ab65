// The services behind a PgBouncer in transaction mode, as managed Postgres is often used.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { firstAnswer } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { findPgBouncer } from './pgbouncer.mjs';
import { serviceNames, startProcesses } from './processes.mjs';

const askedAtOnce = 40;

export async function poolerChecks(table, home) {
  const title = 'postgres: behind PgBouncer in transaction mode, from nothing to the first answer';
  const { why } = await findPgBouncer();
  if (why) return table.cannot(title, why);
  const folder = path.join(home, 'pooler');
  mkdirSync(folder, { mode: 0o755 });
  let installation;
  try {
    await table.check(title, async () => {
      const keys = newKeys(folder);
      Object.assign(keys.variables, { DATABASE_POOLING: 'transaction', DATABASE_POOL_MAX: '4' });
      installation = await startProcesses(folder, keys, { isPooled: true });
      const migrated = await installation.migrate();
      assert.equal(migrated.code, 0, migrated.err);
      for (const name of serviceNames) await installation.start(name);
      const used = await firstAnswer(installation);
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
  } finally {
    await installation?.stop();
  }
}
