import type { OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { RegularTask, RegularTasks } from '@parley/service-kit';
import { DataSource, type EntityManager } from 'typeorm';
import type { FactTable, FigureTable } from '../facts/fact-table';
import { factTables } from '../facts/facts';

/** How many months facts and figures are kept. */
interface RetentionMonths {
  readonly factMonths: number;
  readonly figureMonths: number;
}

const sweepEveryMs = 3_600_000;
const vectorDays = 90;
/** A telephone with a wrong clock must not create tables for the next century. */
const futureMonths = 1;

/** Drops expired months, and creates the next one before it begins. Every replica may do this at the same time. */
export class FactRetention implements OnApplicationBootstrap {
  private readonly task: RegularTask;

  constructor(
    private readonly kept: RetentionMonths,
    private readonly dataSource: DataSource,
    private readonly tenants: TenantScope,
    tasks: Pick<RegularTasks, 'of'>,
  ) {
    const trouble = 'A sweep of old facts failed';
    this.task = tasks.of({ name: 'old facts', everyMs: sweepEveryMs, run: () => this.sweep(), trouble });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** The period whose facts are accepted. */
  span(now = new Date()): { from: string; to: string } {
    const month = monthOf(now.toISOString());
    return { from: startOf(monthsLater(month, 1 - this.kept.factMonths)), to: startOf(monthsLater(month, futureMonths + 1)) };
  }

  /** Whether individual facts of this age were dropped. They are dropped by month; those of the current month always exist. */
  async hasDropped(at: Date, now = new Date()): Promise<boolean> {
    if (monthOf(at.toISOString()) >= monthOf(now.toISOString())) return false;
    const [sealed]: { before: Date | null }[] = await this.dataSource.query('SELECT max(before) AS before FROM sealed_facts');
    return sealed?.before ? at < sealed.before : false;
  }

  /**
   * The time from which facts of a table are counted: earlier ones are outside the accepted period, or their month was dropped.
   */
  async countedFrom({ name }: FactTable): Promise<string> {
    const rows: { before: Date }[] = await this.dataSource.query('SELECT before FROM sealed_facts WHERE name = $1', [name]);
    const sealed = rows[0]?.before.toISOString() ?? '';
    const { from } = this.span();
    return from > sealed ? from : sealed;
  }

  async sweep(now = new Date()): Promise<void> {
    const month = monthOf(now.toISOString());
    for (const table of factTables) {
      for (const each of [month, monthsLater(month, 1)]) await openMonth(this.dataSource, table, each);
      await this.dropFacts(table, monthsLater(month, 1 - this.kept.factMonths));
      for (const figure of table.figures)
        if (!figure.isKept) await this.dropFigures(figure, monthsLater(month, 1 - this.kept.figureMonths));
    }
    await this.tenants.acrossTenants('vectors of every organization grow old', (manager) =>
      manager.query(`DELETE FROM question_vectors WHERE used_on < current_date - ${vectorDays}`),
    );
  }

  private async dropFacts({ name }: FactTable, oldest: string): Promise<void> {
    for (const month of await monthsIn(this.dataSource, name)) {
      if (month >= oldest) return;
      await this.tenants.acrossTenants('a month holds facts of every organization', async (manager) => {
        await manager.query(
          `INSERT INTO sealed_facts (name, before) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET before = greatest(sealed_facts.before, excluded.before)`,
          [name, startOf(monthsLater(month, 1))],
        );
        await dropMonth(manager, name, month);
      });
    }
  }

  private async dropFigures({ name, days }: FigureTable, oldest: string): Promise<void> {
    if (days)
      await this.tenants.acrossTenants('days of every organization grow old', (manager) =>
        manager.query(`DELETE FROM ${days} WHERE day < $1`, [startOf(oldest)]),
      );
    for (const month of await monthsIn(this.dataSource, name)) {
      if (month >= oldest) return;
      await this.tenants.acrossTenants('a month holds figures of every organization', (manager) =>
        dropMonth(manager, name, month),
      );
    }
  }
}

/** The month of an instant (ISO, UTC), as `YYYY-MM`. */
export const monthOf = (instant: string): string => instant.slice(0, 'YYYY-MM'.length);

/** The month `count` months later. */
export function monthsLater(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, month.length);
}

/** The instant at which a month begins. */
export const startOf = (month: string): string => `${month}-01T00:00:00.000Z`;

/**
 * Creates the partitions of one month, for facts and figures. Services may not create tables, so a function owned by the schema's
 * owner does it.
 */
export async function openMonth(source: DataSource | EntityManager, table: FactTable, month: string): Promise<void> {
  const names = [table.name, ...table.figures.filter(({ isKept }) => !isKept).map(({ name }) => name)];
  await source.query('SELECT open_month(name, $2) FROM unnest($1::text[]) AS name', [names, startOf(month)]);
}

/** The months that a table has partitions for, oldest first. */
export async function monthsIn(source: DataSource | EntityManager, table: string): Promise<string[]> {
  const rows: { month: string }[] = await source.query(
    `SELECT replace(right(child.relname, 7), '_', '-') AS month FROM pg_inherits
     JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = to_regclass($1) ORDER BY month`,
    [table],
  );
  return rows.map(({ month }) => month);
}

/** Permanently drops one month of a table. */
async function dropMonth(manager: EntityManager, table: string, month: string): Promise<void> {
  await manager.query('SELECT drop_month($1, $2)', [table, startOf(month)]);
}
