import { Injectable } from '@nestjs/common';
import { callStateChanged } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import { Call } from './call.entity';
import { changeOf } from './call.wire';
import { type CallStep, isOver, take } from './call-steps';

/** A call that begins to be known. */
export type NewCall = Pick<
  Call,
  | 'orgId'
  | 'accountId'
  | 'carrier'
  | 'direction'
  | 'agentId'
  | 'agentKey'
  | 'agentName'
  | 'fromAddress'
  | 'toAddress'
  | 'wishes'
  | 'reference'
> &
  Partial<Pick<Call, 'campaignId' | 'contactId' | 'carrierCallId'>>;

/** What happens to one call, once it is locked. Nothing comes of `undefined`. */
type Decision = (call: Call, manager: EntityManager) => Promise<CallStep | undefined> | CallStep | undefined;

/**
 * The records of calls. Every change is one transaction with the event that tells of it. The changes of an organization come one
 * after the other, so that their count is the order in which they became visible.
 */
@Injectable()
export class CallBook {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** Writes a new call down; the same reference again is the call that there is. `admit` may still change it, or throw. */
  begin(fresh: NewCall, admit: (call: Call, manager: EntityManager) => Promise<CallStep | undefined>): Promise<Call> {
    const { orgId, reference } = fresh;
    return this.tenants.run(orgId, async (manager) => {
      const change = await nextChange(manager, orgId);
      const known = await manager.findOne(Call, { where: { orgId, reference }, relations: { account: true } });
      if (known) return known;
      const now = new Date();
      const fields = { ...fresh, state: 'QUEUED' as const, queuedAt: now, updatedOn: now, change, remarks: [], used: {} };
      const { id } = await manager.save(Call, manager.create(Call, fields));
      const call = await manager.findOneOrFail(Call, { where: { id }, relations: { account: true } });
      const step = await admit(call, manager);
      if (step) take(call, step, now);
      return this.keep(manager, call, true);
    });
  }

  /** Tells of one call. Answers it as it is now; undefined when there is none. */
  note(orgId: number, callId: number, step: CallStep): Promise<Call | undefined> {
    return this.decide(orgId, callId, () => step);
  }

  /** Locks one call and does to it what is decided then. */
  decide(orgId: number, callId: number, decision: Decision): Promise<Call | undefined> {
    return this.tenants.run(orgId, async (manager) => {
      const change = await nextChange(manager, orgId);
      const call = await manager.findOne(Call, { where: { orgId, id: callId }, relations: { account: true } });
      if (!call) return undefined;
      const step = await decision(call, manager);
      if (!step) return call;
      const isMoved = take(call, step, new Date());
      call.change = change;
      // How a call sounded is known last; where its end was told already, it is told once more.
      return this.keep(manager, call, isMoved || (step.quality !== undefined && isOver(call.state)));
    });
  }

  /** A call by what its carrier calls it. */
  ofCarrier(orgId: number, accountId: number, carrierCallId: string): Promise<Call | null> {
    return this.tenants.read(orgId, (manager) => manager.findOneBy(Call, { orgId, accountId, carrierCallId }));
  }

  find(
    orgId: number,
    where:
      | { readonly id: number }
      | { readonly keyId: string }
      | { readonly reference: string }
      | { readonly sessionUuid: string; readonly state: 'IN_PROGRESS' },
  ): Promise<Call | null> {
    return this.tenants.read(orgId, (manager) =>
      manager.findOne(Call, { where: { orgId, ...where }, relations: { account: true } }),
    );
  }

  private async keep(manager: EntityManager, call: Call, isMoved: boolean): Promise<Call> {
    call.updatedOn = new Date();
    await manager.save(Call, call);
    if (!isMoved) return call;
    if (isOver(call.state)) {
      await manager.query('DELETE FROM call_slots WHERE call_id = $1', [call.id]);
      await manager.query('DELETE FROM media_tokens WHERE call_id = $1', [call.id]);
    }
    await this.outbox.add(manager, callStateChanged, { orgId: call.orgId, payload: changeOf(call) });
    return call;
  }
}

/** Counts a change and keeps the others of the organization waiting until this one is done. */
async function nextChange(manager: EntityManager, orgId: number): Promise<string> {
  const rows: { change: string }[] = await manager.query(
    `INSERT INTO live_changes (org_id, change) VALUES ($1, 1)
     ON CONFLICT (org_id) DO UPDATE SET change = live_changes.change + 1 RETURNING change`,
    [orgId],
  );
  return rows[0]?.change ?? '1';
}
