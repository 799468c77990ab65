import { randomUUID } from 'node:crypto';
import { connectionOptions, migrateSchema, TenantScope } from '@parley/database';
import { createLogger, Metrics, RegularTasks } from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { dashboardsSchema } from '../database/schema';
import { columnsOf, type NewFact, type FactTable, type FigureTable } from '../facts/fact-table';
import { factTables } from '../facts/facts';
import { Rebuilding } from '../rebuild/rebuilding';
import { naiveFigures } from '../testing/naive-figures';
import { Projection } from './projection';
import { FactRetention } from './retention';

const runs = 25;
const orgIds = [1, 2];

let database: TestDatabase;
let source: DataSource;
let sql: Client;

beforeAll(async () => {
  database = await testDatabase();
  await migrateSchema(dashboardsSchema, database.url);
  source = await new DataSource(connectionOptions(dashboardsSchema, { url: database.url })).initialize();
  sql = new Client({ connectionString: database.adminUrl, options: '-c search_path=dashboards' });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await source.destroy();
  await database.close();
});

/** Another process of the service, as far as it projects facts. */
function projection(): Projection {
  const tenants = new TenantScope(source);
  const lifetime = { draining: new AbortController().signal, overdue: new AbortController().signal };
  const log = createLogger({ level: 'silent', isReadable: false, writesPii: false });
  const idle = new RegularTasks(lifetime, log, new Metrics().metricsOf('dashboards'));
  const retention = new FactRetention({ factMonths: 120, figureMonths: 120 }, source, tenants, idle);
  return new Projection(source, tenants, retention, new Metrics().metricsOf('dashboards'));
}

const smallInt = fc.integer({ min: 0, max: 3 });
const words: Record<string, readonly (string | null)[]> = {
  state: ['QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED', 'MISSED', 'FAILED', 'CANCELLED'],
  status: ['COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST', 'DISCARDED'],
  direction: ['INBOUND', 'OUTBOUND'],
  channel: ['API', 'VOICE', 'PHONE'],
  language: ['english', 'hindi', 'marathi'],
  reason: ['IDLE', 'ENDED_BY_USER', 'CALL_ENDED', 'TRANSFERRED'],
  outcome: ['ANSWERED', 'UNANSWERED', 'TRANSFERRED', 'ABANDONED', 'FAILED', 'CONNECTED', 'CONVERTED', 'CALLBACK', 'BUSY'],
  kind: ['TTT_API', 'TTS_API'],
  faq_title: ['When?', null],
  question: ['Do you deliver to Nashik?', null],
};
const nullable = new Set([
  'campaign_id',
  'campaign_contact_id',
  'contact_id',
  'faq_id',
  'frames',
  'lost_frames',
  'answered_at',
  'ended_at',
]);
const instants = ['2026-03-02T09:14:59.999Z', '2026-03-02T09:15:00.000Z', '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00.000Z'];

function drawn(name: string, type: string): fc.Arbitrary<unknown> {
  const values: Record<string, fc.Arbitrary<unknown>> = {
    int: smallInt,
    bigint: smallInt,
    smallint: smallInt,
    real: fc.option(fc.constantFrom(0, 0.4, 1, 7, 250, 251, 90_000)),
    boolean: fc.boolean(),
    timestamptz: fc.constantFrom(...instants),
    jsonb: fc.constantFrom(
      null,
      [{ role: 'LANGUAGE_MODEL', provider: 'first', kind: 'BUSY' }],
      [
        { role: 'LANGUAGE_MODEL', provider: 'first', kind: 'BUSY' },
        { role: 'LANGUAGE_MODEL', provider: 'second', kind: 'TIMEOUT' },
      ],
    ),
    uuid: fc.constantFrom(randomUUID(), randomUUID()),
    text: fc.constantFrom(...(words[name] ?? ['a'])),
  };
  const value = name === 'requests' ? fc.integer({ min: 1, max: 3 }) : (values[type] ?? fc.constant(null));
  return nullable.has(name) ? fc.option(value) : value;
}

