import { setImmediate as others } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  type addCampaignContacts,
  contactsPerCampaignMax,
  Fault,
  readContactFile,
  readContacts,
  type uploadCampaignContacts,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { z } from 'zod';
import { CampaignContacts, type NewContact } from './campaign-contacts';
import { findSeen, requireOpen } from './campaign-records';
import type { Campaign } from './campaign.entity';

type Adding = z.output<typeof addCampaignContacts.request>;
type Upload = z.output<typeof uploadCampaignContacts.request>;
type Added = z.input<typeof addCampaignContacts.reply>;
type RowError = Added['errors'][number];
type Reading = z.input<typeof readContacts.request>;
type Known = z.output<typeof readContacts.item>['contacts'][number];

const idsAtOnce = 10_000;
const errorsTold = 1_000;
/** Reading numbers takes time: so often everything else has its turn. */
const rowsInARow = 100;

/** Contacts that were read, and the rows that could not be. */
interface Read {
  readonly contacts: readonly NewContact[];
  readonly errors: readonly RowError[];
}

/** Takes contacts into campaigns, from wherever they come. Asked as the caller. */
@Injectable()
export class ContactIntake {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly contacts: CampaignContacts,
  ) {}

  async add({ CampaignKeyID, ContactIDs, Contacts, filter }: Adding, call: Call): Promise<Added> {
    const campaign = await this.open(CampaignKeyID, call);
    if (ContactIDs) return this.take(campaign, withMissing(ContactIDs, await this.byIds(ContactIDs)));
    if (Contacts) return this.take(campaign, await typedIn(Contacts, campaign));
    return this.take(campaign, { contacts: await this.read(filter ?? {}), errors: [] });
  }

  async upload({ CampaignKeyID, mapping, file }: Upload, call: Call): Promise<Added> {
    const campaign = await this.open(CampaignKeyID, call);
    const contacts: NewContact[] = [];
    const errors: RowError[] = [];
    for await (const item of this.bus.stream(readContactFile, { file, ...(mapping && { mapping }) })) {
      contacts.push(...item.rows.map((row) => ({ name: row.CustomerName, number: row.ContactNumber, variables: row.variables })));
      errors.push(...item.errors);
    }
    return this.take(campaign, { contacts, errors });
  }

  /** Contacts of the organization. Ids that are not there any more, or are another organization's, are left out. */
  async byIds(ids: readonly number[]): Promise<NewContact[]> {
    const wanted = [...new Set(ids)];
    const found: NewContact[] = [];
    for (let at = 0; at < wanted.length; at += idsAtOnce)
      found.push(...(await this.read({ ContactIDs: wanted.slice(at, at + idsAtOnce) })));
    return found;
  }

  private async read(reading: Reading): Promise<NewContact[]> {
    const found: NewContact[] = [];
    for await (const { contacts } of this.bus.stream(readContacts, reading)) {
      found.push(...contacts.map(asNew));
      // One more than a campaign can have is enough to say so.
      if (found.length > contactsPerCampaignMax) break;
    }
    return found;
  }

  private async open(keyId: string, call: Call): Promise<Campaign> {
    const campaign = await this.tenants.read(organizationOf(call), (manager) => findSeen(manager, keyId, call));
    requireOpen(campaign);
    return campaign;
  }

  private async take(campaign: Campaign, { contacts, errors }: Read): Promise<Added> {
    if (contacts.length === 0 && errors.length === 0) throw new Fault('NOT_FOUND', { message: 'There is no such contact.' });
    const added = await this.contacts.add(campaign, contacts);
    return { ...added, errorCount: errors.length, errors: errors.slice(0, errorsTold) };
  }
}

/** An id that is not there is told where it stands first; where none is there, nothing is read. */
function withMissing(ids: readonly number[], contacts: readonly NewContact[]): Read {
  if (contacts.length === 0) return { contacts, errors: [] };
  const found = new Set(contacts.map(({ contactId }) => contactId));
  const errors = [...new Set(ids)].filter((id) => !found.has(id));
  const rows = new Map([...ids.entries()].toReversed().map(([index, id]) => [id, index + 1]));
  return {
    contacts,
    errors: errors.map((id) => ({ row: rows.get(id) ?? 1, field: 'ContactIDs', message: `there is no contact ${id}` })),
  };
}

/** Rows as people send them. */
export async function typedIn(rows: NonNullable<Adding['Contacts']>, campaign: Pick<Campaign, 'callerNumber'>): Promise<Read> {
  const region = regionOfCaller(campaign);
  const contacts: NewContact[] = [];
  const errors: RowError[] = [];
  for (const [index, { ContactNumber, CustomerName: name, variables }] of rows.entries()) {
    const number = fullNumber(ContactNumber, region);
    if ((index + 1) % rowsInARow === 0) await others();
    if (number) contacts.push({ name, number, variables });
    else errors.push({ row: index + 1, field: 'ContactNumber', message: 'is not a telephone number' });
  }
  return { contacts, errors };
}

/** Numbers without a country prefix are those of the country that the campaign calls from. */
export function regionOfCaller({ callerNumber }: Pick<Campaign, 'callerNumber'>): CountryCode | undefined {
  return parsePhoneNumberFromString(callerNumber)?.country;
}

/** E.164; undefined where it is no telephone number. */
export function fullNumber(written: string, region: CountryCode | undefined): string | undefined {
  const number = parsePhoneNumberFromString(written, { ...(region && { defaultCountry: region }), extract: false });
  return number?.isValid() ? number.number : undefined;
}

/** What is known of a contact fills placeholders; what is not leaves them to their defaults. */
function asNew({ ContactID, CustomerName, ContactNumber, Email, City, State, Country }: Known): NewContact {
  const said = Object.entries({ email: Email, city: City, state: State, country: Country }).filter(([, value]) => value !== '');
  return { contactId: ContactID, name: CustomerName, number: ContactNumber, variables: Object.fromEntries(said) };
}
