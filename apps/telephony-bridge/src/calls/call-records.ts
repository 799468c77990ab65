import { Injectable } from '@nestjs/common';
import { type CallOrder, callOrdered, callStateChanged, Fault } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type EntityManager, IsNull, type SelectQueryBuilder } from 'typeorm';
import type { CarrierAccount } from '../accounts/entities';
import { type CallStep, isOver, take } from './call-steps';
import { CallEntity, changeOf } from './call.entity';

/** A new call. */
export type NewCall = Pick<
  CallEntity,
  'orgId' | 'direction' | 'agentId' | 'agentKey' | 'agentName' | 'fromAddress' | 'toAddress' | 'wishes' | 'reference'
> &
  Partial<
    Pick<
      CallEntity,
      'campaignId' | 'campaignKey' | 'campaignContactId' | 'campaignContactKey' | 'contactId' | 'contactKey' | 'carrierCallId'
    >
  > & { readonly account: CarrierAccount };

/** How a new call is admitted. */
interface CallAdmission {
  /** Checks for a free slot before anything is written. Returns the call's first step; it may throw. */
  admit(manager: EntityManager): Promise<CallStep | undefined>;
  /** Runs in the same transaction, after the call was written. */
  begun?(call: CallEntity, manager: EntityManager): Promise<void>;
}

/** How many changes of an organization may be queued, and for how long; beyond that they fail as if there were no connection. */
const changesWaitingMax = 5_000;
const waitingMs = 10_000;
const openAtOnce = 200;

/** Decides on a step for a locked call; `undefined` for none. */
type Decision = (call: CallEntity, manager: EntityManager) => Promise<CallStep | undefined> | CallStep | undefined;

/**
 * The records of calls. Every change is one transaction with its event. Changes of an organization are serialized, so that their count
 * is the order in which they became visible. They are queued here, because in Postgres each would occupy a connection while waiting,
 * and sixty calls at once would leave none.
 */
@Injectable()
export class CallRecords {
  private readonly changes = new OneAtATime<number>();
  private readonly waiting = new Map<number, number>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** Records a new call; if its reference is known, returns the existing call. */
  begin(fresh: NewCall, { admit, begun }: CallAdmission): Promise<CallEntity> {
    const { orgId, reference, account } = fresh;
    return this.change(orgId, async (manager) => {
      const [change, known] = await Promise.all([
        nextChange(manager, orgId),
        selected(manager).where('call.org_id = :orgId AND call.reference = :reference', { orgId, reference }).getOne(),
      ]);
      if (known) return known;
      const first = await admit(manager);
      const now = new Date();
      const { id: accountId, carrier } = account;
      const fields = { ...unknownYet(), ...fresh, accountId, carrier, queuedAt: now, updatedOn: now, change };
      const call = manager.create(CallEntity, fields);
      if (first) take(call, first, now);
      await manager.save(CallEntity, call);
      await begun?.(call, manager);
      await this.publish(manager, call);
      return call;
    });
  }

  /** Records a step of a call. Returns the call as it is then; undefined if there is none. */
  note(orgId: number, callId: number, step: CallStep): Promise<CallEntity | undefined> {
    return this.decide(orgId, callId, () => step);
  }

  /** Locks a call, then decides on a step and records it. */
  decide(orgId: number, callId: number, decision: Decision): Promise<CallEntity | undefined> {
    return this.change(orgId, async (manager) => {
      const [change, call] = await Promise.all([
        nextChange(manager, orgId),
        selected(manager).where('call.org_id = :orgId AND call.id = :callId', { orgId, callId }).getOne(),
      ]);
      if (!call) return undefined;
      const step = await decision(call, manager);
      if (!step) return call;
      const isMoved = take(call, step, new Date());
      Object.assign(call, { change, updatedOn: new Date() });
      await manager.save(CallEntity, call);
      // Remarks on the sound and the cost of a campaign's call are known last, so the end may have to be reported again.
      const isPaid = step.used !== undefined && call.campaignId !== null;
      if (isMoved || ((step.quality !== undefined || isPaid) && isOver(call.state))) await this.publish(manager, call);
      return call;
    });
  }

