import type { DataSource, EntityManager } from 'typeorm';
import type { FactTable } from '../facts/fact-table';

/** The month of an instant (ISO, UTC), as `YYYY-MM`. */
export const monthOf = (instant: string): string => instant.slice(0, 'YYYY-MM'.length);

/** So many months later. */
export function monthsLater(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, month.length);
}

/** The instant at which a month begins. */
export const startOf = (month: string): string => `${month}-01T00:00:00.000Z`;

/** Makes the partitions of one month, of facts and figures. Services may not make tables: a function of the owner's does this alone. */
export async function openMonth(source: DataSource | EntityManager, table: FactTable, month: string): Promise<void> {
  const names = [table.name, ...table.figures.filter(({ isKept }) => !isKept).map(({ name }) => name)];
  await source.query('SELECT open_month(name, $2) FROM unnest($1::text[]) AS name', [names, startOf(month)]);
}

/** The months of which a table holds anything, oldest first. */
export async function monthsIn(source: DataSource | EntityManager, table: string): Promise<string[]> {
  const rows: { month: string }[] = await source.query(
    `SELECT replace(right(child.relname, 7), '_', '-') AS month FROM pg_inherits
     JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = to_regclass($1) ORDER BY month`,
    [table],
  );
  return rows.map(({ month }) => month);
}

/** Drops one month of a table for good. */
export async function dropMonth(manager: EntityManager, table: string, month: string): Promise<void> {
  await manager.query('SELECT drop_month($1, $2)', [table, startOf(month)]);
}
