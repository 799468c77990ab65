import { setImmediate as others } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  type addCampaignContacts,
  contactsPerCampaignMax,
  Fault,
  type FaultDetail,
  notATimeZone,
  readContactFile,
  readContacts,
  TimeZoneName,
  type uploadCampaignContacts,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { z } from 'zod';
import { regionOf, telephoneNumber, whyCostly, withoutExtension } from '../accounts/callable-numbers';
import { CampaignContacts, type NewContact } from './campaign-contacts';
import { findSeen, requireOpen } from './campaign-records';
import type { Campaign } from './campaign.entity';

type Adding = z.output<typeof addCampaignContacts.request>;
type UploadCampaignContactsRequest = z.output<typeof uploadCampaignContacts.request>;
type AddCampaignContactsReply = z.input<typeof addCampaignContacts.reply>;
type RowError = AddCampaignContactsReply['errors'][number];
type ReadContactsRequest = z.input<typeof readContacts.request>;
type Known = z.output<typeof readContacts.item>['contacts'][number];

const idsAtOnce = 10_000;
const errorsTold = 1_000;
/** How many errors a refused request lists. */
const detailsTold = 100;
const nameCharactersMax = 200;
const digitsLeast = 6;
/** After parsing this many numbers, yields to the event loop. */
const rowsInARow = 100;

/** The valid contacts, and the errors of other rows. */
interface ReadContacts {
  readonly contacts: readonly NewContact[];
  readonly errors: readonly RowError[];
  readonly ignoredColumns?: readonly string[];
  /** The error details of a request without a valid row. */
  detailOf(error: RowError): FaultDetail;
}

/** Adds contacts from any source to campaigns, on the caller's behalf. */
@Injectable()
export class ContactIntake {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly contacts: CampaignContacts,
  ) {}

  async add({ CampaignKeyID, ContactIDs, Contacts, filter }: Adding, call: Call): Promise<AddCampaignContactsReply> {
    const campaign = await this.open(CampaignKeyID, call);
    if (ContactIDs) return this.take(campaign, await this.byIds(ContactIDs));
    if (Contacts) return this.take(campaign, await typedIn(Contacts, campaign));
    const found = await this.read(filter ?? {});
    if (found.length === 0) throw new Fault('NOT_FOUND', { message: 'No contact of the organization fits the filter.' });
    const detailOf = ({ message }: RowError): FaultDetail => ({ field: 'filter', message });
    return this.take(campaign, { ...(await callable(found, 'filter', (_contact, index) => index + 1)), detailOf });
  }

  async upload({ CampaignKeyID, mapping, file }: UploadCampaignContactsRequest, call: Call): Promise<AddCampaignContactsReply> {
    const campaign = await this.open(CampaignKeyID, call);
    const rows: (NewContact & { readonly row: number })[] = [];
    const errors: RowError[] = [];
    const ignoredColumns: string[] = [];
    for await (const item of this.bus.stream(readContactFile, { file, ...(mapping && { mapping }) })) {
      for (const { row, CustomerName: name, ContactNumber: number, TimeZone, variables } of item.rows)
        rows.push({ row, name, number, ...zoneOf(TimeZone), variables });
      errors.push(...item.errors);
      ignoredColumns.push(...item.ignoredColumns);
    }
    const read = await callable(rows, 'ContactNumber', ({ row }) => row);
    return this.take(campaign, {
      contacts: read.contacts,
      errors: [...errors, ...read.errors].toSorted((one, other) => one.row - other.row),
      ignoredColumns,
      detailOf: ({ row, field, message }) => ({
        field: 'file',
        message: `Line ${row}: ${field === null ? '' : `${field} `}${message}`,
      }),
    });
  }

  /** Contacts of the organization by id. Missing ones, and those of other organizations, are reported by position. */
  async byIds(ids: readonly number[]): Promise<ReadContacts> {
    const places = new Map([...ids.entries()].toReversed().map(([index, id]) => [id, index + 1]));
    const { contacts, errors } = await callable(
      await this.found(ids),
      'ContactIDs',
      ({ contactId = 0 }) => places.get(contactId) ?? 1,
    );
    const known = new Set([...contacts, ...errors].flatMap((each) => ('row' in each ? [ids[each.row - 1]] : [each.contactId])));
    const missing = [...places]
      .filter(([id]) => !known.has(id))
      .map(([id, row]) => ({ row, field: 'ContactIDs', message: `There is no contact ${id}` }));
    return {
      contacts,
      errors: [...errors, ...missing].toSorted((one, other) => one.row - other.row),
      detailOf: ({ row, message }) => ({ field: `ContactIDs.${row - 1}`, message }),
    };
  }

  /** The same, but throws if any is missing. */
  async allByIds(ids: readonly number[]): Promise<readonly NewContact[]> {
    const { contacts, errors, detailOf } = await this.byIds(ids);
    if (errors.length > 0) throw new Fault('VALIDATION_FAILED', { details: errors.slice(0, detailsTold).map(detailOf) });
    return contacts;
  }

  private async found(ids: readonly number[]): Promise<NewContact[]> {
    const wanted = [...new Set(ids)];
    const found: NewContact[] = [];
    for (let at = 0; at < wanted.length; at += idsAtOnce)
      found.push(...(await this.read({ ContactIDs: wanted.slice(at, at + idsAtOnce) })));
    return found;
  }

  private async read(reading: ReadContactsRequest): Promise<NewContact[]> {
    const found: NewContact[] = [];
    for await (const { contacts } of this.bus.stream(readContacts, reading)) {
      found.push(...contacts.map(asNew));
      // One more than a campaign can have is enough to refuse them.
      if (found.length > contactsPerCampaignMax) break;
    }
    return found;
  }

  private async open(keyId: string, call: Call): Promise<Campaign> {
    const campaign = await this.tenants.read(organizationOf(call), (manager) => findSeen(manager, keyId, call));
    requireOpen(campaign);
    return campaign;
  }

  /** Adds the valid contacts; if there are none, throws with the errors of each row. */
  private async take(
    campaign: Campaign,
    { contacts, errors, ignoredColumns = [], detailOf }: ReadContacts,
  ): Promise<AddCampaignContactsReply> {
    if (contacts.length === 0) throw new Fault('VALIDATION_FAILED', { details: errors.slice(0, detailsTold).map(detailOf) });
    const added = await this.contacts.add(campaign, contacts);
    return { ...added, errorCount: errors.length, errors: errors.slice(0, errorsTold), ignoredColumns: [...ignoredColumns] };
  }
}

