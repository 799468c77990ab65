import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  adminRole,
  type BodyOf,
  Fault,
  logSalesCall,
  notThere,
  readReportSpan,
  readSalesTarget,
  type ReplyOf,
  salesCallLogged,
  salesTargetSet,
  setSalesTarget,
} from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, Handles, isTemporary, organizationOf, ServiceBus } from '@parley/messaging';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';
import { Contact, toE164 } from '../contacts/contact.entity';
import { Organization } from '../team/membership.entity';
import { choiceOf, findRepresentative, findWorkingRepresentative, noteSeen, Representative } from '../team/representatives';
import { memberOf } from '../team/membership-rules';

type LogSalesCall = BodyOf<typeof logSalesCall>;

/** How far a telephone's clock or time zone may be off. */
const clockSkewMs = 86_400_000;
const monthOf = (at: Date): string => at.toISOString().slice(0, 'YYYY-MM'.length);

/** Calls made with the mobile app. */
@Injectable()
export class SalesCallsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly bus: ServiceBus,
  ) {}

  /**
   * A report with a known `callUUID` corrects the call: given fields are replaced, omitted ones stay. Repeating a report changes
   * nothing.
   */
  async log(body: LogSalesCall, call: Call): Promise<ReplyOf<typeof logSalesCall>> {
    const orgId = organizationOf(call);
    if (Date.parse(body.startedAt) > Date.now() + clockSkewMs) throw refusal('is in the future');
    // Telephones report the same start in milliseconds or in finer steps; calls and figures use milliseconds.
    const startedAt = new Date(body.startedAt);
    await this.requireCounted(startedAt);
    return this.tenants.run(orgId, async (manager) => {
      const { representative, isOfAnother } = await callerOf(manager, body, call);
      const customer = await customerOf(manager, orgId, body);
      const keyId = body.callUUID ?? randomUUID();
      const { contactId, number } = customer;
      const record = { ...body, startedAt, orgId, keyId, representativeId: representative.id, contactId, number };
      const isNews = await keepCall(manager, record, isOfAnother);
      const stored = await manager.findOneByOrFail(SalesCall, { orgId, keyId });
      requireSameCall(stored, record);
      if (isNews)
        await this.outbox.add(manager, salesCallLogged, { orgId, payload: { ...toWire(stored), ...measuresOf(stored) } });
      const { contactKey: ContactKeyID } = customer;
      return { ...toWire(stored), SalesCallID: stored.id, SalesUserKeyID: representative.keyId, ContactKeyID };
    });
  }

  /**
   * Refuses a call that no figure would include, so that nobody believes it was counted. Calls of this month are always included.
   */
  private async requireCounted(startedAt: Date): Promise<void> {
    if (monthOf(startedAt) >= monthOf(new Date())) return;
    const countedFrom = await this.countedFrom();
    if (countedFrom === undefined || startedAt >= countedFrom) return;
    throw refusal(`is before ${countedFrom.toISOString()}: calls are counted from then on`);
  }

  /** If the dashboards are unavailable, telephones can still report: the events wait until they are back. */
  private async countedFrom(): Promise<Date | undefined> {
    try {
      return new Date((await this.bus.ask(readReportSpan, {})).countedFrom);
    } catch (error) {
      if (isTemporary(error)) return undefined;
      throw error;
    }
  }
}

function refusal(message: string): Fault {
  return new Fault('VALIDATION_FAILED', { details: [{ field: 'startedAt', message }] });
}

function toWire({ keyId, representativeId, contactId }: SalesCall) {
  return { SalesCallKeyID: keyId, SalesUserID: representativeId, ContactID: contactId };
}

function measuresOf({ startedAt, durationSeconds, outcome }: SalesCall) {
  return { startedAt: startedAt.toISOString(), durationSeconds, outcome };
}

/** Representatives report their own calls; an Admin may report for others. */
async function callerOf(
  manager: EntityManager,
  { SalesUserID, SalesUserKeyID }: LogSalesCall,
  call: Call,
): Promise<{ representative: Representative; isOfAnother: boolean }> {
  const member = await memberOf(manager, call);
  const own = await manager.findOneBy(Representative, { orgId: member.orgId, membershipId: member.id });
  const isOwn = (!SalesUserKeyID || SalesUserKeyID === own?.keyId) && (!SalesUserID || SalesUserID === own?.id);
  if (!isOwn) {
    if (member.roleTypeId > adminRole)
      throw new Fault('SCOPE_MISSING', { message: 'Only an Admin may report the calls of others.' });
    return {
      representative: await findRepresentative(manager, choiceOf(member.orgId, { SalesUserID, SalesUserKeyID })),
      isOfAnother: true,
    };
  }
  if (own?.status !== 'ACTIVE') throw new Fault('NOT_FOUND', { message: 'The caller is not a sales representative.' });
  await noteSeen(manager, member);
  return { representative: own, isOfAnother: false };
}

async function customerOf(
  manager: EntityManager,
  orgId: number,
  { ContactID, ContactKeyID, ContactNumber }: LogSalesCall,
): Promise<{ contactId: number | null; contactKey: string | null; number: string }> {
  if (ContactID || ContactKeyID) {
    const contact = await manager.findOneBy(Contact, {
      orgId,
      ...(ContactKeyID && { keyId: ContactKeyID }),
      ...(ContactID && { id: ContactID }),
    });
    if (!contact) throw new Fault('NOT_FOUND', { message: 'There is no such contact.' });
    return { contactId: contact.id, contactKey: contact.keyId, number: contact.number };
  }
  const { defaultRegion } = await manager.findOneByOrFail(Organization, { orgId });
  const number = toE164(ContactNumber ?? '', defaultRegion);
  if (!number)
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'ContactNumber', message: 'is not a telephone number' }] });
  const contact = await manager.findOneBy(Contact, { orgId, number });
  return { contactId: contact?.id ?? null, contactKey: contact?.keyId ?? null, number };
}

