import type { getConversationLog, listConversationLogs } from '@parley/contracts';
import type { ReplyOf } from '../message-types';
import type { Session } from '../sessions/session.entity';
import type { Turn } from '../turns/turn.entity';

type LogRow = ReplyOf<typeof listConversationLogs>['rows'][number];
type LoggedTurn = ReplyOf<typeof getConversationLog>['turns'][number];

/** A session as the logs list it. */
export function logRowOf(session: Session): LogRow {
  const { promptTokens, completionTokens } = session;
  return {
    ConversationalLogKeyID: session.logKeyId,
    ConversationalLogID: session.id,
    sessionUUID: session.sessionUuid,
    AgentKeyID: session.agentKeyId,
    AgentID: session.agentId,
    AgentName: session.agentName,
    channel: session.channel,
    status: session.status,
    outcome: session.outcome,
    language: session.language,
    turnCount: session.turnCount,
    durationSeconds: session.durationSeconds,
    tokenUsage: tokenUsageOf(promptTokens, completionTokens),
    preview: session.preview,
    CreatedOn: session.createdOn.toISOString(),
    endedOn: session.endedOn?.toISOString() ?? null,
  };
}

/** Both sides of a turn. What was asked is logged also where no answer came: the log is for whoever looks into that. */
export function loggedTurnsOf(turn: Turn): LoggedTurn[] {
  const { turnUuid: turnUUID, status, answeredOn, askedOn } = turn;
  const isInterrupted = status !== 'COMPLETED';
  const asked: LoggedTurn = {
    turnUUID,
    sender: 'user',
    text: turn.question,
    isInterrupted: false,
    sources: [],
    latency: null,
    tokenUsage: null,
    at: askedOn.toISOString(),
  };
  if (turn.answer === '' || !answeredOn) return [{ ...asked, isInterrupted }];
  const tokenUsage = tokenUsageOf(turn.promptTokens, turn.completionTokens);
  const { sources, latency } = turn;
  return [
    asked,
    {
      ...asked,
      sender: 'assistant',
      text: turn.answer,
      isInterrupted,
      sources,
      latency,
      tokenUsage,
      at: answeredOn.toISOString(),
    },
  ];
}

function tokenUsageOf(promptTokens: number, completionTokens: number) {
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}
