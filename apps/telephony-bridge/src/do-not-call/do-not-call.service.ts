import { Controller, Injectable } from '@nestjs/common';
import {
  addDoNotCall,
  Fault,
  listDoNotCall,
  listMyOrganizations,
  notThere,
  readDoNotCall,
  removeDoNotCall,
} from '@parley/contracts';
import { containing, numberContaining, pageOf, TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf, ServiceBus, wholeOrganizationOf } from '@parley/messaging';
import type { DialledAddress } from '@parley/ports';
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { Column, Entity, type EntityManager, Generated, IsNull, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import { CarrierAccount, PhoneNumber } from '../accounts/entities';
import type { CallEntity } from '../calls/call.entity';
import { extensionIn, numbersMeant, telephoneNumber, withoutExtension } from '../accounts/callable-numbers';
import { CarrierCatalogue } from '../accounts/open-carriers';

/** A number that is not called, in E.164, or an extension. */
@Entity({ name: 'do_not_call' })
export class DoNotCallNumber {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('text')
  number: string;

  @Column('text')
  reason: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;
}

/** Mobile numbers that are dialled with and without a digit: Argentina's 9 for calls from abroad, and the ninth digit of Brazil. */
const optionalDigits = [
  { before: '\\+54', digit: '9', after: '\\d{10}' },
  { before: '\\+55\\d\\d', digit: '9', after: '[6-9]\\d{7}' },
] as const;

/** SQL that lists all numbers of the telephone with this one. */
function numbersAlike(number: string): string {
  const others = optionalDigits.flatMap(({ before, digit, after }) => [
    `regexp_replace(${number}, '^(${before})(${after})$', '\\1${digit}\\2')`,
    `regexp_replace(${number}, '^(${before})${digit}(${after})$', '\\1\\2')`,
  ]);
  return [number, ...others].join(', ');
}

/** SQL for whether an organization has listed a number, with whatever prefix. */
export function isListedSql(orgId: string, number: string): string {
  return `EXISTS (SELECT FROM do_not_call listed WHERE listed.org_id = ${orgId} AND listed.number IN (${numbersAlike(number)}))`;
}

type TwoSides = Pick<CallEntity, 'orgId' | 'direction' | 'fromAddress' | 'toAddress'>;
type AddDoNotCallRequest = z.output<typeof addDoNotCall.request>;
type AddDoNotCallReply = z.input<typeof addDoNotCall.reply>;
type ListDoNotCallRequest = z.output<typeof listDoNotCall.request>;
type ListDoNotCallReply = z.input<typeof listDoNotCall.reply>;
type DoNotCallEntry = z.input<typeof removeDoNotCall.reply>;

const columns: Record<ListDoNotCallRequest['sortColumn'], string> = {
  CreatedOn: 'listed.created_on',
  ContactNumber: 'listed.number',
};
const ownNumbersRead = 50;

/** The numbers that an organization never calls, neither by campaigns nor by single calls. */
@Injectable()
export class DoNotCallList {
  constructor(
    private readonly tenants: TenantScope,
    private readonly catalogue: CarrierCatalogue,
    private readonly bus: ServiceBus,
  ) {}

  /** Returns the outcome for each number. A number's second occurrence in a request counts as already listed. */
  async add(wanted: AddDoNotCallRequest, call: Call): Promise<AddDoNotCallReply> {
    const isLocal = wanted.ContactNumbers.some((written) => !/^\s*(?:\+|00)/u.test(written));
    return this.addNumbers(organizationOf(call), wanted, isLocal ? await this.defaultRegion() : undefined);
  }

  /** The country in which the organization's contacts write their numbers. */
  private async defaultRegion(): Promise<CountryCode | undefined> {
    const organizations = await this.bus.ask(listMyOrganizations, {});
    const region = organizations.find(({ isCurrent }) => isCurrent)?.defaultRegion;
    return region !== undefined && isSupportedCountry(region) ? region : undefined;
  }

  private addNumbers(
    orgId: number,
    { ContactNumbers, reason }: AddDoNotCallRequest,
    defaultRegion?: CountryCode,
  ): Promise<AddDoNotCallReply> {
    return this.tenants.run(orgId, async (manager) => {
      const regions = await ownRegions(manager, orgId);
      const mayBeExtension = await this.callsExtensions(manager, orgId);
      const readings = ContactNumbers.map((written) => {
        const numbers = fullNumbers(written, { defaultRegion, regions });
        const extension = numbers.length === 0 && mayBeExtension ? extensionIn(written) : undefined;
        return extension === undefined ? numbers : [extension];
      });
      const fresh = await insert(manager, { orgId, reason, numbers: readings.flat() });
      const results = ContactNumbers.map((written, index) => {
        const [number, ...others] = readings[index] ?? [];
        if (number === undefined) return { ContactNumber: written, outcome: 'INVALID' as const };
        const isNew = [number, ...others].map((each) => fresh.delete(each)).includes(true);
        return { ContactNumber: number, outcome: isNew ? ('ADDED' as const) : ('ALREADY_LISTED' as const) };
      });
      return { addedCount: results.filter(({ outcome }) => outcome === 'ADDED').length, results };
    });
  }

  /** Whether short numbers can be called at all: elsewhere they are listed by mistake, and protect nobody. */
  private async callsExtensions(manager: EntityManager, orgId: number): Promise<boolean> {
    const accounts = await manager.find(CarrierAccount, { where: { orgId, deletedOn: IsNull() }, select: { carrier: true } });
    const used = new Set(accounts.map(({ carrier }) => carrier));
    return this.catalogue.descriptors.some(
      ({ id, capabilities: { control } }) => used.has(id) && control !== undefined && control.dials !== 'numbers',
    );
  }

  /** Lists the other side of a call at their request. False if they withhold their number, which then cannot be listed. */
  async addOtherSide({ orgId, direction, fromAddress, toAddress }: TwoSides): Promise<boolean> {
    const number = direction === 'INBOUND' ? fromAddress : toAddress;
    const { results } = await this.addNumbers(orgId, { ContactNumbers: [number], reason: 'asked by the contact in a call' });
    return results.every(({ outcome }) => outcome !== 'INVALID');
  }

  /** Callers restricted to certain agents do not see numbers listed by other agents' calls. */
  list(wanted: ListDoNotCallRequest, call: Call): Promise<ListDoNotCallReply> {
    const orgId = wholeOrganizationOf(call, 'Numbers of the do-not-call list');
    return this.tenants.read(orgId, async (manager) => {
      const query = manager.createQueryBuilder(DoNotCallNumber, 'listed').where('listed.org_id = :orgId', { orgId });
      const searched = wanted.searchName.trim();
      if (searched)
        query.andWhere('(listed.number LIKE :digits OR listed.reason ILIKE :searched)', {
          searched: containing(searched),
          digits: numberContaining(searched),
        });
      const page = await pageOf(query, wanted, { by: columns[wanted.sortColumn] });
      return { ...page, rows: page.rows.map(shown) };
    });
  }

  /** Removing a number affects every agent of the organization, so restricted callers may not; listing one is always safe. */
  remove(keyId: string, call: Call): Promise<DoNotCallEntry> {
    const orgId = wholeOrganizationOf(call, 'Removals from the do-not-call list');
    return this.tenants.run(orgId, async (manager) => {
      const entry = await entryOf(manager, orgId, keyId);
      await manager.delete(DoNotCallNumber, { id: entry.id });
      return shown(entry);
    });
  }

  read(keyId: string, call: Call): Promise<DoNotCallEntry> {
    const orgId = wholeOrganizationOf(call, 'Numbers of the do-not-call list');
    return this.tenants.read(orgId, async (manager) => shown(await entryOf(manager, orgId, keyId)));
  }

  /** Throws if the number is listed. */
  async requireUnlisted(orgId: number, called: DialledAddress): Promise<void> {
    if (!(await this.has(orgId, called))) return;
    throw new Fault('CONFLICT', { message: 'This number is on the do-not-call list: remove it before calling it.' });
  }

  /** Whether a number is listed, whatever kind of address it is in. */
  has(orgId: number, called: string): Promise<boolean> {
    return this.tenants.read(orgId, async (manager) => {
      const extension = extensionIn(called);
      const numbers = [
        ...numbersMeant(called, await ownRegions(manager, orgId)),
        ...(extension === undefined ? [] : [extension]),
      ];
      const found: unknown[] = await manager.query(
        `SELECT FROM unnest($2::text[]) AS meant(number) WHERE ${isListedSql('$1', 'meant.number')} LIMIT 1`,
        [orgId, numbers],
      );
      return found.length > 0;
    });
  }
}

async function entryOf(manager: EntityManager, orgId: number, keyId: string): Promise<DoNotCallNumber> {
  const entry = await manager.findOneBy(DoNotCallNumber, { orgId, keyId });
  if (!entry) throw notThere('entry of the do-not-call list');
  return entry;
}

/** The countries of the organization's own numbers, one of which a number without a country code is in. */
async function ownRegions(manager: EntityManager, orgId: number): Promise<CountryCode[]> {
  const own = await manager.find(PhoneNumber, { where: { orgId }, order: { id: 'ASC' }, take: ownNumbersRead });
  return [...new Set(own.flatMap(({ number }) => parsePhoneNumberFromString(number)?.country ?? []))];
}

interface Regions {
  readonly defaultRegion: CountryCode | undefined;
  readonly regions: readonly CountryCode[];
}

/**
 * The number in E.164, as carriers get it; none if it is not a telephone number. Without a country code it is what a contact's number
 * written like this is, and also one of the first country of the organization's own numbers that has such numbers: whoever asked not to be
 * called is not, whichever was meant.
 */
function fullNumbers(written: string, { defaultRegion, regions }: Regions): string[] {
  const number = withoutExtension(written);
  const inRegion = (region: CountryCode): string | undefined => telephoneNumber(number, [region])?.number;
  const asContact = defaultRegion && inRegion(defaultRegion);
  const asOwn = regions.map(inRegion).find((read) => read !== undefined);
  const read = [asContact, asOwn].filter((each) => each !== undefined);
  const whole = read.length === 0 ? telephoneNumber(number, [])?.number : undefined;
  return [...new Set(whole === undefined ? read : [whole])];
}

interface Fresh {
  readonly orgId: number;
  readonly reason: string;
  readonly numbers: readonly string[];
}

/**
 * Inserts numbers and returns those not listed before, of several for one telephone the first. They are sorted, so that concurrent
 * requests cannot deadlock.
 */
async function insert(manager: EntityManager, { orgId, reason, numbers }: Fresh): Promise<Set<string>> {
  const added: { number: string }[] = await manager.query(
    `INSERT INTO do_not_call (org_id, number, reason)
     SELECT DISTINCT ON (least(${numbersAlike('wish.number')})) $1::int, wish.number, $3
     FROM unnest($2::text[]) WITH ORDINALITY AS wish(number, place) WHERE NOT ${isListedSql('$1', 'wish.number')}
     ORDER BY least(${numbersAlike('wish.number')}), wish.place
     ON CONFLICT DO NOTHING RETURNING number`,
    [orgId, numbers, reason],
  );
  return new Set(added.map(({ number }) => number));
}

function shown({ keyId, id, number, reason, createdOn }: DoNotCallNumber): DoNotCallEntry {
  return { DoNotCallKeyID: keyId, DoNotCallID: id, ContactNumber: number, reason, CreatedOn: createdOn.toISOString() };
}

type AddDoNotCallHandler = HandlerOf<typeof addDoNotCall>;
type ListDoNotCallHandler = HandlerOf<typeof listDoNotCall>;
type Remove = HandlerOf<typeof removeDoNotCall>;

/** The do-not-call list over the bus. */
@Controller()
export class DoNotCallController {
  constructor(private readonly listed: DoNotCallList) {}

  @Handles(addDoNotCall)
  add(wanted: Parameters<AddDoNotCallHandler>[0], call: Call): ReturnType<AddDoNotCallHandler> {
    return this.listed.add(wanted, call);
  }

  @Handles(listDoNotCall)
  list(query: Parameters<ListDoNotCallHandler>[0], call: Call): ReturnType<ListDoNotCallHandler> {
    return this.listed.list(query, call);
  }

  @Handles(readDoNotCall)
  read({ DoNotCallKeyID }: Parameters<Remove>[0], call: Call): ReturnType<Remove> {
    return this.listed.read(DoNotCallKeyID, call);
  }

  @Handles(removeDoNotCall)
  remove({ DoNotCallKeyID }: Parameters<Remove>[0], call: Call): ReturnType<Remove> {
    return this.listed.remove(DoNotCallKeyID, call);
  }
}
