import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  adminRole,
  type BodyOf,
  Fault,
  logSalesCall,
  type ReplyOf,
  salesCallLogged,
  salesTargetSet,
  setSalesTarget,
} from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';
import { Contact, toE164 } from '../contacts/contact.entity';
import { Organization } from '../team/membership.entity';
import { findRepresentative, findWorkingRepresentative, noteSeen, Representative } from '../team/representatives';
import { memberOf } from '../team/membership-rules';

type LogSalesCall = BodyOf<typeof logSalesCall>;

/** Telephones go wrong by so much, or take their time zone for another. */
const clockSkewMs = 86_400_000;

/** Calls that representatives make with the mobile app. */
@Injectable()
export class SalesCallsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** A report with a `callUUID` that is known already changes nothing and answers the call of the first time. */
  log(body: LogSalesCall, call: Call): Promise<ReplyOf<typeof logSalesCall>> {
    const orgId = organizationOf(call);
    if (Date.parse(body.startedAt) > Date.now() + clockSkewMs)
      throw new Fault('VALIDATION_FAILED', { details: [{ field: 'startedAt', message: 'is in the future' }] });
    return this.tenants.run(orgId, async (manager) => {
      const representative = await callerOf(manager, body, call);
      const customer = await customerOf(manager, orgId, body);
      const keyId = body.callUUID ?? randomUUID();
      const isNew = await insertCall(manager, { ...body, orgId, keyId, representativeId: representative.id, ...customer });
      const stored = await manager.findOneByOrFail(SalesCall, { orgId, keyId });
      if (isNew)
        await this.outbox.add(manager, salesCallLogged, { orgId, payload: { ...toWire(stored), ...measuresOf(stored) } });
      const { SalesCallKeyID, SalesUserID, ContactID } = toWire(stored);
      return { SalesCallKeyID, SalesCallID: stored.id, SalesUserID, ContactID };
    });
  }
}

function toWire({ keyId, representativeId, contactId }: SalesCall) {
  return { SalesCallKeyID: keyId, SalesUserID: representativeId, ContactID: contactId };
}

function measuresOf({ startedAt, durationSeconds, outcome }: SalesCall) {
  return { startedAt: startedAt.toISOString(), durationSeconds, outcome };
}

/** Representatives report their own calls; an Admin may report those of others. */
async function callerOf(manager: EntityManager, { SalesUserID }: LogSalesCall, call: Call): Promise<Representative> {
  const member = await memberOf(manager, call);
  const own = await manager.findOneBy(Representative, { orgId: member.orgId, membershipId: member.id });
  if (SalesUserID && SalesUserID !== own?.id) {
    if (member.roleTypeId > adminRole)
      throw new Fault('SCOPE_MISSING', { message: 'Only an Admin may report the calls of others.' });
    return findRepresentative(manager, { orgId: member.orgId, id: SalesUserID });
  }
  if (own?.status !== 'ACTIVE') throw new Fault('NOT_FOUND', { message: 'The caller is no sales representative.' });
  await noteSeen(manager, member);
  return own;
}

async function customerOf(manager: EntityManager, orgId: number, { ContactID, ContactNumber }: LogSalesCall) {
  if (ContactID) {
    const contact = await manager.findOneBy(Contact, { orgId, id: ContactID });
    if (!contact) throw new Fault('NOT_FOUND', { message: 'There is no such contact.' });
    return { contactId: contact.id, number: contact.number };
  }
  const { defaultRegion } = await manager.findOneByOrFail(Organization, { orgId });
  const number = toE164(ContactNumber ?? '', defaultRegion);
  if (!number)
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'ContactNumber', message: 'is not a telephone number' }] });
  const contact = await manager.findOneBy(Contact, { orgId, number });
  return { contactId: contact?.id ?? null, number };
}

type NewCall = Omit<SalesCall, 'id' | 'startedAt'> & { readonly startedAt: string };

async function insertCall(manager: EntityManager, call: NewCall): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO sales_calls
       (org_id, key_id, representative_id, contact_id, number, direction, started_at, duration_seconds, outcome, notes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT ON CONSTRAINT sales_calls_reported_once DO NOTHING RETURNING id`,
    [
      call.orgId,
      call.keyId,
      call.representativeId,
      call.contactId,
      call.number,
      call.direction,
      call.startedAt,
      call.durationSeconds,
      call.outcome,
      call.notes,
    ],
  );
  return rows.length > 0;
}

/** A call that a representative made or took, as the mobile app reported it. */
@Entity({ name: 'sales_calls' })
export class SalesCall {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  /** Chosen by the app, so that a report that is repeated is the same call. */
  @Column('uuid')
  keyId: string;

  @Column('int')
  representativeId: number;

  @Column('int', { nullable: true })
  contactId: number | null;

  @Column('text')
  number: string;

  @Column('text')
  direction: 'OUTBOUND' | 'INBOUND';

  @Column('timestamptz')
  startedAt: Date;

  @Column('int')
  durationSeconds: number;

  @Column('text')
  outcome: 'CONNECTED' | 'NO_ANSWER' | 'BUSY' | 'FAILED' | 'CALLBACK' | 'CONVERTED';

  @Column('text')
  notes: string;
}

/** What representatives are to reach. */
@Injectable()
export class SalesTargetsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** The same representative, metric and days again: the number is replaced, the target stays the same record. */
  set(body: BodyOf<typeof setSalesTarget>, call: Call): Promise<ReplyOf<typeof setSalesTarget>> {
    const orgId = organizationOf(call);
    const { SalesUserID, metric, target, startDate, endDate } = body;
    return this.tenants.run(orgId, async (manager) => {
      const { id: representativeId } = await findWorkingRepresentative(manager, { orgId, id: SalesUserID });
      await manager.query(
        `INSERT INTO sales_targets (org_id, representative_id, metric, target, start_date, end_date)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (representative_id, metric, start_date, end_date) DO UPDATE SET target = $4`,
        [orgId, representativeId, metric, target, startDate, endDate],
      );
      const stored = await manager.findOneByOrFail(SalesTarget, { orgId, representativeId, metric, startDate, endDate });
      const payload = { SalesTargetKeyID: stored.keyId, SalesTargetID: stored.id, ...body };
      await this.outbox.add(manager, salesTargetSet, { orgId, payload });
      return payload;
    });
  }
}

/** What a representative is to reach within a span of days. */
@Entity({ name: 'sales_targets' })
export class SalesTarget {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid')
  keyId: string;

  @Column('int')
  representativeId: number;

  @Column('text')
  metric: 'CALLS' | 'CONNECTED_CALLS' | 'TALK_SECONDS' | 'CONVERSIONS';

  @Column('int')
  target: number;

  @Column('date')
  startDate: string;

  @Column('date')
  endDate: string;
}

/** Calls and targets of representatives over the bus. */
@Controller()
export class SalesCallsController {
  constructor(
    private readonly calls: SalesCallsService,
    private readonly targets: SalesTargetsService,
  ) {}

  @Handles(logSalesCall)
  log(body: BodyOf<typeof logSalesCall>, call: Call): Promise<ReplyOf<typeof logSalesCall>> {
    return this.calls.log(body, call);
  }

  @Handles(setSalesTarget)
  set(body: BodyOf<typeof setSalesTarget>, call: Call): Promise<ReplyOf<typeof setSalesTarget>> {
    return this.targets.set(body, call);
  }
}
