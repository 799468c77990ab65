import type { Statement } from '@parley/database';
import { contributionOf, type FactTable, type FigureTable } from '../facts/fact-table';

/** The facts of some organizations in a span of whole months. */
export interface Part {
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
export function quartersFromFacts(table: FactTable, part: Part, isCheck: boolean): Statement {
  const levels = table.figures.map((figure) => levelOf(figure, 'quarter', contributionOf(table, figure, 'facts')));
  const text = `
    WITH facts AS MATERIALIZED (SELECT * FROM ${table.name} WHERE ${within(table.at)}),
      ${levels.map((level) => correction(level, isCheck)).join(', ')}
    SELECT (SELECT count(*) FROM facts)::int AS facts, (${levels.map(({ name }) => wrongIn(name)).join(' + ')})::int AS differing`;
  return { name: `${isCheck ? 'check' : 'correct'}-${table.name}`, text, values: valuesOf(part) };
}

/** Corrects the days of a part by its quarters. Triggers keep them; this is for days that something else has changed. */
export function daysFromQuarters(table: FactTable, part: Part, isCheck: boolean): Statement[] {
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
