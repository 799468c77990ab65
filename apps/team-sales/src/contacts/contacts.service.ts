import { Injectable } from '@nestjs/common';
import {
  type BodyOf,
  type Contact as ContactOnTheWire,
  contactDeleted,
  type deleteContact,
  Fault,
  type getContact,
  type listContacts,
  type listMappedCustomers,
  notThere,
  type readContacts,
  type ReplyOf,
  type saveContact,
} from '@parley/contracts';
import { isUniqueViolation, Outbox, pageOf, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { Organization } from '../team/membership.entity';
import { ContactMapping, findWorkingRepresentative, Representative } from '../team/representatives';
import { Contact, type ContactFields, contactQuery, searchOf, toE164 } from './contact.entity';
import { Mappings } from './mappings';

type PublicContact = z.input<typeof ContactOnTheWire>;

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

type ListContactsRequest = BodyOf<typeof listContacts>;
type ContactPage = ReplyOf<typeof listContacts>;

/** Reads and deletes customers. */
@Injectable()
export class ContactsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly mappings: Mappings,
  ) {}

  list(body: ListContactsRequest | BodyOf<typeof listMappedCustomers>, call: Call): Promise<ContactPage> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, (manager) => listIn(manager, orgId, body));
  }

  get({ ContactKeyID }: BodyOf<typeof getContact>, call: Call): Promise<ReplyOf<typeof getContact>> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) =>
      contactToWire(manager, await findContact(manager, { orgId, keyId: ContactKeyID })),
    );
  }

  delete({ ContactKeyID }: BodyOf<typeof deleteContact>, call: Call): Promise<ReplyOf<typeof deleteContact>> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const contact = await findContact(manager, { orgId, keyId: ContactKeyID }, { mode: 'pessimistic_write' });
      const { id, keyId } = contact;
      await this.mappings.unmapAll(manager, contact);
      await manager.delete(Contact, { orgId, id });
      const payload = { ContactKeyID: keyId, ContactID: id };
      await this.outbox.add(manager, contactDeleted, { orgId, payload });
      return payload;
    });
  }
}

/** A contact of the organization; unknown or foreign is NOT_FOUND. While it is locked, nobody can map or change it. */
async function findContact(
  manager: EntityManager,
  { orgId, keyId }: Pick<Contact, 'orgId' | 'keyId'>,
  lock?: { mode: 'pessimistic_write' },
): Promise<Contact> {
  const contact = await manager.findOne(Contact, { where: { orgId, keyId }, ...(lock && { lock }) });
  if (!contact) throw notThere('contact');
  return contact;
}

/** One contact as the API shows it. */
async function contactToWire(manager: EntityManager, contact: Contact): Promise<ReplyOf<typeof getContact>> {
  const [wire] = await contactsToWire(manager, [contact]);
  if (!wire) throw new Fault('INTERNAL', { cause: new Error('a contact without its own form') });
  return wire;
}

async function listIn(
  manager: EntityManager,
  orgId: number,
  body: ListContactsRequest | BodyOf<typeof listMappedCustomers>,
): Promise<ContactPage> {
  const page = await pageOf(await contactQuery(manager, orgId, body), body, {
    by: columns[body.sortColumn],
    nulls: 'NULLS LAST',
  });
  return { ...page, rows: await contactsToWire(manager, page.rows) };
}

/** Contacts as the API shows them, each with the representatives it is mapped to. */
async function contactsToWire(manager: EntityManager, contacts: Contact[]): Promise<PublicContact[]> {
  const rows = await manager
    .createQueryBuilder(ContactMapping, 'm')
    .innerJoin(Representative, 'r', 'r.id = m.representative_id')
    .select(['m.contact_id AS "contactId"', 'r.key_id AS "SalesUserKeyID"', 'r.id AS "SalesUserID"', 'r.name AS name'])
    .where('m.contact_id = ANY(:ids)', { ids: contacts.map(({ id }) => id) })
    .orderBy('r.id')
    .getRawMany<PublicContact['SalesUsers'][number] & { contactId: number }>();
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
    TimeZone: contact.zone,
    SalesUsers: (byContact.get(contact.id) ?? []).map(({ SalesUserKeyID, SalesUserID, name }) => ({
      SalesUserKeyID,
      SalesUserID,
      name,
    })),
    CreatedOn: contact.createdOn.toISOString(),
    UpdatedOn: contact.updatedOn.toISOString(),
  }));
}

