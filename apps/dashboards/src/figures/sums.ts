import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { FactTable, FigureTable } from '../facts/fact-table';
import type { Step } from './steps';
import { type Source, summedRows, Values } from './summed-rows';

/** What to add up. */
export interface Sought {
  readonly orgId: number;
  readonly from: Date;
  readonly to: Date;
  /** Only these values of a dimension. */
  readonly only?: Readonly<Record<string, readonly unknown[] | undefined>>;
}

interface Grouping {
  /** Dimensions that sums are told apart by. */
  readonly by?: readonly string[];
  /** Steps of time that sums are told apart by: each row then has the index of its step. */
  readonly steps?: readonly Step[];
}

/** Sums by the name of their measure, with the dimensions and the step that they are told apart by. */
export type SumRow = Readonly<Record<string, number | string>> & { readonly step: number };

/** Adds up figures of one organization. */
@Injectable()
export class Sums {
  constructor(private readonly tenants: TenantScope) {}

  of(table: FactTable, figure: FigureTable, sought: Sought, grouping: Grouping = {}): Promise<SumRow[]> {
    const values = new Values();
    const text = sumStatement({ table, figure }, { sought, grouping }, values);
    return this.tenants.read(sought.orgId, (manager) => manager.query<SumRow[]>(text, values.list));
  }

  /** The sums of everything, zero where there is nothing. */
  async total(table: FactTable, figure: FigureTable, sought: Sought): Promise<Record<string, number>> {
    const [row] = await this.of(table, figure, sought);
    return Object.fromEntries(figure.measures.map((measure) => [measure, numberOf(row, measure)]));
  }
}

/** A number of a row; 0 where there is no row. */
export function numberOf(row: SumRow | undefined, name: string): number {
  return Number(row?.[name] ?? 0);
}

interface Question {
  readonly sought: Sought;
  readonly grouping: Grouping;
}

function sumStatement(source: Source, { sought, grouping: { by = [], steps = [] } }: Question, values: Values): string {
  const { measures } = source.figure;
  const rows = summedRows(source, { ...sought, steps: steps.map(({ at }) => at) }, values);
  const conditions = Object.entries(sought.only ?? {}).flatMap(([name, only]) =>
    only ? [`${name} = ANY(${values.add(only)})`] : [],
  );
  const sums = measures.map((measure) => `coalesce(sum(${measure}), 0)::float8 AS ${measure}`);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const keys = ['step', ...by].join(', ');
  // What was added and taken away again is not there.
  return `SELECT ${[keys, ...sums].join(', ')} FROM (${rows}) rows ${where} GROUP BY ${keys} HAVING sum(${measures[0]}) <> 0 ORDER BY ${keys}`;
}
