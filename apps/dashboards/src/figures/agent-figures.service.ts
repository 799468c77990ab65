import { Injectable } from '@nestjs/common';
import {
  type BodyOf,
  type getConversationFigures,
  type getLatencyFigures,
  type getUsageFigures,
  type getVoiceQuality,
  latencyPartNames,
  ProviderError,
  type ReplyOf,
} from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import {
  binGrowth,
  callFacts,
  failureQuarters,
  hangUpQuarters,
  latencyQuarters,
  noAgent,
  placeQuarters,
  qualityQuarters,
  sessionFacts,
  sessionFailureQuarters,
  sessionQuarters,
  turnFacts,
  turnQuarters,
  usageFacts,
  usageQuarters,
} from '../facts/facts';
import { AgentScope, Spans, stepsOf } from '../scope/spans';
import { emptyRow, numberOf, shareOf, sumOf, type SumRow, Sums } from './sums';

type GetConversationFiguresReply = ReplyOf<typeof getConversationFigures>;
const languagesMax = 100;
const failuresMax = 200;

/** How conversations end, and after how many turns callers leave. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getConversationFigures>, call: Call): Promise<GetConversationFiguresReply> {
    const span = await this.spans.of(query, call);
    const only = { agent_id: await this.scope.of(query.agentIds, call) };
    const sought = { orgId: organizationOf(call), ...span, only };
    const sessions = await this.sums.of(sessionFacts, sessionQuarters, sought, { by: ['agent_id'] });
    const turns = await this.sums.of(turnFacts, turnQuarters, sought, { by: ['agent_id', 'language'] });
    const places = await this.sums.of(turnFacts, placeQuarters, sought, { by: ['place'] });
    const hangUps = await this.sums.of(sessionFacts, hangUpQuarters, sought, { by: ['place'] });
    const by = ['role', 'provider', 'kind'];
    const inTurns = await this.sums.of(turnFacts, failureQuarters, sought, { by });
    const inSessions = await this.sums.of(sessionFacts, sessionFailureQuarters, sought, { by });
    return {
      ...countsOf(sessions, turns),
      agents: await this.scope.withKeys(
        [...Map.groupBy([...sessions, ...turns], (row) => numberOf(row, 'agent_id'))]
          .toSorted(([a], [b]) => a - b)
          .map(([AgentID, rows]) => ({ AgentID, ...countsOf(rows, rows) })),
        call,
      ),
      languages: languagesOf(turns),
      byTurn: placesOf(places, hangUps),
      providerErrors: failuresOf([...inTurns, ...inSessions]),
    };
  }
}

function countsOf(sessions: readonly SumRow[], turns: readonly SumRow[]) {
  const ended = sessions.filter((row) => 'sessions' in row);
  const rows = turns.filter((row) => 'turns' in row);
  const [engaged, contained] = [sumOf(ended, 'engaged'), sumOf(ended, 'contained')];
  return {
    conversations: sumOf(ended, 'sessions'),
    engaged,
    contained,
    containmentRate: shareOf(contained, engaged),
    answered: sumOf(ended, 'answered'),
    unanswered: sumOf(ended, 'unanswered'),
    transferred: sumOf(ended, 'transferred'),
    abandoned: sumOf(ended, 'abandoned'),
    failed: sumOf(ended, 'failed'),
    unheard: sumOf(ended, 'unheard'),
    hungUp: sumOf(ended, 'hung_up'),
    turns: sumOf(rows, 'turns'),
    interruptedTurns: sumOf(rows, 'interrupted'),
    failedTurns: sumOf(rows, 'failed'),
    lostTurns: sumOf(rows, 'lost'),
  };
}

function languagesOf(rows: readonly SumRow[]): GetConversationFiguresReply['languages'] {
  const all = sumOf(rows, 'turns');
  return [...Map.groupBy(rows, (row) => String(row['language']))]
    .map(([language, some]) => ({ language, turns: sumOf(some, 'turns') }))
    .toSorted((a, b) => b.turns - a.turns || a.language.localeCompare(b.language))
    .slice(0, languagesMax)
    .map((each) => ({ ...each, share: shareOf(each.turns, all) }));
}

function placesOf(places: readonly SumRow[], hangUps: readonly SumRow[]): GetConversationFiguresReply['byTurn'] {
  return [...Map.groupBy([...places, ...hangUps], (row) => numberOf(row, 'place'))]
    .toSorted(([a], [b]) => a - b)
    .map(([turn, rows]) => ({
      turn,
      turns: sumOf(rows, 'turns'),
      interruptedTurns: sumOf(rows, 'interrupted'),
      hungUp: sumOf(rows, 'hung_up'),
    }));
}

function failuresOf(rows: readonly SumRow[]): GetConversationFiguresReply['providerErrors'] {
  const byFailure = Map.groupBy(rows, ({ role, provider, kind }) => JSON.stringify([role, provider, kind]));
  const failures = [...byFailure.values()].flatMap((same) => {
    const error = ProviderError.safeParse(same[0]).data;
    return error ? [{ ...error, errors: sumOf(same, 'errors') }] : [];
  });
  return failures.toSorted((a, b) => b.errors - a.errors || a.provider.localeCompare(b.provider)).slice(0, failuresMax);
}

type AgentLatency = ReplyOf<typeof getLatencyFigures>['agents'][number];

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
    const agents = [...Map.groupBy(rows, (row) => `${row['agent_id']} ${row['channel']}`).values()].map(figuresOfAgent);
    return { agents: await this.scope.withKeys(agents, call) };
  }
}

function figuresOfAgent(rows: readonly SumRow[]): Omit<AgentLatency, 'AgentKeyID'> {
  const byPart = Map.groupBy(rows, (row) => row['part']);
  const parts = latencyPartNames.flatMap((part) => {
    const bins = byPart.get(part)?.map((row) => ({ bin: numberOf(row, 'bin'), turns: numberOf(row, 'turns') })) ?? [];
    return bins.length > 0 ? [{ part, ...percentilesOf(bins) }] : [];
  });
  return { AgentID: numberOf(rows[0], 'agent_id'), channel: channelOf(rows[0]), parts };
}

function channelOf(row: SumRow | undefined): AgentLatency['channel'] {
  const channel = row?.['channel'];
  return channel === 'PHONE' || channel === 'VOICE' || channel === 'WIDGET' ? channel : 'API';
}

interface Bin {
  readonly bin: number;
  readonly turns: number;
}

/** Percentiles of a histogram: the middle of the bin that contains the turn of that rank. */
function percentilesOf(bins: readonly Bin[]) {
  const sorted = bins.toSorted((a, b) => a.bin - b.bin);
  const turns = sorted.reduce((total, each) => total + each.turns, 0);
  const at = (share: number): number => {
    let rank = Math.ceil(share * turns);
    const found = sorted.find(({ turns: here }) => (rank -= here) <= 0);
    return middleOf(found?.bin ?? 0);
  };
  return { turns, p50Ms: at(0.5), p90Ms: at(0.9), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** Bin 0 is below a millisecond, which counts as no delay; bin n is from growth^(n-1) to growth^n. */
function middleOf(bin: number): number {
  return bin === 0 ? 0 : Math.round(binGrowth ** (bin - 0.5) * 10) / 10;
}

type GetUsageFiguresReply = ReplyOf<typeof getUsageFigures>;
type AgentFiguresRow = GetUsageFiguresReply['byDay'][number];

/** Charges and usage. */
@Injectable()
export class UsageService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getUsageFigures>, call: Call): Promise<GetUsageFiguresReply> {
    const span = await this.spans.of(query, call);
    const sought = {
      orgId: organizationOf(call),
      ...span,
      only: { agent_id: await this.scope.of(query.agentIds, call) },
    };
    const steps = stepsOf(span, 'day');
    const charged = await this.sums.of(usageFacts, usageQuarters, sought, { steps, by: ['agent_id', 'kind'] });
    const measures = ['prompt_tokens', 'completion_tokens', 'audio_seconds'];
    const used = await this.sums.of(turnFacts, turnQuarters, sought, { steps, by: ['agent_id'], measures });
    const sounded = { steps, by: ['agent_id'], measures: ['heard_seconds', 'spoken_seconds'] };
    const all = [...charged, ...used, ...(await this.sums.of(sessionFacts, sessionQuarters, sought, sounded)).filter(hasSound)];
    const rowsByDay = Map.groupBy(all, ({ step }) => step);
    return {
      ...withoutDay(all),
      byDay: await this.scope.withKeys(
        steps.flatMap(({ date }, step) => usageOfDay(rowsByDay.get(step) ?? [], date)),
        call,
      ),
    };
  }
}

