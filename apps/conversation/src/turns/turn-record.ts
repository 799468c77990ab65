import { Injectable } from '@nestjs/common';
import { type AnswerSource, type LatencyParts, type SpeechLanguage, turnCompleted } from '@parley/contracts';
import { outboxColumns, outboxRow, type Statement, TenantScope } from '@parley/database';
import type { ModelUsage } from '@parley/ports';
import type { z } from 'zod';
import type { Memory } from '../prompts/memory';
import type { OpenTurn } from './turn-gate';
import type { TurnStatus } from './turn.entity';

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
  readonly audioSeconds: number;
  readonly memory: Memory | undefined;
}

/** Writes down how turns ended: the answer, the session's sums and the event become true together. */
@Injectable()
export class TurnRecord {
  constructor(private readonly tenants: TenantScope) {}

  /** Answers the session's id, or undefined when the turn no longer held it: it was given up for lost, and stays so. */
  async close(turn: OpenTurn, outcome: TurnOutcome): Promise<number | undefined> {
    const statement = outcome.status === 'DISCARDED' ? dropped(turn, outcome) : closed(turn, outcome);
    const [held] = await this.tenants.once<{ id: number }>(turn.orgId, statement);
    return held?.id;
  }
}

type TurnCompleted = z.input<typeof turnCompleted.payload>;

// By its own id alone: with the organization beside it, a plan made while the table was small reads all of an organization's
// sessions, and is kept. Row-level security holds the statement to the organization.
const closing = `
  WITH closed AS (
    UPDATE sessions SET busy_turn = NULL, busy_until = NULL, active_on = now(), language = $5,
      turn_count = turn_count + ($3 <> 'FAILED')::int, known_count = known_count + $11::boolean::int,
      prompt_tokens = prompt_tokens + $8, completion_tokens = completion_tokens + $9,
      preview = CASE WHEN preview = '' THEN left($12, 200) ELSE preview END,
      summary = coalesce($14, summary), summarized_turn_id = coalesce($15::bigint, summarized_turn_id),
      duration_seconds = extract(epoch FROM now() - created_on)::int
    WHERE session_uuid = $1 AND busy_turn = $2 RETURNING id
  ), answered AS (
    UPDATE turns SET status = $3, answer = $4, sources = $6, latency = $7, prompt_tokens = $8, completion_tokens = $9,
      is_from_faq = $10, is_known = $11, audio_seconds = $13, answered_on = now()
    FROM closed WHERE turn_uuid = $2
  ), told AS (
    INSERT INTO ${outboxColumns} SELECT $16, $17, $18, $19, $20 FROM closed WHERE $3 <> 'FAILED'
  ) SELECT id FROM closed`;

function closed(turn: OpenTurn, outcome: TurnOutcome): Statement {
  const { promptTokens, completionTokens } = outcome.usage;
  const values = [
    turn.sessionUuid,
    turn.turnUuid,
    outcome.status,
    outcome.answer,
    outcome.language,
    JSON.stringify(outcome.sources),
    outcome.latency,
    promptTokens,
    completionTokens,
    outcome.isFromFaq,
    outcome.isKnown,
    turn.question,
    outcome.audioSeconds,
    outcome.memory?.summary ?? null,
    outcome.memory?.summarizedTurnId ?? null,
    ...outboxRow(turnCompleted, { orgId: turn.orgId, payload: toldOf(turn, outcome) }).values,
  ];
  return { name: 'close-turn', text: closing, values };
}

function toldOf(turn: OpenTurn, { usage: { promptTokens, completionTokens }, latency, status }: TurnOutcome): TurnCompleted {
  return {
    sessionUUID: turn.sessionUuid,
    turnUUID: turn.turnUuid,
    AgentID: turn.agentId,
    channel: turn.session.channel,
    tokenUsage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens },
    latency,
    isInterrupted: status === 'INTERRUPTED',
  };
}

const dropping = `
  WITH freed AS (
    UPDATE sessions SET busy_turn = NULL, busy_until = NULL, active_on = now()
    WHERE session_uuid = $1 AND busy_turn = $2 RETURNING id
  ), dropped AS (
    UPDATE turns SET status = 'DISCARDED', answer = $3, prompt_tokens = $4, completion_tokens = $5, is_known = $6, answered_on = now()
    FROM freed WHERE turn_uuid = $2
  ) SELECT id FROM freed`;

/** What was produced stays in the row, in case that some of it was heard after all. */
function dropped({ turnUuid, sessionUuid }: OpenTurn, { answer, usage, isKnown }: TurnOutcome): Statement {
  const values = [sessionUuid, turnUuid, answer, usage.promptTokens, usage.completionTokens, isKnown];
  return { name: 'drop-turn', text: dropping, values };
}
