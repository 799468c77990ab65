import { type CountryCode, parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js';
// Of all the numbers that there are, this knows which cost whoever calls them more.
import { parsePhoneNumberFromString as parseFully } from 'libphonenumber-js/max';

/** A number as the carrier is given it: E.164 where it is one, a SIP user or an extension as it was written. */
export function dialled(to: string): string {
  const written = to.trim();
  return /^[+\d][\d\s().-]*$/.test(written)
    ? (parsePhoneNumberFromString(written)?.number ?? written.replace(/[\s().-]/g, ''))
    : written;
}

/** Where a number is, and those that are called from it without a country prefix. */
export function regionOf(number: string): CountryCode | undefined {
  return parsePhoneNumberFromString(number)?.country;
}

/** Whether it is as long as telephone numbers are in its country; without a prefix, in that of the number it is called from. */
export function isTelephoneNumber(written: string, from: string): boolean {
  return readNumber(written, regionOf(from))?.isPossible() === true;
}

/** A number as people write it, without a prefix one of `region`. 00 stands for +, whatever is dialled in that country. */
export function readNumber(written: string, region: CountryCode | undefined): PhoneNumber | undefined {
  const international = written.trim().replace(/^00/, '+');
  return parsePhoneNumberFromString(international, { ...(region && { defaultCountry: region }), extract: false });
}

/** Whom a SIP address means, without its password, its parameters and what was put in its place with a percent sign. */
function userOf(called: string): string {
  const [, user] = /^sips?:([^@;:]+)/i.exec(called.trim()) ?? [];
  if (user === undefined) return called.trim();
  try {
    return decodeURIComponent(user).trim();
  } catch {
    return user;
  }
}

/** As carriers and exchanges take them before a number: to hide who calls, to choose a line. */
const serviceCode = /^[*#]+\d{2}[*#]?/;
const exitCodes = /^(?:00|011|0011|010|009)(?=[1-9])/;
const digitsLeast = 8;
const digitsMost = 15;

/**
 * What a network may make of an address: the number as it is written, or, where that is none, any full number that its digits end with.
 * Whoever puts a prefix before a number calls that number all the same.
 */
export function numbersMeant(called: string, regions: readonly CountryCode[]): string[] {
  const user = userOf(called);
  if (!/^[+*#\d\s().-]+$/.test(user)) return [];
  const abroad = readNumber(user, undefined);
  if (abroad?.isPossible()) return [abroad.number];
  const own = regions.map((region) => readNumber(user, region)).find((number) => number?.isValid());
  if (own) return [own.number];
  const digits = user.replace(/\D/g, '');
  const lengths = Array.from({ length: digitsMost - digitsLeast + 1 }, (_, index) => digitsLeast + index);
  const ends = lengths.filter((length) => length <= digits.length).map((length) => digits.slice(-length));
  const read = ends.flatMap((end) => [readNumber(`+${end}`, undefined), ...regions.map((region) => readNumber(end, region))]);
  return [...new Set(read.flatMap((number) => (number?.isValid() ? [number.number] : [])))];
}

const emergencies: ReadonlySet<string> = new Set(['112', '911', '999']);
const costlyTypes: ReadonlySet<string | undefined> = new Set(['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER']);
/** Satellite telephones and services of the whole world: nobody knows their hours, and hardly anybody what they cost. */
const codesOfNoCountry: ReadonlySet<string> = new Set(['800', '808', '870', '878', '881', '882', '883', '888', '979']);
/** Ranges that cost callers more and that the library takes for others, by country, of numbers as they are called in it. */
const costlyRanges: Readonly<Partial<Record<CountryCode, RegExp>>> = { IN: /^1(?:86|90)/, IT: /^0?89/, DE: /^(?:900|137)/ };

/** Why a number is not called unless the operator allows it; undefined for a number of people. */
export function whyCostly(number: PhoneNumber): string | undefined {
  if (codesOfNoCountry.has(number.countryCallingCode)) return 'is a number of no country';
  const ranges = number.country && costlyRanges[number.country];
  const isCostly = costlyTypes.has(parseFully(number.number)?.getType()) || ranges?.test(number.nationalNumber);
  return isCostly ? 'is a premium number' : undefined;
}

/** Why nobody is called there from one of our numbers. Extensions of an exchange are nobody's but its own. */
export function whyNotCalled(
  to: string,
  from: string,
  { callsCostlyNumbers }: { readonly callsCostlyNumbers: boolean },
): string | undefined {
  const user = userOf(to);
  if (emergencies.has(user)) return 'is a number for emergencies';
  if (callsCostlyNumbers) return undefined;
  const keys = user.replace(/[\s().-]/g, '').replace(serviceCode, '');
  // 011 leads abroad from America, and to Delhi within India: a good number is what it is at home.
  const [home, abroad] = [keys, keys.replace(exitCodes, '+')].map((each) => readNumber(each, regionOf(from)));
  const number = home && parseFully(home.number)?.isValid() ? home : abroad;
  return number && whyCostly(number);
}
