import { Injectable } from '@nestjs/common';
import type { exportContacts } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { csvLine } from '@parley/service-kit';
import type { BodyOf } from '../message-types';
import { type Contact, contactQuery, csvColumns } from './contact.entity';

/** With the longest cells that the contract allows, a part stays below what one message takes. */
const batch = 150;

/** Contacts as a file for a spreadsheet, at the reader's pace. */
@Injectable()
export class ContactExport {
  constructor(private readonly tenants: TenantScope) {}

  /** Each part is read in a transaction of its own, so that a slow reader holds none open. */
  async *export(body: BodyOf<typeof exportContacts>, call: Call): AsyncGenerator<{ csv: string }> {
    const orgId = organizationOf(call);
    // The header goes with the first rows: until they are read, a refusal can still be a proper answer.
    let header = csvLine(csvColumns.map(({ column }) => column));
    for (let last = 0, contacts: Contact[]; ; last = contacts.at(-1)?.id ?? last) {
      contacts = await this.after(last, orgId, body);
      yield { csv: header + contacts.map((contact) => csvLine(csvColumns.map(({ field }) => contact[field]))).join('') };
      if (contacts.length < batch) return;
      header = '';
    }
  }

  private after(last: number, orgId: number, body: BodyOf<typeof exportContacts>): Promise<Contact[]> {
    return this.tenants.read(orgId, async (manager) => {
      const query = await contactQuery(manager, orgId, body);
      return query.andWhere('c.id > :last', { last }).orderBy('c.id').limit(batch).getMany();
    });
  }
}