  /** Sends an order to the replica that holds a call. */
  async order(orgId: number, payload: CallOrder): Promise<void> {
    await this.tenants.run(orgId, (manager) => this.outbox.add(manager, callOrdered, { orgId, payload }));
  }

  /** Finds a call by its carrier's id. */
  ofCarrier(orgId: number, accountId: number, carrierCallId: string): Promise<CallEntity | null> {
    return this.tenants.read(orgId, (manager) => manager.findOneBy(CallEntity, { orgId, accountId, carrierCallId }));
  }

  /** Whether a call is being placed whose carrier's id is not known yet. */
  isPlacing(orgId: number, accountId: number): Promise<boolean> {
    return this.tenants.read(orgId, (manager) =>
      manager.existsBy(CallEntity, { orgId, accountId, carrierCallId: IsNull(), state: 'RINGING' }),
    );
  }

  find(
    orgId: number,
    where:
      | { readonly id: number }
      | { readonly keyId: string }
      | { readonly reference: string }
      | { readonly sessionUuid: string; readonly state?: 'IN_PROGRESS' },
  ): Promise<CallEntity | null> {
    return this.tenants.read(orgId, (manager) =>
      manager.findOne(CallEntity, { where: { orgId, ...where }, relations: { account: true } }),
    );
  }

  /** The calls of an organization that are not over, some hundred at a time. */
  openOf(orgId: number): Promise<CallEntity[]> {
    return this.tenants.read(orgId, (manager) =>
      manager.find(CallEntity, { where: { orgId, endedAt: IsNull() }, order: { id: 'ASC' }, take: openAtOnce }),
    );
  }

  /**
   * Erases what identifies the other side of a conversation's call, and what a campaign extracted from it. The call itself stays, for its
   * figures and charges.
   */
  async erase(orgId: number, sessionUuid: string): Promise<void> {
    await this.tenants.run(orgId, (manager) => eraseResult(manager, orgId, sessionUuid));
    await this.change(orgId, async (manager) => {
      const change = await nextChange(manager, orgId);
      await manager.query(
        `UPDATE calls SET from_address = CASE direction WHEN 'INBOUND' THEN 'deleted' ELSE from_address END,
           to_address = CASE direction WHEN 'INBOUND' THEN to_address ELSE 'deleted' END,
           wishes = wishes - 'variables', recording_key = NULL, change = $3, updated_on = now()
         WHERE org_id = $1 AND session_uuid = $2`,
        [orgId, sessionUuid, change],
      );
    });
  }

  /** Runs a transaction after the earlier ones of the organization. */
  private async change<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const waiting = this.waiting.get(orgId) ?? 0;
    if (waiting >= changesWaitingMax) throw tooLong();
    this.waiting.set(orgId, waiting + 1);
    const untilMs = performance.now() + waitingMs;
    try {
      return await this.changes.take(orgId, async () => {
        if (performance.now() > untilMs) throw tooLong();
        return this.tenants.run(orgId, work);
      });
    } finally {
      const left = (this.waiting.get(orgId) ?? 1) - 1;
      if (left > 0) this.waiting.set(orgId, left);
      else this.waiting.delete(orgId);
    }
  }

  private async publish(manager: EntityManager, call: CallEntity): Promise<void> {
    const published = this.outbox.add(manager, callStateChanged, { orgId: call.orgId, payload: changeOf(call) });
    if (!isOver(call.state)) return void (await published);
    await Promise.all([
      published,
      manager.query('DELETE FROM call_slots WHERE call_id = $1', [call.id]),
      manager.query('DELETE FROM media_tokens WHERE call_id = $1', [call.id]),
    ]);
  }
}

/**
 * Erases a campaign's result of a conversation, unless a later call of the contact has replaced it, also from events that wait for webhooks.
 * A result that is being extracted is extracted again, from nothing.
 */
