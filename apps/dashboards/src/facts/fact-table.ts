/** Columns by name, each with its Postgres type. */
type Columns = Readonly<Record<string, string>>;

/**
 * Sums over facts by quarter of an hour and some dimensions. UTC quarters add up to the days and hours of every current time
 * zone.
 */
export interface FigureTable {
  readonly name: string;
  /** What the sums are grouped by, besides organization and quarter. */
  readonly dimensions: Columns;
  /** The sums. The first is positive in every row that counts any fact; a row where it is zero is deleted. */
  readonly measures: readonly string[];
  /**
   * What each fact adds, as a SELECT from the relation `fact`: dimensions and measures by name. Projection and rebuild both use
   * it; the recounts that tests compare the figures with do not.
   */
  readonly contribution: string;
  /** The table of the same sums by day (UTC). */
  readonly days?: string;
  /** How both tables store the figure if one row per combination of dimensions would be too many. */
  readonly packed?: Packing;
  /** Never dropped, because later figures are computed from it; other figures are dropped after their retention. */
  readonly isKept?: true;
}

/**
 * Stores some dimensions as codes in one array (`codes`, ascending), and the only measure in another (`counts`). The contribution
 * has a `code` instead of those dimensions.
 */
interface Packing {
  readonly dimensions: readonly string[];
  /** The SQL that computes these dimensions from `code`. */
  readonly columns: string;
}

/** One kind of fact: one row per occurrence, replaced when a later report of the same occurrence arrives. */
export interface FactTable {
  readonly name: string;
  /** The column that identifies a fact within its organization. */
  readonly key: string;
  /** When it happened, which never changes: part of a fact's identity, and what determines its month and quarter. */
  readonly at: string;
  readonly columns: Columns;
  readonly figures: readonly FigureTable[];
}

/**
 * Which of two reports of a fact counts: the one with the higher rank, then the later one, then the one with the greater id. A
 * total order.
 */
export const version = ['rank', 'told_at', 'told_by'] as const;

/** A new fact, with the columns of its table. */
export interface NewFact {
  readonly org_id: number;
  readonly rank: number;
  /** When its source reported it. */
  readonly told_at: string;
  /** The id of the event that reported it. */
  readonly told_by: string;
  readonly [column: string]: unknown;
}

/** Every column of the table, in order. */
export function columnsOf({ key, at, columns }: FactTable): Columns {
  return {
    org_id: 'int',
    [at]: 'timestamptz',
    [key]: 'uuid',
    ...columns,
    rank: 'smallint',
    told_at: 'timestamptz',
    told_by: 'text',
  };
}

/** The smallest time step of figures. */
export const quarterMs = 15 * 60_000;

/** The quarter of an hour of an instant. */
export const quarterOf = (at: string): string => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`;

/** The day (UTC) of an instant. */
export const dayOf = (at: string): string => `date_bin('1 day', ${at}, timestamptz 'epoch')`;

/** The columns that identify a row of a figure's table. */
export function keysOf({ dimensions, packed }: FigureTable, at: 'quarter' | 'day'): string[] {
  return ['org_id', at, ...Object.keys(dimensions).filter((name) => !packed?.dimensions.includes(name))];
}

/** Packs rows of keys, `code` and `n` into one row of arrays per key. */
export function packedRows(keys: readonly string[], rows: string): string {
  return `SELECT ${keys.join(', ')}, array_agg(code ORDER BY code) AS codes, array_agg(n ORDER BY code) AS counts
    FROM (${rows}) bins GROUP BY ${keys.join(', ')}`;
}

/** What the facts of a relation add to a figure: organization, quarter, dimensions (or code) and measures, not yet summed. */
export function contributionOf(table: FactTable, figure: FigureTable, relation: string): string {
  const [, , ...dimensions] = keysOf(figure, 'quarter');
  const wanted = [...dimensions, ...(figure.packed ? ['code'] : []), ...figure.measures].join(', ');
  return `SELECT org_id, quarter, ${wanted} FROM (
    SELECT fact.org_id, ${quarterOf(`fact.${table.at}`)} AS quarter, ${figure.contribution.replace('FROM fact', `FROM ${relation} fact`)}
  ) contribution`;
}
