import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { adminRole, Fault, type logSalesCall, salesCallLogged } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import { Contact } from '../contacts/contact.entity';
import { toE164 } from '../contacts/contact-fields';
import type { BodyOf, ReplyOf } from '../message-types';
import { Organization } from '../organizations/organization.entity';
import { findRepresentative, noteSeen } from '../representatives/representatives';
import { Representative } from '../representatives/representative.entity';
import { memberOf } from '../team/membership-rules';
import { SalesCall } from './sales-call.entity';

type LogSalesCall = BodyOf<typeof logSalesCall>;

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
