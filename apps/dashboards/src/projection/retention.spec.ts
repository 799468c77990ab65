import { randomUUID } from 'node:crypto';
import { callStateChanged, examplesOf, exportFacts, getDashboardCount, readReportSpan } from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { createLogger, Metrics, RegularTasks } from '@parley/service-kit';
import { eventually } from '@parley/testing';
import { DataSource } from 'typeorm';
import { dashboardsSchema } from '../database/schema';
import { factTables } from '../facts/facts';
import { Installation } from '../installation.suite';
import { FactRetention, monthOf, monthsLater } from './retention';

const [example] = callStateChanged.payload.array().parse(examplesOf(callStateChanged.payload));
const thisMonth = monthOf(new Date().toISOString());
const monthsAgo = (count: number) => monthsLater(thisMonth, -count);

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
});
afterAll(() => installation.stop());

function callIn(month: string) {
  if (!example) throw new Error('no example');
  return { ...example, CallKeyID: randomUUID(), queuedAt: `${month}-02T09:30:00.000Z` };
}

/** The months for which a table has a partition. */
async function monthsOf(table: string): Promise<string[]> {
  const rows = await installation.recount(
    `SELECT replace(right(inhrelid::regclass::text, 7), '_', '-') AS month FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1`,
    [table],
  );
  return rows.map(({ month }) => String(month));
}

/** The hourly work of every replica. */
async function sweep(factMonths: number, figureMonths: number): Promise<void> {
  const source = await new DataSource(connectionOptions(dashboardsSchema, { url: installation.database.url })).initialize();
  const lifetime = { draining: new AbortController().signal, overdue: new AbortController().signal };
  const log = createLogger({ level: 'silent', isReadable: false, writesPii: false });
  const idle = new RegularTasks(lifetime, log, new Metrics().metricsOf('dashboards'));
  const retention = new FactRetention({ factMonths, figureMonths }, source, new TenantScope(source), idle);
  await retention.sweep().finally(() => source.destroy());
}

it('drops single facts by month but keeps their figures, and drops those at their own age', async () => {
  const { orgId, owner } = installation.organization();
  const [old, older] = [monthsAgo(4), monthsAgo(7)];
  for (const month of [thisMonth, old, older]) await installation.tell(callStateChanged, orgId, callIn(month));
  const totalOf = async (month: string) => {
    const span = { startDate: `${month}-01`, endDate: `${month}-28` };
    return (await installation.bus.ask(getDashboardCount, span, { principal: owner })).totalCalls;
  };
  expect(await monthsOf('call_facts')).toEqual(expect.arrayContaining([older, old, thisMonth]));

  // The current month is one of them.
  await sweep(3, 6);
  expect(await monthsOf('call_facts')).not.toContain(old);
  expect((await monthsOf('call_quarters')).filter((month) => month < thisMonth)).toEqual([old]);
  const days = await installation.recount('SELECT min(day) >= $2 AS kept FROM call_days WHERE org_id = $1', [orgId, `${old}-01`]);
  expect(days).toEqual([{ kept: true }]);
  expect([await totalOf(thisMonth), await totalOf(old), await totalOf(older)]).toEqual([1, 1, 0]);
  const withinQuarter = async (month: string, startDate: string, endDate: string) => {
    const span = { startDate: `${month}-02T${startDate}Z`, endDate: `${month}-02T${endDate}Z` };
    return (await installation.bus.ask(getDashboardCount, span, { principal: owner })).totalCalls;
  };
  // Within a quarter whose facts are gone nothing is known: a span that touches it gets all of it.
  expect([await withinQuarter(old, '09:40:00', '09:42:00'), await withinQuarter(old, '09:20:00', '09:30:00')]).toEqual([1, 0]);
  expect([await withinQuarter(old, '09:31:00', '23:59:59'), await withinQuarter(thisMonth, '09:40:00', '09:42:00')]).toEqual([
    1, 0,
  ]);

  const exported: string[] = [];
  const file = { facts: 'calls' as const, startDate: `${old}-01`, endDate: `${old}-28` };
  for await (const { csv } of installation.bus.stream(exportFacts, file, { principal: owner })) exported.push(csv);
  expect(exported.join('').trim().split('\n')).toHaveLength(1);
});

