import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  conversationEnded,
  endSession,
  Fault,
  getHistory,
  type LineProgress,
  openSession,
  providerErrorsMax,
  recordSound,
  type ReplyOf,
} from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, Handles, maySee, organizationOf } from '@parley/messaging';
import { asksNeverToBeCalled } from '@parley/providers/builtin-model';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { Agents } from '../answers/agents';
import type { PastTurn } from '../answers/compose-prompt';
import { isRemembered, Session } from './session.entity';

type Ended = z.input<typeof conversationEnded.payload>;
type EndReason = Ended['reason'];

interface Ending {
  readonly sessionId: number;
  readonly reason: EndReason;
  readonly recordingKey?: string | undefined;
  /** When it ended, if that was not recorded at the time. */
  readonly endedOn?: string | undefined;
}

interface EndedRow extends Omit<Ended, 'startedAt'> {
  readonly orgId: number;
  readonly startedAt: Date;
  readonly isOfNobody: boolean;
}

/**
 * SQL for the outcome of a conversation. One that a person took over does not count as unanswered. One with a question but no turn,
 * or whose caller could not be transcribed, counts as failed, not as abandoned.
 */
const outcomeFor = (reason: string, isUnheard = 'is_unheard') =>
  `CASE WHEN ${reason} IN ('FAILED', 'TRANSFERRED') THEN ${reason} WHEN turn_count = 0 AND (preview <> '' OR ${isUnheard}) THEN 'FAILED'
    WHEN turn_count = 0 THEN 'ABANDONED' WHEN known_count > 0 THEN 'ANSWERED' ELSE 'UNANSWERED' END`;
/** A question by API that was refused for having no words left a row, since it may be charged; nobody knows of that conversation. */
export const isOfNobody = (session: string): string =>
  `(${session}.channel = 'API' AND ${session}.turn_count = 0 AND ${session}.preview = ''
    AND NOT EXISTS (SELECT FROM turns
      WHERE turns.org_id = ${session}.org_id AND turns.session_id = ${session}.id AND turns.status <> 'DISCARDED'))`;
/** The columns set when a conversation ends. */
const endedFor = (reason: string, when = 'now()') =>
  `status = 'ENDED', ended_on = ${when}, end_reason = ${reason}, outcome = ${outcomeFor(reason)}`;
/** The reported end, but not before the beginning nor in the future. */
const saidEnd = 'least(now(), greatest(created_on, coalesce($4::timestamptz, now())))';
const row = `org_id AS "orgId", session_uuid AS "sessionUUID", agent_id AS "AgentID", channel, end_reason AS reason, outcome,
  created_on AS "startedAt", duration_seconds AS "durationSeconds", turn_count AS "turnCount",
  prompt_tokens + completion_tokens AS "totalTokens", heard_seconds AS "heardSeconds", spoken_seconds AS "spokenSeconds",
  is_unheard AS "isUnheard", coalesce(provider_errors, '[]') AS "providerErrors", ${isOfNobody('sessions')} AS "isOfNobody"`;

/** Another line that was opened after it counted the time of this one as well. */
const isPresentLine = 'connected_since IS NOT NULL AND connected_ms = $7::int';

/** Ends conversations, each with one event. */
@Injectable()
export class SessionEnding {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** Ends a session. If it has ended before, only a late recording is stored. */
  async end(orgId: number, ending: Ending): Promise<void> {
    await this.tenants.run(orgId, (manager) => this.endIn(manager, orgId, ending));
  }

  /** The same as part of a transaction. */
  async endIn(manager: EntityManager, orgId: number, { sessionId, reason, recordingKey = '', endedOn }: Ending): Promise<void> {
    await this.announce(
      manager,
      await manager.query<[EndedRow[], number]>(
        `UPDATE sessions SET ${endedFor('$3::text', saidEnd)}, duration_seconds = ceil(extract(epoch FROM ${saidEnd} - created_on))::int
         WHERE org_id = $1 AND id = $2 AND status = 'OPEN' RETURNING ${row}`,
        [orgId, sessionId, reason, endedOn ?? null],
      ),
    );
    if (recordingKey === '') return;
    await manager.query('UPDATE sessions SET recording_key = $3 WHERE org_id = $1 AND id = $2', [orgId, sessionId, recordingKey]);
  }

