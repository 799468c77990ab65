import { dayOf, daysLater, startOfDay } from '@parley/service-kit';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { zonesOfNumber } from './number-zones';

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

/** Names that this runtime still gives to zones which have others by now. */
const newerNames: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Louisville': 'America/Kentucky/Louisville',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};
/** More than there are zones, with all their other names. */
const namesMax = 2_000;
const namesKnown = new Map<string, string>();

/**
 * The region of a contact as one word, so that contacts can be claimed by region: `IN Asia/Kolkata`. Its time zone is the contact's
 * own, else its number's, else its country's, else the business's. Of a number that may be in several all are meant:
 * `US America/Chicago,America/New_York`, and `US *` for those of the whole country.
 */
export function regionKey(contact: { readonly number: string; readonly zone?: string }, businessZone: string): string {
  const { country, nationalNumber } = placeOf(contact.number);
  const here = country ?? nowhere;
  if (contact.zone) return `${here} ${zoneNamed(contact.zone)}`;
  const zones = country ? zonesOf(country) : [];
  if (zones.length < 2) return `${here} ${zoneNamed(zones[0] ?? businessZone)}`;
  return `${here} ${zonesOfNumber(here, nationalNumber)?.join() ?? wholeCountry}`;
}

/** The time zone of a region, where it has but one. */
export function zoneOfRegion(key: string): string | null {
  const { zones } = regionOf(key);
  return zones.length === 1 ? (zones[0] ?? null) : null;
}

/** One name for each zone, however it was written: whoever is claimed by region is claimed by few. */
function zoneNamed(written: string): string {
  const known = namesKnown.get(written);
  if (known !== undefined) return known;
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: written }).resolvedOptions();
  if (namesKnown.size >= namesMax) namesKnown.clear();
  namesKnown.set(written, newerNames[timeZone] ?? timeZone);
  return newerNames[timeZone] ?? timeZone;
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
  return { country, zones: zone === wholeCountry && country ? zonesOf(country) : zone.split(',') };
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
    callersKnown.set(caller, placeOf(caller).country);
  }
  return callersKnown.get(caller);
}

interface Place {
  readonly country: string | undefined;
  /** Without the prefix of the country. */
  readonly nationalNumber: string;
}

/** A series that is too new to be known as valid is still in the country of its calling code, where that has only one. */
function placeOf(number: string): Place {
  const parsed = parsePhoneNumberFromString(number);
  const possible = parsed?.country ? [parsed.country] : (parsed?.getPossibleCountries() ?? []);
  return { country: possible.length === 1 ? possible[0] : undefined, nationalNumber: parsed?.nationalNumber ?? '' };
}

function zonesOf(country: string): readonly string[] {
  const known = zonesKnown.get(country);
  if (known) return known;
  const zones = new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
  zonesKnown.set(country, zones);
  return zones;
}
