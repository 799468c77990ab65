import { Injectable } from '@nestjs/common';
import { type BodyOf, contactsAssigned, type mapContacts, type PayloadOf, type ReplyOf } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { type EntityManager, In } from 'typeorm';
import { findRepresentative, findWorkingRepresentative, type Representative } from '../team/representatives';
import { Contact } from './contact.entity';

type MappedRepresentative = Pick<Representative, 'orgId' | 'id' | 'keyId'>;
type Source = PayloadOf<typeof contactsAssigned>['source'];

/** Maps contacts to representatives and back, and publishes how many. */
@Injectable()
export class Mappings {
  constructor(private readonly outbox: Outbox) {}

  /** Returns the ids of the organization's contacts that were not mapped to this representative before. */
  async map(manager: EntityManager, representative: Representative, contactIds: number[], source: Source): Promise<number[]> {
    const rows: { contactId: number }[] = await manager.query(
      `INSERT INTO contact_mappings (org_id, representative_id, contact_id)
       SELECT $1, $2, id FROM contacts WHERE org_id = $1 AND id = ANY($3::bigint[])
       ON CONFLICT DO NOTHING RETURNING contact_id AS "contactId"`,
      [representative.orgId, representative.id, contactIds],
    );
    await this.tell(manager, representative, rows.length, source);
    return rows.map(({ contactId }) => contactId);
  }

  /** Returns the ids of the contacts that were mapped before. */
  async unmap(manager: EntityManager, representative: Representative, contactIds: number[]): Promise<number[]> {
    const [rows]: [{ contactId: number }[]] = await manager.query(
      `DELETE FROM contact_mappings WHERE org_id = $1 AND representative_id = $2 AND contact_id = ANY($3::bigint[])
       RETURNING contact_id AS "contactId"`,
      [representative.orgId, representative.id, contactIds],
    );
    await this.tell(manager, representative, -rows.length, 'MAPPING');
    return rows.map(({ contactId }) => contactId);
  }

  /** Removes a contact from all its representatives, except the one who keeps it. */
  async unmapAll(manager: EntityManager, { orgId, id }: Contact, keeper?: Representative): Promise<void> {
    const [rows]: [MappedRepresentative[]] = await manager.query(
      `DELETE FROM contact_mappings m USING representatives r
       WHERE m.org_id = $1 AND m.contact_id = $2 AND r.id = m.representative_id AND r.id IS DISTINCT FROM $3
       RETURNING r.org_id AS "orgId", r.id, r.key_id AS "keyId"`,
      [orgId, id, keeper?.id ?? null],
    );
    for (const representative of rows) await this.tell(manager, representative, -1, 'MAPPING');
  }

  private async tell(
    manager: EntityManager,
    { orgId, id, keyId }: MappedRepresentative,
    count: number,
    source: Source,
  ): Promise<void> {
    if (count === 0) return;
    await this.outbox.add(manager, contactsAssigned, {
      orgId,
      payload: { SalesUserID: id, SalesUserKeyID: keyId, count, source },
    });
  }
}

type MapContactsRequest = BodyOf<typeof mapContacts>;
type MapContactsReply = ReplyOf<typeof mapContacts>;
type Outcome = 'MAPPED' | 'UNMAPPED';

/** Maps many contacts to one representative, with a result for each contact. */
@Injectable()
export class MappingService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly mappings: Mappings,
  ) {}

  map({ SalesUserKeyID, ContactID }: MapContactsRequest, call: Call): Promise<MapContactsReply> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const representative = await findWorkingRepresentative(manager, { orgId, keyId: SalesUserKeyID });
      const changed = await this.mappings.map(manager, representative, ContactID, 'MAPPING');
      return replyAbout(manager, representative, { asked: ContactID, changed, outcome: 'MAPPED' });
    });
  }

  unmap({ SalesUserKeyID, ContactID }: MapContactsRequest, call: Call): Promise<MapContactsReply> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const representative = await findRepresentative(manager, { orgId, keyId: SalesUserKeyID });
      const changed = await this.mappings.unmap(manager, representative, ContactID);
      return replyAbout(manager, representative, { asked: ContactID, changed, outcome: 'UNMAPPED' });
    });
  }
}

interface MappingChange {
  readonly asked: number[];
  readonly changed: number[];
  readonly outcome: Outcome;
}

async function replyAbout(
  manager: EntityManager,
  { orgId, keyId, id }: Representative,
  { asked, changed, outcome }: MappingChange,
): Promise<MapContactsReply> {
  const found = await manager.find(Contact, { select: { id: true, keyId: true }, where: { orgId, id: In(asked) } });
  const keys = new Map(found.map((contact) => [contact.id, contact.keyId]));
  const changedIds = new Set(changed);
  const results = [...new Set(asked)].map((ContactID) => {
    const ContactKeyID = keys.get(ContactID) ?? null;
    if (!ContactKeyID) return { ContactKeyID, ContactID, outcome: 'UNKNOWN' as const };
    return { ContactKeyID, ContactID, outcome: changedIds.has(ContactID) ? outcome : ('UNCHANGED' as const) };
  });
  return { SalesUserKeyID: keyId, SalesUserID: id, changedCount: changed.length, results };
}
