import type { Contact as ContactOnTheWire } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { Representative } from '../representatives/representative.entity';
import { ContactMapping } from './contact-mapping.entity';
import type { Contact } from './contact.entity';

type Wire = z.input<typeof ContactOnTheWire>;

/** Contacts as the API shows them, each with the representatives that it is mapped to. */
export async function contactsToWire(manager: EntityManager, contacts: Contact[]): Promise<Wire[]> {
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
