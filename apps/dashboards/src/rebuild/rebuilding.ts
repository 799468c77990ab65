import { prepared, type Statement, TenantScope } from '@parley/database';
import { contributionOf, type FactTable, type FigureTable } from '../facts/fact-table';
import { DataSource } from 'typeorm';
import { organizationsLock } from '../projection/projection';
import { monthsIn, monthsLater, startOf } from '../projection/retention';

/** What a rebuild found in some organizations. */
interface Rebuilt {
  organizations: number;
  facts: number;
  /** Rows of figures that were not what the facts say. */
  differing: number;
}

/** How many facts are counted in one transaction, so that their news does not wait for long. */
interface FactsMax {
  /** Organizations are counted together up to so many. */
  readonly together: number;
  /** An organization with more is counted month by month. */
  readonly atOnce: number;
}

const usualMax: FactsMax = { together: 20_000, atOnce: 100_000 };
/** Organizations that are looked up at a time. */
const listed = 200;

/** An organization with facts or figures; of the facts no more than matter are counted. */
interface Found {
  readonly orgId: number;
  readonly facts: number;
}

/**
 * Counts figures anew from the facts, some organizations at a time: what differs is put right in one commit, their news waits for
 * that long, and everybody reads the old figures until then. Months of which the facts were dropped stay as they are.
 */
