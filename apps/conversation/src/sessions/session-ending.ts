import { Injectable } from '@nestjs/common';
import { conversationEnded } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';

type Ended = z.input<typeof conversationEnded.payload>;
export type EndReason = Ended['reason'];

interface Ending {
  readonly sessionId: number;
  readonly reason: EndReason;
  readonly recordingKey?: string | undefined;
}

interface EndedRow extends Omit<Ended, 'startedAt'> {
  readonly orgId: number;
  readonly startedAt: Date;
}

/**
 * What ending does to a row, whoever decides on it. One that a person took over is no matter of what the agent knew; where
 * something was asked and no turn came of it, the agent failed and nobody abandoned it.
 */
const endedFor = (reason: string, when = 'now()') => `status = 'ENDED', ended_on = ${when}, end_reason = ${reason},
  outcome = CASE WHEN ${reason} IN ('FAILED', 'TRANSFERRED') THEN ${reason} WHEN turn_count = 0 AND preview <> '' THEN 'FAILED'
    WHEN turn_count = 0 THEN 'ABANDONED' WHEN known_count > 0 THEN 'ANSWERED' ELSE 'UNANSWERED' END`;
const row = `org_id AS "orgId", session_uuid AS "sessionUUID", agent_id AS "AgentID", channel, end_reason AS reason, outcome,
  created_on AS "startedAt", duration_seconds AS "durationSeconds", turn_count AS "turnCount",
  prompt_tokens + completion_tokens AS "totalTokens"`;

/** Ends conversations, each with one event. */
@Injectable()
export class SessionEnding {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** Ending one that has ended changes nothing, but a recording that comes late is kept. */
  async end(orgId: number, { sessionId, reason, recordingKey = '' }: Ending): Promise<void> {
    await this.tenants.run(orgId, async (manager) => {
      await this.announce(
        manager,
        await manager.query<[EndedRow[], number]>(
          `UPDATE sessions SET ${endedFor('$3::text')}, duration_seconds = ceil(extract(epoch FROM now() - created_on))::int
           WHERE org_id = $1 AND id = $2 AND status = 'OPEN' RETURNING ${row}`,
          [orgId, sessionId, reason],
        ),
      );
      if (recordingKey === '') return;
      await manager.query('UPDATE sessions SET recording_key = $3 WHERE org_id = $1 AND id = $2', [
        orgId,
        sessionId,
        recordingKey,
      ]);
    });
  }

  /** Ends what nobody has spoken in for so long, as of when somebody last did, a bounded number at a time; answers how many. */
  endIdle(idleMs: number, endedMax: number): Promise<number> {
    return this.tenants.acrossTenants('silence ends conversations of every organization', async (manager) => {
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
    for (const { orgId, startedAt, ...said } of rows) {
      await this.outbox.add(manager, conversationEnded, { orgId, payload: { ...said, startedAt: startedAt.toISOString() } });
    }
    return rows.length;
  }
}