type ReportedCall = Omit<SalesCall, 'id' | 'direction' | 'notes'> & Pick<LogSalesCall, 'direction' | 'notes'>;

/**
 * Another representative's call cannot be taken over by its id, and its start must not change, because statistics count it on
 * that day.
 */
function requireSameCall(stored: SalesCall, { representativeId, startedAt }: ReportedCall): void {
  if (stored.representativeId !== representativeId)
    throw new Fault('CONFLICT', { message: 'This callUUID belongs to a call of another representative.' });
  if (stored.startedAt.getTime() !== startedAt.getTime())
    throw new Fault('CONFLICT', {
      message: `This callUUID is a call that began at ${stored.startedAt.toISOString()}: report a call at another time under its own callUUID.`,
    });
}

const columns = 'representative_id, contact_id, number, direction, duration_seconds, outcome, notes';

/** Returns whether anything is new. Of two reports of a call, the one received later counts. */
async function keepCall(manager: EntityManager, call: ReportedCall, isOfAnother: boolean): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO sales_calls AS known (org_id, key_id, started_at, ${columns})
     VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, 'OUTBOUND'), $8, $9, coalesce($10, ''))
     ON CONFLICT ON CONSTRAINT sales_calls_reported_once DO UPDATE SET (${columns}) = ROW (excluded.representative_id, excluded.contact_id,
       excluded.number, coalesce($7, known.direction), excluded.duration_seconds, excluded.outcome, coalesce($10, known.notes))
     WHERE date_trunc('milliseconds', known.started_at) = excluded.started_at AND ($11 OR known.representative_id = excluded.representative_id)
       AND (known.representative_id, known.contact_id, known.number, known.direction, known.duration_seconds, known.outcome, known.notes)
         IS DISTINCT FROM (excluded.representative_id, excluded.contact_id, excluded.number, coalesce($7, known.direction),
           excluded.duration_seconds, excluded.outcome, coalesce($10, known.notes))
     RETURNING id`,
    [
      call.orgId,
      call.keyId,
      call.startedAt,
      call.representativeId,
      call.contactId,
      call.number,
      call.direction ?? null,
      call.durationSeconds,
      call.outcome,
      call.notes ?? null,
      isOfAnother,
    ],
  );
  return rows.length > 0;
}

/** A call that a representative made or took, as reported by the mobile app. */
@Entity({ name: 'sales_calls' })
export class SalesCall {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  /** Chosen by the app, so that a repeated report is recognized as the same call. */
  @Column('uuid')
  keyId: string;

  @Column('int')
  representativeId: number;

  @Column('bigint', { nullable: true })
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

/** The targets of representatives. */
@Injectable()
export class SalesTargetsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** Setting a target for the same representative, metric and days replaces its number; the record stays the same. */
  set(body: BodyOf<typeof setSalesTarget>, call: Call): Promise<ReplyOf<typeof setSalesTarget>> {
    const orgId = organizationOf(call);
    const { metric, target, startDate, endDate } = body;
    return this.tenants.run(orgId, async (manager) => {
      const representative = await findWorkingRepresentative(manager, choiceOf(orgId, body));
      const { id: representativeId, keyId: SalesUserKeyID } = representative;
      await manager.query(
        `INSERT INTO sales_targets (org_id, representative_id, metric, target, start_date, end_date)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (representative_id, metric, start_date, end_date) DO UPDATE SET target = $4`,
        [orgId, representativeId, metric, target, startDate, endDate],
      );
      const stored = await manager.findOneByOrFail(SalesTarget, { orgId, representativeId, metric, startDate, endDate });
      const row = { SalesUserID: representativeId, metric, target, startDate, endDate };
      const payload = { SalesTargetKeyID: stored.keyId, SalesTargetID: stored.id, ...row };
      await this.outbox.add(manager, salesTargetSet, { orgId, payload });
      return { ...payload, SalesUserKeyID };
    });
  }

  read(body: BodyOf<typeof readSalesTarget>, call: Call): Promise<ReplyOf<typeof readSalesTarget>> {
    const orgId = organizationOf(call);
    const { metric, startDate, endDate } = body;
    return this.tenants.read(orgId, async (manager) => {
      const { id: representativeId, keyId: SalesUserKeyID } = await findRepresentative(manager, choiceOf(orgId, body));
      const stored = await manager.findOneBy(SalesTarget, { orgId, representativeId, metric, startDate, endDate });
      if (!stored) throw notThere('sales target');
      const { keyId: SalesTargetKeyID, id: SalesTargetID, target } = stored;
      return {
        SalesTargetKeyID,
        SalesTargetID,
        SalesUserKeyID,
        SalesUserID: representativeId,
        metric,
        target,
        startDate,
        endDate,
      };
    });
  }
}

/** A representative's target for a span of days. */
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

  @Handles(readSalesTarget)
  readTarget(body: BodyOf<typeof readSalesTarget>, call: Call): Promise<ReplyOf<typeof readSalesTarget>> {
    return this.targets.read(body, call);
  }
}
