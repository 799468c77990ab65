import type { ClientBase, QueryResultRow } from 'pg';
import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** A statement with its values. */
export interface Statement {
  /** A connection plans the statement once under this name. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Runs a statement that TypeORM would have planned anew every time, in the manager's transaction. */
export async function prepared<Row extends QueryResultRow>(manager: EntityManager, statement: Statement): Promise<Row[]> {
  if (!manager.queryRunner) throw new TypeError(`${statement.name} needs a transaction to be part of`);
  const client: ClientBase = await manager.queryRunner.connect();
  const { rows } = await client.query<Row>({ ...statement });
  return rows;
}

/** The page that a list query asks for. */
interface PageQuery {
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

interface Sorting {
  readonly by: string;
  /** For a column that may be empty. Elsewhere it would only keep Postgres from using an index. */
  readonly nulls?: 'NULLS FIRST' | 'NULLS LAST';
}

/** One page with the count of all rows. Rows that are equal in the sorted column follow their id: none repeats or is left out. */
export async function pageOf<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { pageNo, pageSize, sortOrder }: PageQuery,
  { by, nulls }: Sorting,
): Promise<Page<Row>> {
  const [rows, totalCount] = await query
    .orderBy(by, sortOrder, nulls)
    .addOrderBy(`${query.alias}.id`, sortOrder)
    .offset((pageNo - 1) * pageSize)
    .limit(pageSize)
    .getManyAndCount();
  return { rows, totalCount, pageNo, pageSize };
}

/** A pattern of LIKE and ILIKE that finds what somebody typed anywhere in a text. Its wildcards stand for themselves. */
export function containing(typed: string): string {
  return `%${typed.replace(/[\\%_]/g, '\\$&')}%`;
}
