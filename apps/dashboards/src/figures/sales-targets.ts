import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { dayOf, daysLater, startOfDay } from '@parley/service-kit';
import { salesCallFacts, salesQuarters } from '../facts/sales-facts';
import type { Span } from '../scope/spans';
import { numberOf, Sums } from './sums';

const targetsMax = 10_000;
/** Periods of targets that one answer adds up. Teams have a handful: months, quarters and years. */
const periodsAtOnce = 4;

/** What a representative is to reach. */
export interface Target {
  readonly SalesTargetID: number;
  readonly SalesUserID: number;
  readonly metric: 'CALLS' | 'CONNECTED_CALLS' | 'TALK_SECONDS' | 'CONVERSIONS';
  readonly target: number;
  readonly startDate: string;
  readonly endDate: string;
}

const measures = {
  CALLS: 'calls',
  CONNECTED_CALLS: 'connected',
  TALK_SECONDS: 'talk_seconds',
  CONVERSIONS: 'conversions',
} as const;

/** Targets, and what of them is reached. */
@Injectable()
export class SalesTargets {
  constructor(
    private readonly tenants: TenantScope,
    private readonly sums: Sums,
  ) {}

  /** Those whose days touch a span, the latest first. */
  touching(orgId: number, { from, to, timeZone }: Span, ids: readonly number[] | undefined): Promise<Target[]> {
    const [first, last] = [dayOf(from, timeZone), dayOf(new Date(to.getTime() - 1), timeZone)];
    return this.tenants.read(orgId, (manager) =>
      manager.query<Target[]>(
        `SELECT target_id AS "SalesTargetID", representative_id AS "SalesUserID", metric, target,
           start_date::text AS "startDate", end_date::text AS "endDate" FROM sales_targets
         WHERE org_id = $1 AND start_date <= $3::date AND end_date >= $2::date
           AND ($4::int[] IS NULL OR representative_id = ANY($4))
         ORDER BY start_date DESC, end_date DESC, representative_id, metric LIMIT $5`,
        [orgId, first, last, ids ?? null, targetsMax],
      ),
    );
  }

  /** What was reached of each within its own days. */
  async achieved(orgId: number, targets: readonly Target[], timeZone: string): Promise<Map<Target, number>> {
    const reached = new Map<Target, number>();
    const periods = [...Map.groupBy(targets, ({ startDate, endDate }) => `${startDate} ${endDate}`).values()];
    for (let first = 0; first < periods.length; first += periodsAtOnce) {
      const some = periods.slice(first, first + periodsAtOnce);
      await Promise.all(some.map((period) => this.addUp(orgId, period, { timeZone, reached })));
    }
    return reached;
  }

  private async addUp(
    orgId: number,
    targets: readonly Target[],
    { timeZone, reached }: { timeZone: string; reached: Map<Target, number> },
  ): Promise<void> {
    const [{ startDate, endDate } = { startDate: '', endDate: '' }] = targets;
    const [from, to] = [startOfDay(startDate, timeZone), startOfDay(daysLater(endDate, 1), timeZone)];
    const only = { representative_id: [...new Set(targets.map(({ SalesUserID }) => SalesUserID))] };
    const rows = await this.sums.of(salesCallFacts, salesQuarters, { orgId, from, to, only }, { by: ['representative_id'] });
    const byId = new Map(rows.map((row) => [numberOf(row, 'representative_id'), row]));
    for (const target of targets) reached.set(target, numberOf(byId.get(target.SalesUserID), measures[target.metric]));
  }
}
