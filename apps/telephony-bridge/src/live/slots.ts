import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { callStateChanged } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Metric, type RegularTask, RegularTasks, ServiceMetrics } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { CallEntity, UsedCredits } from '../calls/call.entity';

/** A dead replica's slots expire after this long. */
export const leaseMs = 6_000;
const foundAtOnce = 50;
/** How long another replica may take to listen on the port of a dead one. */
const portPatienceMs = 15_000;

interface SlotNews {
  readonly used: Readonly<Record<string, UsedCredits>>;
  readonly dialogs: Readonly<Record<string, readonly string[]>>;
}

/** The limits of an organization's calls. */
export abstract class CallLimits {
  abstract readonly live: number;
  abstract readonly waiting: number;
  /** Slots reserved for incoming calls, which campaigns do not use. */
  abstract readonly reserved: number;
}

/** A call whose replica no longer renews its slot, or that never had one. */
export interface OrphanedCall {
  readonly orgId: number;
  readonly callId: number;
}

/** What is known of a call whose replica died: when its slot was last renewed, and its usage by then. */
export interface LastKnown {
  readonly aliveAt: Date;
  readonly used: UsedCredits;
  /** The dialogs with its peers, if only that process held the call. */
  readonly dialogs: readonly string[];
}

/**
 * The slots of live calls. A slot is leased: the holder of the call renews it every other second, and an expired one does not count.
 */
@Injectable()
export class Slots {
  /** This replica. */
  readonly owner = randomUUID();

  constructor(
    private readonly tenants: TenantScope,
    private readonly limits: CallLimits,
  ) {}

  /** Takes a slot for a call in the caller's transaction, which blocks others of the organization. False: none is free. */
  async take(manager: EntityManager, call: Pick<CallEntity, 'id' | 'orgId' | 'agentId'>): Promise<boolean> {
    if (!(await this.isFree(manager, call.orgId))) return false;
    await this.hold(manager, call);
    return true;
  }

  /** Whether there is a free slot; the caller's transaction must block others of the organization. */
  async isFree(manager: EntityManager, orgId: number): Promise<boolean> {
    return (await this.free(manager, orgId)) > 0;
  }

  /** The number of free slots. */
  async free(manager: EntityManager, orgId: number): Promise<number> {
    const rows: { live: number }[] = await manager.query(
      'SELECT count(*)::int AS live FROM call_slots WHERE org_id = $1 AND is_live AND expires_at > now()',
      [orgId],
    );
    return Math.max(0, this.limits.live - (rows[0]?.live ?? 0));
  }

  /** Whether the campaign of an answered call has no conversation left, under the same lock as `isFree`. */
  async hasNoConversationLeft(manager: EntityManager, { id, orgId, campaignId, wishes }: CallEntity): Promise<boolean> {
    if (campaignId === null || wishes.conversationsMax === undefined) return false;
    const rows: { talking: number }[] = await manager.query(
      `SELECT count(*)::int AS talking FROM call_slots s JOIN calls c ON c.id = s.call_id
       WHERE s.org_id = $1 AND s.is_live AND c.campaign_id = $2 AND c.state = 'IN_PROGRESS' AND c.id <> $3`,
      [orgId, campaignId, id],
    );
    return (rows[0]?.talking ?? 0) >= wishes.conversationsMax;
  }

  /** Transfers a call's slot to this replica from any other. */
  async hold(
    manager: EntityManager,
    { id, orgId, agentId }: Pick<CallEntity, 'id' | 'orgId' | 'agentId'>,
    dialogs?: readonly string[],
  ): Promise<void> {
    await manager.query(
      `INSERT INTO call_slots (call_id, org_id, agent_id, owner, expires_at, dialogs)
       VALUES ($1, $2, $3, $4, ${expiry}, coalesce($5::jsonb, '[]'))
       ON CONFLICT (call_id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at, alive_at = now(), is_live = true,
         dialogs = coalesce($5::jsonb, call_slots.dialogs)`,
      [id, orgId, agentId, this.owner, dialogs ? JSON.stringify(dialogs) : null],
    );
  }

  /** Stores the dialogs by which another replica could end the call. */
  async keep(manager: EntityManager, callId: number, dialogs: readonly string[]): Promise<void> {
    await manager.query('UPDATE call_slots SET dialogs = $2 WHERE call_id = $1', [callId, JSON.stringify(dialogs)]);
  }

  /** Renews all slots of this replica and updates usage and dialogs; returns the ids of its calls. */
  async renew({ used, dialogs }: SlotNews): Promise<ReadonlySet<number>> {
    const text = `UPDATE call_slots SET expires_at = ${expiry}, alive_at = now(), used = coalesce($2::jsonb -> call_id::text, used),
      dialogs = coalesce($3::jsonb -> call_id::text, dialogs) WHERE owner = $1 RETURNING call_id`;
    const rows = await this.tenants.acrossTenants('a replica holds calls of many organizations', (manager) =>
      manager.query<unknown>(text, [this.owner, JSON.stringify(used), JSON.stringify(dialogs)]),
    );
    return new Set(idsOf(rows));
  }

