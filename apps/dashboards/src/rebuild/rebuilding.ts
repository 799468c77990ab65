import { TenantScope } from '@parley/database';
import { DataSource, type EntityManager } from 'typeorm';
import { contributionOf, dayOf, type FactTable, type FigureTable, keysOf, packedRows } from '../facts/fact-table';
import { rebuildLock } from '../projection/projection';
import { monthsIn, monthsLater, startOf } from '../projection/retention';

/** The result of rebuilding one part. */
interface Rebuilt {
  readonly facts: number;
  /** Rows of figures that differed from the facts. */
  readonly differing: number;
}

/** How many facts are counted in one transaction, so that new facts do not wait for long. */
const usualFactsMax = 50_000;

/** Whole days (UTC) of a range of organizations. */
interface RebuiltPart {
  readonly from: string;
  readonly to: string;
  readonly firstOrgId: number;
  readonly lastOrgId: number;
}

const everyOrganization = { firstOrgId: 0, lastOrgId: 2_147_483_647 };

interface RebuiltSpan {
  readonly from: string;
  readonly to: string;
  readonly facts: number;
}

/**
 * Recomputes figures from the facts, a few days at a time, in the order in which facts arrived and lie on disk. Differences are
 * corrected in one transaction, during which new facts wait and readers see the old figures. Months whose facts were dropped stay
 * as they are.
 */
export class Rebuilding {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tenants: TenantScope,
    /** Only compares. */
    private readonly isCheck: boolean,
    private readonly factsMax = usualFactsMax,
  ) {}

  /** Yields the result of each part; several are counted at the same time. */
  async *run(table: FactTable, lanes = 2): AsyncGenerator<Rebuilt> {
    const statement = countingStatement(table, this.isCheck);
    const running: Promise<Rebuilt>[] = [];
    try {
      for await (const part of this.parts(table)) {
        const rebuilt = this.rebuild(table, part, statement);
        // The failure is thrown when its part is awaited; until then it must not count as unhandled.
        rebuilt.catch(() => undefined);
        running.push(rebuilt);
        const [oldest] = running.length >= lanes ? running.splice(0, 1) : [];
        if (oldest) yield await oldest;
      }
      for (let oldest = running.shift(); oldest; oldest = running.shift()) yield await oldest;
    } finally {
      await Promise.allSettled(running);
    }
  }

  /** Every day of every month that has facts, once, including empty days, whose outdated figures must be removed. */
  private async *parts(table: FactTable): AsyncGenerator<RebuiltPart> {
    for (const month of await this.months(table)) {
      let [from, facts] = [startOf(month), 0];
      const end = startOf(monthsLater(month, 1));
      for (const day of await this.days(table, { from, to: end })) {
        if (facts > 0 && facts + day.facts > this.factsMax) {
          yield* this.partsOf(table, { from, to: day.at, facts });
          [from, facts] = [day.at, 0];
        }
        facts += day.facts;
      }
      yield* this.partsOf(table, { from, to: end, facts });
    }
  }

  /** A dropped month may exist again, empty, if the retention was extended. */
  private async months({ name }: FactTable): Promise<string[]> {
    const sealed: { before: Date }[] = await this.dataSource.query('SELECT before FROM sealed_facts WHERE name = $1', [name]);
    const months = await monthsIn(this.dataSource, name);
    return months.filter((month) => !sealed.some(({ before }) => startOf(month) < before.toISOString()));
  }

  /** A day with more facts than one transaction counts is split by organization. */
  private async *partsOf(table: FactTable, span: RebuiltSpan): AsyncGenerator<RebuiltPart> {
    const { from, to } = span;
    let [firstOrgId, facts] = [everyOrganization.firstOrgId, 0];
    for (const organization of span.facts > this.factsMax ? await this.organizations(table, span) : []) {
      if (facts > 0 && facts + organization.facts > this.factsMax) {
        yield { from, to, firstOrgId, lastOrgId: organization.id - 1 };
        [firstOrgId, facts] = [organization.id, 0];
      }
      facts += organization.facts;
    }
    yield { from, to, firstOrgId, lastOrgId: everyOrganization.lastOrgId };
  }

  private days({ name, at }: FactTable, { from, to }: Omit<RebuiltSpan, 'facts'>): Promise<{ at: string; facts: number }[]> {
    return this.acrossTenants((manager) =>
      manager.query(
        `SELECT to_char(day AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, facts FROM (
           SELECT date_bin('1 day', ${at}, timestamptz 'epoch') AS day, count(*)::int AS facts FROM ${name}
           WHERE ${at} >= $1 AND ${at} < $2 GROUP BY 1
         ) days ORDER BY day`,
        [from, to],
      ),
    );
  }

  /** Searches by key, so that the month is not read again for each of its days. */
  private organizations({ name, at }: FactTable, { from, to }: RebuiltSpan): Promise<{ id: number; facts: number }[]> {
    return this.tenants.acrossTenantsOnce('a rebuild counts every organization', {
      name: `organizations-of-${name}`,
      text: `SELECT org_id AS id, count(*)::int AS facts FROM ${name} WHERE ${at} >= $1 AND ${at} < $2 GROUP BY 1 ORDER BY 1`,
      values: [from, to],
    });
  }

  /** A count made after acquiring the lock sees every earlier batch. */
  private rebuild(table: FactTable, { from, to, firstOrgId, lastOrgId }: RebuiltPart, statement: string): Promise<Rebuilt> {
    return this.acrossTenants(async (manager) => {
      await manager.query(rebuildLock(table));
      const [found]: Rebuilt[] = await manager.query(statement, [from, to, firstOrgId, lastOrgId]);
      return found ?? { facts: 0, differing: 0 };
    });
  }

  private acrossTenants<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.tenants.acrossTenants('a rebuild counts every organization', work);
  }
}

