import { contributionOf, type FactTable, type FigureTable, keysOf, quarterMs } from '../facts/fact-table';
import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { Step } from '../scope/spans';

/** The organization, period and dimensions to sum over. */
export interface Sought {
  readonly orgId: number;
  readonly from: Date;
  readonly to: Date;
  /** Restricts a dimension to these values. */
  readonly only?: Readonly<Record<string, readonly unknown[] | undefined>>;
}

interface Grouping {
  /** Dimensions to group by. */
  readonly by?: readonly string[];
  /** Time steps to group by: each row then has the index of its step. */
  readonly steps?: readonly Step[];
  /** The measures to sum; all by default. */
  readonly measures?: readonly string[];
}

/** Sums by measure name, with their dimensions and step. */
export type SumRow = Readonly<Record<string, number | string>> & { readonly step: number };

/** Sums the figures of one organization. */
@Injectable()
export class Sums {
  constructor(private readonly tenants: TenantScope) {}

  of(table: FactTable, figure: FigureTable, sought: Sought, grouping: Grouping = {}): Promise<SumRow[]> {
    const values = new Values();
    const text = sumStatement({ table, figure }, { sought, grouping }, values);
    return this.tenants.read(sought.orgId, (manager) => manager.query<SumRow[]>(text, values.list));
  }

  /** The sums over everything; zero if there are no rows. */
  async total(table: FactTable, figure: FigureTable, sought: Sought): Promise<Record<string, number>> {
    const [row] = await this.of(table, figure, sought);
    return Object.fromEntries(figure.measures.map((measure) => [measure, numberOf(row, measure)]));
  }
}

/** A number of a row; 0 where there is no row. */
export function numberOf(row: SumRow | undefined, name: string): number {
  return Number(row?.[name] ?? 0);
}

/** A measure over some rows. */
export function sumOf(rows: readonly SumRow[], name: string): number {
  return rows.reduce((total, row) => total + numberOf(row, name), 0);
}

/** The row of a group or step in which nothing happened: every measure is zero. */
export const emptyRow: SumRow = { step: 0 };

/** A share of a whole, rounded to four digits; 0 if the whole is 0. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}

interface FigureQuestion {
  readonly sought: Sought;
  readonly grouping: Grouping;
}

function sumStatement(source: FigureSource, { sought, grouping }: FigureQuestion, values: Values): string {
  const { by = [], steps = [], measures = source.figure.measures } = grouping;
  const [weight] = source.figure.measures;
  const rows = summedRows(source, { ...sought, steps: steps.map(({ at }) => at) }, values);
  const conditions = Object.entries(sought.only ?? {}).flatMap(([name, only]) =>
    only ? [`${name} = ANY(${values.add(only)})`] : [],
  );
  const sums = measures.map((measure) => `coalesce(sum(${measure}::float8), 0) AS ${measure}`);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const keys = ['step', ...by].join(', ');
  // Groups whose rows cancel out are left out.
  return `SELECT ${[keys, ...sums].join(', ')} FROM (${rows}) rows ${where} GROUP BY ${keys} HAVING sum(${weight}::float8) <> 0 ORDER BY ${keys}`;
}

const dayMs = 86_400_000;
/** Shorter spans are read by quarters, since the partial days at both ends are read by quarters anyway. */
const wholeDaysMin = 3;

/** A fact table and one of the figures summed from it. */
interface FigureSource {
  readonly table: FactTable;
  readonly figure: FigureTable;
}

/** The starts of time steps, in order, and the end of the last one. */
interface Bounds {
  readonly orgId: number;
  readonly from: Date;
  readonly to: Date;
  /** The starts of the steps; the first may be before `from`. */
  readonly steps: readonly Date[];
}

/** The parameters of a statement, numbered as they are added. */
class Values {
  readonly list: unknown[] = [];

