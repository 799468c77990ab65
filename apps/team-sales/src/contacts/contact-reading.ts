import { Injectable } from '@nestjs/common';
import type { readContacts } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import type { BodyOf } from '../message-types';
import { contactQuery } from './contact-query';
import type { Contact } from './contact.entity';

type Item = z.input<typeof readContacts.item>;

const batch = 500;

/** Contacts for services that call them. */
@Injectable()
export class ContactReading {
  constructor(private readonly tenants: TenantScope) {}

  /** Each run is read in a transaction of its own, so that a slow reader holds none open. */
  async *read(body: BodyOf<typeof readContacts>, call: Call): AsyncGenerator<Item> {
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
      for (const [column, place] of Object.entries({ city: body.City, state: body.State, country: body.Country }))
        if (place?.trim()) query.andWhere(`lower(c.${column}) = lower(:${column})`, { [column]: place.trim() });
      return query.andWhere('c.id > :last', { last }).orderBy('c.id').limit(batch).getMany();
    });
  }
}

function asRead({ id, name, number, email, city, state, country }: Contact): Item['contacts'][number] {
  return {
    ContactID: id,
    CustomerName: name,
    ContactNumber: number,
    Email: email,
    City: city,
    State: state,
    Country: country,
  };
}