/** Stored sums, and how to compute them. */
interface Level {
  readonly name: string;
  readonly at: 'quarter' | 'day';
  readonly figure: FigureTable;
  /** SELECTs of the expected contributions and of the stored rows: organization, instant, dimensions and measures. */
  readonly expected: string;
  readonly stored: string;
}

const within = (at: string, table = '') =>
  `${table}${at} >= $1 AND ${table}${at} < $2 AND ${table}org_id BETWEEN $3::int AND $4::int`;

/**
 * Corrects the figures of a part from its facts, which are read once for all figures, and the days from their quarters; returns
 * how many rows were wrong.
 */
function countingStatement(table: FactTable, isCheck: boolean): string {
  const steps = table.figures.flatMap((figure) => (figure.packed ? packedSteps : plainSteps)(table, figure, isCheck));
  const names = table.figures.flatMap(({ name, days }) => (days ? [name, days] : [name]));
  return `
    WITH facts AS MATERIALIZED (SELECT * FROM ${table.name} WHERE ${within(table.at)}), ${steps.join(', ')}
    SELECT (SELECT count(*) FROM facts)::int AS facts,
      (${names.map((name) => `(SELECT count(*) FROM ${name}_wrong)`).join(' + ')})::int AS differing`;
}

function plainSteps(table: FactTable, figure: FigureTable, isCheck: boolean): string[] {
  // Quarters that days are computed from are read once for both.
  const stored = `${figure.name}_stored AS ${figure.days ? '' : 'NOT '}MATERIALIZED (
    SELECT ${columnsOf(figure, 'quarter')} FROM ${figure.name} WHERE ${within('quarter')})`;
  const levels = levelsOf(table, figure).flatMap((level) => [comparison(level), ...(isCheck ? [] : [corrections(level)])]);
  return [stored, ...levels];
}

const columnsOf = (figure: FigureTable, at: 'quarter' | 'day'): string => [...keysOf(figure, at), ...figure.measures].join(', ');

function levelsOf(table: FactTable, figure: FigureTable): Level[] {
  const { name, days, measures } = figure;
  const expected = contributionOf(table, figure, 'facts');
  const quarters: Level = { name, at: 'quarter', figure, expected, stored: `SELECT * FROM ${name}_stored` };
  if (days === undefined) return [quarters];
  const byDay = `org_id, ${dayOf('quarter')} AS day, ${[...Object.keys(figure.dimensions), ...measures].join(', ')}`;
  const storedByDay = `SELECT ${byDay} FROM ${name}_stored`;
  const stored = `SELECT ${columnsOf(figure, 'day')} FROM ${days} WHERE ${within('day')}`;
  return [
    quarters,
    { name: days, at: 'day', figure, expected: `${storedByDay} UNION ALL SELECT ${byDay} FROM ${name}_wrong`, stored },
  ];
}

/** Expected minus stored sums, in one pass over both; mostly zero. A row that should not exist also counts as wrong. */
function comparison({ name, at, figure, expected, stored }: Level): string {
  const { measures } = figure;
  const keys = keysOf(figure, at).join(', ');
  // Integers below 2^53 are exact as float8, and summing those costs a third of summing bigint, which Postgres does as numeric.
  const sums = measures.map((measure) => `sum(${measure}::float8)::bigint AS ${measure}`);
  const taken = measures.map((measure) => `-${measure}`);
  const differs = measures.map((measure) => `sum(${measure}::float8) <> 0`);
  return `
    ${name}_wrong AS MATERIALIZED (
      SELECT ${keys}, ${sums.join(', ')}, bool_or(is_stored) AS is_stored FROM (
        SELECT ${columnsOf(figure, at)}, false AS is_stored FROM (${expected}) expected
        UNION ALL
        SELECT ${keys}, ${taken.join(', ')}, true FROM (${stored}) stored
      ) compared GROUP BY ${keys} HAVING ${differs.join(' OR ')} OR bool_and(is_stored))`;
}

