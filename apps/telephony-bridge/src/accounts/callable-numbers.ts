import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from 'libphonenumber-js';
// Of all the numbers that there are, this knows which cost whoever calls them more.
import { parsePhoneNumberFromString as parseFully } from 'libphonenumber-js/max';
import type { ControlCapabilities } from '@parley/ports';

/** A number as the carrier is given it: E.164 where it is one, a SIP user or an extension as it was written. */
export function dialled(to: string): string {
  const written = to.trim();
  const plain = asciiDigits(written);
  return /^[+\d][\d\s().-]*$/.test(plain)
    ? (parsePhoneNumberFromString(plain)?.number ?? plain.replace(/[\s().-]/g, ''))
    : written;
}

/** Digits of every script as those of ours: a carrier may read them so. Those of a script follow one another, from its zero. */
function asciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value += 1;
    return String(value);
  });
}

/** Where a number is, and those that are called from it without a country prefix. */
export function regionOf(number: string): CountryCode | undefined {
  return parsePhoneNumberFromString(number)?.country;
}

/** Whether it is as long as telephone numbers are in its country; without a prefix, in that of the number it is called from. */
function isTelephoneNumber(written: string, from: string): boolean {
  return readNumber(written, regionOf(from))?.isPossible() === true;
}

/** Whether a carrier could dial what is written. Refused at once, it is no call that waits and fails. */
export function isDialable(to: string, dials: ControlCapabilities['dials'] | undefined, from: string): boolean {
  const written = dialled(to);
  if (/[\s\p{Cc}]/u.test(written)) return false;
  if (/^sips?:/i.test(written)) return true;
  if (dials === 'numbers') return isTelephoneNumber(to, from);
  return dials !== 'extensions' || /^\+?[\d*#]{1,32}$/.test(written);
}

/** A number as people write it, without a prefix one of `region`. 00 stands for +, whatever is dialled in that country. */
export function readNumber(written: string, region: CountryCode | undefined): PhoneNumber | undefined {
  const international = written.trim().replace(/^00/, '+');
  return parsePhoneNumberFromString(international, { ...(region && { defaultCountry: region }), extract: false });
}

/** Whom an address means, without its password, its parameters and what was put in its place with a percent sign. */
function userOf(called: string): string {
  const [, user = called] = /^(?:sips?:|tel:)?([^@;:?]+)/i.exec(called.trim()) ?? [];
  try {
    return decodeURIComponent(user).trim();
  } catch {
    return user.trim();
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

/** Those that networks of many countries lead to their own. */
const emergenciesEverywhere: readonly string[] = ['112', '911', '999'];
/** The others, by country: police, fire and ambulance. */
const emergenciesOf: Readonly<Partial<Record<CountryCode, string>>> = {
  AE: '997 998',
  AR: '100 101 107',
  AT: '122 133 144',
  AU: '000 106',
  BE: '100 101',
  BR: '190 192 193',
  CH: '117 118 144',
  CL: '131 132 133',
  CN: '110 119 120 122',
  CO: '123',
  CZ: '150 155 158',
  DE: '110',
  EG: '122 123 180',
  FR: '15 17 18 114',
  GR: '100 108 166 199',
  HU: '104 105 107',
  ID: '110 113 118 119',
  IL: '100 101 102',
  IN: '100 101 102 108',
  IR: '110 115 125',
  IT: '113 115 118',
  JP: '110 118 119',
  KR: '113 118 119',
  KZ: '101 102 103',
  LK: '110 118 119 1990',
  MA: '15 19 150',
  MY: '994',
  NG: '199',
  NO: '110 113',
  NP: '100 101 102',
  NZ: '111',
  PE: '105 106 116',
  PH: '117',
  PK: '15 16 115 1122',
  PL: '997 998',
  RU: '101 102 103 104',
  SA: '997 998',
  SG: '995',
  SK: '150 155 158',
  TH: '191 199 1669',
  TR: '110 155 156',
  TW: '110 119',
  UA: '101 102 103 104',
  VN: '113 114 115',
  ZA: '10111 10177',
};

/** Numbers for emergencies where somebody calls from; of everywhere, where nobody knows where that is. */
function emergenciesIn(regions: readonly CountryCode[]): ReadonlySet<string> {
  const others = regions.length === 0 ? Object.values(emergenciesOf) : regions.map((region) => emergenciesOf[region] ?? '');
  return new Set([...emergenciesEverywhere, ...others.flatMap((numbers) => numbers.split(' ').filter(Boolean))]);
}

/** A number of ours, and the country of its account, for one that says of itself none. */
export interface OurNumber {
  readonly number: string;
  readonly country: string | null;
}

/** Where a number may be: in one country, or in any of those that share its prefix, or where its account is. */
function regionsOf({ number, country }: OurNumber): readonly CountryCode[] {
  const read = parsePhoneNumberFromString(number);
  if (read?.country) return [read.country];
  const shared = read?.getPossibleCountries() ?? [];
  return shared.length === 0 && isCountry(country) ? [country] : shared;
}

/** Whether this is the code of a country that has numbers. */
export function isCountry(code: string | null): code is CountryCode {
  return getCountries().some((country) => country === code);
}

/** What stands before a number on its way abroad, whatever country it is dialled in, behind what an exchange takes for an outside line. */
const wayAbroad = /^[089]{0,3}?(?:\+|00|0011|011|010|009|810)$/;
/** All that may stand before a number for emergencies: outside lines, and the ways to another area or abroad. */
const prefixes = /^[089]{0,3}(?:0011|011|010|810)?[089]{0,3}$/;
const prefixDigitsMost = 3;
/** Of what stands before a number: outside lines, a way abroad, and zeros. */
const digitsBeforeMost = 10;

/** Whether digits behind a plus are a number for emergencies, alone or behind the prefix of a country that has it. */
function isEmergencyAbroad(digits: string, regions: readonly CountryCode[]): boolean {
  if (emergenciesIn(regions).has(digits)) return true;
  return Array.from({ length: prefixDigitsMost }, (_, index) => index + 1).some((length) => {
    const countries = getCountries().filter((country) => getCountryCallingCode(country) === digits.slice(0, length));
    const known = emergenciesIn(countries);
    return countries.length > 0 && (known.has(digits.slice(length)) || known.has(digits.slice(length).replace(/^0/, '')));
  });
}

/** Every way to take digits for a prefix and what it leads to. */
function splits(digits: string): { before: string; rest: string }[] {
  const most = Math.min(digits.length, digitsBeforeMost);
  return Array.from({ length: most + 1 }, (_, at) => ({ before: digits.slice(0, at), rest: digits.slice(at) }));
}

/** Whether a network may make a number for emergencies of these signs: what is neither a sign nor a letter was taken out. */
function isEmergency(keys: string, regions: readonly CountryCode[]): boolean {
  if (/[a-z]/i.test(keys)) return false;
  const local = emergenciesIn(regions);
  // Where nobody knows where we are, an extension such as 9100 is none, though somewhere 100 is.
  const prefixed = new Set(regions.length === 0 ? emergenciesEverywhere : local);
  const home = new Set<string>(regions.map((region) => getCountryCallingCode(region)));
  return [keys, keys.replace(serviceCode, '')].some((each) => {
    const digits = each.replace(/[*#]/g, '');
    const plain = digits.replaceAll('+', '');
    if (local.has(plain)) return true;
    if (splits(plain).some(({ before, rest }) => prefixes.test(before) && (prefixed.has(rest) || rest === '1911'))) return true;
    if ([...home].some((prefix) => plain.startsWith(prefix)) && isEmergencyAbroad(plain, regions)) return true;
    return splits(digits).some(({ before, rest }) => wayAbroad.test(before) && isEmergencyAbroad(rest, regions));
  });
}

/** Every reading of an address as keys: of its user, and of all of it, as carriers that leave signs out would dial it. */
function keysOf(called: string): string[] {
  const readings = [userOf(called), called.trim().replace(/^(?:sips?:|tel:)/i, '')];
  return readings.map((reading) => asciiDigits(reading).replace(/[^\da-z+*#]/gi, ''));
}

/** Why nobody is called there from one of our numbers. Extensions of an exchange are nobody's but its own. */
export function whyNotCalled(
  to: string,
  from: OurNumber,
  { callsCostlyNumbers }: { readonly callsCostlyNumbers: boolean },
): string | undefined {
  const readings = keysOf(to);
  const regions = regionsOf(from);
  const region = regions.length === 1 ? regions[0] : undefined;
  const keys = (readings[0] ?? '').replace(serviceCode, '');
  // 011 leads abroad from America, and to Delhi within India: a good number is what it is at home.
  const [home, abroad] = [keys, keys.replace(exitCodes, '+')].map((each) => readNumber(each, region));
  const number = home && parseFully(home.number)?.isValid() ? home : abroad;
  const isValid = number !== undefined && parseFully(number.number)?.isValid() === true;
  if (!isValid && readings.some((each) => isEmergency(each, regions))) return 'is a number for emergencies';
  return callsCostlyNumbers || !number ? undefined : whyCostly(number);
}
