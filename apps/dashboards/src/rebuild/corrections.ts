import type { Statement } from '@parley/database';
import { contributionOf, type FactTable, type FigureTable } from '../facts/fact-table';

/** The facts of one organization in a span of whole months. */
export interface Part {
  readonly orgId: number;
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

const valuesOf = ({ orgId, from, to }: Part): unknown[] => [orgId, from, to];
const within = (at: string) => `WHERE org_id = $1 AND ${at} >= $2 AND ${at} < $3`;

/** Corrects the quarters of a part by its facts, which are read once for all figures; answers how many rows were wrong. */
export function quartersFromFacts(table: FactTable, part: Part, isCheck: boolean): Statement {
  const levels = table.figures.map((figure) => levelOf(figure, 'quarter', contributionOf(table, figure, 'facts')));
  const text = `
    WITH facts AS MATERIALIZED (SELECT * FROM ${table.name} ${within(table.at)}), ${levels.map((level) => correction(level, isCheck)).join(', ')}
    SELECT (SELECT count(*) FROM facts)::int AS facts, (${levels.map(({ name }) => wrongIn(name)).join(' + ')})::int AS differing`;
  return { name: `${isCheck ? 'check' : 'correct'}-${table.name}`, text, values: valuesOf(part) };
}

/** Corrects the days of a part by its quarters. Triggers keep them; this is for days that something else has changed. */
export function daysFromQuarters(table: FactTable, part: Part, isCheck: boolean): Statement[] {
  const levels = table.figures.flatMap((figure) =>
    figure.days
      ? [levelOf(figure, 'day', `SELECT *, date_trunc('day', quarter, 'UTC') AS day FROM ${figure.name} ${within('quarter')}`)]
      : [],
  );
  if (levels.length === 0) return [];
  const text = `
    WITH ${levels.map((level) => correction(level, isCheck)).join(', ')}
    SELECT 0 AS facts, (${levels.map(({ name }) => wrongIn(name)).join(' + ')})::int AS differing`;
  return [{ name: `${isCheck ? 'check' : 'correct'}-days-of-${table.name}`, text, values: valuesOf(part) }];
}

function levelOf({ name, days = '', dimensions, measures }: FigureTable, at: Level['at'], rows: string): Level {
  return { name: at === 'day' ? days : name, at, dimensions: Object.keys(dimensions), measures, rows };
}

const wrongIn = (name: string): string => `(SELECT count(*) FROM ${name}_wrong) + (SELECT count(*) FROM ${name}_excess)`;

/** Only what differs is written: most of the time nothing, and readers and storage do not notice. */
function correction({ name, at, dimensions, measures, rows }: Level, isCheck: boolean): string {
  const keys = ['org_id', at, ...dimensions];
  const columns = [...keys, ...measures].join(', ');
  const sums = measures.map((measure) => `sum(${measure})::bigint AS ${measure}`);
  const compared = `
    ${name}_counted AS MATERIALIZED (SELECT ${[...keys, ...sums].join(', ')} FROM (${rows}) counted GROUP BY ${keys.join(', ')}),
    ${name}_standing AS MATERIALIZED (SELECT ${columns} FROM ${name} ${within(at)}),
    ${name}_wrong AS MATERIALIZED (SELECT * FROM ${name}_counted EXCEPT SELECT * FROM ${name}_standing),
    ${name}_excess AS MATERIALIZED (
      SELECT ${keys.join(', ')} FROM ${name}_standing EXCEPT SELECT ${keys.join(', ')} FROM ${name}_counted)`;
  if (isCheck) return compared;
  return `${compared},
    ${name}_removed AS (DELETE FROM ${name} USING ${name}_excess x WHERE ${keys.map((key) => `${name}.${key} = x.${key}`).join(' AND ')}),
    ${name}_put AS (
      INSERT INTO ${name} (${columns}) SELECT * FROM ${name}_wrong
      ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${measures.map((measure) => `${measure} = excluded.${measure}`).join(', ')})`;
}
