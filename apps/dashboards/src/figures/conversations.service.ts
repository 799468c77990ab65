import { Injectable } from '@nestjs/common';
import { type getConversationFigures, ProviderError } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { hangUpQuarters, sessionFacts, sessionQuarters } from '../facts/session-facts';
import { failureQuarters, placeQuarters, turnFacts, turnQuarters } from '../facts/turn-facts';
import type { BodyOf, ReplyOf } from '../message-types';
import { AgentScope } from '../scope/agent-scope';
import { shareOf } from './call-counts.service';
import { Spans } from '../scope/spans';
import { numberOf, type SumRow, Sums } from './sums';

type Figures = ReplyOf<typeof getConversationFigures>;
const languagesMax = 100;
const failuresMax = 200;

/** How conversations go, and where they break off. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getConversationFigures>, call: Call): Promise<Figures> {
    const span = await this.spans.of(query, call);
    const only = { agent_id: await this.scope.of(query.agentIds, call) };
    const sought = { orgId: organizationOf(call), ...span, only };
    const sessions = await this.sums.of(sessionFacts, sessionQuarters, sought, { by: ['agent_id'] });
    const turns = await this.sums.of(turnFacts, turnQuarters, sought, { by: ['agent_id', 'language'] });
    const places = await this.sums.of(turnFacts, placeQuarters, sought, { by: ['place'] });
    const hangUps = await this.sums.of(sessionFacts, hangUpQuarters, sought, { by: ['place'] });
    const failures = await this.sums.of(turnFacts, failureQuarters, sought, { by: ['role', 'provider', 'kind'] });
    return {
      ...countsOf(sessions, turns),
      agents: [...Map.groupBy([...sessions, ...turns], (row) => numberOf(row, 'agent_id'))]
        .toSorted(([a], [b]) => a - b)
        .map(([AgentID, rows]) => ({ AgentID, ...countsOf(rows, rows) })),
      languages: languagesOf(turns),
      byTurn: placesOf(places, hangUps),
      providerErrors: failuresOf(failures),
    };
  }
}

const sumOf = (rows: readonly SumRow[], name: string): number => rows.reduce((total, row) => total + numberOf(row, name), 0);

function countsOf(sessions: readonly SumRow[], turns: readonly SumRow[]) {
  const ended = sessions.filter((row) => 'sessions' in row);
  const asked = turns.filter((row) => 'turns' in row);
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
    hungUp: sumOf(ended, 'hung_up'),
    turns: sumOf(asked, 'turns'),
    interruptedTurns: sumOf(asked, 'interrupted'),
    failedTurns: sumOf(asked, 'failed'),
    lostTurns: sumOf(asked, 'lost'),
  };
}

function languagesOf(rows: readonly SumRow[]): Figures['languages'] {
  const all = sumOf(rows, 'turns');
  return [...Map.groupBy(rows, (row) => String(row['language']))]
    .map(([language, some]) => ({ language, turns: sumOf(some, 'turns') }))
    .toSorted((a, b) => b.turns - a.turns || a.language.localeCompare(b.language))
    .slice(0, languagesMax)
    .map((each) => ({ ...each, share: shareOf(each.turns, all) }));
}

function placesOf(places: readonly SumRow[], hangUps: readonly SumRow[]): Figures['byTurn'] {
  return [...Map.groupBy([...places, ...hangUps], (row) => numberOf(row, 'place'))]
    .toSorted(([a], [b]) => a - b)
    .map(([turn, rows]) => ({
      turn,
      turns: sumOf(rows, 'turns'),
      interruptedTurns: sumOf(rows, 'interrupted'),
      hungUp: sumOf(rows, 'hung_up'),
    }));
}

function failuresOf(rows: readonly SumRow[]): Figures['providerErrors'] {
  const told = rows.flatMap((row) => {
    const error = ProviderError.safeParse(row).data;
    return error ? [{ ...error, errors: numberOf(row, 'errors') }] : [];
  });
  return told.toSorted((a, b) => b.errors - a.errors || a.provider.localeCompare(b.provider)).slice(0, failuresMax);
}
