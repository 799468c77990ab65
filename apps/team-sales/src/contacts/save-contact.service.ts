import { Injectable } from '@nestjs/common';
import { Fault, type saveContact } from '@parley/contracts';
import { isUniqueViolation, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { BodyOf, ReplyOf } from '../message-types';
import { Organization } from '../organizations/organization.entity';
import { findWorkingRepresentative } from '../representatives/find-representative';
import { type ContactFields, searchOf } from './contact-fields';
import { Contact } from './contact.entity';
import { contactToWire, findContact } from './contacts.service';
import { Mappings } from './mappings';
import { toE164 } from './phone-number';

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
      const contact = await store(manager, { orgId, keyId: body.ContactKeyID, fields: fieldsOf(body, defaultRegion) });
      if (representative) await this.mappings.map(manager, representative, [contact.id], 'FORM');
      return contactToWire(manager, contact);
    });
  }
}

function fieldsOf(body: SaveContact, region: string): ContactFields {
  const number = toE164(body.ContactNumber, region);
  if (!number)
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'ContactNumber', message: 'is not a telephone number' }] });
  return { name: body.CustomerName, number, email: body.Email, city: body.City, state: body.State, country: body.Country };
}

interface Storing {
  readonly orgId: number;
  readonly keyId: string | null | undefined;
  readonly fields: ContactFields;
}

async function store(manager: EntityManager, { orgId, keyId, fields }: Storing): Promise<Contact> {
  const known = keyId ? await findContact(manager, orgId, keyId) : manager.create(Contact, { orgId });
  try {
    return await manager.save(Contact, { ...known, ...fields, search: searchOf(fields), updatedOn: new Date() });
  } catch (error) {
    if (!isUniqueViolation(error, 'contacts_one_per_number')) throw error;
    throw new Fault('CONFLICT', { message: 'Another contact has this number.' });
  }
}
