import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

export interface PageQuery {
  readonly pageNo: number;
  readonly pageSize: number;
  readonly sortOrder: 'ASC' | 'DESC';
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly totalCount: number;
  readonly pageNo: number;
  readonly pageSize: number;
}

/** One page in a total order: ties break by id, so that pages neither repeat nor skip a row. */
export async function pageOf<Row extends ObjectLiteral>(
  found: SelectQueryBuilder<Row>,
  { pageNo, pageSize, sortOrder }: PageQuery,
  sortBy: string,
): Promise<Page<Row>> {
  const [rows, totalCount] = await found
    .orderBy(`${found.alias}.${sortBy}`, sortOrder)
    .addOrderBy(`${found.alias}.id`, sortOrder)
    .skip((pageNo - 1) * pageSize)
    .take(pageSize)
    .getManyAndCount();
  return { rows, totalCount, pageNo, pageSize };
}

/** A search word as a pattern of ILIKE, in which it stands for itself. */
export function containing(word: string): string {
  return `%${word.replace(/[\\%_]/g, '\\$&')}%`;
}