/** Reports of a few facts of one table, with conflicting versions, as their sources might send them. */
function tellings(table: FactTable): fc.Arbitrary<NewFact[]> {
  const identities = Array.from({ length: 8 }, (_, index) => ({
    org_id: orgIds[index % orgIds.length],
    [table.key]: randomUUID(),
    [table.at]: instants[index % instants.length],
  }));
  const columns = Object.entries(table.columns).map(([name, type]) => [name, drawn(name, type)] as const);
  const version = {
    rank: fc.integer({ min: 0, max: 3 }),
    told_at: fc.constantFrom('2026-03-02T09:00:00.000Z', '2026-03-02T09:00:00.001Z'),
  };
  const telling = fc
    .record({ ...Object.fromEntries(columns), ...version })
    .chain((values) => fc.constantFrom(...identities).map((identity) => ({ ...values, ...identity })));
  return fc
    .array(telling, { minLength: 1, maxLength: 30 })
    .map((facts) => facts.map((fact, index) => ({ ...fact, told_by: `event-${index}` }) as unknown as NewFact));
}

/** The report of each fact that prevails, found without a database. */
function standing(table: FactTable, facts: readonly NewFact[]): NewFact[] {
  const versionOf = ({ rank, told_at, told_by }: NewFact) => `${rank} ${told_at} ${told_by}`;
  const byIdentity = Map.groupBy(facts, (fact) => `${fact.org_id} ${String(fact[table.key])}`);
  return [...byIdentity.values()].map((told) => told.reduce((best, next) => (versionOf(next) > versionOf(best) ? next : best)));
}

/** Each report at least once, some more often, in any order and batches, by one of two processes. */
const deliveries = (facts: readonly NewFact[]) =>
  fc.array(fc.nat({ max: facts.length - 1 }), { maxLength: facts.length }).chain((again) =>
    fc.shuffledSubarray([...facts, ...again.flatMap((index) => facts[index] ?? [])], {
      minLength: facts.length + again.length,
    }),
  );

/** The tables of all figures of a fact, by quarters of an hour and by days. */
const tablesOf = ({ figures }: FactTable) => figures.flatMap(({ name, days }) => [name, ...(days ? [days] : [])]);

/** A figure counted naively, its rows as text: by quarters, or by days (UTC). */
async function naive(
  { name, days: daysTable, packed, dimensions, measures }: FigureTable,
  at: 'quarter' | 'day',
): Promise<string[]> {
  const counted = naiveFigures[name];
  if (packed) {
    const rowsOf = naiveFigures[at === 'day' ? String(daysTable) : name];
    const { rows } = await sql.query<{ row: string }>(`SELECT n::text AS row FROM (${rowsOf}) n ORDER BY 1`);
    return rows.map(({ row }) => row);
  }
  const sums = measures.map((measure) => `sum(${measure})::bigint AS ${measure}`);
  const keys = ['org_id', at, ...Object.keys(dimensions)].join(', ');
  const days = `SELECT ${keys}, ${sums.join(', ')} FROM (
    SELECT *, ((quarter AT TIME ZONE 'UTC')::date::timestamp AT TIME ZONE 'UTC') AS day FROM (${counted}) n) d GROUP BY ${keys}`;
  const { rows } = await sql.query<{ row: string }>(
    `SELECT (SELECT t FROM (SELECT ${keys}, ${measures.join(', ')}) t)::text AS row FROM (${at === 'day' ? days : counted}) n ORDER BY 1`,
  );
  return rows.map(({ row }) => row);
}

async function figuresOf(table: FactTable): Promise<Record<string, string[]>> {
  const dumps: Record<string, string[]> = {};
  for (const name of tablesOf(table)) {
    const { rows } = await sql.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    dumps[name] = rows.map(({ row }) => row);
  }
  return dumps;
}

async function empty(table: FactTable): Promise<void> {
  await sql.query(`TRUNCATE ${[table.name, ...tablesOf(table)].join(', ')}`);
}

/** The key of a table's row. */
function wrongOf({ figures }: FactTable, table: string): string {
  const figure = figures.find(({ name, days }) => name === table || days === table);
  const measure = String(figure?.measures[0]);
  return figure?.packed ? 'codes[1] = codes[1] - 1' : `${measure} = ${measure} + 1`;
}

