import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  conversationErased,
  eraseConversation,
  Fault,
  findRecording,
  getConversationLog,
  listConversationLogs,
  recordingPath,
  type ReplyOf,
} from '@parley/contracts';
import { containing, Outbox, pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, maySee, organizationOf } from '@parley/messaging';
import { firstInstant, firstInstantAfter, OrganizationTimeZones } from '@parley/service-kit';
import { type EntityManager, Not, type SelectQueryBuilder } from 'typeorm';
import { Agents } from '../answers/agents';
import { Session, Turn } from '../sessions/session.entity';
import { isOfNobody, SessionEnding } from '../sessions/sessions';
import { forget } from '../turns/old-conversations';

type LogRow = ReplyOf<typeof listConversationLogs>['rows'][number];

type LoggedTurn = ReplyOf<typeof getConversationLog>['turns'][number];

const sortable = {
  CreatedOn: 'createdOn',
  endedOn: 'endedOn',
  durationSeconds: 'durationSeconds',
  turnCount: 'turnCount',
  AgentName: 'agentName',
} as const;
const turnsShownMax = 1000;

/** The text of conversations, for callers who may read it. */
@Injectable()
export class LogsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly timeZones: OrganizationTimeZones,
    private readonly agents: Agents,
    private readonly outbox: Outbox,
    private readonly ending: SessionEnding,
  ) {}

  async list(query: BodyOf<typeof listConversationLogs>, call: Call): Promise<ReplyOf<typeof listConversationLogs>> {
    const by = `session.${sortable[query.sortColumn]}`;
    const nulls = query.sortOrder === 'ASC' ? 'NULLS FIRST' : 'NULLS LAST';
    const timeZone = await this.timeZones.forDates([query.startDate, query.endDate], call);
    const page = await this.tenants.read(organizationOf(call), (manager) =>
      pageOf(soughtLogs(manager, query, { call, timeZone }), query, { by, nulls }),
    );
    // An agent with conversations exists, so it is checked only for an empty list.
    if (page.totalCount === 0) await this.agents.requireKnown(query);
    return { ...page, rows: page.rows.map(logRowOf) };
  }

  get(logKeyId: string, call: Call): Promise<ReplyOf<typeof getConversationLog>> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const session = await visibleLog(manager, logKeyId, call);
      const where = { sessionId: session.id, status: Not<Turn['status']>('DISCARDED') };
      const turns = await manager.find(Turn, { where, order: { id: 'ASC' }, take: turnsShownMax });
      return { ...logRowOf(session), turns: turns.flatMap(loggedTurnsOf), recordingUrl: addressOf(session) };
    });
  }

  async recording(logKeyId: string, call: Call): Promise<ReplyOf<typeof findRecording>> {
    const { recordingKey } = await this.tenants.read(organizationOf(call), (manager) => visibleLog(manager, logKeyId, call));
    if (recordingKey === null) throw new Fault('NOT_FOUND', { message: 'This conversation has no recording.' });
    return { fileKey: recordingKey };
  }

  /**
   * The row stays, since charges and figures refer to it. Of an open conversation, words would be written again, and so they would of
   * one that has ended while its answer is not yet stored; a chat by API has neither call nor socket that could be closed, so it ends
   * here. The row is locked first: a question that begins meanwhile waits, and begins after it.
   */
  async erase(logKeyId: string, call: Call): Promise<ReplyOf<typeof eraseConversation>> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const session = await visibleLog(manager, logKeyId, call, { mode: 'pessimistic_write' });
      const { id: sessionId, status, channel, busyTurn } = session;
      if (busyTurn !== null || (status === 'OPEN' && channel !== 'API')) throw new Fault('CONFLICT', { message: stillOpen });
      await this.ending.endIn(manager, orgId, { sessionId, reason: 'ENDED_BY_USER' });
      await forget(manager, [sessionId]);
      await this.outbox.add(manager, conversationErased, { orgId, payload: { sessionUUID: session.sessionUuid } });
      return { ConversationalLogKeyID: session.logKeyId, ConversationalLogID: sessionId };
    });
  }
}

const stillOpen =
  'This conversation is still open. Hang up its call, close its socket or wait for its answer; a chat in a widget ends half an hour after its last question.';

