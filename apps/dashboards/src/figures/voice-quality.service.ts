import { Injectable } from '@nestjs/common';
import type { getVoiceQuality } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { callFacts, qualityQuarters } from '../facts/call-facts';
import type { BodyOf, ReplyOf } from '../message-types';
import { AgentScope } from '../scope/agent-scope';
import { withoutCalls } from './call-counts.service';
import { Spans, stepsOf } from '../scope/spans';
import { numberOf, type SumRow, Sums } from './sums';

/** How telephone calls sounded. */
@Injectable()
export class VoiceQualityService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getVoiceQuality>, call: Call): Promise<ReplyOf<typeof getVoiceQuality>> {
    const span = await this.spans.of(query, call);
    const only = { agent_id: await this.scope.of(query.agentIds, call) };
    const steps = stepsOf(span, 'day');
    const sought = { orgId: organizationOf(call), ...span, only };
    const rows = await this.sums.of(callFacts, qualityQuarters, sought, { steps, by: ['agent_id'] });
    const byStep = Map.groupBy(rows, ({ step }) => step);
    return {
      ...qualityOf(rows),
      agents: [...Map.groupBy(rows, (row) => numberOf(row, 'agent_id'))]
        .toSorted(([a], [b]) => a - b)
        .map(([AgentID, some]) => ({ AgentID, ...qualityOf(some) })),
      series: steps.map(({ date }, step) => ({ date, ...qualityOf(byStep.get(step) ?? [withoutCalls]) })),
    };
  }
}

function qualityOf(rows: readonly SumRow[]) {
  const sum = (name: string) => rows.reduce((total, row) => total + numberOf(row, name), 0);
  const [calls, frames] = [sum('calls'), sum('frames')];
  return {
    calls,
    lateFrameRate: rateOf(sum('late_frames'), frames),
    lostFrameRate: rateOf(sum('lost_frames'), sum('packet_frames')),
    averageJitterMs: calls === 0 ? 0 : Math.round(sum('jitter_us') / calls / 10) / 100,
    oneWayCalls: sum('one_way'),
  };
}

const rateOf = (some: number, frames: number): number =>
  frames === 0 ? 0 : Math.min(1, Math.round((some / frames) * 1e6) / 1e6);