  /**
   * Calls without a holder, and whether any call is live. Those of an account with a port are left to the replica that listens on it,
   * because peers expect its address; if none has taken the port in time, any replica gets them.
   */
  async orphaned(listeningFor: readonly number[]): Promise<{ readonly orphans: OrphanedCall[]; readonly isAnyLive: boolean }> {
    const live = await this.tenants.acrossTenantsOnce(lookingForOrphans, {
      name: 'any-live-call',
      text: anyLiveCall,
      values: [],
    });
    if (live.length === 0) return { orphans: [], isAnyLive: false };
    const orphans = await this.tenants.acrossTenants(lookingForOrphans, (manager) =>
      manager.query<OrphanedCall[]>(
        `SELECT c.org_id AS "orgId", c.id AS "callId" FROM calls c
         LEFT JOIN call_slots s ON s.call_id = c.id
         LEFT JOIN account_ports p ON p.account_id = c.account_id
         WHERE c.state IN ('RINGING', 'IN_PROGRESS') AND (s.call_id IS NULL OR s.expires_at <= now())
           AND (p.port IS NULL OR c.account_id = ANY ($2::int[]) OR s.call_id IS NULL
             OR s.expires_at < now() - interval '${portPatienceMs} milliseconds')
         ORDER BY c.id LIMIT $1`,
        [foundAtOnce, listeningFor],
      ),
    );
    return { orphans, isAnyLive: true };
  }

  /** Takes over an orphan in order to end it. Undefined if another replica was first. */
  async adopt(
    manager: EntityManager,
    { id, orgId, agentId }: Pick<CallEntity, 'id' | 'orgId' | 'agentId'>,
  ): Promise<LastKnown | undefined> {
    const rows: LastKnown[] = await manager.query(
      `INSERT INTO call_slots (call_id, org_id, agent_id, owner, expires_at, is_live) VALUES ($1, $2, $3, $4, ${expiry}, false)
       ON CONFLICT (call_id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at, is_live = false
         WHERE call_slots.expires_at <= now()
       RETURNING alive_at AS "aliveAt", used, dialogs`,
      [id, orgId, agentId, this.owner],
    );
    return rows[0];
  }
}

const lookingForOrphans = 'a replica that died held calls of many organizations';
const anyLiveCall = `
  (SELECT 1 FROM call_slots LIMIT 1) UNION ALL (SELECT 1 FROM calls WHERE state IN ('RINGING', 'IN_PROGRESS') LIMIT 1)`;

const expiry = `now() + interval '${leaseMs} milliseconds'`;

/** TypeORM returns both the rows and their count for an UPDATE. */
function idsOf(answer: unknown): number[] {
  const rows: unknown = Array.isArray(answer) && Array.isArray(answer[0]) ? answer[0] : answer;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) =>
    typeof row === 'object' && row !== null && 'call_id' in row && typeof row.call_id === 'number' ? [row.call_id] : [],
  );
}

type CallStateChanged = z.output<typeof callStateChanged.payload>;

/** A call held by this replica: one that it is placing, or whose media it has. */
export interface HeldCall {
  readonly callId: number;
  /** Its usage so far, once it is answered. */
  readonly used?: UsedCredits;
  /** The dialogs by which another replica could end it, if only this process holds it. */
  readonly dialogs?: readonly string[];
  /** The slot was lost to another replica, or the call was ended elsewhere. */
  lost(): void;
  /** The call's state changed, at any replica. */
  changed(change: CallStateChanged): void;
}

const renewEveryMs = 2_000;
const held: Metric<never> = {
  name: 'parley_calls_held',
  help: 'Calls of this replica: those that it places, and those whose sound goes through it.',
  labels: [],
};

/** The calls of this replica, whose slots are renewed every other second. */
@Injectable()
export class HeldCalls implements OnApplicationBootstrap {
  private readonly calls = new Map<number, HeldCall>();
  private readonly kept = new WeakMap<HeldCall, string>();
  private readonly renewing: RegularTask;

  constructor(
    private readonly slots: Slots,
    tasks: RegularTasks,
    private readonly metrics: ServiceMetrics,
  ) {
    const trouble = 'The slots of calls could not be renewed; it is tried again';
    const renewal = { everyMs: renewEveryMs, run: () => this.renew(), trouble, lasts: true };
    this.renewing = tasks.of({ name: 'call slots', ...renewal });
  }

  onApplicationBootstrap(): void {
    this.metrics.watch(held, () => this.calls.size);
  }

  get count(): number {
    return this.calls.size;
  }

  add(call: HeldCall): void {
    if (this.calls.size === 0) this.renewing.start(renewEveryMs);
    this.calls.set(call.callId, call);
  }

  /** Removes a call, unless another part of this replica holds it by now. */
  remove(call: HeldCall): void {
    if (this.calls.get(call.callId) === call) this.calls.delete(call.callId);
  }

  find(callId: number): HeldCall | undefined {
    return this.calls.get(callId);
  }

  changed(change: CallStateChanged): void {
    this.calls.get(change.CallID)?.changed(change);
  }

  /** The dialogs of a call, if they have changed since they were stored. */
  private newsOf(call: HeldCall): { call: HeldCall; dialogs: readonly string[] }[] {
    const { dialogs = [] } = call;
    return dialogs.join() === (this.kept.get(call) ?? '') ? [] : [{ call, dialogs }];
  }

  private async renew(): Promise<number> {
    if (this.calls.size === 0) return Number.POSITIVE_INFINITY;
    const before = [...this.calls.values()];
    const news = before.flatMap((call) => this.newsOf(call));
    const renewed = await this.slots.renew({
      used: Object.fromEntries(before.flatMap(({ callId, used }) => (used ? [[callId, used]] : []))),
      dialogs: Object.fromEntries(news.map(({ call, dialogs }) => [call.callId, dialogs])),
    });
    for (const { call, dialogs } of news) this.kept.set(call, dialogs.join());
    for (const call of before) if (!renewed.has(call.callId) && this.calls.get(call.callId) === call) call.lost();
    return renewEveryMs;
  }
}