export class Rebuilding {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tenants: TenantScope,
    /** Whether to compare only. */
    private readonly isCheck: boolean,
    private readonly factsMax = usualMax,
  ) {}

  /** Answers what was found after each batch of organizations, some of which are counted at the same time. */
  async *run(table: FactTable, lanes = 2): AsyncGenerator<Rebuilt> {
    const months = await monthsIn(this.dataSource, table.name);
    const running: Promise<Rebuilt>[] = [];
    try {
      for await (const batch of this.batches(table)) {
        const rebuilt = this.rebuildBatch(table, batch, months);
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

  private async *batches(table: FactTable): AsyncGenerator<Found[]> {
    let batch: Found[] = [];
    let facts = 0;
    for (let page = await this.after(table, 0); page.length > 0; page = await this.after(table, page.at(-1)?.orgId ?? 0)) {
      for (const found of page) {
        if (batch.length > 0 && facts + found.facts > this.factsMax.together) {
          yield batch;
          [batch, facts] = [[], 0];
        }
        batch.push(found);
        facts += found.facts;
      }
    }
    if (batch.length > 0) yield batch;
  }

  private async rebuildBatch(table: FactTable, batch: readonly Found[], months: readonly string[]): Promise<Rebuilt> {
    const found = { organizations: batch.length, facts: 0, differing: 0 };
    const isLarge = batch.some(({ facts }) => facts > this.factsMax.atOnce);
    for (const [first, last] of isLarge ? months.map((month) => [month, month] as const) : spanOf(months)) {
      const orgIds = batch.map(({ orgId }) => orgId);
      const { facts, differing } = await this.rebuild(table, {
        orgIds,
        from: startOf(first),
        to: startOf(monthsLater(last, 1)),
      });
      found.facts += facts;
      found.differing += differing;
    }
    return found;
  }

  /** What is counted after the locks were got sees every batch of news that was there before. */
  private rebuild(table: FactTable, part: Part): Promise<Omit<Rebuilt, 'organizations'>> {
    const steps = [quartersFromFacts(table, part, this.isCheck), ...daysFromQuarters(table, part, this.isCheck)];
    return this.tenants.acrossTenants('a rebuild counts several organizations together', async (manager) => {
      const locked = prepared(manager, organizationsLock(table, part.orgIds));
      const counted = steps.map((step) => prepared<Omit<Rebuilt, 'organizations'>>(manager, step));
      const [, ...answers] = await Promise.all([locked, ...counted]);
      const found = answers.flatMap((rows) => rows[0] ?? []);
      return { facts: found[0]?.facts ?? 0, differing: found.reduce((sum, { differing }) => sum + differing, 0) };
    });
  }

  /** The next organizations with facts or figures; one with figures only has some that no fact stands behind. */
  private after(table: FactTable, after: number): Promise<Found[]> {
    const tables = [table.name, ...table.figures.flatMap(({ name, days }) => [name, ...(days ? [days] : [])])];
    const firsts = tables.map((name) => `(SELECT org_id FROM ${name} WHERE org_id > known.org_id ORDER BY org_id LIMIT 1)`);
    return this.tenants.acrossTenantsOnce<{ orgId: number; facts: number }>('a rebuild goes through every organization', {
      name: `organizations-of-${table.name}`,
      text: `
        WITH RECURSIVE known AS (
          SELECT $1::int AS org_id
          UNION ALL SELECT least(${firsts.join(', ')}) FROM known WHERE org_id IS NOT NULL
        ), listed AS MATERIALIZED (SELECT org_id FROM known WHERE org_id > $1 LIMIT ${listed})
        SELECT org_id AS "orgId", (
          SELECT count(*) FROM (SELECT FROM ${table.name} f WHERE f.org_id = listed.org_id LIMIT $2::int) counted
        )::int AS facts FROM listed ORDER BY org_id`,
      values: [after, this.factsMax.atOnce + 1],
    });
  }
}

function spanOf(months: readonly string[]): (readonly [string, string])[] {
  const [first, last] = [months[0], months.at(-1)];
  return first !== undefined && last !== undefined ? [[first, last]] : [];
}

/** The facts of some organizations in a span of whole months. */
interface Part {
  readonly orgIds: readonly number[];
  readonly from: string;
  readonly to: string;
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

const valuesOf = ({ orgIds, from, to }: Part): unknown[] => [orgIds, from, to];
const within = (at: string, table = '') => `${table}org_id = ANY($1::int[]) AND ${table}${at} >= $2 AND ${table}${at} < $3`;

/** Corrects the quarters of a part by its facts, which are read once for all figures; answers how many rows were wrong. */
function quartersFromFacts(table: FactTable, part: Part, isCheck: boolean): Statement {
  const levels = table.figures.map((figure) => levelOf(figure, 'quarter', contributionOf(table, figure, 'facts')));
  const text = `
    WITH facts AS MATERIALIZED (SELECT * FROM ${table.name} WHERE ${within(table.at)}),
      ${levels.map((level) => correction(level, isCheck)).join(', ')}
    SELECT (SELECT count(*) FROM facts)::int AS facts, (${levels.map(({ name }) => wrongIn(name)).join(' + ')})::int AS differing`;
  return { name: `${isCheck ? 'check' : 'correct'}-${table.name}`, text, values: valuesOf(part) };
}

/** Corrects the days of a part by its quarters. Triggers keep them; this is for days that something else has changed. */
function daysFromQuarters(table: FactTable, part: Part, isCheck: boolean): Statement[] {
  const levels = table.figures.flatMap((figure) => (figure.days ? [levelOf(figure, 'day', daysOf(figure))] : []));
  if (levels.length === 0) return [];
  const text = `
    WITH ${levels.map((level) => correction(level, isCheck)).join(', ')}
    SELECT 0 AS facts, (${levels.map(({ name }) => wrongIn(name)).join(' + ')})::int AS differing`;
  return [{ name: `${isCheck ? 'check' : 'correct'}-days-of-${table.name}`, text, values: valuesOf(part) }];
}

const daysOf = ({ name }: FigureTable): string =>
  `SELECT *, date_trunc('day', quarter, 'UTC') AS day FROM ${name} WHERE ${within('quarter')}`;

function levelOf({ name, days = '', dimensions, measures }: FigureTable, at: Level['at'], rows: string): Level {
  return { name: at === 'day' ? days : name, at, dimensions: Object.keys(dimensions), measures, rows };
}

const wrongIn = (name: string): string => `(SELECT count(*) FROM ${name}_wrong)`;

/**
 * Sets what was counted beside what stands, in one pass over both, and writes only what differs: most of the time nothing, and
 * readers and storage do not notice. A row without a count has no fact behind it.
 */
function correction({ name, at, dimensions, measures, rows }: Level, isCheck: boolean): string {
  const keys = ['org_id', at, ...dimensions];
  const [key, columns] = [keys.join(', '), [...keys, ...measures].join(', ')];
  const [weight] = measures;
  const sums = measures.map((measure) => `sum(${measure})::bigint AS ${measure}`);
  const compared = `
    ${name}_wrong AS MATERIALIZED (
      SELECT ${key}, ${measures.map((measure) => `counted.${measure}`).join(', ')}, standing.${weight} IS NOT NULL AS stands
      FROM (SELECT ${[...keys, ...sums].join(', ')} FROM (${rows}) rows GROUP BY ${key}) counted
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