async function eraseResult(manager: EntityManager, orgId: number, sessionUuid: string): Promise<void> {
  const key = [orgId, sessionUuid];
  // Changing an attempt requires its campaign's lock.
  await manager.query(
    `SELECT FROM campaigns WHERE id IN (SELECT campaign_id FROM calls WHERE org_id = $1 AND session_uuid = $2) FOR UPDATE`,
    key,
  );
  await manager.query(
    `UPDATE campaign_attempts SET result_tries = result_tries + 1, result_due = now() FROM calls
     WHERE calls.org_id = $1 AND session_uuid = $2 AND campaign_attempts.call_key = calls.key_id AND result_due IS NOT NULL`,
    key,
  );
  await manager.query(
    `WITH erased AS (
       UPDATE campaign_contacts c SET result = NULL, result_reason = 'What was said was erased.', updated_on = now()
       FROM calls JOIN campaign_attempts a ON a.call_key = calls.key_id
       WHERE calls.org_id = $1 AND session_uuid = $2 AND c.id = a.contact_id AND c.result IS NOT NULL AND NOT EXISTS (
         SELECT FROM campaign_attempts later WHERE later.contact_id = a.contact_id AND later.attempt > a.attempt
           AND later.result_tries > 0 AND later.result_due IS NULL)
       RETURNING c.key_id, c.campaign_id
     )
     UPDATE campaign_webhook_events e SET body = jsonb_set(body::jsonb, '{contact,result}', 'null')::text FROM erased
     WHERE e.org_id = $1 AND e.campaign_id = erased.campaign_id
       AND body::jsonb #>> '{contact,CampaignContactKeyID}' = erased.key_id::text`,
    key,
  );
}

function tooLong(): Fault {
  const cause = new Error('timeout exceeded when trying to connect');
  return new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause });
}

/** Selects calls with their account in one statement; `findOne` would query the id first. */
function selected(manager: EntityManager): SelectQueryBuilder<CallEntity> {
  return manager.createQueryBuilder(CallEntity, 'call').innerJoinAndSelect('call.account', 'account');
}

/** The null columns of a new call, which TypeORM would otherwise leave undefined. */
function unknownYet() {
  return {
    state: 'QUEUED' as const,
    outcome: null,
    carrierCallId: null,
    carrierOrder: null,
    campaignId: null,
    campaignKey: null,
    campaignContactId: null,
    campaignContactKey: null,
    contactId: null,
    contactKey: null,
    transferredTo: null,
    transferPlan: null,
    transfer: null,
    cause: null,
    causeCode: null,
    remarks: [],
    ringingAt: null,
    answeredAt: null,
    endedAt: null,
    durationSeconds: 0,
    sessionUuid: null,
    turnCount: 0,
    used: {},
    latency: null,
    quality: null,
    recordingKey: null,
  };
}

/** Numbers a change, and blocks others of the organization until it is committed. */
async function nextChange(manager: EntityManager, orgId: number): Promise<number> {
  const rows: { change: number }[] = await manager.query(
    `INSERT INTO live_changes (org_id, change) VALUES ($1, 1)
     ON CONFLICT (org_id) DO UPDATE SET change = live_changes.change + 1 RETURNING change`,
    [orgId],
  );
  return rows[0]?.change ?? 1;
}

/** Runs work one at a time and in order, for each key. */
export class OneAtATime<Key> {
  private readonly latest = new Map<Key, Promise<unknown>>();

  /** Runs work after all earlier work for this key, whether that failed or not. */
  take<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.latest.get(key);
    const next = before ? before.then(work, work) : work();
    this.latest.set(key, next);
    const forget = (): void => {
      if (this.latest.get(key) === next) this.latest.delete(key);
    };
    next.then(forget, forget);
    return next;
  }

  /** Resolves when no work is running or waiting. */
  async idle(): Promise<void> {
    while (this.latest.size > 0) await Promise.allSettled(this.latest.values());
  }
}