it('counts nothing twice after its month was dropped, and a rebuild does not remove it', async () => {
  const { orgId, owner } = installation.organization();
  // A more recent month than another test may have dropped.
  const month = monthsAgo(2);
  const call = callIn(month);
  await installation.tell(callStateChanged, orgId, callIn(thisMonth));
  await installation.tell(callStateChanged, orgId, { ...call, state: 'IN_PROGRESS' });
  await sweep(2, 6);
  // As if facts were kept longer from now on.
  await installation.openMonths([month]);
  await installation.tell(callStateChanged, orgId, call);
  await installation.rebuild();
  const span = { startDate: `${month}-01`, endDate: `${month}-28` };
  expect(await installation.bus.ask(getDashboardCount, span, { principal: owner })).toMatchObject({ totalCalls: 1, open: 1 });
});

it('has a partition for every fact of the coming month', async () => {
  await sweep(3, 6);
  for (const { name } of factTables) expect(await monthsOf(name)).toContain(monthsLater(thisMonth, 1));
});

it('reports how far figures are behind, and how many facts were too late or in the future', async () => {
  const { orgId } = installation.organization();
  const value = async (line: RegExp) => Number((await installation.metrics.exposition()).match(line)?.[1] ?? 0);
  const lag = /^parley_dashboards_lag_seconds_sum\{.*facts="call_facts".*\} (\S+)$/m;
  const ignored = (reason: string) =>
    new RegExp(`^parley_dashboards_facts_ignored_total\\{.*facts="call_facts".*reason="${reason}".*\\} (\\S+)$`, 'm');
  const before = [await value(lag), await value(ignored('old')), await value(ignored('future'))] as const;
  const told = { occurredAt: new Date(Date.now() - 3_600_000).toISOString() };
  await installation.tell(callStateChanged, orgId, callIn(thisMonth), told);
  await installation.tell(callStateChanged, orgId, callIn('1999-01'), told);
  await installation.tell(callStateChanged, orgId, callIn(monthsLater(thisMonth, 3)), told);
  const behind = (await value(lag)) - before[0];
  expect([behind > 3_599, behind < 3_660]).toEqual([true, true]);
  expect([await value(ignored('old')), await value(ignored('future'))]).toEqual([before[1] + 1, before[2] + 1]);
});

it('reports for how long turns have not been fetched', async () => {
  const behind = async () =>
    Number(
      /^parley_dashboards_turns_behind_seconds\{.*\} (\S+)$/m.exec(await installation.metrics.exposition())?.[1] ?? Number.NaN,
    );
  installation.surroundings.isSilent = true;
  await eventually('it grows while conversation is away', async () => (await behind()) > 0.5, 20_000);
  installation.surroundings.isSilent = false;
  await eventually('it is small once they are read', async () => (await behind()) < 0.5, 20_000);
});

it('reports since when calls are counted: the first month that is kept, or the first that was not dropped', async () => {
  const { owner } = installation.organization();
  const countedFrom = async () => (await installation.bus.ask(readReportSpan, {}, { principal: owner })).countedFrom;
  await installation.sql.query(`DELETE FROM sealed_facts WHERE name = 'sales_call_facts'`);
  expect(await countedFrom()).toBe(`${monthsAgo(119)}-01T00:00:00.000Z`);
  const sealed = `${monthsAgo(3)}-01T00:00:00.000Z`;
  await installation.sql.query(`INSERT INTO sealed_facts (name, before) VALUES ('sales_call_facts', '${sealed}')`);
  expect(await countedFrom()).toBe(sealed);
});
