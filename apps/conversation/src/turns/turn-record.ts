import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type AnswerSource, Fault, type LatencyParts, type ProviderError, type SpeechLanguage } from '@parley/contracts';
import { type Statement, TenantScope } from '@parley/database';
import type { ModelUsage } from '@parley/ports';
import type { z } from 'zod';
import type { Memory } from '../prompts/memory';
import type { TurnStatus } from '../sessions/session.entity';
import type { OpenTurn } from './turn-gate';
import { TurnLane, type TurnWrite } from './turn-lane';

/** How a turn ended, and what it produced until then. */
export interface TurnOutcome {
  readonly status: Exclude<TurnStatus, 'RUNNING' | 'LOST'>;
  readonly answer: string;
  readonly language: SpeechLanguage;
  readonly sources: readonly z.output<typeof AnswerSource>[];
  readonly latency: z.output<typeof LatencyParts>;
  readonly usage: ModelUsage;
  readonly isFromFaq: boolean;
  readonly isKnown: boolean;
  readonly isUnanswered: boolean;
  readonly knowledgeBaseId: number | null;
  readonly audioSeconds: number;
  readonly memory: Memory | undefined;
  readonly providerErrors: readonly ProviderError[];
}

/** The answer has been made and is to be paid for: worth waiting for a Postgres that restarts. */
const patienceMs = 10_000;
/** Nobody holds a session for long: what is heard of an answer is noted, or a conversation ended. */
const pauseMs = 20;

/** Writes down how turns ended. */
@Injectable()
export class TurnRecord {
  constructor(
    private readonly lane: TurnLane,
    private readonly tenants: TenantScope,
  ) {}

  /** Answers the session's id, or undefined when the turn no longer held it: it was given up for lost, and stays so. */
  async close(turn: OpenTurn, outcome: TurnOutcome): Promise<number | undefined> {
    if (outcome.status !== 'DISCARDED') return this.written({ orgId: turn.orgId, deed: 'closing', row: rowOf(turn, outcome) });
    const [held] = await this.tenants.once<{ id: number }>(turn.orgId, dropped(turn, outcome));
    return held?.id;
  }

  private async written(write: TurnWrite): Promise<number | undefined> {
    for (const giveUpAtMs = Date.now() + patienceMs; Date.now() < giveUpAtMs; await delay(pauseMs)) {
      const ended = await this.lane.write(write, patienceMs);
      if (ended?.sessionId !== null) return ended?.sessionId;
    }
    throw new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 });
  }
}

function rowOf(turn: OpenTurn, outcome: TurnOutcome): TurnWrite['row'] {
  const { usage, memory } = outcome;
  return {
    turn_uuid: turn.turnUuid,
    session_uuid: turn.sessionUuid,
    status: outcome.status,
    answer: outcome.answer,
    language: outcome.language,
    sources: outcome.sources,
    latency: outcome.latency,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    is_from_faq: outcome.isFromFaq,
    is_known: outcome.isKnown,
    is_unanswered: outcome.isUnanswered,
    kb_id: outcome.knowledgeBaseId,
    question: turn.question,
    audio_seconds: outcome.audioSeconds,
    provider_errors: outcome.providerErrors.length > 0 ? outcome.providerErrors : null,
    summary: memory?.summary,
    summarized_turn_id: memory?.summarizedTurnId,
  };
}

const dropping = `
  WITH freed AS (
    UPDATE sessions SET busy_turn = NULL, busy_until = NULL, active_on = now()
    WHERE session_uuid = $1 AND busy_turn = $2 RETURNING id
  ), dropped AS (
    UPDATE turns SET status = 'DISCARDED', answer = $3, prompt_tokens = $4, completion_tokens = $5, is_known = $6, question = $7, answered_on = now()
    FROM freed WHERE turn_uuid = $2
  ) SELECT id FROM freed`;

/** What was produced stays in the row, in case that some of it was heard after all. */
function dropped({ turnUuid, sessionUuid, question }: OpenTurn, { answer, usage, isKnown }: TurnOutcome): Statement {
  const values = [sessionUuid, turnUuid, answer, usage.promptTokens, usage.completionTokens, isKnown, question];
  return { name: 'drop-turn', text: dropping, values };
}
