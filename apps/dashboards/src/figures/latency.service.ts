import { Injectable } from '@nestjs/common';
import { type getLatencyFigures, latencyPartNames } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { binGrowth, latencyQuarters, turnFacts } from '../facts/turn-facts';
import type { BodyOf, ReplyOf } from '../message-types';
import { AgentScope } from '../scope/agent-scope';
import { Spans } from '../scope/spans';
import { numberOf, type SumRow, Sums } from './sums';

type Told = ReplyOf<typeof getLatencyFigures>['agents'][number];

/** How long callers wait. */
@Injectable()
export class LatencyService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getLatencyFigures>, call: Call): Promise<ReplyOf<typeof getLatencyFigures>> {
    const span = await this.spans.of(query, call);
    const only = { agent_id: await this.scope.of(query.agentIds, call) };
    const by = ['agent_id', 'channel', 'part', 'bin'];
    const rows = await this.sums.of(turnFacts, latencyQuarters, { orgId: organizationOf(call), ...span, only }, { by });
    return {
      agents: [...Map.groupBy(rows, (row) => `${row['agent_id']} ${row['channel']}`).values()].map(figuresOfAgent),
    };
  }
}

function figuresOfAgent(rows: readonly SumRow[]): Told {
  const byPart = Map.groupBy(rows, (row) => row['part']);
  const parts = latencyPartNames.flatMap((part) => {
    const bins = byPart.get(part)?.map((row) => ({ bin: numberOf(row, 'bin'), turns: numberOf(row, 'turns') })) ?? [];
    return bins.length > 0 ? [{ part, ...percentilesOf(bins) }] : [];
  });
  return { AgentID: numberOf(rows[0], 'agent_id'), channel: channelOf(rows[0]), parts };
}

function channelOf(row: SumRow | undefined): Told['channel'] {
  const channel = row?.['channel'];
  return channel === 'PHONE' || channel === 'VOICE' || channel === 'WIDGET' ? channel : 'API';
}

interface Bin {
  readonly bin: number;
  readonly turns: number;
}

/** Percentiles of a histogram: the middle of the bin in which the turn of that rank lies. */
export function percentilesOf(bins: readonly Bin[]) {
  const sorted = bins.toSorted((a, b) => a.bin - b.bin);
  const turns = sorted.reduce((total, each) => total + each.turns, 0);
  const at = (share: number): number => {
    let rank = Math.ceil(share * turns);
    const found = sorted.find(({ turns: here }) => (rank -= here) <= 0);
    return middleOf(found?.bin ?? 0);
  };
  return { turns, p50Ms: at(0.5), p90Ms: at(0.9), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** Bin 0 is below a millisecond, bin n from growth^(n-1) to growth^n. */
function middleOf(bin: number): number {
  return bin === 0 ? 0.5 : Math.round(binGrowth ** (bin - 0.5) * 10) / 10;
}
