import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** The page that a list query asks for. */
export interface Paging<Column extends string> {
  readonly pageNo: number;
  readonly pageSize: number;
  readonly sortColumn: Column;
  readonly sortOrder: 'ASC' | 'DESC';
}

/** One page with the count of all rows. Rows that are equal in the sorted column follow their id: none repeats or is left out. */
export async function pageOf<Row extends ObjectLiteral, Column extends string>(
  query: SelectQueryBuilder<Row>,
  { pageNo, pageSize, sortColumn, sortOrder }: Paging<Column>,
  columns: Record<Column, string>,
) {
  const [rows, totalCount] = await query
    .orderBy(columns[sortColumn], sortOrder, 'NULLS LAST')
    .addOrderBy(`${query.alias}.id`, sortOrder)
    .offset((pageNo - 1) * pageSize)
    .limit(pageSize)
    .getManyAndCount();
  return { rows, totalCount, pageNo, pageSize };
}
