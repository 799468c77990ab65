import { Injectable } from '@nestjs/common';
import type { ConversationChannel, SpeechLanguage, Variables } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import type { z } from 'zod';
import type { PastTurn } from '../sessions/past-turn';
import { TurnLane } from './turn-lane';
import { latestOf } from './turn-statements';

/** A turn that is about to be answered. */
export interface NewTurn {
  readonly orgId: number;
  readonly turnUuid: string;
  readonly sessionUuid: string;
  readonly agentId: number;
  /** Asked on suspicion: nobody may have said it, so it is stored once somebody has. */
  readonly isSpeculative?: boolean;
  readonly question: string;
  readonly variables: z.output<typeof Variables>;
}

export interface NewSession {
  readonly agentKeyId: string;
  readonly agentName: string;
  readonly channel: z.output<typeof ConversationChannel>;
  readonly language: SpeechLanguage;
}

/** The session of a turn as it was when the turn began. */
export interface ClaimedSession {
  readonly channel: z.output<typeof ConversationChannel>;
  readonly language: SpeechLanguage;
  readonly variables: z.output<typeof Variables>;
  readonly summary: string;
  readonly summarizedTurnId: string;
}

/** What came of reaching for a session: it is the turn's, another turn has it, or no such session is there. */
export type Claim = { readonly session: ClaimedSession; readonly history: readonly PastTurn[] } | 'BUSY' | 'UNKNOWN';

/** Somebody waits for the first word: not longer than a Postgres takes that is restarted. */
const patienceMs = 2_000;

/** Takes sessions for turns. */
@Injectable()
export class Claims {
  constructor(
    private readonly lane: TurnLane,
    private readonly tenants: TenantScope,
  ) {}

  /** Takes a known session, unless another turn has it. */
  async claim(turn: NewTurn): Promise<Claim> {
    const found = await this.lane.write({ orgId: turn.orgId, deed: 'claiming', row: rowOf(turn) }, patienceMs);
    if (!found) return 'UNKNOWN';
    const { sessionId, claimed } = found;
    if (sessionId === null || !claimed) return 'BUSY';
    const { history, isStale, ...session } = claimed;
    return { session, history: isStale ? await this.latestTurns(turn.orgId, sessionId) : history };
  }

  /** Makes a session and takes it for its first turn. */
  async create(turn: NewTurn, { agentKeyId: agent_key_id, agentName: agent_name, ...spoken }: NewSession): Promise<void> {
    const row = { ...rowOf(turn), agent_key_id, agent_name, ...spoken };
    await this.lane.write({ orgId: turn.orgId, deed: 'creating', row }, patienceMs);
  }

  private async latestTurns(orgId: number, sessionId: number): Promise<PastTurn[]> {
    const text = `SELECT (${latestOf('$1')}) AS history`;
    const [found] = await this.tenants.once<{ history: PastTurn[] }>(orgId, { name: 'latest-turns', text, values: [sessionId] });
    return found?.history ?? [];
  }
}

function rowOf({ turnUuid: turn_uuid, sessionUuid: session_uuid, agentId: agent_id, variables, ...asked }: NewTurn) {
  const question = asked.isSpeculative ? '' : asked.question;
  return { turn_uuid, session_uuid, agent_id, question, variables };
}
