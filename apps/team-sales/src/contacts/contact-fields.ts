import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { searchable } from '../search/filters';

/** What people write about a customer; the number is E.164 already. */
export interface ContactFields {
  readonly name: string;
  readonly number: string;
  readonly email: string;
  readonly city: string;
  readonly state: string;
  readonly country: string;
}

/** The columns of a CSV of contacts, in the order of an export, and the field that each fills. */
export const csvColumns = [
  { column: 'CustomerName', field: 'name', max: 200 },
  { column: 'ContactNumber', field: 'number', max: 32 },
  { column: 'Email', field: 'email', max: 254 },
  { column: 'City', field: 'city', max: 100 },
  { column: 'State', field: 'state', max: 100 },
  { column: 'Country', field: 'country', max: 100 },
] as const satisfies readonly { column: string; field: keyof ContactFields; max: number }[];

/** What a search for a contact looks through. */
export function searchOf({ name, number, email }: ContactFields): string {
  return searchable(name, number, email);
}

/** A number as people write it, as E.164; undefined when it is none. Without a country prefix it is read as one of `region`. */
export function toE164(written: string, region: string): string | undefined {
  const number = parsePhoneNumberFromString(written, { ...countryOf(region), extract: false });
  return number?.isValid() ? number.number : undefined;
}

function countryOf(region: string): { defaultCountry?: CountryCode } {
  return isSupportedCountry(region) ? { defaultCountry: region } : {};
}
