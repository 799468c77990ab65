import { Injectable } from '@nestjs/common';
import {
  type BodyOf,
  Fault,
  type getCallTrends,
  type getSalesLeaderboard,
  type getSalesSummary,
  type getTargetAchievement,
  listRepresentatives,
  listSalesUserChoices,
  type ReplyOf,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { dayOf, daysLater, startOfDay } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { assignmentFacts, assignmentQuarters, salesCallFacts, salesQuarters } from '../facts/facts';
import { type Span, Spans, stepsOf } from '../scope/spans';
import { emptyRow, numberOf, shareOf, type Sought, sumOf, type SumRow, Sums } from './sums';

/** A representative as named in figures. */
interface Representative {
  readonly SalesUserKeyID: string;
  readonly SalesUserID: number;
  readonly name: string;
}

interface Team {
  readonly working: ReadonlySet<number>;
  readonly everybody: ReadonlyMap<number, Representative>;
}

const rememberedMs = 10_000;
const rememberedMax = 1000;
const pageSize = 200;
const pagesMax = 50;

/** The representatives of an organization, including those who left: their calls still count. */
@Injectable()
export class Representatives {
  private readonly remembered = new LRUCache<number, Team>({ max: rememberedMax, ttl: rememberedMs, ttlResolution: 0 });

  constructor(private readonly bus: ServiceBus) {}

  /** Current representatives and those in `counted`; with `asked`, only these. One that never existed is NOT_FOUND. */
  async of(asked: readonly number[] | undefined, counted: readonly number[], call: Call): Promise<Representative[]> {
    const team = await this.team(call, asked ?? counted);
    if (asked?.some((id) => !team.everybody.has(id)))
      throw new Fault('NOT_FOUND', { message: 'There is no such sales representative.' });
    const ids = asked ?? [...team.working, ...counted];
    return [...new Set(ids)].flatMap((id) => team.everybody.get(id) ?? []);
  }

  private async team(call: Call, wanted: readonly number[]): Promise<Team> {
    const orgId = organizationOf(call);
    const known = this.remembered.get(orgId);
    if (known && wanted.every((id) => known.everybody.has(id))) return known;
    const working = await this.bus.ask(listSalesUserChoices, {});
    const everybody = new Map(working.map((each) => [each.SalesUserID, each]));
    if (!wanted.every((id) => everybody.has(id))) for (const each of await this.left()) everybody.set(each.SalesUserID, each);
    const team = { working: new Set(working.map(({ SalesUserID }) => SalesUserID)), everybody };
    this.remembered.set(orgId, team);
    return team;
  }

  private async left(): Promise<Representative[]> {
    const found: Representative[] = [];
    for (let pageNo = 1; pageNo <= pagesMax; pageNo += 1) {
      const { rows } = await this.bus.ask(listRepresentatives, { userStatus: 'INACTIVE', pageNo, pageSize });
      found.push(...rows.map(({ SalesUserKeyID, SalesUserID, name }) => ({ SalesUserKeyID, SalesUserID, name })));
      if (rows.length < pageSize) break;
    }
    return found;
  }
}

const targetsMax = 10_000;
/** How many target periods one answer adds up. Teams have a few: months, quarters and years. */
const periodsAtOnce = 4;

/** A goal set for a representative. */
interface Target {
  readonly SalesTargetKeyID: string;
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

/** Targets, and how far they have been reached. */
@Injectable()
export class SalesTargets {
  constructor(
    private readonly tenants: TenantScope,
    private readonly sums: Sums,
  ) {}

  /** Targets whose days overlap a span, latest first. */
  touching(orgId: number, { from, to, timeZone }: Span, ids: readonly number[] | undefined): Promise<Target[]> {
    const [first, last] = [dayOf(from, timeZone), dayOf(new Date(to.getTime() - 1), timeZone)];
    return this.tenants.read(orgId, (manager) =>
      manager.query<Target[]>(
        `SELECT target_key AS "SalesTargetKeyID", target_id AS "SalesTargetID", representative_id AS "SalesUserID", metric, target,
           start_date::text AS "startDate", end_date::text AS "endDate" FROM sales_targets
         WHERE org_id = $1 AND start_date <= $3::date AND end_date >= $2::date
           AND ($4::int[] IS NULL OR representative_id = ANY($4))
         ORDER BY start_date DESC, end_date DESC, representative_id, metric LIMIT $5`,
        [orgId, first, last, ids ?? null, targetsMax],
      ),
    );
  }

  /** Each target's result over its own days. */
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

type Leaderboard = ReplyOf<typeof getSalesLeaderboard>;

/** Figures of sales representatives. */
@Injectable()
export class SalesService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly representatives: Representatives,
    private readonly targets: SalesTargets,
  ) {}

  async summary(query: BodyOf<typeof getSalesSummary>, call: Call): Promise<ReplyOf<typeof getSalesSummary>> {
    const sought = await this.sought(query, call);
    const rows = await this.byRepresentative(sought);
    const team = await this.representatives.of(query.SalesUserIDs, rows.map(representativeOf), call);
    const assigned = await this.sums.total(assignmentFacts, assignmentQuarters, { ...sought, from: new Date(0) });
    return {
      ...salesFiguresOf(rows),
      representativeCount: team.length,
      assignedContacts: Math.max(0, assigned['contacts'] ?? 0),
    };
  }

  async leaderboard(query: BodyOf<typeof getSalesLeaderboard>, call: Call): Promise<Leaderboard> {
    const { pageNo, pageSize, sortColumn, sortOrder } = query;
    const rows = await this.byRepresentative(await this.sought(query, call));
    const team = await this.representatives.of(query.SalesUserIDs, rows.map(representativeOf), call);
    const byId = new Map(rows.map((row) => [representativeOf(row), row]));
    const figures = team.map((one) => ({ ...one, ...salesFiguresOf([byId.get(one.SalesUserID) ?? emptyRow]) }));
    const best = figures.toSorted((a, b) => b[sortColumn] - a[sortColumn] || a.SalesUserID - b.SalesUserID);
    const places = new Map<number, number>();
    best.forEach((one, index) => places.set(one[sortColumn], places.get(one[sortColumn]) ?? index + 1));
    const ranked = best.map((one) => ({ rank: places.get(one[sortColumn]) ?? 1, ...one }));
    const sorted = sortOrder === 'DESC' ? ranked : ranked.toReversed();
    const shown = sorted.slice((pageNo - 1) * pageSize, pageNo * pageSize);
    return { rows: shown, totalCount: sorted.length, pageNo, pageSize };
  }

  async trends(query: BodyOf<typeof getCallTrends>, call: Call): Promise<ReplyOf<typeof getCallTrends>> {
    const span = await this.spans.of(query, call);
    if (query.SalesUserIDs) await this.representatives.of(query.SalesUserIDs, [], call);
    const steps = stepsOf(span, query.interval);
    const rows = await this.sums.of(salesCallFacts, salesQuarters, await this.sought(query, call), { steps });
    const byStep = new Map(rows.map((row) => [row.step, salesFiguresOf([row])]));
    // Most hours of a season are empty, so they share one object.
    const empty = salesFiguresOf([]);
    const series = steps.map(({ date, at }, step) => ({ date, at: at.toISOString(), ...(byStep.get(step) ?? empty) }));
    return { series };
  }

  async achievement(query: BodyOf<typeof getTargetAchievement>, call: Call): Promise<ReplyOf<typeof getTargetAchievement>> {
    const span = await this.spans.of(query, call);
    const targets = await this.targets.touching(organizationOf(call), span, query.SalesUserIDs);
    const ids = [...new Set(targets.map(({ SalesUserID }) => SalesUserID))];
    const team = await this.representatives.of(query.SalesUserIDs, ids, call);
    const names = new Map(team.map((one) => [one.SalesUserID, one]));
    const achieved = await this.targets.achieved(organizationOf(call), targets, span.timeZone);
    const rows = targets.flatMap((target) => {
      const representative = names.get(target.SalesUserID);
      const reached = achieved.get(target) ?? 0;
      const achievement = shareOf(reached, target.target);
      return representative ? [{ ...representative, ...target, achieved: reached, achievement }] : [];
    });
    return { targets: rows };
  }

  private async sought(query: BodyOf<typeof getSalesSummary>, call: Call): Promise<Sought> {
    const span = await this.spans.of(query, call);
    return { orgId: organizationOf(call), ...span, only: { representative_id: query.SalesUserIDs } };
  }

  private byRepresentative(sought: Sought): Promise<SumRow[]> {
    return this.sums.of(salesCallFacts, salesQuarters, sought, { by: ['representative_id'] });
  }
}

const representativeOf = (row: SumRow): number => numberOf(row, 'representative_id');

function salesFiguresOf(rows: readonly SumRow[]) {
  const sum = (name: string) => sumOf(rows, name);
  const [calls, connectedCalls] = [sum('calls'), sum('connected')];
  return {
    calls,
    connectedCalls,
    talkSeconds: sum('talk_seconds'),
    conversions: sum('conversions'),
    connectRate: shareOf(connectedCalls, calls),
  };
}
