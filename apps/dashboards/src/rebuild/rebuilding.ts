import { TenantScope } from '@parley/database';
import { DataSource, type EntityManager } from 'typeorm';
import { contributionOf, type FactTable, type FigureTable } from '../facts/fact-table';
import { rebuildLock } from '../projection/projection';
import { monthsIn, monthsLater, startOf } from '../projection/retention';

/** What a rebuild found in one part. */
interface Rebuilt {
  readonly facts: number;
  /** Rows of figures that were not what the facts say. */
  readonly differing: number;
}

/** How many facts are counted in one transaction, so that news does not wait for long. */
const usualFactsMax = 50_000;

/** Whole days (UTC) of some organizations, from the first to the last. */
interface Part {
  readonly from: string;
  readonly to: string;
  readonly firstOrgId: number;
  readonly lastOrgId: number;
}

const everyOrganization = { firstOrgId: 0, lastOrgId: 2_147_483_647 };

interface Span {
  readonly from: string;
  readonly to: string;
  readonly facts: number;
}

/**
 * Counts figures anew from the facts, some days at a time, in the order in which facts came in and lie on the disk: what differs is put
 * right in one commit, news waits for that long, and everybody reads the old figures until then. Months of which the facts were dropped
 * stay as they are.
 */
export class Rebuilding {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tenants: TenantScope,
    /** Whether to compare only. */
    private readonly isCheck: boolean,
    private readonly factsMax = usualFactsMax,
  ) {}

  /** Answers what was found after each part; some are counted at the same time. */
  async *run(table: FactTable, lanes = 2): AsyncGenerator<Rebuilt> {
    const statement = countingStatement(table, this.isCheck);
    const running: Promise<Rebuilt>[] = [];
    try {
      for await (const part of this.parts(table)) {
        const rebuilt = this.rebuild(table, part, statement);
        // A failure is thrown when its turn comes; until then nobody waits for it.
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

  /** Every day of every month that has facts, once: also those without any, of which no figure may stand. */
  private async *parts(table: FactTable): AsyncGenerator<Part> {
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

  /** A month that was dropped may be there again, empty, where facts are kept for longer than they were. */
  private async months({ name }: FactTable): Promise<string[]> {
    const sealed: { before: Date }[] = await this.dataSource.query('SELECT before FROM sealed_facts WHERE name = $1', [name]);
    const months = await monthsIn(this.dataSource, name);
    return months.filter((month) => !sealed.some(({ before }) => startOf(month) < before.toISOString()));
  }

  /** A day with more facts than are counted at once is counted by some organizations at a time. */
  private async *partsOf(table: FactTable, span: Span): AsyncGenerator<Part> {
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

  private days({ name, at }: FactTable, { from, to }: Omit<Span, 'facts'>): Promise<{ at: string; facts: number }[]> {
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

  /** By the key: a month is not read for each of its days. */
  private organizations({ name, at }: FactTable, { from, to }: Span): Promise<{ id: number; facts: number }[]> {
    return this.tenants.acrossTenantsOnce('a rebuild counts every organization', {
      name: `organizations-of-${name}`,
      text: `SELECT org_id AS id, count(*)::int AS facts FROM ${name} WHERE ${at} >= $1 AND ${at} < $2 GROUP BY 1 ORDER BY 1`,
      values: [from, to],
    });
  }

  /** What is counted after the lock was got sees every batch of news that was there before. */
  private rebuild(table: FactTable, { from, to, firstOrgId, lastOrgId }: Part, statement: string): Promise<Rebuilt> {
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

/** Sums that stand in a table, and what they ought to be. */
interface Level {
  readonly name: string;
  readonly at: 'quarter' | 'day';
  readonly figure: FigureTable;
  /** SELECTs of what adds up to the sums, and of what stands: organization, instant, dimensions and measures. */
  readonly ought: string;
  readonly standing: string;
}

const within = (at: string, table = '') =>
  `${table}${at} >= $1 AND ${table}${at} < $2 AND ${table}org_id BETWEEN $3::int AND $4::int`;
const dayOf = (quarter: string) => `date_bin('1 day', ${quarter}, timestamptz 'epoch')`;

/**
 * Corrects the figures of a part by its facts, which are read once for all of them, and days by their quarters; answers how many rows
 * were wrong.
 */
function countingStatement(table: FactTable, isCheck: boolean): string {
  const levels = table.figures.flatMap((figure) => levelsOf(table, figure));
  const parts = levels.flatMap((level) => [comparison(level), ...(isCheck ? [] : [corrections(level)])]);
  const standing = table.figures.map((figure) => `${figure.name}_standing AS ${standingQuarters(figure)}`);
  return `
    WITH facts AS MATERIALIZED (SELECT * FROM ${table.name} WHERE ${within(table.at)}), ${[...standing, ...parts].join(', ')}
    SELECT (SELECT count(*) FROM facts)::int AS facts,
      (${levels.map(({ name }) => `(SELECT count(*) FROM ${name}_wrong)`).join(' + ')})::int AS differing`;
}

/** Quarters of which days are made are read once for both. */
function standingQuarters(figure: FigureTable): string {
  return `${figure.days ? '' : 'NOT '}MATERIALIZED (SELECT ${columnsOf(figure, 'quarter')} FROM ${figure.name} WHERE ${within('quarter')})`;
}

const keysOf = ({ dimensions }: FigureTable, at: string): string[] => ['org_id', at, ...Object.keys(dimensions)];
const columnsOf = (figure: FigureTable, at: string): string => [...keysOf(figure, at), ...figure.measures].join(', ');

function levelsOf(table: FactTable, figure: FigureTable): Level[] {
  const { name, days, packed, measures } = figure;
  const ought = contributionOf(table, figure, 'facts');
  const quarters: Level = { name, at: 'quarter', figure, ought, standing: `SELECT * FROM ${name}_standing` };
  if (days === undefined) return [quarters];
  const byDay = `org_id, ${dayOf('quarter')} AS day, ${[...Object.keys(figure.dimensions), ...measures].join(', ')}`;
  const stood = `SELECT ${byDay} FROM ${name}_standing`;
  if (packed) return [quarters, { name: days, at: 'day', figure, ...packedRows(figure) }];
  const standing = `SELECT ${columnsOf(figure, 'day')} FROM ${days} WHERE ${within('day')}`;
  return [quarters, { name: days, at: 'day', figure, ought: `${stood} UNION ALL SELECT ${byDay} FROM ${name}_wrong`, standing }];
}

const keysOfPacked = (figure: FigureTable): string[] =>
  keysOf(figure, 'day').filter((name) => !figure.packed?.dimensions.includes(name));

/** What adds up to packed days, and what stands, as codes and how often there is each. */
function packedRows(figure: FigureTable): Pick<Level, 'ought' | 'standing'> {
  const keys = keysOfPacked(figure).join(', ');
  return {
    ought: `SELECT ${keys}, code, n FROM (${codedQuarters(figure)}) quarters`,
    standing: `SELECT ${keys}, code, n FROM ${figure.days} CROSS JOIN LATERAL unnest(codes, counts) AS bins (code, n) WHERE ${within('day')}`,
  };
}

const codedQuarters = ({ name, packed, measures }: FigureTable): string =>
  `SELECT *, ${dayOf('quarter')} AS day, ${packed?.code} AS code, ${measures.join(', ')} AS n FROM ${name}_standing`;

/**
 * Packed days are compared by their sum and by two sums of hashes, which differ where any code has another count: to group by code takes
 * three times as long, because there are as many as bins that were hit.
 */
function packedComparison({ name, figure, ought, standing }: Level): string {
  const keys = keysOfPacked(figure).join(', ');
  const sums = ['n', 'n * hashint4(code)::float8', 'n * hashint4(-code)::float8'].map((each) => `sum(${each}) <> 0`);
  return `
    ${name}_wrong AS MATERIALIZED (
      SELECT ${keys} FROM (${ought} UNION ALL SELECT ${keys}, code, -n FROM (${standing}) standing) compared
      GROUP BY ${keys} HAVING ${sums.join(' OR ')})`;
}

/** What ought to stand less what stands, in one pass over both: of most rows nothing. A row of which nothing ought to stand is wrong, too. */
function comparison(level: Level): string {
  const { name, at, figure, ought, standing } = level;
  if (at === 'day' && figure.packed) return packedComparison(level);
  const { measures } = figure;
  const keys = keysOf(figure, at).join(', ');
  // Whole numbers below 2^53 are exact as float8, whose sums cost a third of those of bigint, which Postgres adds up as numeric.
  const sums = measures.map((measure) => `sum(${measure}::float8)::bigint AS ${measure}`);
  const taken = measures.map((measure) => `-${measure}`);
  const differs = measures.map((measure) => `sum(${measure}::float8) <> 0`);
  return `
    ${name}_wrong AS MATERIALIZED (
      SELECT ${keys}, ${sums.join(', ')}, bool_or(stands) AS stands FROM (
        SELECT ${columnsOf(figure, at)}, false AS stands FROM (${ought}) ought
        UNION ALL
        SELECT ${keys}, ${taken.join(', ')}, true FROM (${standing}) standing
      ) compared GROUP BY ${keys} HAVING ${differs.join(' OR ')} OR bool_and(stands))`;
}

/** Writes only what differs: most of the time nothing, and readers and storage do not notice. */
function corrections({ name, at, figure }: Level): string {
  if (at === 'day' && figure.packed) return packingOf(figure);
  const { measures } = figure;
  const [weight] = measures;
  const [keys, columns] = [keysOf(figure, at), columnsOf(figure, at)];
  const same = [...keys.map((column) => `${name}.${column} = wrong.${column}`), within(at, `${name}.`)].join(' AND ');
  const changed = measures.map((measure) => `${measure} = ${name}.${measure} + wrong.${measure}`);
  return `
    ${name}_removed AS (
      DELETE FROM ${name} USING ${name}_wrong wrong WHERE ${same} AND wrong.stands AND ${name}.${weight} + wrong.${weight} = 0),
    ${name}_changed AS (
      UPDATE ${name} SET ${changed.join(', ')}
      FROM ${name}_wrong wrong WHERE ${same} AND wrong.stands AND ${name}.${weight} + wrong.${weight} <> 0),
    ${name}_added AS (
      INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${name}_wrong WHERE NOT stands ORDER BY ${keys.join(', ')})`;
}

/**
 * Packs days anew from the quarters that stood, where they were not what those came to; what is corrected in the quarters themselves,
 * their trigger brings to the days afterwards.
 */
function packingOf(figure: FigureTable): string {
  const { days } = figure;
  const keys = keysOfPacked(figure);
  const key = keys.join(', ');
  const same = [...keys.map((each) => `${days}.${each} = wrong.${each}`), within('day', `${days}.`)].join(' AND ');
  return `
    ${days}_whole AS MATERIALIZED (
      SELECT ${key}, array_agg(code ORDER BY code) AS codes, array_agg(n ORDER BY code) AS counts FROM (
        SELECT ${key}, code, sum(n)::int AS n FROM (${codedQuarters(figure)}) quarters JOIN ${days}_wrong USING (${key}) GROUP BY ${key}, code
      ) bins GROUP BY ${key}),
    ${days}_removed AS (
      DELETE FROM ${days} USING ${days}_wrong wrong
      WHERE ${same} AND (${keys.map((each) => `wrong.${each}`).join(', ')}) NOT IN (SELECT ${key} FROM ${days}_whole)),
    ${days}_packed AS (
      INSERT INTO ${days} (${key}, codes, counts) SELECT * FROM ${days}_whole ORDER BY ${key}
      ON CONFLICT (${key}) DO UPDATE SET codes = excluded.codes, counts = excluded.counts)`;
}
