import type { ClientBase, QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';

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
