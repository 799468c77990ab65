import { Injectable } from '@nestjs/common';
import type { getUsageFigures } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { turnFacts, turnQuarters } from '../facts/turn-facts';
import { noAgent, usageFacts, usageQuarters } from '../facts/session-facts';
import type { BodyOf, ReplyOf } from '../message-types';
import { AgentScope } from '../scope/agent-scope';
import { Spans, stepsOf } from '../scope/spans';
import { numberOf, type SumRow, Sums } from './sums';

type Usage = ReplyOf<typeof getUsageFigures>;
type Row = Usage['byDay'][number];

/** What was charged and used. */
@Injectable()
export class UsageService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getUsageFigures>, call: Call): Promise<Usage> {
    const span = await this.spans.of(query, call);
    const sought = {
      orgId: organizationOf(call),
      ...span,
      only: { agent_id: await this.scope.of(query.agentIds, call) },
    };
    const steps = stepsOf(span, 'day');
    const charged = await this.sums.of(usageFacts, usageQuarters, sought, { steps, by: ['agent_id', 'kind'] });
    const used = await this.sums.of(turnFacts, turnQuarters, sought, { steps, by: ['agent_id'] });
    const rowsByPlace = Map.groupBy([...charged, ...used], (row) => placeOf(row));
    const rows = [...rowsByPlace.values()].map((some) => usageRowOf(some, steps[some[0]?.step ?? 0]?.date ?? ''));
    return {
      ...withoutDay(charged, used),
      byDay: rows.toSorted((a, b) => a.date.localeCompare(b.date) || (a.AgentID ?? 0) - (b.AgentID ?? 0)),
    };
  }
}

const placeOf = (row: SumRow): string => `${row.step} ${row['agent_id']}`;

function withoutDay(charged: readonly SumRow[], used: readonly SumRow[]) {
  const { credits, requests, promptTokens, completionTokens } = usageRowOf([...charged, ...used], '');
  return { credits, requests, promptTokens, completionTokens };
}

function usageRowOf(rows: readonly SumRow[], date: string): Row {
  const sum = (name: string, kind?: string) =>
    rows.filter((row) => !kind || row['kind'] === kind).reduce((total, row) => total + numberOf(row, name), 0);
  const agentId = numberOf(rows[0], 'agent_id');
  return {
    date,
    AgentID: agentId === noAgent ? null : agentId,
    credits: { TTT_API: sum('units', 'TTT_API'), TTS_API: sum('units', 'TTS_API'), STT_API: sum('units', 'STT_API') },
    requests: sum('requests'),
    promptTokens: sum('prompt_tokens'),
    completionTokens: sum('completion_tokens'),
    audioSeconds: sum('audio_seconds'),
  };
}
