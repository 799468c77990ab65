import { Injectable } from '@nestjs/common';
import {
  type Contact as ContactOnTheWire,
  type deleteContact,
  Fault,
  type getContact,
  type listContacts,
  type listMappedCustomers,
} from '@parley/contracts';
import { pageOf, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { BodyOf, ReplyOf } from '../message-types';
import { findRepresentative } from '../representatives/representatives';
import { Representative } from '../representatives/representative.entity';
import { ContactMapping } from './contact-mapping.entity';
import { contactQuery } from './contact-query';
import { Contact } from './contact.entity';

type Wire = z.input<typeof ContactOnTheWire>;

const columns = {
  CreatedOn: 'c.created_on',
  UpdatedOn: 'c.updated_on',
  CustomerName: 'c.name',
  ContactNumber: 'c.number',
  Email: 'c.email',
  City: 'c.city',
  State: 'c.state',
  Country: 'c.country',
};

type ListContacts = BodyOf<typeof listContacts>;
type ContactPage = ReplyOf<typeof listContacts>;

/** Customers as they are looked at and removed. */
@Injectable()
export class ContactsService {
  constructor(private readonly tenants: TenantScope) {}

  list(body: ListContacts, call: Call): Promise<ContactPage> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, (manager) => listIn(manager, orgId, body));
  }

  /** The same list for one representative, who must exist. */
  listMapped(body: BodyOf<typeof listMappedCustomers>, call: Call): Promise<ContactPage> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      await findRepresentative(manager, { orgId, keyId: body.SalesUserKeyID });
      return listIn(manager, orgId, body);
    });
  }

  get({ ContactKeyID }: BodyOf<typeof getContact>, call: Call): Promise<ReplyOf<typeof getContact>> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => contactToWire(manager, await findContact(manager, orgId, ContactKeyID)));
  }

  delete({ ContactKeyID }: BodyOf<typeof deleteContact>, call: Call): Promise<ReplyOf<typeof deleteContact>> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const { id, keyId } = await findContact(manager, orgId, ContactKeyID);
      await manager.delete(Contact, { orgId, id });
      return { ContactKeyID: keyId, ContactID: id };
    });
  }
}

/** A contact of the organization; unknown or foreign is NOT_FOUND. */
export async function findContact(manager: EntityManager, orgId: number, keyId: string): Promise<Contact> {
  const contact = await manager.findOneBy(Contact, { orgId, keyId });
  if (!contact) throw new Fault('NOT_FOUND');
  return contact;
}

/** One contact as the API shows it. */
export async function contactToWire(manager: EntityManager, contact: Contact): Promise<ReplyOf<typeof getContact>> {
  const [wire] = await contactsToWire(manager, [contact]);
  if (!wire) throw new Fault('INTERNAL', { cause: new Error('a contact without its own form') });
  return wire;
}

async function listIn(manager: EntityManager, orgId: number, body: ListContacts): Promise<ContactPage> {
  const page = await pageOf(await contactQuery(manager, orgId, body), body, {
    by: columns[body.sortColumn],
    nulls: 'NULLS LAST',
  });
  return { ...page, rows: await contactsToWire(manager, page.rows) };
}

/** Contacts as the API shows them, each with the representatives that it is mapped to. */
async function contactsToWire(manager: EntityManager, contacts: Contact[]): Promise<Wire[]> {
  const rows = await manager
    .createQueryBuilder(ContactMapping, 'm')
    .innerJoin(Representative, 'r', 'r.id = m.representative_id')
    .select(['m.contact_id AS "contactId"', 'r.key_id AS "SalesUserKeyID"', 'r.id AS "SalesUserID"', 'r.name AS name'])
    .where('m.contact_id = ANY(:ids)', { ids: contacts.map(({ id }) => id) })
    .orderBy('r.id')
    .getRawMany<Wire['SalesUsers'][number] & { contactId: number }>();
  const byContact = Map.groupBy(rows, ({ contactId }) => contactId);
  return contacts.map((contact) => ({
    ContactKeyID: contact.keyId,
    ContactID: contact.id,
    CustomerName: contact.name,
    ContactNumber: contact.number,
    Email: contact.email,
    City: contact.city,
    State: contact.state,
    Country: contact.country,
    SalesUsers: (byContact.get(contact.id) ?? []).map(({ SalesUserKeyID, SalesUserID, name }) => ({
      SalesUserKeyID,
      SalesUserID,
      name,
    })),
    CreatedOn: contact.createdOn.toISOString(),
    UpdatedOn: contact.updatedOn.toISOString(),
  }));
}
