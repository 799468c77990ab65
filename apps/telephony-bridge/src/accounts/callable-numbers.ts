import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from 'libphonenumber-js';
// Of the library's metadata this is the set that knows premium-rate numbers.
import { parsePhoneNumberFromString as parseFully } from 'libphonenumber-js/max';
import type { ControlCapabilities } from '@parley/ports';

/** A number as the carrier is given it: E.164 where it is one, a SIP user or an extension as it was written. */
export function dialled(to: string): string {
  const written = visible(to);
  const plain = asciiDigits(written);
  return /^[+\d][\d\s().-]*$/.test(plain)
    ? (parsePhoneNumberFromString(plain)?.number ?? plain.replace(/[\s().-]/g, ''))
    : written;
}

/** Numbers copied from pages and messengers carry signs that nobody sees: marks of direction, spaces of no width. */
function visible(text: string): string {
  return text.replaceAll(/\p{Cf}/gu, '').trim();
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

/** A number's country, and those in which it is dialled without a prefix. */
export function regionOf(number: string): CountryCode | undefined {
  return parsePhoneNumberFromString(number)?.country;
}

/** Whether it is as long as telephone numbers are in its country; without a prefix, in that of the number it is called from. */
function isTelephoneNumber(written: string, from: string): boolean {
  return readNumber(written, regionOf(from))?.isPossible() === true;
}

/** Whether a carrier could dial this. Refused at once, it does not wait in a queue only to fail. */
export function isDialable(to: string, dials: ControlCapabilities['dials'] | undefined, from: string): boolean {
  const written = dialled(to);
  if (/[\s\p{Cc}]/u.test(written)) return false;
  if (/^sips?:/i.test(written)) return true;
  if (dials === 'numbers') return isTelephoneNumber(to, from);
  return dials !== 'extensions' || /^\+?[\d*#]{1,32}$/.test(written);
}

/** A number as people write it, in `region` if it has no prefix. 00 stands for + in every country. */
export function readNumber(written: string, region: CountryCode | undefined): PhoneNumber | undefined {
  const international = asciiDigits(visible(written)).replace(/^00/, '+');
  return parsePhoneNumberFromString(international, { ...(region && { defaultCountry: region }), extract: false });
}

/**
 * The user of an address, without password and parameters, with percent signs decoded, and without what is keyed once somebody has
 * answered: that begins with a pause.
 */
function userOf(called: string): string {
  const [, user = called] = /^(?:sips?:|tel:)?([^@;:?]+)/i.exec(visible(called)) ?? [];
  return asciiDigits(visible(decoded(user)))
    .replace(keyedLater, '')
    .trim();
}

/** After a digit: a pause as dial strings write it, or an extension. */
const keyedLater = /(?<=\d)\s*(?:,|[pwx]|ext).*$/iu;

function decoded(user: string): string {
  try {
    return decodeURIComponent(user);
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
 * The numbers a network may take an address for: the number as written or, if it is none, any full number its digits end with. A
 * prefix before a number does not change who is called.
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
/** Satellite and global services: their local time is unknown, and their cost nearly so. */
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

/** Emergency numbers that networks of many countries redirect to their own. */
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

/** The emergency numbers of these countries; of all countries, where ours is unknown. */
function emergenciesIn(regions: readonly CountryCode[]): ReadonlySet<string> {
  const others = regions.length === 0 ? Object.values(emergenciesOf) : regions.map((region) => emergenciesOf[region] ?? '');
  return new Set([...emergenciesEverywhere, ...others.flatMap((numbers) => numbers.split(' ').filter(Boolean))]);
}

/** A number of ours, and its account's country if the number itself tells none. */
export interface OurNumber {
  readonly number: string;
  readonly country: string | null;
}

/** Where a number may be: in one country, in any that share its prefix, or where its account is. */
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

/** International prefixes of any country, after an exchange's outside line. */
const wayAbroad = /^[089]{0,3}?(?:\+|00|0011|011|010|009|810)$/;
/** Everything that may precede an emergency number: outside lines, area and international prefixes. */
const prefixes = /^[089]{0,3}(?:0011|011|010|810)?[089]{0,3}$/;
const prefixDigitsMost = 3;
/** The longest prefix: outside lines, an international prefix, and zeros. */
const digitsBeforeMost = 10;

/** Whether digits after a plus are an emergency number, alone or after the prefix of a country that has it. */
function isEmergencyAbroad(digits: string, regions: readonly CountryCode[]): boolean {
  if (emergenciesIn(regions).has(digits)) return true;
  return Array.from({ length: prefixDigitsMost }, (_, index) => index + 1).some((length) => {
    const countries = getCountries().filter((country) => getCountryCallingCode(country) === digits.slice(0, length));
    const known = emergenciesIn(countries);
    return countries.length > 0 && (known.has(digits.slice(length)) || known.has(digits.slice(length).replace(/^0/, '')));
  });
}

/** Every way to split digits into a prefix and a number. */
function splits(digits: string): { before: string; rest: string }[] {
  const most = Math.min(digits.length, digitsBeforeMost);
  return Array.from({ length: most + 1 }, (_, at) => ({ before: digits.slice(0, at), rest: digits.slice(at) }));
}

/** Whether a network may read these keys as an emergency number; everything but keys and letters was removed. */
function isEmergency(keys: string, regions: readonly CountryCode[]): boolean {
  if (/[a-z]/i.test(keys)) return false;
  const local = emergenciesIn(regions);
  // If our country is unknown, an extension such as 9100 is no emergency number, though 100 is one somewhere.
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

/** Why this address may not be called from one of our numbers. An exchange's extensions are its own business. */
export function whyNotCalled(
  to: string,
  from: OurNumber,
  { callsCostlyNumbers }: { readonly callsCostlyNumbers: boolean },
): string | undefined {
  const readings = keysOf(to);
  const regions = regionsOf(from);
  const region = regions.length === 1 ? regions[0] : undefined;
  const keys = (readings[0] ?? '').replace(serviceCode, '');
  // 011 leads abroad from America, and to Delhi within India: a valid national number takes precedence.
  const [home, abroad] = [keys, keys.replace(exitCodes, '+')].map((each) => readNumber(each, region));
  const number = home && parseFully(home.number)?.isValid() ? home : abroad;
  const isValid = number !== undefined && parseFully(number.number)?.isValid() === true;
  if (!isValid && readings.some((each) => isEmergency(each, regions))) return 'is a number for emergencies';
  return callsCostlyNumbers || !number ? undefined : whyCostly(number);
}