  /** The sound of a line may be reported after the end, which is then announced again; consumers keep the later event. */
  async noteSound(orgId: number, sessionId: number, sound: Omit<BodyOf<typeof recordSound>, 'sessionUUID'>): Promise<void> {
    const { heardSeconds, spokenSeconds, isUnheard, providerErrors, connected } = sound;
    const { beforeMs = null, elapsedMs = null, usualPauseMs = null } = connected ?? {};
    await this.tenants.run(orgId, async (manager) => {
      const [rows] = await manager.query<[(EndedRow & { status: Session['status'] })[], number]>(
        `UPDATE sessions SET heard_seconds = heard_seconds + $3, spoken_seconds = spoken_seconds + $4, is_unheard = $5,
           provider_errors = CASE WHEN $6::jsonb = '[]' THEN provider_errors
             ELSE jsonb_path_query_array(coalesce(provider_errors, '[]') || $6::jsonb, '$[0 to ${providerErrorsMax - 1}]') END,
           outcome = CASE WHEN status = 'ENDED' THEN ${outcomeFor('end_reason', '$5')} END,
           connected_ms = CASE WHEN ${isPresentLine} THEN $8 ELSE connected_ms END,
           connected_since = CASE WHEN ${isPresentLine} THEN NULL ELSE connected_since END,
           usual_pause_ms = coalesce($9, usual_pause_ms)
         WHERE org_id = $1 AND id = $2 RETURNING status, ${row}`,
        [
          ...[orgId, sessionId, heardSeconds, spokenSeconds, isUnheard, JSON.stringify(providerErrors)],
          ...[beforeMs, elapsedMs, usualPauseMs],
        ],
      );
      const ended = rows.flatMap(({ status, ...said }) => (status === 'ENDED' ? [said] : []));
      await this.announce(manager, [ended, ended.length]);
    });
  }

  /** Ends sessions idle for this long, as of their last activity, a bounded number at a time; returns how many. */
  endIdle(idleMs: number, endedMax: number): Promise<number> {
    return this.tenants.acrossTenants('idle conversations of every organization are ended', async (manager) => {
      return this.announce(
        manager,
        await manager.query<[EndedRow[], number]>(
          `UPDATE sessions SET ${endedFor("'IDLE'", 'active_on')}, duration_seconds = ceil(extract(epoch FROM active_on - created_on))::int
           WHERE id = ANY (ARRAY(
             SELECT id FROM sessions
             WHERE status = 'OPEN' AND active_on < now() - $1 * interval '1 millisecond' AND (busy_turn IS NULL OR busy_until < now())
             ORDER BY active_on LIMIT $2 FOR UPDATE SKIP LOCKED
           )) RETURNING ${row}`,
          [idleMs, endedMax],
        ),
      );
    });
  }

  private async announce(manager: EntityManager, [rows]: [EndedRow[], number]): Promise<number> {
    const refusing = await refusingIn(manager, rows);
    for (const { orgId, startedAt, isOfNobody: isHidden, ...ended } of rows) {
      if (isHidden) continue;
      const asksNeverToBeCalled = refusing.has(ended.sessionUUID);
      const payload = { ...ended, startedAt: startedAt.toISOString(), asksNeverToBeCalled };
      await this.outbox.add(manager, conversationEnded, { orgId, payload });
    }
    return rows.length;
  }
}

