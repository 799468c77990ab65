import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { readRetention } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import type { ServiceBus } from '@parley/messaging';
import type { Lifetime, Logger, RegularTask, RegularTasks } from '@parley/service-kit';
import { erasable, erasure } from '../campaigns/campaign-contacts';

const sweptAtOnce = 1_000;

/** Rows kept for a limited time, after which they are not needed, since no call lasts longer than four hours. */
const kept = [
  { table: 'media_tokens', key: 'hash', isOld: 'expires_at < now()' },
  { table: 'seen_requests', key: 'ctid', isOld: "seen_at < now() - interval '2 days'" },
  { table: 'call_legs', key: 'reference', isOld: "created_at < now() - interval '2 days'" },
  { table: 'campaign_webhook_events', key: 'id', isOld: "given_up_on < now() - interval '30 days'" },
] as const;

/** Deletes unused tokens, ids of handled requests, and transfer legs; erases deleted contacts from campaigns. */
@Injectable()
export class OldRows {
  constructor(private readonly tenants: TenantScope) {}

  /** Deletes up to a thousand rows of each kind, and erases as many contacts. */
  async sweep(): Promise<void> {
    await this.tenants.acrossTenants('rows of every organization grow old', async (manager) => {
      for (const { table, key, isOld } of kept)
        await manager.query(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${isOld} LIMIT $1)`, [
          sweptAtOnce,
        ]);
      // By then the result of a call that was in progress has been extracted.
      await manager.query(
        `UPDATE campaign_contacts SET ${erasure} WHERE id IN (SELECT id FROM campaign_contacts
           WHERE ${erasable} AND updated_on < now() - interval '1 hour' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
        [sweptAtOnce],
      );
    });
  }
}

const oldCallsEveryMs = 3_600_000;
/** Randomized, so that replicas started together do not sweep at the same time. */
const oldCallsNextMs = (): number => oldCallsEveryMs * (0.5 + Math.random());
const oldCallsAtOnce = 500;
const dayMs = 86_400_000;

/** For how many days an agent's calls keep data of the called person. */
interface Retained {
  readonly orgId: number;
  readonly agentId: number;
  readonly days: number;
}

/**
 * Removes variables and the names of recordings from calls older than their agent's `RetentionDays`, and deletes calls after `months`,
 * but not before those days. All replicas may do this at the same time.
 */
export class OldCalls implements OnApplicationBootstrap {
  private readonly task: RegularTask;

  constructor(
    private readonly months: number,
    private readonly bus: ServiceBus,
    private readonly tenants: TenantScope,
    private readonly life: { readonly log: Logger; readonly lifetime: Pick<Lifetime, 'draining'>; readonly tasks: RegularTasks },
  ) {
    const run = async (): Promise<number> => {
      await this.sweep();
      return oldCallsNextMs();
    };
    const trouble = 'A sweep of old calls failed';
    this.task = life.tasks.of({ name: 'old calls', everyMs: oldCallsEveryMs, run, trouble });
  }

  onApplicationBootstrap(): void {
    this.task.start(oldCallsNextMs());
  }

  async sweep(now = new Date()): Promise<void> {
    for (const orgId of await this.organizations()) {
      if (this.isStopping) return;
      // A failure for one organization must not affect the others.
      await this.sweepOne(orgId, now).catch((err: unknown) => this.life.log.warn('Old calls stay for now', { err, orgId }));
    }
  }

  private get isStopping(): boolean {
    return this.life.lifetime.draining.aborted;
  }

  private async sweepOne(orgId: number, now: Date): Promise<void> {
    const { agents } = await this.bus.ask(readRetention, { orgId });
    for (const { AgentID: agentId, RetentionDays: days } of agents) {
      const retained = { orgId, agentId, days };
      while (!this.isStopping && (await this.forgetSome(retained, now)) === oldCallsAtOnce);
      while (!this.isStopping && (await this.deleteSome(retained, now)) === oldCallsAtOnce);
    }
  }

  /** Finds each organization by one index look-up, however many calls it has. */
  private async organizations(): Promise<number[]> {
    const rows = await this.tenants.acrossTenants('calls of every organization grow old', (manager) =>
      manager.query<{ orgId: number }[]>(
        `WITH RECURSIVE found (org_id) AS (
           SELECT min(org_id) FROM calls
           UNION ALL
           SELECT (SELECT min(org_id) FROM calls WHERE calls.org_id > found.org_id) FROM found WHERE found.org_id IS NOT NULL
         )
         SELECT org_id AS "orgId" FROM found WHERE org_id IS NOT NULL`,
      ),
    );
    return rows.map(({ orgId }) => orgId);
  }

  private forgetSome({ orgId, agentId, days }: Retained, now: Date): Promise<number> {
    return this.changed(
      orgId,
      `UPDATE calls SET wishes = wishes - 'variables', recording_key = NULL WHERE id IN (
         SELECT id FROM calls WHERE org_id = $1 AND agent_id = $2 AND queued_at < $3 AND ended_at IS NOT NULL
           AND (wishes ? 'variables' OR recording_key IS NOT NULL)
         ORDER BY queued_at LIMIT ${oldCallsAtOnce} FOR UPDATE SKIP LOCKED)`,
      [orgId, agentId, new Date(now.getTime() - days * dayMs)],
    );
  }

  private deleteSome({ orgId, agentId, days }: Retained, now: Date): Promise<number> {
    const months = new Date(now);
    months.setUTCMonth(months.getUTCMonth() - this.months);
    return this.changed(
      orgId,
      `DELETE FROM calls WHERE id IN (
         SELECT id FROM calls WHERE org_id = $1 AND agent_id = $2 AND queued_at < $3 AND ended_at IS NOT NULL
         ORDER BY queued_at, id LIMIT ${oldCallsAtOnce} FOR UPDATE SKIP LOCKED)`,
      [orgId, agentId, new Date(Math.min(months.getTime(), now.getTime() - days * dayMs))],
    );
  }

  private async changed(orgId: number, sql: string, values: unknown[]): Promise<number> {
    const [, count] = await this.tenants.run(orgId, (manager) => manager.query<[unknown[], number]>(sql, values));
    return count;
  }
}
