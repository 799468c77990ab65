import { Injectable } from '@nestjs/common';
import type { getDashboardCount, getTodayCounts } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { dayOf, daysLater, startOfDay } from '@parley/service-kit';
import { callFacts, callQuarters } from '../facts/call-facts';
import type { BodyOf, ReplyOf } from '../message-types';
import { AgentScope } from './agent-scope';
import { callCountsOf, withoutCalls } from './call-counts';
import { Spans } from './spans';
import { stepsOf } from './steps';
import { Sums } from './sums';

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