/** How many of the last questions of each call are read. */
const questionsReadMax = 200;
const spokenIn = `
  SELECT session_uuid AS "sessionUUID", said.question FROM sessions CROSS JOIN LATERAL (
    SELECT question FROM turns WHERE session_id = sessions.id AND question <> '' AND status <> 'DISCARDED'
    ORDER BY id DESC LIMIT ${questionsReadMax}
  ) said WHERE session_uuid = ANY ($1)`;

/**
 * The telephone conversations whose caller asked never to be called again. It is read from the transcript, whatever was answered:
 * such callers often hang up, so the turn may have been cut off.
 */
async function refusingIn(manager: EntityManager, rows: readonly EndedRow[]): Promise<Set<string>> {
  const calls = rows.filter(({ channel }) => channel === 'PHONE').map(({ sessionUUID }) => sessionUUID);
  if (calls.length === 0) return new Set();
  const questions = await manager.query<{ sessionUUID: string; question: string }[]>(spokenIn, [calls]);
  return new Set(questions.filter(({ question }) => asksNeverToBeCalled(question)).map(({ sessionUUID }) => sessionUUID));
}

/** Reads sessions. Unknown ones and those that the caller may not see are both NOT_FOUND. */
@Injectable()
export class SessionLookup {
  constructor(private readonly tenants: TenantScope) {}

  async agentOf(orgId: number, sessionUuid: string): Promise<number> {
    const session = await this.tenants.read(orgId, (manager) => manager.findOneBy(Session, { orgId, sessionUuid }));
    if (!session) throw new Fault('NOT_FOUND', { message: 'There is no such session.' });
    return session.agentId;
  }

  visible(sessionUUID: string, call: Call): Promise<Session> {
    return this.tenants.read(organizationOf(call), (manager) => visibleSession(manager, sessionUUID, call));
  }

  history(sessionUUID: string, call: Call): Promise<ReplyOf<typeof getHistory>> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const session = await visibleSession(manager, sessionUUID, call);
      const turns = await manager.query<PastTurn[]>(remembered, [session.id, turnsShownMax]);
      const chatHistory = turns.flatMap(({ question, answer }) => [
        { sender: 'user' as const, text: question },
        ...(answer === '' ? [] : [{ sender: 'assistant' as const, text: answer }]),
      ]);
      return { sessionUUID, AgentID: session.agentId, createdAt: session.createdOn.toISOString(), chatHistory };
    });
  }
}

const turnsShownMax = 1000;

const remembered = `
  SELECT question, answer FROM turns JOIN sessions ON sessions.id = session_id
  WHERE session_id = $1 AND ${isRemembered} ORDER BY turns.id LIMIT $2`;

/** The session, if the caller may see it; otherwise throws NOT_FOUND. */
export async function visibleSession(manager: EntityManager, sessionUuid: string, call: Call): Promise<Session> {
  const session = await manager.findOneBy(Session, { orgId: organizationOf(call), sessionUuid });
  if (!session || !maySee(call, session.agentId)) throw new Fault('NOT_FOUND', { message: 'There is no such session.' });
  return session;
}

interface Connected {
  readonly elapsedMs: number;
  readonly usualPauseMs: number | null;
  readonly asked: string | null;
}

/** A line whose end nobody reported counts for this long after the last turn began or ended: idle prompts end most by then. */
const silentMax = `interval '1 minute'`;
const askedLettersMax = 500;

const openingLine = `
  UPDATE sessions SET connected_since = now(), connected_ms = connected_ms + coalesce(greatest(0, 1000 * extract(epoch FROM
      least(now(), greatest(active_on, connected_since) + ${silentMax}) - connected_since)), 0)::int
  WHERE id = $1
  RETURNING connected_ms AS "elapsedMs", usual_pause_ms AS "usualPauseMs", (
    SELECT right(turns.answer, ${askedLettersMax}) FROM turns
    WHERE session_id = $1 AND turns.answer <> '' AND ${isRemembered} ORDER BY turns.id DESC LIMIT 1
  ) AS asked`;

