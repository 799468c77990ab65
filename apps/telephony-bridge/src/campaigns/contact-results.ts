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
import { rulesOf } from './campaign-plan';
import { legalHoursIn } from './hours/legal-hours.service';
import type { CallingRules, Instant } from './plan/campaign';
import { windowOf } from './plan/windows';

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
      const legalHours = (await legalHoursIn(manager, [campaign.orgId])).get(campaign.orgId);
      const plan = { rules: rulesOf(campaign, legalHours), startsAt: campaign.startsAt?.getTime() ?? 0, now: Date.now() };
      return { ...page, rows: page.rows.map((contact) => ({ ...shownContact(contact), nextCallAt: nextCallAt(contact, plan) })) };
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

interface Plan {
  readonly rules: CallingRules;
  readonly startsAt: Instant;
  readonly now: Instant;
}

/** When who waits is called at the earliest; null where the hours leave none. What is due already is due now, or once it opens. */
function nextCallAt({ state, region, dueAt }: CampaignContact, { rules, startsAt, now }: Plan): string | null {
  if (state !== 'WAITING') return null;
  const due = Math.max(dueAt.getTime(), startsAt);
  const earliest = Math.max(due, now);
  const opening = windowOf(region, rules).nextOpening(earliest);
  if (opening === undefined) return null;
  return new Date(opening === earliest ? due : opening).toISOString();
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
