import type { OnApplicationBootstrap } from '@nestjs/common';
import { readRetention } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import type { Lifetime, Logger, RegularTask, RegularTasks } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import { isToldWithQuestion, tellOf } from './turn-statements';
import { SessionEnding } from '../sessions/sessions';

interface IdleRules {
  /** How long a conversation may be idle. */
  readonly idleMs: number;
}

const pauseMsMax = 30_000;
const endedAtOnceMax = 200;
const changesKeptDays = 14;
const forgottenAtOnceMax = 10_000;

/** Ends idle conversations and marks turns whose process died. Every replica may run it at the same time. */
export class IdleSweep implements OnApplicationBootstrap {
  private readonly task: RegularTask;

  constructor(
    private readonly rules: IdleRules,
    private readonly ending: SessionEnding,
    private readonly tenants: TenantScope,
    tasks: RegularTasks,
  ) {
    const everyMs = Math.min(rules.idleMs / 2, pauseMsMax);
    const trouble = 'A sweep of idle conversations failed';
    this.task = tasks.of({ name: 'idle conversations', everyMs, run: () => this.sweep(), trouble });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async sweep(): Promise<void> {
    await this.markLost();
    await this.forgetChanges();
    while ((await this.ending.endIdle(this.rules.idleMs, endedAtOnceMax)) === endedAtOnceMax);
  }

  /** Deletes changes that consumers have had two weeks to fetch. */
  private async forgetChanges(): Promise<void> {
    await this.tenants.acrossTenants('changes of every organization grow old', (manager) =>
      manager.query(
        `DELETE FROM turn_changes USING (SELECT xact, seq, changed_on FROM turn_changes ORDER BY xact, seq LIMIT $1) oldest
         WHERE turn_changes.xact = oldest.xact AND turn_changes.seq = oldest.seq AND oldest.changed_on < now() - $2 * interval '1 day'`,
        [forgottenAtOnceMax, changesKeptDays],
      ),
    );
  }

  private async markLost(): Promise<void> {
    await this.tenants.acrossTenants('a process that died leaves turns of every organization', (manager) =>
      manager.query(
        `WITH freed AS (
           UPDATE sessions SET busy_turn = NULL, busy_until = NULL
           WHERE id = ANY (ARRAY(SELECT id FROM sessions WHERE busy_until < now() FOR NO KEY UPDATE SKIP LOCKED)) RETURNING id
         ), lost AS (
           UPDATE turns SET status = 'LOST', answered_on = now() FROM freed
           WHERE session_id = freed.id AND turns.status = 'RUNNING' RETURNING turns.org_id, turn_uuid
         )
         ${tellOf('lost')}`,
      ),
    );
  }
}

interface Kept {
  /** How long rows are kept at least, with or without their text. */
  readonly months: number;
}

/** Schedules the sweep and stops it. */
interface Life {
  readonly log: Logger;
  readonly lifetime: Pick<Lifetime, 'draining'>;
  readonly tasks: Pick<RegularTasks, 'of'>;
}

/** For how many days an agent's conversations keep their text. */
interface Rule {
  readonly orgId: number;
  readonly agentId: number;
  readonly days: number;
}

const sweepEveryMs = 3_600_000;
/** Randomized, so that replicas started together do not sweep at the same time. */
const nextMs = (): number => sweepEveryMs * (0.5 + Math.random());
const atOnceMax = 500;
const dayMs = 86_400_000;

/**
 * Deletes the text of conversations older than their agent's `RetentionDays`, and later the rows, which are kept longer for
 * statistics. All replicas may run it at the same time.
 */
export class Retention implements OnApplicationBootstrap {
  private readonly task: RegularTask;

  constructor(
    private readonly kept: Kept,
    private readonly bus: ServiceBus,
    private readonly tenants: TenantScope,
    private readonly life: Life,
  ) {
    this.task = life.tasks.of({
      name: 'old conversations',
      everyMs: sweepEveryMs,
      run: async () => {
        await this.sweep();
        return nextMs();
      },
      trouble: 'A sweep of old conversations failed',
    });
  }

  onApplicationBootstrap(): void {
    this.task.start(nextMs());
  }

  private get isStopping(): boolean {
    return this.life.lifetime.draining.aborted;
  }

  async sweep(now = new Date()): Promise<void> {
    for (const orgId of await this.organizations()) {
      if (this.isStopping) return;
      // A failure for one organization must not stop the others.
      await this.sweepOne(orgId, now).catch((err: unknown) =>
        this.life.log.warn('Old conversations could not be deleted; it is tried again', { err, orgId }),
      );
    }
  }

  private async sweepOne(orgId: number, now: Date): Promise<void> {
    const { agents } = await this.bus.ask(readRetention, { orgId });
    for (const { AgentID: agentId, RetentionDays: days } of agents) {
      const rule = { orgId, agentId, days };
      // Those forgotten now are deleted by a later sweep: until then, services that count can read that their words are gone.
      while (!this.isStopping && (await this.deleteSome(rule, now)));
      while (!this.isStopping && (await this.forgetSome(rule, now)));
    }
  }

