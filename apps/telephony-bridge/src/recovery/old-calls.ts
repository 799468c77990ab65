import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { readRetention } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import type { ServiceBus } from '@parley/messaging';
import type { Lifetime, Logger, RegularTask, RegularTasks } from '@parley/service-kit';

const sweptAtOnce = 1_000;

/** Records kept for a limited time. None is needed by then: no call lasts longer than four hours. */
const kept = [
  { table: 'media_tokens', key: 'hash', isOld: 'expires_at < now()' },
  { table: 'seen_requests', key: 'ctid', isOld: "seen_at < now() - interval '2 days'" },
  { table: 'call_legs', key: 'reference', isOld: "created_at < now() - interval '2 days'" },
  { table: 'campaign_webhook_events', key: 'id', isOld: "given_up_on < now() - interval '30 days'" },
] as const;

/** Deletes unused tokens, request ids kept against repetition, and transfer legs. */
@Injectable()
export class OldRows {
  constructor(private readonly tenants: TenantScope) {}

  /** A thousand of each at a time. */
  async sweep(): Promise<void> {
    await this.tenants.acrossTenants('rows of every organization grow old', async (manager) => {
      for (const { table, key, isOld } of kept)
        await manager.query(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${isOld} LIMIT $1)`, [
          sweptAtOnce,
        ]);
    });
  }
}

const oldCallsEveryMs = 3_600_000;
/** Replicas that start together do not ask together. */
const oldCallsNextMs = (): number => oldCallsEveryMs * (0.5 + Math.random());
const oldCallsAtOnce = 500;
const dayMs = 86_400_000;

/** An agent, and for how many days its calls keep data of the called person. */
interface Retained {
  readonly orgId: number;
  readonly agentId: number;
  readonly days: number;
}

/**
 * Takes variables and the names of recordings out of calls that are older than their agent's `RetentionDays`, and deletes the calls
 * after `months`, never before those days. Every replica may do it at the same time.
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
      // One organization's trouble is not that of the others.
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

  /** Jumps from one organization to the next, however many calls each has. */
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