  add(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/**
 * The rows of a figure within a span, each with the index of its step; their sum is the figure. Whole days come from the daily
 * sums, corrected from the quarters, and partial quarters come from the facts. Daily sums are by UTC: for steps in another time
 * zone, the time between a bound and midnight is added or subtracted.
 */
function summedRows(source: FigureSource, bounds: Bounds, values: Values): string {
  const { table, figure } = source;
  const { from, to, steps } = bounds;
  const first = Math.ceil(from.getTime() / quarterMs) * quarterMs;
  const last = Math.floor(to.getTime() / quarterMs) * quarterMs;
  const starts = steps.map((at) => at.getTime());
  const naming = { org: values.add(bounds.orgId), values };
  const facts = (start: Date, end: Date) => {
    const within = `${table.at} >= ${values.add(start)} AND ${table.at} < ${values.add(end)}`;
    const counted = contributionOf(table, figure, `(SELECT * FROM ${table.name} WHERE org_id = ${naming.org} AND ${within})`);
    return `SELECT ${columnsOf(figure)}, ${stepOf('quarter', starts, values)} AS step FROM (${counted}) cut`;
  };
  if (first >= last) return facts(from, to);
  const edges = [first, ...starts.slice(1), last];
  return [
    hasWholeDays(figure, edges) ? daysOf(figure, edges, naming) : quartersOf(figure, { first, last, starts }, naming),
    ...(from.getTime() < first ? [facts(from, new Date(first))] : []),
    ...(last < to.getTime() ? [facts(new Date(last), to)] : []),
  ].join(' UNION ALL ');
}

interface Naming {
  readonly org: string;
  readonly values: Values;
}

/** Dimensions and measures, from rows that have packed dimensions as a code. */
function columnsOf(figure: FigureTable): string {
  const [, , ...dimensions] = keysOf(figure, 'day');
  return [...dimensions, ...(figure.packed ? [figure.packed.columns] : []), ...figure.measures].join(', ');
}

/** The rows of a figure's table, with packed rows expanded to one row per code. */
function relationOf({ packed, measures }: FigureTable, table: string): string {
  if (!packed) return table;
  return `(SELECT ${table}.*, code, n AS ${measures.join(', ')} FROM ${table} CROSS JOIN LATERAL unnest(codes, counts) AS bins (code, n)) unpacked`;
}

const instants = (all: readonly number[]): Date[] => all.map((at) => new Date(at));

/**
 * The index of the step that a column's instant falls into, given the starts of the steps. Among steps of equal width it is
 * computed by division, otherwise by search: searching the two thousand hours of a season for each row takes as long as summing
 * the rows.
 */
function stepOf(column: string, starts: readonly number[], values: Values): string {
  const [first = 0, ...between] = starts.map((at) => Math.ceil(at / 1000));
  if (between.length === 0) return '0';
  const seconds = `date_part('epoch', ${column})::bigint`;
  const width = (between[0] ?? 0) - first;
  if (width > 0 && between.every((at, index) => at === first + (index + 1) * width))
    return `least((${seconds} - ${values.add(first)}::bigint) / ${width}, ${between.length})::int`;
  return `width_bucket(${seconds}, ${values.add(`{${between.join(',')}}`)}::bigint[])`;
}

/** Hourly steps contain no whole days, and old bounds within a quarter cannot be corrected. */
function hasWholeDays({ days }: FigureTable, edges: readonly number[]): boolean {
  const [first = 0] = edges;
  const last = edges.at(-1) ?? 0;
  const isWide = last - first >= wholeDaysMin * dayMs && edges.length - 1 <= (last - first) / (dayMs * 0.9);
  return days !== undefined && isWide && edges.every((at) => at % quarterMs === 0);
}

interface Stepped {
  readonly first: number;
  readonly last: number;
  readonly starts: readonly number[];
}

function quartersOf(figure: FigureTable, { first, last, starts }: Stepped, { org, values }: Naming): string {
  const within = `quarter >= ${values.add(new Date(first))} AND quarter < ${values.add(new Date(last))}`;
  const step = stepOf('quarter', starts, values);
  return `SELECT ${columnsOf(figure)}, ${step} AS step FROM ${relationOf(figure, figure.name)} WHERE org_id = ${org} AND ${within}`;
}

function daysOf(figure: FigureTable, edges: readonly number[], { org, values }: Naming): string {
  const { midnights, gaps } = nearbyMidnights(edges);
  const [first, last] = [values.add(new Date(midnights[0] ?? 0)), values.add(new Date(midnights.at(-1) ?? 0))];
  const step = stepOf('day', midnights.slice(0, -1), values);
  const within = `org_id = ${org} AND day >= ${first} AND day < ${last}`;
  const wholeDays = figure.packed
    ? packedDaysOf(figure, step, within)
    : `SELECT ${columnsOf(figure)}, ${step} AS step FROM ${figure.days} WHERE ${within}`;
  if (gaps.length === 0) return wholeDays;
  const lists = [
    `${values.add(instants(gaps.map(({ from }) => from)))}::timestamptz[]`,
    `${values.add(instants(gaps.map(({ to }) => to)))}::timestamptz[]`,
    `${values.add(gaps.map(({ plus }) => plus))}::int[]`,
    `${values.add(gaps.map(({ minus }) => minus))}::int[]`,
  ];
  const dimensions = Object.keys(figure.dimensions).map((name) => `q.${name}`);
  const signed = figure.measures.map((measure) => `signed.sign * q.${measure}`);
  return `${wholeDays} UNION ALL
    SELECT ${[...dimensions, ...signed].join(', ')}, signed.step FROM unnest(${lists.join(', ')}) gap (since, until, plus, minus)
    CROSS JOIN LATERAL (
      SELECT ${columnsOf(figure)} FROM ${relationOf(figure, figure.name)}
      WHERE org_id = ${org} AND quarter >= gap.since AND quarter < gap.until OFFSET 0
    ) q CROSS JOIN LATERAL (VALUES (gap.plus, 1), (gap.minus, -1)) signed (step, sign) WHERE signed.step IS NOT NULL`;
}

/** Summed by code before each code becomes a row. */
function packedDaysOf(figure: FigureTable, step: string, within: string): string {
  const { measures, packed } = figure;
  const [, , ...keys] = keysOf(figure, 'day');
  return `SELECT ${[...keys, packed?.columns].join(', ')}, n AS ${measures.join(', ')}, step FROM (
      SELECT ${keys.join(', ')}, code, sum(n::float8) AS n, ${step} AS step
      FROM ${figure.days} CROSS JOIN LATERAL unnest(codes, counts) AS bins (code, n) WHERE ${within} GROUP BY ${keys.join(', ')}, code, step
    ) whole`;
}

/** The time between a bound and the midnight used instead, and the steps between which it moves. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly plus: number | null;
  readonly minus: number | null;
}

/** The midnights (UTC) before all bounds or those after them, whichever leave the smaller gaps. */
function nearbyMidnights(edges: readonly number[]): { midnights: number[]; gaps: Gap[] } {
  const [before, after] = [Math.floor, Math.ceil].map((round) => edges.map((at) => round(at / dayMs) * dayMs));
  const distance = (midnights: readonly number[] = []) =>
    midnights.reduce((sum, midnight, index) => sum + Math.abs(midnight - (edges[index] ?? 0)), 0);
  const midnights = (distance(before) <= distance(after) ? before : after) ?? [];
  const gaps = edges.flatMap((at, index): Gap[] => {
    const midnight = midnights[index] ?? at;
    if (midnight === at) return [];
    const [earlier, later] = [index > 0 ? index - 1 : null, index < edges.length - 1 ? index : null];
    return midnight < at
      ? [{ from: midnight, to: at, plus: earlier, minus: later }]
      : [{ from: at, to: midnight, plus: later, minus: earlier }];
  });
  return { midnights, gaps };
}
