import { Injectable } from '@nestjs/common';
import { type AnswerSource, type LatencyParts, type SpeechLanguage, turnCompleted } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import type { ModelUsage } from '@parley/ports';
import type { EntityManager } from 'typeorm';
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
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** Answers the channel of the session, or undefined when the turn no longer held it: it was given up for lost, and stays so. */
  close(turn: OpenTurn, outcome: TurnOutcome): Promise<Channel | undefined> {
    return this.tenants.run(turn.orgId, async (manager) => {
      const channel = await store(manager, turn, outcome);
      if (channel !== undefined && outcome.status !== 'FAILED') await this.announce(manager, turn, { outcome, channel });
      return channel;
    });
  }

  private async announce(manager: EntityManager, turn: OpenTurn, { outcome, channel }: Announcement): Promise<void> {
    const { promptTokens, completionTokens } = outcome.usage;
    const payload = {
      sessionUUID: turn.sessionUuid,
      turnUUID: turn.turnUuid,
      AgentID: turn.agentId,
      channel,
      tokenUsage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens },
      latency: outcome.latency,
      isInterrupted: outcome.status === 'INTERRUPTED',
    };
    await this.outbox.add(manager, turnCompleted, { orgId: turn.orgId, payload });
  }
}

type Channel = z.output<typeof turnCompleted.payload>['channel'];

interface Announcement {
  readonly outcome: TurnOutcome;
  readonly channel: Channel;
}

async function store(manager: EntityManager, turn: OpenTurn, outcome: TurnOutcome): Promise<Channel | undefined> {
  const { promptTokens, completionTokens } = outcome.usage;
  const [closed] = await manager.query<{ channel: Channel }[]>(
    `WITH closed AS (
       UPDATE sessions SET busy_turn = NULL, busy_until = NULL, active_on = now(), language = $5,
         turn_count = turn_count + ($3 <> 'FAILED')::int, known_count = known_count + $11::boolean::int,
         prompt_tokens = prompt_tokens + $8, completion_tokens = completion_tokens + $9,
         preview = CASE WHEN preview = '' THEN left($12, 200) ELSE preview END,
         summary = coalesce($15, summary), summarized_turn_id = coalesce($16::bigint, summarized_turn_id),
         duration_seconds = extract(epoch FROM now() - created_on)::int
       WHERE org_id = $1 AND id = $13 AND busy_turn = $2 RETURNING channel
     ), answered AS (
       UPDATE turns SET status = $3, answer = $4, sources = $6, latency = $7, prompt_tokens = $8, completion_tokens = $9,
         is_from_faq = $10, audio_seconds = $14, answered_on = now()
       FROM closed WHERE turn_uuid = $2
     ) SELECT channel FROM closed`,
    [
      turn.orgId,
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
      turn.session.id,
      outcome.audioSeconds,
      outcome.memory?.summary ?? null,
      outcome.memory?.summarizedTurnId ?? null,
    ],
  );
  return closed?.channel;
}