/** Excludes numbers that no campaign may call. */
async function callable<Contact extends NewContact>(
  found: readonly Contact[],
  field: string,
  rowOf: (contact: Contact, index: number) => number,
): Promise<{ contacts: Contact[]; errors: RowError[] }> {
  const contacts: Contact[] = [];
  const errors: RowError[] = [];
  for (const [index, contact] of found.entries()) {
    const { says } = numberToCall(contact.number, undefined);
    if ((index + 1) % rowsInARow === 0) await others();
    if (says === undefined) contacts.push(contact);
    else
      errors.push({ row: rowOf(contact, index), field, message: field === 'ContactNumber' ? says : `${contact.number} ${says}` });
  }
  return { contacts, errors };
}

/** Parses rows sent by a client. */
export async function typedIn(
  rows: NonNullable<Adding['Contacts']>,
  campaign: Pick<Campaign, 'callerNumber'>,
): Promise<ReadContacts> {
  const region = regionOfCaller(campaign);
  const contacts: NewContact[] = [];
  const errors: RowError[] = [];
  for (const [index, { ContactNumber, CustomerName: name, TimeZone, variables }] of rows.entries()) {
    const bad = (field: string, message: string): unknown => errors.push({ row: index + 1, field, message });
    const { number, says } = numberToCall(ContactNumber, region);
    if ((index + 1) % rowsInARow === 0) await others();
    const zone = TimeZone ? TimeZoneName.safeParse(TimeZone).data : '';
    if (name.length > nameCharactersMax) bad('CustomerName', `is longer than ${nameCharactersMax} characters`);
    else if (number === undefined) bad('ContactNumber', ContactNumber.trim() === '' ? 'is required' : says);
    else if (zone === undefined) bad('TimeZone', notATimeZone);
    else contacts.push({ name, number, ...zoneOf(zone), variables });
  }
  return { contacts, errors, detailOf: ({ row, field, message }) => ({ field: `Contacts.${row - 1}.${field}`, message }) };
}

/** A contact without its own zone gets that of its number. */
function zoneOf(written: string | null | undefined): Pick<NewContact, 'zone'> {
  return written ? { zone: written } : {};
}

/** The country for numbers without a prefix: that of the caller number. */
export function regionOfCaller({ callerNumber }: Pick<Campaign, 'callerNumber'>): CountryCode | undefined {
  return regionOf(callerNumber);
}

type NumberToCall =
  { readonly number: string; readonly says?: undefined } | { readonly number?: undefined; readonly says: string };

/** The number in E.164, or why no campaign may call it, such as emergency numbers and short codes. */
export function numberToCall(written: string, region: CountryCode | undefined): NumberToCall {
  const number = telephoneNumber(withoutExtension(written), region ? [region] : []);
  // Also numbers newer than the data by which those without a prefix are read.
  if (!number || !parsePhoneNumberFromString(number.number)?.isValid() || number.nationalNumber.length < digitsLeast)
    return { says: 'is not a telephone number' };
  const costly = whyCostly(number);
  return costly ? { says: `${costly}, which campaigns do not call` } : { number: number.number };
}

/** Known fields become variables; unknown ones leave placeholders at their defaults. */
function asNew({
  ContactKeyID,
  ContactID,
  CustomerName,
  ContactNumber,
  Email,
  City,
  State,
  Country,
  TimeZone,
}: Known): NewContact {
  const given = Object.entries({ email: Email, city: City, state: State, country: Country }).filter(([, value]) => value !== '');
  return {
    contactId: ContactID,
    contactKey: ContactKeyID,
    name: CustomerName,
    number: ContactNumber,
    ...zoneOf(TimeZone),
    variables: Object.fromEntries(given),
  };
}
