import { asciiDigits, currentNumber, visible, withFewerZeros } from '@parley/contracts';
import { numberContaining } from '@parley/database';
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { parsePhoneNumberFromString as parseFully } from 'libphonenumber-js/max';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn, type SelectQueryBuilder } from 'typeorm';
import { Organization } from '../team/membership.entity';
import { findRepresentative } from '../team/representatives';
import { containing, searchable, withinRange } from '../search/filters';

/** A customer, identified by number: each occurs once per organization. */
@Entity({ name: 'contacts' })
export class Contact {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid', { default: () => 'gen_random_uuid()' })
  keyId: string;

  @Column('text')
  name: string;

  /** In E.164. */
  @Column('text')
  number: string;

  @Column('text')
  email: string;

  @Column('text')
  city: string;

  @Column('text')
  state: string;

  @Column('text')
  country: string;

  /** An IANA name; empty for the time zone of the number. */
  @Column('text')
  zone: string;

  @Column('text')
  search: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;
}

/** The fields of a contact; the number is already in E.164. */
export interface ContactFields {
  readonly name: string;
  readonly number: string;
  readonly email: string;
  readonly city: string;
  readonly state: string;
  readonly country: string;
  readonly zone: string;
}

/** The columns of a CSV of contacts in the order of an export, and the field that each fills. */
export const csvColumns = [
  { column: 'CustomerName', field: 'name', max: 200 },
  { column: 'ContactNumber', field: 'number', max: 32 },
  { column: 'Email', field: 'email', max: 254 },
  { column: 'City', field: 'city', max: 100 },
  { column: 'State', field: 'state', max: 100 },
  { column: 'Country', field: 'country', max: 100 },
  { column: 'TimeZone', field: 'zone', max: 64 },
] as const satisfies readonly { column: string; field: keyof ContactFields; max: number }[];

/** The text that searches match. */
export function searchOf({ name, number, email }: ContactFields): string {
  return searchable(name, number, email);
}

/**
 * A number as people write it, in digits of any script, in E.164; undefined if it is invalid. Without a country prefix it is taken as
 * one of `region`. E.164 has no extensions: without its own, the number would be another's.
 */
export function toE164(written: string, region: string): string | undefined {
  // A country code is often in brackets, which the parser takes for an area's.
  const keys = asciiDigits(visible(written)).replace(/^[\s[(]*\+\s*(\d{1,3})\s*[\])]/u, '+$1');
  // The smaller data takes 12124567890 for an Indian number.
  const parse = keys.startsWith('+') ? parsePhoneNumberFromString : parseFully;
  const read = parse(keys, { ...countryOf(region), extract: false });
  if (!read || read.ext) return undefined;
  for (const spelling of [read.number, ...withFewerZeros(read.number, read.countryCallingCode)]) {
    const current = currentNumber(spelling);
    // Most are read once: a file has thousands.
    const number = current === read.number ? read : parse(current, { extract: false });
    if (number?.isValid()) return number.number;
  }
  return undefined;
}

function countryOf(region: string): { defaultCountry?: CountryCode } {
  return isSupportedCountry(region) ? { defaultCountry: region } : {};
}

/** The filters of a list or an export of contacts. */
interface ContactFilters {
  readonly searchName: string;
  readonly SalesUserKeyID?: string | null | undefined;
  readonly fromDate?: string | null | undefined;
  readonly toDate?: string | null | undefined;
}

const isMapped = 'EXISTS (SELECT FROM contact_mappings m WHERE m.contact_id = c.id AND m.representative_id = :representative)';

/** An organization's matching contacts, under the alias `c`. A representative it never had is NOT_FOUND. */
export async function contactQuery(
  manager: EntityManager,
  orgId: number,
  filters: ContactFilters,
): Promise<SelectQueryBuilder<Contact>> {
  const { timezone } = await manager.findOneByOrFail(Organization, { orgId });
  const query = manager.createQueryBuilder(Contact, 'c').where('c.org_id = :orgId', { orgId });
  const typed = filters.searchName.trim();
  if (typed)
    query.andWhere('(c.search LIKE :typed OR c.number LIKE :number)', {
      typed: containing(typed),
      number: numberContaining(typed),
    });
  if (filters.SalesUserKeyID) {
    const { id } = await findRepresentative(manager, { orgId, keyId: filters.SalesUserKeyID });
    query.andWhere(isMapped, { representative: id });
  }
  withinRange(query, filters, { column: 'c.created_on', timezone });
  return query;
}
