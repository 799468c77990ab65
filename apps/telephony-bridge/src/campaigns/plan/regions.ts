import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** Where people are, as far as calling them goes: whose law holds, and what their clocks show. */
export interface Region {
  readonly country: string | undefined;
  readonly zones: readonly string[];
}

const nowhere = '--';
const wholeCountry = '*';
const zonesKnown = new Map<string, readonly string[]>();

/**
 * The region of a contact as one word, so that contacts can be claimed by region: `IN Asia/Kolkata`. Its time zone is the contact's
 * own, else its country's, else the business's. Of a country with several zones nobody knows which: `US *` stands for all of them.
 */
export function regionKey(contact: { readonly number: string; readonly zone?: string }, businessZone: string): string {
  const country = countryOf(contact.number);
  if (contact.zone) return `${country ?? nowhere} ${contact.zone}`;
  const zones = country ? zonesOf(country) : [];
  if (zones.length > 1) return `${country ?? nowhere} ${wholeCountry}`;
  return `${country ?? nowhere} ${zones[0] ?? businessZone}`;
}

/** What a region's key stands for. */
export function regionOf(key: string): Region {
  const [code = nowhere, zone = 'UTC'] = key.split(' ');
  const country = code === nowhere ? undefined : code;
  return { country, zones: zone === wholeCountry && country ? zonesOf(country) : [zone] };
}

/**
 * The number that a contact is called from: one of its own country if there is any, the same at first for the same contact, and
 * another with each further attempt.
 */
export function callerFor(
  callers: readonly string[],
  contact: { readonly id: number; readonly number: string; readonly attempt: number },
): string | undefined {
  const country = countryOf(contact.number);
  const near = callers.filter((caller) => country !== undefined && countryOf(caller) === country);
  const pool = near.length > 0 ? near : callers;
  return pool[(contact.id + contact.attempt - 1) % pool.length];
}

function countryOf(number: string): string | undefined {
  return parsePhoneNumberFromString(number)?.country;
}

function zonesOf(country: string): readonly string[] {
  const known = zonesKnown.get(country);
  if (known) return known;
  const zones = new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
  zonesKnown.set(country, zones);
  return zones;
}