  /** Finds each organization by one index look-up, however many conversations it has. */
  private async organizations(): Promise<number[]> {
    const rows = await this.tenants.acrossTenants('conversations of every organization grow old', (manager) =>
      manager.query<{ orgId: number }[]>(
        `WITH RECURSIVE found (org_id) AS (
           SELECT min(org_id) FROM sessions
           UNION ALL
           SELECT (SELECT min(org_id) FROM sessions WHERE sessions.org_id > found.org_id) FROM found WHERE found.org_id IS NOT NULL
         )
         SELECT org_id AS "orgId" FROM found WHERE org_id IS NOT NULL`,
      ),
    );
    return rows.map(({ orgId }) => orgId);
  }

  /** Continues where the last sweep ended, but not beyond an open conversation. Returns whether there may be more. */
  private forgetSome({ orgId, agentId, days }: Rule, now: Date): Promise<boolean> {
    const before = new Date(now.getTime() - days * dayMs);
    return this.tenants.run(orgId, async (manager) => {
      const key = [orgId, agentId];
      await manager.query('INSERT INTO retention_marks (org_id, agent_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', key);
      const old = await manager.query<{ id: number; status: string }[]>(
        `WITH mark AS MATERIALIZED (
           SELECT created_on, session_id FROM retention_marks WHERE org_id = $1 AND agent_id = $2 FOR UPDATE SKIP LOCKED
         )
         SELECT sessions.id, status FROM sessions, mark
         WHERE sessions.org_id = $1 AND agent_id = $2 AND (sessions.created_on, id) > (mark.created_on, mark.session_id)
           AND sessions.created_on < $3 ORDER BY sessions.created_on, id LIMIT ${atOnceMax}`,
        [...key, before],
      );
      const open = old.findIndex(({ status }) => status === 'OPEN');
      const ended = open < 0 ? old : old.slice(0, open);
      const last = ended.at(-1);
      if (!last) return false;
      await forget(
        manager,
        ended.map(({ id }) => id),
      );
      await manager.query(
        `UPDATE retention_marks SET created_on = sessions.created_on, session_id = sessions.id FROM sessions
         WHERE sessions.id = $3 AND retention_marks.org_id = $1 AND retention_marks.agent_id = $2`,
        [...key, last.id],
      );
      return ended.length === atOnceMax;
    });
  }

  private deleteSome({ orgId, agentId, days }: Rule, now: Date): Promise<boolean> {
    const months = new Date(now);
    months.setUTCMonth(months.getUTCMonth() - this.kept.months);
    const before = new Date(Math.min(months.getTime(), now.getTime() - days * dayMs));
    return this.tenants.run(orgId, async (manager) => {
      const rows = await manager.query<{ id: number; hasWords: boolean }[]>(
        `SELECT id, EXISTS (SELECT FROM turns WHERE session_id = sessions.id AND question <> '') AS "hasWords"
         FROM sessions WHERE org_id = $1 AND agent_id = $2 AND created_on < $3 AND status = 'ENDED'
         ORDER BY created_on, id LIMIT ${atOnceMax} FOR UPDATE SKIP LOCKED`,
        [orgId, agentId, before],
      );
      const idsOf = (hasWords: boolean) => rows.flatMap((row) => (row.hasWords === hasWords ? [row.id] : []));
      await forget(manager, idsOf(true));
      const ids = idsOf(false);
      if (ids.length === 0) return false;
      await manager.query('DELETE FROM turns WHERE session_id = ANY ($1)', [ids]);
      await manager.query('DELETE FROM sessions WHERE id = ANY ($1)', [ids]);
      return ids.length === atOnceMax;
    });
  }
}

/**
 * Deletes both sides' words and what was known of the caller. Which FAQ answered is the business's own data, and is kept for counting.
 * Whoever counts turns has the questions that nobody knew, and is told to read those turns again, after which it has them no more.
 */
export async function forget(manager: EntityManager, ids: readonly number[]): Promise<void> {
  await manager.query(
    `WITH asked AS MATERIALIZED (
       SELECT id, org_id, turn_uuid FROM turns WHERE session_id = ANY ($1) AND ${isToldWithQuestion} AND question <> ''
     ), told AS (
       ${tellOf('asked')}
     )
     UPDATE turns SET question = '', answer = '', sources = CASE WHEN is_from_faq THEN sources ELSE '[]' END
     WHERE session_id = ANY ($1)`,
    [ids],
  );
  await manager.query(
    `UPDATE sessions SET variables = '{}', summary = '', preview = '', recording_key = NULL WHERE id = ANY ($1)`,
    [ids],
  );
}
