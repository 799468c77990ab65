import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { callStateChanged } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Figure, RegularLooks, ServiceFigures } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { Call, UsedCredits } from '../calls/call.entity';

/** A replica that dies leaves its slots this long; then they are nobody's. */
const leaseMs = 6_000;
const foundAtOnce = 50;

/** The limits of an organization's calls. */
export abstract class CallLimits {
  abstract readonly live: number;
  abstract readonly waiting: number;
  /** What campaigns leave to those who call. */
  abstract readonly reserved: number;
}

/** A call whose replica does not renew its slot any more, or that never had one. */
export interface OrphanedCall {
  readonly orgId: number;
  readonly callId: number;
}

/** What is known of a call whose replica died: when it was last held, and what it had used by then. */
export interface LastKnown {
  readonly aliveAt: Date;
  readonly used: UsedCredits;
}

/**
 * The room that live calls take up. A slot is leased: whoever holds the call renews it every other second, and a slot that nobody
 * renewed does not count.
 */
@Injectable()
export class Slots {
  /** This replica. */
  readonly owner = randomUUID();

  constructor(
    private readonly tenants: TenantScope,
    private readonly limits: CallLimits,
  ) {}

  /** Takes a slot for a call in the caller's transaction, which keeps the organization's others waiting. False: none is free. */
  async take(manager: EntityManager, call: Pick<Call, 'id' | 'orgId' | 'agentId'>): Promise<boolean> {
    if (!(await this.isFree(manager, call.orgId))) return false;
    await this.hold(manager, call);
    return true;
  }

  /** Whether one more call may be live, for as long as the caller's transaction keeps the organization's others waiting. */
  async isFree(manager: EntityManager, orgId: number): Promise<boolean> {
    const rows: { live: number }[] = await manager.query(
      'SELECT count(*)::int AS live FROM call_slots WHERE org_id = $1 AND is_live AND expires_at > now()',
      [orgId],
    );
    return (rows[0]?.live ?? 0) < this.limits.live;
  }

  /** Whether the campaign of a call that was answered has as many conversations as it may, under the same lock as `isFree`. */
  async isTalkedOut(manager: EntityManager, { id, orgId, campaignId, wishes }: Call): Promise<boolean> {
    if (campaignId === null || wishes.conversationsMax === undefined) return false;
    const rows: { talking: number }[] = await manager.query(
      `SELECT count(*)::int AS talking FROM call_slots s JOIN calls c ON c.id = s.call_id
       WHERE s.org_id = $1 AND s.is_live AND c.campaign_id = $2 AND c.state = 'IN_PROGRESS' AND c.id <> $3`,
      [orgId, campaignId, id],
    );
    return (rows[0]?.talking ?? 0) >= wishes.conversationsMax;
  }

  /** Makes the slot of a call this replica's, whoever had it. */
  async hold(manager: EntityManager, { id, orgId, agentId }: Pick<Call, 'id' | 'orgId' | 'agentId'>): Promise<void> {
    await manager.query(
      `INSERT INTO call_slots (call_id, org_id, agent_id, owner, expires_at) VALUES ($1, $2, $3, $4, ${expiry})
       ON CONFLICT (call_id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at, alive_at = now(), is_live = true`,
      [id, orgId, agentId, this.owner],
    );
  }

  /** Renews every slot of this replica, with what its calls have used by now; answers the calls that they are of. */
  async renew(used: Readonly<Record<string, UsedCredits>>): Promise<ReadonlySet<number>> {
    const text = `UPDATE call_slots SET expires_at = ${expiry}, alive_at = now(), used = coalesce($2::jsonb -> call_id::text, used)
      WHERE owner = $1 RETURNING call_id`;
    const rows = await this.tenants.acrossTenants('a replica holds calls of many organizations', (manager) =>
      manager.query<unknown>(text, [this.owner, JSON.stringify(used)]),
    );
    return new Set(idsOf(rows));
  }