/** Creates sessions without a turn, or finds the one to resume. */
@Injectable()
export class SessionOpening {
  constructor(
    private readonly tenants: TenantScope,
    private readonly agents: Agents,
  ) {}

  async open(body: BodyOf<typeof openSession>, call: Call): Promise<ReplyOf<typeof openSession>> {
    return body.sessionUUID ? this.continued(body.sessionUUID, body, call) : this.created(body, call);
  }

  private async continued(
    sessionUUID: string,
    { AgentKeyID, ofChannel, opensLine }: BodyOf<typeof openSession>,
    call: Call,
  ): Promise<ReplyOf<typeof openSession>> {
    const session = await this.tenants.read(organizationOf(call), (manager) => visibleSession(manager, sessionUUID, call));
    const isOfAgent = !AgentKeyID || AgentKeyID === session.agentKeyId;
    const isOfChannel = !ofChannel || ofChannel === session.channel;
    if (!isOfAgent || !isOfChannel) throw new Fault('NOT_FOUND', { message: 'There is no such session.' });
    const { agentId: AgentID, agentKeyId, turnCount } = session;
    const progress = opensLine ? await this.reconnected(session) : undefined;
    return { sessionUUID, AgentID, AgentKeyID: agentKeyId, isNew: turnCount === 0, ...(progress && { progress }) };
  }

  /** Counts the time of the line before, which may still be open, or may have died without a word. */
  private async reconnected({ orgId, id }: Session): Promise<LineProgress | undefined> {
    const [found] = await this.tenants.once<Connected>(orgId, { name: 'open-line', text: openingLine, values: [id] });
    if (!found) return undefined;
    const { elapsedMs, usualPauseMs, asked } = found;
    return { elapsedMs, ...(usualPauseMs !== null && { usualPauseMs }), ...(asked !== null && { asked }) };
  }

  private async created(body: BodyOf<typeof openSession>, call: Call): Promise<ReplyOf<typeof openSession>> {
    const { AgentID, AgentKeyID, AgentName, language } = await this.agents.addressed(call, body);
    const orgId = organizationOf(call);
    const sessionUuid = randomUUID();
    const named = { agentId: AgentID, agentKeyId: AgentKeyID, agentName: AgentName };
    const spoken = { channel: body.channel, language: body.language ?? language, variables: body.variables ?? {} };
    const line = body.opensLine ? { connectedSince: () => 'now()' } : {};
    await this.tenants.run(orgId, (manager) => manager.insert(Session, { orgId, sessionUuid, ...named, ...spoken, ...line }));
    return { sessionUUID: sessionUuid, AgentID, AgentKeyID, isNew: true };
  }
}

/** Sessions over the bus. */
@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: SessionLookup,
    private readonly opening: SessionOpening,
    private readonly ending: SessionEnding,
  ) {}

  @Handles(openSession)
  open(body: BodyOf<typeof openSession>, call: Call): Promise<ReplyOf<typeof openSession>> {
    return this.opening.open(body, call);
  }

  @Handles(endSession)
  async end(
    { sessionUUID, reason, recordingKey, endedOn }: BodyOf<typeof endSession>,
    call: Call,
  ): Promise<ReplyOf<typeof endSession>> {
    const { id: sessionId } = await this.sessions.visible(sessionUUID, call);
    await this.ending.end(organizationOf(call), { sessionId, reason, recordingKey, endedOn });
    return { sessionUUID };
  }

  @Handles(recordSound)
  async noteSound({ sessionUUID, ...sound }: BodyOf<typeof recordSound>, call: Call): Promise<ReplyOf<typeof recordSound>> {
    const { id } = await this.sessions.visible(sessionUUID, call);
    await this.ending.noteSound(organizationOf(call), id, sound);
    return { sessionUUID };
  }

  @Handles(getHistory)
  history({ sessionUUID }: BodyOf<typeof getHistory>, call: Call): Promise<ReplyOf<typeof getHistory>> {
    return this.sessions.history(sessionUUID, call);
  }
}
