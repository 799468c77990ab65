import { Injectable } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { within } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import { SessionEnding } from '../sessions/sessions';
import type { PastTurn } from '../answers/compose-prompt';
import type { ClaimedSession, NewSession, NewTurn, OpenTurn } from './open-turn';
import { Leases, TurnLane, type TurnOutcome, TurnRecord } from './turn-record';
import { latestOf } from './turn-statements';

/** The outcome of a claim: the session is the turn's, another turn holds it, or there is no such session. */
type Claim = { readonly session: ClaimedSession; readonly history: readonly PastTurn[] } | 'BUSY' | 'UNKNOWN';

/** A client is waiting for the first word: just long enough for Postgres to restart. */
const patienceMs = 2_000;

/** Claims sessions for turns. */
@Injectable()
export class SessionClaims {
  constructor(
    private readonly lane: TurnLane,
    private readonly tenants: TenantScope,
  ) {}

  /** Claims an existing session, unless another turn holds it. */
  async claim(turn: NewTurn): Promise<Claim> {
    const found = await this.lane.write({ orgId: turn.orgId, change: 'claiming', row: rowOf(turn) }, patienceMs);
    if (!found) return 'UNKNOWN';
    const { sessionId, claimed } = found;
    if (sessionId === null || !claimed) return 'BUSY';
    const { history, isStale, ...session } = claimed;
    return { session, history: isStale ? await this.latestTurns(turn.orgId, sessionId) : history };
  }

  /** Creates a session and claims it for its first turn. */
  async create(turn: NewTurn, { agentKeyId: agent_key_id, agentName: agent_name, ...spoken }: NewSession): Promise<void> {
    const row = { ...rowOf(turn), agent_key_id, agent_name, ...spoken };
    await this.lane.write({ orgId: turn.orgId, change: 'creating', row }, patienceMs);
  }

  private async latestTurns(orgId: number, sessionId: number): Promise<PastTurn[]> {
    const text = `SELECT (${latestOf('$1')}) AS history`;
    const [found] = await this.tenants.once<{ history: PastTurn[] }>(orgId, { name: 'latest-turns', text, values: [sessionId] });
    return found?.history ?? [];
  }
}

function rowOf({ turnUuid: turn_uuid, sessionUuid: session_uuid, agentId: agent_id, variables, ...turn }: NewTurn) {
  const question = turn.isSpeculative ? '' : turn.question;
  const { reportsHeard: is_spoken, usualPauseMs: usual_pause_ms } = turn;
  return { turn_uuid, session_uuid, agent_id, question, variables, is_spoken, usual_pause_ms };
}

/** Locks are short, such as while what was heard of the last answer is recorded. */
const pauseMsMin = 5;
const pauseMsMax = 200;

/** How long a turn waits for the one before it. */
export class TurnPatience {
  constructor(readonly waitMs: number) {}
}

interface UnderWay {
  readonly turnUuid: string;
  readonly over: PromiseWithResolvers<void>;
}

/** The turns in progress in this process, one per session, whose ends can be awaited without a query. */
@Injectable()
export class TurnsUnderWay {
  private readonly bySession = new Map<string, UnderWay>();

  begin({ sessionUuid, turnUuid }: { readonly sessionUuid: string; readonly turnUuid: string }): void {
    this.bySession.set(sessionUuid, { turnUuid, over: Promise.withResolvers() });
  }

  /** Reports that the turn is stored, or never will be. */
  end({ sessionUuid, turnUuid }: { readonly sessionUuid: string; readonly turnUuid: string }): void {
    const found = this.bySession.get(sessionUuid);
    if (found?.turnUuid !== turnUuid) return;
    this.bySession.delete(sessionUuid);
    found.over.resolve();
  }

  /** Settles when the session's turn ends; undefined if this process has none. */
  freed(sessionUuid: string): Promise<void> | undefined {
    return this.bySession.get(sessionUuid)?.over.promise;
  }

  /** The same for a particular turn. */
  ended(sessionUuid: string, turnUuid: string): Promise<void> | undefined {
    return this.bySession.get(sessionUuid)?.turnUuid === turnUuid ? this.freed(sessionUuid) : undefined;
  }
}

/** Admits turns to their session one at a time, across all replicas, and ends them. */
@Injectable()
export class TurnGate {
  constructor(
    private readonly claims: SessionClaims,
    private readonly leases: Leases,
    private readonly underWay: TurnsUnderWay,
    private readonly record: TurnRecord,
    private readonly ending: SessionEnding,
    private readonly patience: TurnPatience,
    private readonly log: Logger,
  ) {}

  /** The first turn of a new session, which proceeds while it is being stored, since the session cannot be busy. */
  first(turn: NewTurn, { channel, language, ...named }: NewSession): OpenTurn {
    const stored = this.claims.create(turn, { channel, language, ...named }).then(() => this.begun(turn));
    stored.catch(() => undefined);
    const session = { channel, language, variables: turn.variables, summary: '', summarizedTurnId: '0' };
    return { ...turn, isFirst: true, session, history: [], stored };
  }

  /**
   * The first turn of a session that is stored only when it ends, both in one write. Nobody else knows the session before, so no lease
   * is needed; if this process dies, there was no such turn.
   */
  unstored(turn: NewTurn, session: NewSession): OpenTurn {
    const { channel, language } = session;
    this.underWay.begin(turn);
    const opened = { channel, language, variables: turn.variables, summary: '', summarizedTurnId: '0' };
    return {
      ...turn,
      session: opened,
      history: [],
      stored: Promise.resolve(),
      unstored: { ...session, begunMs: performance.now() },
    };
  }

  /** Waits for the previous turn, and after a while fails with SESSION_BUSY. NOT_FOUND if the session is unknown or another agent's. */
  async next(turn: NewTurn, signal: AbortSignal): Promise<OpenTurn> {
    const giveUpAtMs = Date.now() + this.patience.waitMs;
    for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      const claim = await this.claims.claim(turn);
      if (claim === 'UNKNOWN') throw new Fault('NOT_FOUND', { message: 'There is no such session.' });
      if (claim !== 'BUSY') {
        this.begun(turn);
        return { ...turn, ...claim, stored: Promise.resolve() };
      }
      if (Date.now() + pauseMs > giveUpAtMs) throw new Fault('SESSION_BUSY');
      // If another replica holds the session, nothing here tells when its turn ends.
      const freed = this.underWay.freed(turn.sessionUuid) ?? Promise.withResolvers<void>().promise;
      await within(pauseMs, freed, () => signal.throwIfAborted(), signal);
    }
  }

  /** Stores what the turn produced and admits the next one. A goodbye by the agent ends a chat; a call ends when its line closes. */
  async close(turn: OpenTurn, outcome: TurnOutcome, wantsToEnd: boolean): Promise<void> {
    this.leases.release(turn);
    const sessionId = await this.record.close(turn, outcome).finally(() => this.underWay.end(turn));
    if (sessionId === undefined)
      return this.log.warn('A turn ended after another had taken its session', { turnUuid: turn.turnUuid });
    const { channel } = turn.session;
    const isChat = channel === 'API' || channel === 'WIDGET';
    const isOver = wantsToEnd && isChat && outcome.status !== 'DISCARDED';
    if (isOver) await this.ending.end(turn.orgId, { sessionId, reason: 'ENDED_BY_AGENT' });
  }

  private begun(turn: NewTurn): void {
    this.leases.hold(turn);
    this.underWay.begin(turn);
  }
}
