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
  readonly dimensions: readonly string[];
  readonly measures: readonly string[];
  /** A SELECT of organization, instant, dimensions and measures, not added up. */
  readonly rows: string;
}

const within = (at: string, table = '') =>
  `${table}${at} >= $1 AND ${table}${at} < $2 AND ${table}org_id BETWEEN $3::int AND $4::int`;

/**
 * Corrects the figures of a part by its facts, which are read once for all of them, and days by the quarters that were counted; answers
 * how many rows were wrong.
 */
function countingStatement(table: FactTable, isCheck: boolean): string {
  const levels = table.figures.flatMap((figure) => levelsOf(table, figure));
  const corrections = levels.map((level) => correction(level, isCheck));
  return `
    WITH facts AS MATERIALIZED (SELECT * FROM ${table.name} WHERE ${within(table.at)}), ${corrections.join(', ')}
    SELECT (SELECT count(*) FROM facts)::int AS facts,
      (${levels.map(({ name }) => `(SELECT count(*) FROM ${name}_wrong)`).join(' + ')})::int AS differing`;
}

function levelsOf(table: FactTable, figure: FigureTable): Level[] {
  const { name, days, measures } = figure;
  const dimensions = Object.keys(figure.dimensions);
  const quarters: Level = { name, at: 'quarter', dimensions, measures, rows: contributionOf(table, figure, 'facts') };
  const rows = `SELECT *, date_bin('1 day', quarter, timestamptz 'epoch') AS day FROM ${name}_counted`;
  return days === undefined ? [quarters] : [quarters, { ...quarters, name: days, at: 'day', rows }];
}

/**
 * Sets what was counted beside what stands, in one pass over both, and writes only what differs: most of the time nothing, and
 * readers and storage do not notice. A row without a count has no fact behind it.
 */
function correction({ name, at, dimensions, measures, rows }: Level, isCheck: boolean): string {
  const keys = ['org_id', at, ...dimensions];
  const [key, columns] = [keys.join(', '), [...keys, ...measures].join(', ')];
  const [weight] = measures;
  // Whole numbers below 2^53 are exact as float8, whose sums cost a third of those of bigint, which Postgres adds up as numeric.
  const sums = measures.map((measure) => `sum(${measure}::float8)::bigint AS ${measure}`);
  const compared = `
    ${name}_counted AS (SELECT ${[...keys, ...sums].join(', ')} FROM (${rows}) rows GROUP BY ${key}),
    ${name}_wrong AS MATERIALIZED (
      SELECT ${key}, ${measures.map((measure) => `counted.${measure}`).join(', ')}, standing.${weight} IS NOT NULL AS stands
      FROM ${name}_counted counted
      FULL JOIN (SELECT ${columns} FROM ${name} WHERE ${within(at)}) standing USING (${key})
      WHERE ${measures.map((measure) => `counted.${measure} IS DISTINCT FROM standing.${measure}`).join(' OR ')})`;
  if (isCheck) return compared;
  const same = [...keys.map((column) => `${name}.${column} = wrong.${column}`), within(at, `${name}.`)].join(' AND ');
  return `${compared},
    ${name}_removed AS (DELETE FROM ${name} USING ${name}_wrong wrong WHERE ${same} AND wrong.${weight} IS NULL),
    ${name}_changed AS (
      UPDATE ${name} SET ${measures.map((measure) => `${measure} = wrong.${measure}`).join(', ')}
      FROM ${name}_wrong wrong WHERE ${same} AND wrong.${weight} IS NOT NULL AND wrong.stands),
    ${name}_added AS (
      INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${name}_wrong WHERE NOT stands ORDER BY ${key})`;
}