  /** Calls that nobody holds. */
  orphaned(): Promise<OrphanedCall[]> {
    return this.tenants.acrossTenants('a replica that died held calls of many organizations', (manager) =>
      manager.query(
        `SELECT c.org_id AS "orgId", c.id AS "callId" FROM calls c
         LEFT JOIN call_slots s ON s.call_id = c.id AND s.expires_at > now()
         WHERE c.state IN ('RINGING', 'IN_PROGRESS') AND s.call_id IS NULL ORDER BY c.id LIMIT $1`,
        [foundAtOnce],
      ),
    );
  }

  /** Takes an orphan over to close it: it is not live any more. Answers nothing when another replica was first. */
  async adopt(
    manager: EntityManager,
    { id, orgId, agentId }: Pick<Call, 'id' | 'orgId' | 'agentId'>,
  ): Promise<LastKnown | undefined> {
    const rows: LastKnown[] = await manager.query(
      `INSERT INTO call_slots (call_id, org_id, agent_id, owner, expires_at, is_live) VALUES ($1, $2, $3, $4, ${expiry}, false)
       ON CONFLICT (call_id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at, is_live = false
         WHERE call_slots.expires_at <= now()
       RETURNING alive_at AS "aliveAt", used`,
      [id, orgId, agentId, this.owner],
    );
    return rows[0];
  }
}

const expiry = `now() + interval '${leaseMs} milliseconds'`;

/** TypeORM answers an UPDATE with its rows and their count. */
function idsOf(answer: unknown): number[] {
  const rows: unknown = Array.isArray(answer) && Array.isArray(answer[0]) ? answer[0] : answer;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) =>
    typeof row === 'object' && row !== null && 'call_id' in row && typeof row.call_id === 'number' ? [row.call_id] : [],
  );
}

type Change = z.output<typeof callStateChanged.payload>;

/** A call that this replica holds: one that it is placing, or whose sound goes through it. */
export interface HeldCall {
  readonly callId: number;
  /** What it has used by now, once it is answered. */
  readonly used?: UsedCredits;
  /** The slot is somebody else's, or the call was ended elsewhere. */
  lost(): void;
  /** The call moved on, whoever said so. */
  changed(change: Change): void;
}

const renewEveryMs = 2_000;
const held: Figure<never> = {
  name: 'parley_calls_held',
  help: 'Calls of this replica: those that it places, and those whose sound goes through it.',
  labels: [],
};

/** The calls of this replica, and the proof that it lives: their slots are renewed every other second. */
@Injectable()
export class HeldCalls implements OnApplicationBootstrap {
  private readonly calls = new Map<number, HeldCall>();

  constructor(
    private readonly slots: Slots,
    private readonly looks: RegularLooks,
    private readonly figures: ServiceFigures,
  ) {}

  onApplicationBootstrap(): void {
    this.figures.watch(held, () => this.calls.size);
    const trouble = 'The slots of calls could not be renewed; it is tried again';
    const renewal = { everyMs: renewEveryMs, look: () => this.renew(), trouble, lasts: true };
    this.looks.of({ name: 'call slots', ...renewal }).start(renewEveryMs);
  }

  get count(): number {
    return this.calls.size;
  }

  add(call: HeldCall): void {
    this.calls.set(call.callId, call);
  }

  /** Forgets a call, unless another part of this replica holds it by now. */
  remove(call: HeldCall): void {
    if (this.calls.get(call.callId) === call) this.calls.delete(call.callId);
  }

  find(callId: number): HeldCall | undefined {
    return this.calls.get(callId);
  }

  changed(change: Change): void {
    this.calls.get(change.CallID)?.changed(change);
  }

  private async renew(): Promise<void> {
    if (this.calls.size === 0) return;
    const before = [...this.calls.values()];
    const renewed = await this.slots.renew(
      Object.fromEntries(before.flatMap(({ callId, used }) => (used ? [[callId, used]] : []))),
    );
    for (const call of before) if (!renewed.has(call.callId) && this.calls.get(call.callId) === call) call.lost();
  }
}
