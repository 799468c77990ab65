import { Injectable } from '@nestjs/common';
import type { getCallTrends, getSalesLeaderboard, getSalesSummary, getTargetAchievement } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { assignmentFacts, assignmentQuarters, salesCallFacts, salesQuarters } from '../facts/sales-facts';
import type { BodyOf, ReplyOf } from '../message-types';
import { shareOf, withoutCalls } from './call-counts.service';
import { Representatives } from './representatives';
import { SalesTargets } from './sales-targets';
import { Spans, stepsOf } from '../scope/spans';
import { numberOf, type Sought, type SumRow, Sums } from './sums';

type Leaderboard = ReplyOf<typeof getSalesLeaderboard>;

/** How sales representatives do. */
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
    const figures = team.map((one) => ({ ...one, ...salesFiguresOf([byId.get(one.SalesUserID) ?? withoutCalls]) }));
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
    const byStep = new Map(rows.map((row) => [row.step, row]));
    const series = steps.map(({ date, at }, step) => ({
      date,
      at: at.toISOString(),
      ...salesFiguresOf([byStep.get(step) ?? withoutCalls]),
    }));
    return { series };
  }

  async achievement(query: BodyOf<typeof getTargetAchievement>, call: Call): Promise<ReplyOf<typeof getTargetAchievement>> {
    const span = await this.spans.of(query, call);
    const targets = await this.targets.touching(organizationOf(call), span, query.SalesUserIDs);
    const ids = [...new Set(targets.map(({ SalesUserID }) => SalesUserID))];
    const team = await this.representatives.of(query.SalesUserIDs, ids, call);
    const names = new Map(team.map((one) => [one.SalesUserID, one]));
    const achieved = await this.targets.achieved(organizationOf(call), targets, span.timeZone);
    const told = targets.flatMap((target) => {
      const representative = names.get(target.SalesUserID);
      const reached = achieved.get(target) ?? 0;
      const achievement = Math.round((reached / target.target) * 10_000) / 10_000;
      return representative ? [{ ...representative, ...target, achieved: reached, achievement }] : [];
    });
    return { targets: told };
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
  const sum = (name: string) => rows.reduce((total, row) => total + numberOf(row, name), 0);
  const [calls, connectedCalls] = [sum('calls'), sum('connected')];
  return {
    calls,
    connectedCalls,
    talkSeconds: sum('talk_seconds'),
    conversions: sum('conversions'),
    connectRate: shareOf(connectedCalls, calls),
  };
}
