import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { Logger } from '@parley/service-kit';
import { SessionEnding } from '../sessions/session-ending';
import { type ClaimedSession, Claims, type NewSession, type NewTurn } from './claims';
import { Leases } from './turn-lane';
import type { PastTurn } from '../sessions/past-turn';
import { TurnRecord, type TurnOutcome } from './turn-record';
import { TurnsUnderWay } from './turn-lookup';

/** A turn that holds its session. */
export interface OpenTurn extends NewTurn {
  readonly session: ClaimedSession;
  /** Every turn that the summary does not cover, up to a limit, oldest first. */
  readonly history: readonly PastTurn[];
  /** Settles once the turn is in the record. Before that nobody may be told of it, but its answer may already be made. */
  readonly stored: Promise<void>;
}

/** A session may be held for a moment only, while what was heard of its last answer is noted. */
const pauseMsMin = 5;
const pauseMsMax = 200;

/** How long a turn waits for the one before it. */
export class TurnPatience {
  constructor(readonly waitMs: number) {}
}

/** Lets turns into their session one at a time, over all replicas, and out again. */
@Injectable()
export class TurnGate {
  constructor(
    private readonly claims: Claims,
    private readonly leases: Leases,
    private readonly underWay: TurnsUnderWay,
    private readonly record: TurnRecord,
    private readonly ending: SessionEnding,
    private readonly patience: TurnPatience,
    private readonly log: Logger,
  ) {}

  /** A session that nobody knows yet cannot be busy, so its turn goes on while it is being stored. */
  first(turn: NewTurn, { channel, language, ...named }: NewSession): OpenTurn {
    const stored = this.claims.create(turn, { channel, language, ...named }).then(() => this.begun(turn));
    stored.catch(() => undefined);
    const session = { channel, language, variables: turn.variables, summary: '', summarizedTurnId: '0' };
    return { ...turn, session, history: [], stored };
  }

  /** Waits for the turn before it; after a while it is SESSION_BUSY. A session that is unknown, or of another agent, is NOT_FOUND. */
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
      const pause = delay(pauseMs, undefined, { signal });
      await Promise.race([pause, this.underWay.freed(turn.sessionUuid) ?? pause]);
    }
  }

  /** Stores what the turn produced and lets the next one in. An agent that says goodbye ends a chat; a call ends by its line. */
  async close(turn: OpenTurn, outcome: TurnOutcome, wantsToEnd: boolean): Promise<void> {
    this.leases.release(turn);
    const sessionId = await this.record.close(turn, outcome).finally(() => this.underWay.end(turn));
    if (sessionId === undefined)
      return this.log.warn('A turn ended after its session was given to another', { turnUuid: turn.turnUuid });
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