function usageOfDay(rows: readonly SumRow[], date: string): Omit<AgentFiguresRow, 'AgentKeyID'>[] {
  const byAgent = Map.groupBy(rows, (row) => numberOf(row, 'agent_id'));
  return [...byAgent].toSorted(([a], [b]) => a - b).map(([, some]) => usageRowOf(some, date));
}

/** Conversations without sound have no row of usage. */
const hasSound = (row: SumRow): boolean => numberOf(row, 'heard_seconds') + numberOf(row, 'spoken_seconds') > 0;

function withoutDay(rows: readonly SumRow[]): Omit<GetUsageFiguresReply, 'byDay'> {
  const { date: _, AgentID: __, ...all } = usageRowOf(rows, '');
  return all;
}

function usageRowOf(rows: readonly SumRow[], date: string): Omit<AgentFiguresRow, 'AgentKeyID'> {
  const sum = (name: string, kind?: string) =>
    sumOf(
      rows.filter((row) => !kind || row['kind'] === kind),
      name,
    );
  const agentId = numberOf(rows[0], 'agent_id');
  return {
    date,
    AgentID: agentId === noAgent ? null : agentId,
    credits: { TTT_API: sum('units', 'TTT_API'), TTS_API: sum('units', 'TTS_API'), STT_API: sum('units', 'STT_API') },
    requests: sum('requests'),
    promptTokens: sum('prompt_tokens'),
    completionTokens: sum('completion_tokens'),
    audioSeconds: sum('audio_seconds'),
    heardSeconds: sum('heard_seconds'),
    spokenSeconds: sum('spoken_seconds'),
  };
}

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
      agents: await this.scope.withKeys(
        [...Map.groupBy(rows, (row) => numberOf(row, 'agent_id'))]
          .toSorted(([a], [b]) => a - b)
          .map(([AgentID, some]) => ({ AgentID, ...qualityOf(some) })),
        call,
      ),
      series: steps.map(({ date }, step) => ({ date, ...qualityOf(byStep.get(step) ?? [emptyRow]) })),
    };
  }
}

function qualityOf(rows: readonly SumRow[]) {
  const sum = (name: string) => sumOf(rows, name);
  const [calls, frames] = [sum('calls'), sum('frames')];
  return {
    calls,
    lateFrameRate: rateOf(sum('late_frames'), frames),
    lostFrameRate: rateOf(sum('lost_frames'), sum('packet_frames')),
    averageJitterMs: calls === 0 ? 0 : Math.round(sum('jitter_us') / (calls * 10)) / 100,
    oneWayCalls: sum('one_way'),
  };
}

/** Multiplies before it divides: the quotient of two integers is then rounded once, and ties are as exact as in Postgres. */
const rateOf = (some: number, frames: number): number =>
  frames === 0 ? 0 : Math.min(1, Math.round((some * 1e6) / frames) / 1e6);
