import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { prepared, TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import { SessionEnding } from '../sessions/session-ending';
import { type ClaimedSession, claimSession, createSession, isKnown, type NewSession, type NewTurn } from './claims';
import { Leases } from './leases';
import { isRemembered, type PastTurn } from './past-turn';
import { TurnRecord, type TurnOutcome } from './turn-record';

/** A turn that holds its session. */
export interface OpenTurn extends NewTurn {
  readonly session: ClaimedSession;
  /** Every turn that the summary does not cover, up to a limit, oldest first. */
  readonly history: readonly PastTurn[];
}

const pauseMsMin = 20;
const pauseMsMax = 200;
const historyMax = 60;

/** How long a turn waits for the one before it. */
export class TurnPatience {
  constructor(readonly waitMs: number) {}
}

/** Lets turns into their session one at a time, over all replicas, and out again. */
@Injectable()
export class TurnGate {
  constructor(
    private readonly tenants: TenantScope,
    private readonly leases: Leases,
    private readonly record: TurnRecord,
    private readonly ending: SessionEnding,
    private readonly patience: TurnPatience,
    private readonly log: Logger,
  ) {}

  async first(turn: NewTurn, session: NewSession): Promise<OpenTurn> {
    const created = await createSession(this.tenants, turn, session);
    if (!created) throw new Fault('INTERNAL', { cause: new Error('a session was not stored') });
    return this.held({ ...turn, session: created, history: [] });
  }

  /** Waits for the turn before it; after a while it is SESSION_BUSY. A session that is unknown, or of another agent, is NOT_FOUND. */
  async next(turn: NewTurn, signal: AbortSignal): Promise<OpenTurn> {
    const giveUpAtMs = Date.now() + this.patience.waitMs;
    for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      const open = await this.tenants.run(turn.orgId, (manager) => attempt(manager, turn));
      if (open) return this.held(open);
      if (Date.now() + pauseMs > giveUpAtMs) throw new Fault('SESSION_BUSY');
      await delay(pauseMs, undefined, { signal });
    }
  }

  /** Stores what the turn produced and lets the next one in. An agent that says goodbye ends a chat; a call ends by its line. */
  async close(turn: OpenTurn, outcome: TurnOutcome, wantsToEnd: boolean): Promise<void> {
    this.leases.release(turn);
    const channel = await this.record.close(turn, outcome);
    if (channel === undefined)
      return this.log.warn('A turn ended after its session was given to another', { turnUuid: turn.turnUuid });
    const isChat = channel === 'API' || channel === 'WIDGET';
    if (wantsToEnd && isChat && outcome.status !== 'DISCARDED') await this.ending.end(turn.orgId, { sessionId: turn.session.id, reason: 'ENDED_BY_AGENT' });
  }

  private held(turn: OpenTurn): OpenTurn {
    this.leases.hold(turn);
    return turn;
  }
}

async function attempt(manager: EntityManager, turn: NewTurn): Promise<OpenTurn | undefined> {
  const [session, turns] = await Promise.all([claimSession(manager, turn), latestTurns(manager, turn)]);
  if (session) return { ...turn, session, history: turns.filter(({ id }) => BigInt(id) > BigInt(session.summarizedTurnId)) };
  if (!(await isKnown(manager, turn))) throw new Fault('NOT_FOUND', { message: 'There is no such session.' });
  return undefined;
}

async function latestTurns(manager: EntityManager, { orgId, sessionUuid }: NewTurn): Promise<PastTurn[]> {
  const values = [orgId, sessionUuid, historyMax];
  const turns = await prepared<PastTurn>(manager, { name: 'latest-turns', text: latest, values });
  return turns.toReversed();
}

const latest = `
  SELECT turns.id, question, answer FROM turns JOIN sessions ON sessions.id = session_id
  WHERE sessions.org_id = $1 AND session_uuid = $2 AND ${isRemembered}
  ORDER BY turns.id DESC LIMIT $3`;
