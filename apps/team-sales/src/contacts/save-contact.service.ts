import { Injectable } from '@nestjs/common';
import { Fault, type saveContact } from '@parley/contracts';
import { isUniqueViolation, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { BodyOf, ReplyOf } from '../message-types';
import { Organization } from '../organizations/organization.entity';
import { findWorkingRepresentative } from '../representatives/representatives';
import { type ContactFields, searchOf, toE164 } from './contact-fields';
import { Contact } from './contact.entity';
import { contactToWire, findContact } from './contacts.service';
import { Mappings } from './mappings';
type SaveContact = BodyOf<typeof saveContact>;

/** One customer, typed into a form. */
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
      const known = body.ContactKeyID ? await findContact(manager, orgId, body.ContactKeyID) : null;
      const fields = fieldsOf(body, { known, region: defaultRegion });
      const contact = await store(manager, known ?? manager.create(Contact, { orgId }), fields);
      if (representative) await this.mappings.map(manager, representative, [contact.id], 'FORM');
      return contactToWire(manager, contact);
    });
  }
}

/** What is left out stays as it was, and null empties it. */
function fieldsOf(body: SaveContact, { known, region }: { known: Contact | null; region: string }): ContactFields {
  const number = body.ContactNumber === undefined ? known?.number : toE164(body.ContactNumber, region);
  const name = body.CustomerName ?? known?.name;
  if (number === undefined)
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'ContactNumber', message: 'is not a telephone number' }] });
  if (name === undefined) throw new Fault('VALIDATION_FAILED', { details: [{ field: 'CustomerName', message: 'is required' }] });
  const said = (sent: string | null | undefined, before: string | undefined) => (sent === undefined ? before : sent) ?? '';
  return {
    name,
    number,
    email: said(body.Email, known?.email),
    city: said(body.City, known?.city),
    state: said(body.State, known?.state),
    country: said(body.Country, known?.country),
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
