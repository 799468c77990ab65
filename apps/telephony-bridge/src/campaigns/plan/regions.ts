import { dayOf, daysLater, startOfDay } from '@parley/service-kit';
import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** Where people are, as far as calling them goes: whose law holds, and what their clocks show. */
export interface Region {
  readonly country: string | undefined;
  readonly zones: readonly string[];
}

const nowhere = '--';
const wholeCountry = '*';
const zonesKnown = new Map<string, readonly string[]>();
const callersKnown = new Map<string, string | undefined>();
const callersMax = 10_000;

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

/** The day that the clocks of a region show: of several zones from the first midnight to the last one, so that it is nowhere shorter. */
export function dayIn(region: string, now: number): { readonly from: number; readonly until: number } {
  const days = regionOf(region).zones.map((zone) => {
    const day = dayOf(new Date(now), zone);
    return { from: startOfDay(day, zone).getTime(), until: startOfDay(daysLater(day, 1), zone).getTime() };
  });
  return { from: Math.min(...days.map(({ from }) => from)), until: Math.max(...days.map(({ until }) => until)) };
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
  { id, region, attempt }: { readonly id: number; readonly region: string; readonly attempt: number },
): string | undefined {
  const { country } = regionOf(region);
  const near = callers.filter((caller) => country !== undefined && countryOfCaller(caller) === country);
  const pool = near.length > 0 ? near : callers;
  return pool[(id + attempt - 1) % pool.length];
}

/** The same few numbers are asked about with every call. */
function countryOfCaller(caller: string): string | undefined {
  if (!callersKnown.has(caller)) {
    if (callersKnown.size >= callersMax) callersKnown.clear();
    callersKnown.set(caller, countryOf(caller));
  }
  return callersKnown.get(caller);
}

/** A series that is too new to be known as valid is still in the country of its calling code, where that has only one. */
function countryOf(number: string): string | undefined {
  const parsed = parsePhoneNumberFromString(number);
  const possible = parsed?.country ? [parsed.country] : (parsed?.getPossibleCountries() ?? []);
  return possible.length === 1 ? possible[0] : undefined;
}

function zonesOf(country: string): readonly string[] {
  const known = zonesKnown.get(country);
  if (known) return known;
  const zones = new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
  zonesKnown.set(country, zones);
  return zones;
}