/** Figures as a failure might leave them: rows that are wrong, missing or extra. Triggers are off. */
async function damage(table: string, wrong: string): Promise<void> {
  await sql.query(`
    SET session_replication_role = replica;
    UPDATE ${table} SET ${wrong} WHERE org_id = 1;
    CREATE TEMP TABLE copied ON COMMIT DROP AS SELECT * FROM ${table};
    UPDATE copied SET org_id = org_id + 2;
    DELETE FROM ${table} WHERE org_id = 2;
    INSERT INTO ${table} SELECT * FROM copied;
    SET session_replication_role = DEFAULT`);
}

describe.each(factTables.map((table) => [table.name, table] as const))('figures of %s', (_name, table) => {
  it('equal a naive count of the final facts, however their reports are mixed, repeated, delayed and split', async () => {
    const [first, second] = [projection(), projection()];
    const scenario = tellings(table).chain((facts) =>
      fc.record({ facts: fc.constant(facts), delivered: deliveries(facts), width: fc.integer({ min: 1, max: 12 }) }),
    );
    await fc.assert(
      fc.asyncProperty(scenario, async ({ facts, delivered, width }) => {
        await empty(table);
        for (let from = 0; from < delivered.length; from += width) {
          const batch = delivered.slice(from, from + width);
          await Promise.all(batch.map((fact, index) => (index % 2 ? first : second).take(table, fact)));
        }
        const { rows } = await sql.query(`SELECT told_by FROM ${table.name} ORDER BY 1`);
        expect(rows.map(({ told_by }) => told_by)).toEqual(
          standing(table, facts)
            .map(({ told_by }) => told_by)
            .toSorted(),
        );
        const incremental = await figuresOf(table);
        for (const figure of table.figures) {
          const { name, days } = figure;
          expect({ name, rows: incremental[name] }).toEqual({ name, rows: await naive(figure, 'quarter') });
          if (days) expect({ days, rows: incremental[days] }).toEqual({ days, rows: await naive(figure, 'day') });
        }
      }),
      { numRuns: runs },
    );
  });

  it('are identical byte for byte after a rebuild, and a check finds deviations', async () => {
    const tenants = new TenantScope(source);
    const [facts] = fc.sample(tellings(table), { numRuns: 1, seed: 7 });
    await empty(table);
    await Promise.all((facts ?? []).map((fact) => projection().take(table, fact)));
    const incremental = await figuresOf(table);
    for (const name of tablesOf(table)) await damage(name, wrongOf(table, name));
    const differing = async () => {
      let found = 0;
      for await (const each of new Rebuilding(source, tenants, true).run(table)) found += each.differing;
      return found;
    };
    const damaged = await figuresOf(table);
    for (const name of tablesOf(table)) expect(damaged[name]).not.toEqual(incremental[name]);
    expect(await differing()).toBeGreaterThan(0);
    expect(await figuresOf(table)).toEqual(damaged);
    let rebuilt = 0;
    // Day by day and organization by organization, as for many; the checks count them all at once.
    for await (const each of new Rebuilding(source, tenants, false, 2).run(table)) rebuilt += each.facts;
    expect(rebuilt).toBe(standing(table, facts ?? []).length);
    expect(await figuresOf(table)).toEqual(incremental);
    expect(await differing()).toBe(0);
    // Days may be wrong while quarters are right.
    for (const { days } of table.figures) if (days) await damage(days, wrongOf(table, days));
    for await (const each of new Rebuilding(source, tenants, false).run(table)) rebuilt += each.facts;
    expect(await figuresOf(table)).toEqual(incremental);
  });

  it('have the columns that the projection writes', async () => {
    const { rows } = await sql.query<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
       WHERE attrelid = to_regclass($1) AND attnum > 0 ORDER BY attname`,
      [table.name],
    );
    const named: Record<string, string> = { int: 'integer', timestamptz: 'timestamp with time zone' };
    const expected = Object.entries(columnsOf(table)).map(([name, type]) => ({ name, type: named[type] ?? type }));
    expect(rows).toEqual(expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });
});