async function visibleLog(
  manager: EntityManager,
  logKeyId: string,
  call: Call,
  lock?: { mode: 'pessimistic_write' },
): Promise<Session> {
  const where = { orgId: organizationOf(call), logKeyId };
  const session = await manager.findOne(Session, { where, ...(lock && { lock }) });
  if (!session || !maySee(call, session.agentId)) throw new Fault('NOT_FOUND', { message: 'There is no such conversation.' });
  return session;
}

function addressOf({ recordingKey, logKeyId }: Session): string | null {
  return recordingKey === null ? null : `${recordingPath}?ConversationalLogKeyID=${logKeyId}`;
}

/** A session as the logs list it. */
function logRowOf(session: Session): LogRow {
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

/** Both sides of a turn. Unanswered questions are included, since readers of the log look for them. */
function loggedTurnsOf(turn: Turn): LoggedTurn[] {
  const { turnUuid: turnUUID, status, answeredOn, askedOn } = turn;
  const isInterrupted = status !== 'COMPLETED';
  const question: LoggedTurn = {
    turnUUID,
    sender: 'user',
    text: turn.question,
    isInterrupted: false,
    sources: [],
    latency: null,
    tokenUsage: null,
    at: askedOn.toISOString(),
  };
  if (turn.answer === '' || !answeredOn) return [{ ...question, isInterrupted }];
  const tokenUsage = tokenUsageOf(turn.promptTokens, turn.completionTokens);
  const { sources, latency } = turn;
  return [
    question,
    {
      ...question,
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

type Query = BodyOf<typeof listConversationLogs>;

/** The conversations that match a query and that its caller may see. */
function soughtLogs(
  manager: EntityManager,
  query: Query,
  { call, timeZone }: { call: Call; timeZone: string },
): SelectQueryBuilder<Session> {
  const { agentIds } = call.principal ?? {};
  const sought = manager.createQueryBuilder(Session, 'session').where('session.org_id = :orgId', { orgId: organizationOf(call) });
  sought.andWhere(`NOT ${isOfNobody('session')}`);
  if (agentIds) sought.andWhere('session.agent_id = ANY(:agentIds)', { agentIds });
  if (query.AgentID) sought.andWhere('session.agent_id = :agentId', { agentId: query.AgentID });
  if (query.AgentKeyID) sought.andWhere('session.agent_key_id = :agentKeyId', { agentKeyId: query.AgentKeyID });
  if (query.channel) sought.andWhere('session.channel = :channel', { channel: query.channel });
  if (query.outcome) sought.andWhere('session.outcome = :outcome', { outcome: query.outcome });
  if (query.startDate) sought.andWhere('session.created_on >= :from', { from: firstInstant(query.startDate, timeZone) });
  if (query.endDate) sought.andWhere('session.created_on < :until', { until: firstInstantAfter(query.endDate, timeZone) });
  if (query.search.trim()) sought.andWhere(isSaid, { said: containing(query.search.trim()) });
  return sought;
}

const isSaid = `EXISTS (
  SELECT 1 FROM turns
  WHERE turns.org_id = :orgId AND turns.session_id = session.id AND turns.status <> 'DISCARDED'
    AND (turns.question ILIKE :said OR turns.answer ILIKE :said))`;

/** Conversation logs over the bus. */
@Controller()
export class LogsController {
  constructor(private readonly logs: LogsService) {}

  @Handles(listConversationLogs)
  list(query: BodyOf<typeof listConversationLogs>, call: Call): Promise<ReplyOf<typeof listConversationLogs>> {
    return this.logs.list(query, call);
  }

  @Handles(getConversationLog)
  get({ ConversationalLogKeyID }: BodyOf<typeof getConversationLog>, call: Call): Promise<ReplyOf<typeof getConversationLog>> {
    return this.logs.get(ConversationalLogKeyID, call);
  }

  @Handles(findRecording)
  recording({ ConversationalLogKeyID }: BodyOf<typeof findRecording>, call: Call): Promise<ReplyOf<typeof findRecording>> {
    return this.logs.recording(ConversationalLogKeyID, call);
  }

  @Handles(eraseConversation)
  erase({ ConversationalLogKeyID }: BodyOf<typeof eraseConversation>, call: Call): Promise<ReplyOf<typeof eraseConversation>> {
    return this.logs.erase(ConversationalLogKeyID, call);
  }
}
