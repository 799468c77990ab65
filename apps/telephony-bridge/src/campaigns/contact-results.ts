import { Injectable } from '@nestjs/common';
import { type exportCampaignContacts, exportColumns, type listCampaignContacts } from '@parley/contracts';
import { containing, pageOf, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { csvLine } from '@parley/service-kit';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { z } from 'zod';
import { CampaignContact } from './campaign-contact.entity';
import { findSeen } from './campaign-records';
import type { Campaign } from './campaign.entity';
import { shownContact } from './campaign.wire';

type Query = z.output<typeof listCampaignContacts.request>;
type Page = z.input<typeof listCampaignContacts.reply>;
type Export = z.output<typeof exportCampaignContacts.request>;

const columns: Record<Query['sortColumn'], string> = {
  CreatedOn: 'contact.created_on',
  UpdatedOn: 'contact.updated_on',
  CustomerName: 'contact.name',
  ContactNumber: 'contact.number',
};
const exportedAtOnce = 200;

/** What became of the contacts of a campaign. */
@Injectable()
export class ContactResults {
  constructor(private readonly tenants: TenantScope) {}

  list(wanted: Query, call: Call): Promise<Page> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const campaign = await findSeen(manager, wanted.CampaignKeyID, call);
      const page = await pageOf(narrowed(manager, campaign, wanted), wanted, { by: columns[wanted.sortColumn] });
      return { ...page, rows: page.rows.map(shownContact) };
    });
  }

  /** Each run is read in a transaction of its own, so that a slow reader holds none open. */
  async *export(wanted: Export, call: Call): AsyncGenerator<{ csv: string }> {
    const orgId = organizationOf(call);
    const campaign = await this.tenants.read(orgId, (manager) => findSeen(manager, wanted.CampaignKeyID, call));
    const fields = Object.keys(campaign.resultSchema?.properties ?? {});
    let header = csvLine([...exportColumns.first, ...fields, ...(fields.length > 0 ? exportColumns.last : [])]);
    for (let last = 0, contacts: CampaignContact[]; ; last = contacts.at(-1)?.id ?? last) {
      contacts = await this.tenants.read(orgId, (manager) =>
        narrowed(manager, campaign, wanted)
          .andWhere('contact.id > :last', { last })
          .orderBy('contact.id')
          .limit(exportedAtOnce)
          .getMany(),
      );
      yield { csv: header + contacts.map((contact) => csvLine(cellsOf(contact, fields))).join('') };
      if (contacts.length < exportedAtOnce) return;
      header = '';
    }
  }
}

function narrowed(
  manager: EntityManager,
  { id }: Campaign,
  { searchName, state, disposition }: Pick<Export, 'searchName' | 'state' | 'disposition'>,
): SelectQueryBuilder<CampaignContact> {
  const query = manager.createQueryBuilder(CampaignContact, 'contact').where('contact.campaign_id = :id', { id });
  if (state !== 'ALL') query.andWhere('contact.state = :state', { state });
  if (disposition !== 'ALL') query.andWhere('contact.disposition = :disposition', { disposition });
  const sought = searchName.trim();
  if (sought) query.andWhere('(contact.name ILIKE :sought OR contact.number LIKE :sought)', { sought: containing(sought) });
  return query;
}

function cellsOf(contact: CampaignContact, fields: readonly string[]): string[] {
  const record = shownContact(contact);
  const { result } = contact;
  // A field may be called `constructor`.
  const learned = fields.map((field) => String((result && Object.hasOwn(result, field) ? result[field] : null) ?? ''));
  const reason = fields.length > 0 ? [contact.resultReason ?? ''] : [];
  return [...exportColumns.first.map((title) => String(record[title] ?? '')), ...learned, ...reason];
}