/** Writes only the differences: usually none, so that readers and storage are not affected. */
function corrections({ name, at, figure }: Level): string {
  const { measures } = figure;
  const [weight] = measures;
  const [keys, columns] = [keysOf(figure, at), columnsOf(figure, at)];
  const same = [...keys.map((column) => `${name}.${column} = wrong.${column}`), within(at, `${name}.`)].join(' AND ');
  const changed = measures.map((measure) => `${measure} = ${name}.${measure} + wrong.${measure}`);
  return `
    ${name}_removed AS (
      DELETE FROM ${name} USING ${name}_wrong wrong WHERE ${same} AND wrong.is_stored AND ${name}.${weight} + wrong.${weight} = 0),
    ${name}_changed AS (
      UPDATE ${name} SET ${changed.join(', ')}
      FROM ${name}_wrong wrong WHERE ${same} AND wrong.is_stored AND ${name}.${weight} + wrong.${weight} <> 0),
    ${name}_added AS (
      INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${name}_wrong WHERE NOT is_stored ORDER BY ${keys.join(', ')})`;
}

/**
 * Packed rows are compared by their sum and by two sums of hashes, which differ if any code has another count. Grouping by code
 * would take three times as long, because there are as many codes as bins in use. Days are compared with the sums of their
 * quarters.
 */
function packedSteps(table: FactTable, figure: FigureTable, isCheck: boolean): string[] {
  const { name, days, measures } = figure;
  const quarters = keysOf(figure, 'quarter').join(', ');
  const [, , ...dimensions] = keysOf(figure, 'day');
  const byDay = ['org_id', `${dayOf('quarter')} AS day`, ...dimensions].join(', ');
  const expected = `SELECT ${quarters}, code, ${measures.join(', ')} AS n FROM (${contributionOf(table, figure, 'facts')}) expected`;
  const [coded, sums] = [`${name}_expected`, `${name}_sums`];
  return [
    `${coded} AS MATERIALIZED (${expected})`,
    `${sums} AS MATERIALIZED (SELECT ${quarters}, ${hashSums('n', 'code')} FROM ${coded} GROUP BY ${quarters})`,
    packedComparison(figure, { name, at: 'quarter', expected: `SELECT ${quarters}, n, one, other FROM ${sums}` }),
    ...(isCheck ? [] : [packing(figure, { name, at: 'quarter', expected: `SELECT * FROM ${coded}` })]),
    ...(days
      ? [packedComparison(figure, { name: days, at: 'day', expected: `SELECT ${byDay}, n, one, other FROM ${sums}` })]
      : []),
    ...(days && !isCheck ? [packing(figure, { name: days, at: 'day', expected: `SELECT ${byDay}, code, n FROM ${coded}` })] : []),
  ];
}

const hashSums = (n: string, code: string): string =>
  `sum(${n}::float8) AS n, sum(${n} * hashint4(${code})::float8) AS one, sum(${n} * hashint4(-${code})::float8) AS other`;

type PackedLevel = Omit<Level, 'figure' | 'stored'>;

function packedComparison(figure: FigureTable, { name, at, expected }: PackedLevel): string {
  const keys = keysOf(figure, at).join(', ');
  return `
    ${name}_wrong AS MATERIALIZED (
      SELECT ${keys} FROM (
        SELECT ${keys}, n, one, other, false AS is_stored FROM (${expected}) expected
        UNION ALL
        SELECT ${keys}, -n, -one, -other, true FROM (
          SELECT ${keys}, bins.* FROM ${name} CROSS JOIN LATERAL (
            SELECT ${hashSums('n', 'code')} FROM unnest(codes, counts) AS bins (code, n)
          ) bins WHERE ${within(at)}
        ) stored
      ) compared GROUP BY ${keys} HAVING ${['n', 'one', 'other'].map((each) => `sum(${each}) <> 0`).join(' OR ')} OR bool_and(is_stored))`;
}

/** Repacks wrong rows; those that should be empty are deleted. */
function packing(figure: FigureTable, { name, at, expected }: PackedLevel): string {
  const keys = keysOf(figure, at);
  const key = keys.join(', ');
  const same = [...keys.map((each) => `${name}.${each} = wrong.${each}`), within(at, `${name}.`)].join(' AND ');
  const bins = `SELECT ${key}, code, sum(n)::int AS n FROM (${expected}) expected JOIN ${name}_wrong USING (${key}) GROUP BY ${key}, code`;
  return `
    ${name}_whole AS MATERIALIZED (${packedRows(keys, bins)}),
    ${name}_removed AS (
      DELETE FROM ${name} USING ${name}_wrong wrong
      WHERE ${same} AND (${keys.map((each) => `wrong.${each}`).join(', ')}) NOT IN (SELECT ${key} FROM ${name}_whole)),
    ${name}_packed AS (
      INSERT INTO ${name} (${key}, codes, counts) SELECT * FROM ${name}_whole ORDER BY ${key}
      ON CONFLICT (${key}) DO UPDATE SET codes = excluded.codes, counts = excluded.counts)`;
}