type SaveContact = BodyOf<typeof saveContact>;

/** Saves one customer, entered in a form. */
@Injectable()
export class SaveContactService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly mappings: Mappings,
  ) {}

  save(body: SaveContact, call: Call): Promise<ReplyOf<typeof saveContact>> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const { defaultRegion } = await manager.findOneByOrFail(Organization, { orgId });
      const representative = body.SalesUserID
        ? await findWorkingRepresentative(manager, { orgId, id: body.SalesUserID })
        : undefined;
      const choice = body.ContactKeyID ? { orgId, keyId: body.ContactKeyID } : undefined;
      const known = choice ? await findContact(manager, choice, { mode: 'pessimistic_write' }) : null;
      const fields = fieldsOf(body, { known, region: defaultRegion });
      const contact = await store(manager, known ?? manager.create(Contact, { orgId }), fields);
      // The form assigns one representative; `map-contacts` adds more.
      if (known && body.SalesUserID !== undefined) await this.mappings.unmapAll(manager, contact, representative);
      if (representative) await this.mappings.map(manager, representative, [contact.id], 'FORM');
      return contactToWire(manager, contact);
    });
  }
}

/** Omitted fields stay unchanged, and null clears them. */
function fieldsOf(body: SaveContact, { known, region }: { known: Contact | null; region: string }): ContactFields {
  const number = body.ContactNumber === undefined ? known?.number : toE164(body.ContactNumber, region);
  const name = body.CustomerName ?? known?.name;
  if (number === undefined)
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'ContactNumber', message: 'is not a telephone number' }] });
  if (name === undefined) throw new Fault('VALIDATION_FAILED', { details: [{ field: 'CustomerName', message: 'is required' }] });
  const sentOr = (sent: string | null | undefined, before: string | undefined) => (sent === undefined ? before : sent) ?? '';
  return {
    name,
    number,
    email: sentOr(body.Email, known?.email),
    city: sentOr(body.City, known?.city),
    state: sentOr(body.State, known?.state),
    country: sentOr(body.Country, known?.country),
    zone: sentOr(body.TimeZone, known?.zone),
  };
}

async function store(manager: EntityManager, contact: Contact, fields: ContactFields): Promise<Contact> {
  try {
    return await manager.save(Contact, { ...contact, ...fields, search: searchOf(fields), updatedOn: new Date() });
  } catch (error) {
    if (!isUniqueViolation(error, 'contacts_one_per_number')) throw error;
    throw new Fault('CONFLICT', { message: 'Another contact has this number.' });
  }
}

type ReadContactsItem = z.input<typeof readContacts.item>;

const batch = 500;

/** Contacts for services that call them. */
@Injectable()
export class ContactReading {
  constructor(private readonly tenants: TenantScope) {}

  /** Each batch is read in a transaction of its own, so that a slow reader does not hold one open. */
  async *read(body: BodyOf<typeof readContacts>, call: Call): AsyncGenerator<ReadContactsItem> {
    const orgId = organizationOf(call);
    for (let last = 0, contacts: Contact[]; ; last = contacts.at(-1)?.id ?? last) {
      contacts = await this.after(last, orgId, body);
      yield { contacts: contacts.map(asRead) };
      if (contacts.length < batch) return;
    }
  }

  private after(last: number, orgId: number, body: BodyOf<typeof readContacts>): Promise<Contact[]> {
    return this.tenants.read(orgId, async (manager) => {
      const query = await contactQuery(manager, orgId, body);
      if (body.ContactIDs) query.andWhere('c.id = ANY(:ids)', { ids: body.ContactIDs });
      if (body.ContactKeyIDs) query.andWhere('c.key_id = ANY(:keys)', { keys: body.ContactKeyIDs });
      for (const [column, place] of Object.entries({ city: body.City, state: body.State, country: body.Country }))
        if (place?.trim()) query.andWhere(`lower(c.${column}) = lower(:${column})`, { [column]: place.trim() });
      return query.andWhere('c.id > :last', { last }).orderBy('c.id').limit(batch).getMany();
    });
  }
}

function asRead({ keyId, id, name, number, email, city, state, country, zone }: Contact): ReadContactsItem['contacts'][number] {
  return {
    ContactKeyID: keyId,
    ContactID: id,
    CustomerName: name,
    ContactNumber: number,
    Email: email,
    City: city,
    State: state,
    Country: country,
    TimeZone: zone,
  };
}
