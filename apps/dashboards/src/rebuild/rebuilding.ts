import { TenantScope } from '@parley/database';
import { DataSource } from 'typeorm';
import type { FactTable } from '../facts/fact-table';
import { organizationLock } from '../projection/locks';
import { monthsIn, monthsLater, startOf } from '../projection/months';
import { daysFromQuarters, type Part, quartersFromFacts } from './corrections';

/** What a rebuild found. */
export interface Rebuilt {
  facts: number;
  /** Rows of figures that were not what the facts say. */
  differing: number;
}

/** An organization with more facts is counted month by month, so that its news does not wait for long. */
const factsAtOnceMax = 100_000;

/**
 * Counts figures anew from the facts, one organization at a time: what differs is put right in one commit, its news waits for that
 * long, and everybody reads the old figures until then. Months of which the facts were dropped stay as they are.
 */
export class Rebuilding {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tenants: TenantScope,
    /** Whether to compare only. */
    private readonly isCheck: boolean,
  ) {}

  /** Answers what was found after each organization, some of which are counted at the same time. */
  async *run(table: FactTable, lanes = 2): AsyncGenerator<Rebuilt> {
    const months = await monthsIn(this.dataSource, table.name);
    const running: Promise<Rebuilt>[] = [];
    try {
      for (let next = await this.next(table, 0); next; next = await this.next(table, next.orgId)) {
        const rebuilt = this.rebuildOrganization(table, next, months);
        // A failure is thrown when its turn comes; until then nobody waits for it.
        rebuilt.catch(() => undefined);
        running.push(rebuilt);
        const [oldest] = running.length >= lanes ? running.splice(0, 1) : [];
        if (oldest) yield await oldest;
      }
      for (let oldest = running.shift(); oldest; oldest = running.shift()) yield await oldest;
    } finally {
      await Promise.allSettled(running);
    }
  }

  private async rebuildOrganization(table: FactTable, { orgId, isLarge }: Next, months: readonly string[]): Promise<Rebuilt> {
    const found: Rebuilt = { facts: 0, differing: 0 };
    for (const [first, last] of isLarge ? months.map((month) => [month, month] as const) : spanOf(months)) {
      const part = { orgId, from: startOf(first), to: startOf(monthsLater(last, 1)) };
      const { facts, differing } = await this.rebuild(table, part);
      found.facts += facts;
      found.differing += differing;
    }
    return found;
  }

  /** In one round trip: what is counted after the lock was got sees every batch that was there before. */
  private async rebuild(table: FactTable, part: Part): Promise<Rebuilt> {
    const steps = [quartersFromFacts(table, part, this.isCheck), ...daysFromQuarters(table, part, this.isCheck)];
    const statements = [organizationLock(table, part.orgId), ...steps].map((statement) => ({ orgId: part.orgId, statement }));
    const [, ...answers] = await this.tenants.together<Rebuilt>(statements);
    const found = answers.flatMap((rows) => rows[0] ?? []);
    return { facts: found[0]?.facts ?? 0, differing: found.reduce((sum, { differing }) => sum + differing, 0) };
  }

  /** The next organization with facts or figures; one with figures only has some that no fact stands behind. */
  private async next(table: FactTable, after: number): Promise<Next | undefined> {
    const tables = [table.name, ...table.figures.flatMap(({ name, days }) => [name, ...(days ? [days] : [])])];
    const firsts = tables.map((name) => `(SELECT org_id FROM ${name} WHERE org_id > $1 ORDER BY org_id LIMIT 1)`);
    const [found] = await this.tenants.acrossTenantsOnce<{ orgId: number | null; isLarge: boolean }>(
      'a rebuild goes through every organization',
      {
        name: `next-of-${table.name}`,
        text: `WITH next AS MATERIALIZED (SELECT least(${firsts.join(', ')}) AS org_id)
          SELECT org_id AS "orgId", (
            SELECT count(*) FROM (SELECT FROM ${table.name} f WHERE f.org_id = next.org_id LIMIT ${factsAtOnceMax + 1}) counted
          ) > ${factsAtOnceMax} AS "isLarge" FROM next`,
        values: [after],
      },
    );
    return found?.orgId ? { orgId: found.orgId, isLarge: found.isLarge } : undefined;
  }
}

interface Next {
  readonly orgId: number;
  readonly isLarge: boolean;
}

function spanOf(months: readonly string[]): (readonly [string, string])[] {
  const [first, last] = [months[0], months.at(-1)];
  return first !== undefined && last !== undefined ? [[first, last]] : [];
}
