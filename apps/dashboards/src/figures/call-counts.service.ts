import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { CallCounts, getDashboardCount, getTodayCounts } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import type { z } from 'zod';
import { numberOf, type SumRow, Sums } from './sums';
import { dayOf, daysLater, startOfDay } from '@parley/service-kit';
import { callFacts, callQuarters } from '../facts/call-facts';
import { AgentScope } from '../scope/agent-scope';
import { Spans, stepsOf } from '../scope/spans';

/** What became of telephone calls. */
@Injectable()
export class CallCountsService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getDashboardCount>, call: Call): Promise<ReplyOf<typeof getDashboardCount>> {
    const span = await this.spans.of(query, call);
    const agentIds = await this.scope.of(query.agentIds, call);
    const steps = stepsOf(span, 'day');
    const sought = { orgId: organizationOf(call), ...span, only: { agent_id: agentIds } };
    const rows = await this.sums.of(callFacts, callQuarters, sought, { steps });
    const byStep = new Map(rows.map((row) => [row.step, row]));
    const series = steps.map(({ date }, step) => ({ date, ...callCountsOf([byStep.get(step) ?? withoutCalls]) }));
    return { ...callCountsOf(rows), series };
  }

  async today(call: Call, now = new Date()): Promise<ReplyOf<typeof getTodayCounts>> {
    const timeZone = await this.spans.timeZoneOf(call);
    const date = dayOf(now, timeZone);
    const [from, to] = [startOfDay(date, timeZone), startOfDay(daysLater(date, 1), timeZone)];
    const agentIds = await this.scope.of(undefined, call);
    const rows = await this.sums.of(callFacts, callQuarters, {
      orgId: organizationOf(call),
      from,
      to,
      only: { agent_id: agentIds },
    });
    const counts = callCountsOf(rows);
    return { date, at: now.toISOString(), change: [date, ...Object.values(counts)].join('_'), ...counts };
  }
}

/** A row of sums without any call. */
export const withoutCalls: SumRow = { step: 0 };

/** The counts of the API, from sums over calls. */
export function callCountsOf(rows: readonly SumRow[]): z.input<typeof CallCounts> {
  const sum = (name: string) => rows.reduce((total, row) => total + numberOf(row, name), 0);
  const talks = sum('talks');
  return {
    totalCalls: sum('total'),
    completed: sum('completed'),
    answered: sum('answered'),
    missed: sum('missed'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    open: sum('open'),
    averageDurationSeconds: talks === 0 ? 0 : Math.round((sum('talk_seconds') / talks) * 100) / 100,
  };
}

/** A share of a whole, to four digits; 0 of nothing. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}

type Counts = ReplyOf<typeof getTodayCounts>;

const lookEveryMs = 1_000;

/** Today's counts for wallboards, whenever they change. A new day begins with zeros. */
@Injectable()
export class TodayWatch {
  constructor(private readonly counts: CallCountsService) {}

  async *watch(after: string | undefined, call: Call): AsyncGenerator<Counts> {
    let known = after;
    while (!call.signal.aborted) {
      const counts = await this.counts.today(call);
      if (counts.change !== known) yield counts;
      known = counts.change;
      await delay(lookEveryMs, undefined, { signal: call.signal }).catch(() => undefined);
    }
  }
}
