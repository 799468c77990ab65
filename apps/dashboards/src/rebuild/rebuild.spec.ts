import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { callStateChanged, examplesOf, getDashboardCount } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { factTables } from '../facts/facts';
import { Installation } from '../installation.suite';

const march = { startDate: '2026-03-01', endDate: '2026-03-31' };
const [example] = callStateChanged.payload.array().parse(examplesOf(callStateChanged.payload));
const loader = path.resolve('libs', 'testing', 'jest', 'typescript-modules.mjs');
const program = path.relative(process.cwd(), path.join(__dirname, 'main.ts'));

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
});
afterAll(() => installation.stop());

/** `npm run rebuild -- dashboards` without the build: the program in its own process, on a database in use. */
function rebuild(...options: string[]): Promise<{ code: number; said: string }> {
  const script = `const { requireTypeScript } = await import(${JSON.stringify(loader)}); requireTypeScript(${JSON.stringify(program)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, '--', ...options], {
    env: { ...process.env, DATABASE_URL: installation.database.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return Promise.all([once(child, 'exit'), text(child.stdout)]).then(([[code], said]) => ({ code: Number(code), said }));
}

/** Every row of every figure of an organization, as text. */
async function figuresOf(orgId: number): Promise<string[]> {
  const names = factTables.flatMap(({ figures }) => figures.flatMap(({ name, days }) => [name, ...(days ? [days] : [])]));
  const rows = names.map((name) => `SELECT '${name} ' || t::text AS row FROM ${name} t WHERE org_id = $1`);
  const found = await installation.recount(`${rows.join(' UNION ALL ')} ORDER BY 1`, [orgId]);
  return found.map(({ row }) => String(row));
}

async function tell(orgId: number, count: number): Promise<void> {
  if (!example) throw new Error('no example');
  const states = ['QUEUED', 'COMPLETED', 'IN_PROGRESS'] as const;
  const call = (index: number) => ({
    ...example,
    CallKeyID: randomUUID(),
    queuedAt: `2026-03-0${1 + (index % 9)}T10:20:00.000Z`,
  });
  for (let index = 0; index < count; index += 1) {
    const told = call(index);
    for (const state of states) await installation.tell(callStateChanged, orgId, { ...told, state });
  }
}

it('recounts while old figures are served and new facts arrive, and ends with the same bytes', async () => {
  const [mine, others] = [installation.organization(), installation.organization()];
  await tell(mine.orgId, 12);
  await tell(others.orgId, 5);
  const incremental = await figuresOf(mine.orgId);
  expect(incremental.length).toBeGreaterThan(30);
  for (const table of ['call_quarters', 'call_days'])
    await installation.sql.query(`
      SET session_replication_role = replica; UPDATE ${table} SET total = total + 7 WHERE org_id = ${mine.orgId};
      SET session_replication_role = DEFAULT`);
  const total = async ({ owner }: typeof mine) =>
    (await installation.bus.ask(getDashboardCount, march, { principal: owner })).totalCalls;
  const before = await total(mine);
  expect(before).toBeGreaterThan(12);

  // Delayed before it counts calls, as while a batch is being projected.
  await installation.sql.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('dashboards.batch.call_facts'))`);
  const rebuilt = rebuild();
  await eventually(
    'the rebuild waits for the batch',
    async () => {
      const waiting = await installation.recount(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        [],
      );
      return waiting.length > 0;
    },
    100_000,
  );
  expect(await total(mine)).toBe(before);
  const told = tell(others.orgId, 3);
  await installation.sql.query('COMMIT');

  const [{ code, said }] = await Promise.all([rebuilt, told]);
  expect([code, said]).toEqual([0, expect.stringMatching(/^call_facts: (?:1[789]|20) facts in .* s, [1-9]\d* rows put right$/m)]);
  expect(await figuresOf(mine.orgId)).toEqual(incremental);
  expect([await total(mine), await total(others)]).toEqual([12, 8]);
  expect(await rebuild('--check')).toMatchObject({ code: 0 });
});
