import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from 'libphonenumber-js';
// Only this set of the library's metadata covers premium-rate numbers.
import { parsePhoneNumberFromString as parseFully } from 'libphonenumber-js/max';
import { asciiDigits, currentNumber, isHost, visible, withFewerZeros } from '@parley/contracts';
import type { ControlCapabilities, DialledAddress } from '@parley/ports';
import { emergenciesEverywhere, emergenciesIn, isPublicService } from './short-numbers';

/** A number's country. */
export function regionOf(number: string): CountryCode | undefined {
  return parsePhoneNumberFromString(number)?.country;
}

/**
 * A number as it is dialled today, without prefixes that its country has given up, and without zeros between the codes of country and
 * area where they are not part of it. In some countries the library removes one of them each time that it reads, in others none, so the
 * number is read until that changes nothing: otherwise a later reading would find another number than the one that was checked.
 */
function readFully(keys: string, region?: CountryCode): PhoneNumber | undefined {
  const number = parseFully(keys, region);
  const again = number && parseFully(currentNumber(number.number));
  if (again === undefined || again.number !== number?.number) return again && readFully(again.number);
  if (again.isValid()) return again;
  const fewer = withFewerZeros(again.number, again.countryCallingCode).map((each) => parseFully(each));
  return fewer.find((each) => each?.isValid()) ?? again;
}

/** Whether the digits may be somebody's number: new ranges are not valid yet, but none begins with a zero. */
function isLikely(number: PhoneNumber): boolean {
  if (number.isValid()) return true;
  return number.isPossible() && !number.number.startsWith(`+${number.countryCallingCode}0`) && !endsInShortNumber(number);
}

const areaDigitsMost = 3;

/** Whether all but the first digits are a short number of the country, which its network may find there: +44 1 118500. */
function endsInShortNumber({ number, countryCallingCode: code }: PhoneNumber): boolean {
  const countries = getCountries().filter((country) => getCountryCallingCode(country) === code);
  const emergencies = emergenciesIn(countries);
  return Array.from({ length: areaDigitsMost }, (_, at) => number.slice(2 + code.length + at)).some(
    (each) => isPublicService(each, countries) || (countries.length > 0 && emergencies.has(each)),
  );
}

const separators = /[\s().\/\p{Pd}]/gu;

/**
 * The telephone number that is meant with certainty: with + or 00 that of any country; without, one that is valid in exactly one of
 * these countries. `12124567890` is none in India, although +1 212 456 7890 is one in America.
 */
export function telephoneNumber(written: string, regions: readonly CountryCode[]): PhoneNumber | undefined {
  const keys = asciiDigits(visible(written).replace(/^tel:/i, '')).replaceAll(separators, '');
  if (!/^\+?\d+$/.test(keys)) return undefined;
  const international = keys.replace(/^00(?=[1-9])/, '+');
  if (international.startsWith('+')) {
    const abroad = readFully(international);
    return abroad && isLikely(abroad) ? abroad : undefined;
  }
  const valid = regions.flatMap((region) => {
    const number = readFully(international, region);
    return number?.isValid() ? [number] : [];
  });
  const [only] = valid;
  return valid.every(({ number }) => number === only?.number) ? only : undefined;
}

/** A number whose digits may be followed or preceded by anything, of which at least its country is known; used only to refuse. */
function readNumber(written: string, region: CountryCode | undefined): PhoneNumber | undefined {
  const international = asciiDigits(visible(written)).replace(/^00/, '+');
  return parsePhoneNumberFromString(international, { ...(region && { defaultCountry: region }), extract: false });
}

/**
 * The user part of an address, without password and parameters, percent-decoded, and without digits to be keyed after the answer,
 * which follow a pause.
 */
function userOf(called: string): string {
  const [, user = called] = /^(?:sips?:|tel:)?([^@;:?]+)/i.exec(visible(called)) ?? [];
  return asciiDigits(visible(decoded(user)))
    .replace(keyedLater, '')
    .trim();
}

/** The number that is called, without an extension to be keyed after the answer. */
export function withoutExtension(written: string): string {
  return visible(written).replace(keyedLater, '').trim();
}

/** A pause in a dial string, or an extension, after a digit. */
const keyedLater = /(?<=\d)\s*(?:,|[pwx]|ext).*$/iu;

function decoded(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}

/** Service codes before a number, such as those that hide the caller or choose a line. */
const serviceCode = /^[*#]+\d{2}[*#]?/;
const exitCodes = /^(?:00|011|0011|010|009)(?=[1-9])/;
const digitsLeast = 8;
const digitsMost = 15;

/**
 * The numbers that a network may read in an address: the one in full or, if it is not one, any that its digits begin or end with, since
 * neither a prefix nor surplus digits change who is called.
 */
export function numbersMeant(called: string, regions: readonly CountryCode[]): string[] {
  const user = userOf(called);
  if (/^[+*#\d\s().-]+$/.test(user)) return numbersOfKeys(user, regions);
  return [...new Set(runsOf(user).flatMap((run) => numbersOfKeys(run, regions)))];
}

/** The numbers within a name, such as `desk+912025501234`. */
function runsOf(name: string): string[] {
  return name.replaceAll(separators, '').match(/\+?\d{8,}/g) ?? [];
}

function numbersOfKeys(keys: string, regions: readonly CountryCode[]): string[] {
  const number = telephoneNumber(keys, []);
  if (number?.isValid()) return [number.number];
  const own = regions.flatMap((region) => telephoneNumber(keys, [region])?.number ?? []);
  if (own.length > 0) return own;
  const digits = keys.replace(/\D/g, '');
  const lengths = Array.from({ length: digitsMost - digitsLeast + 1 }, (_, index) => digitsLeast + index);
  const parts = lengths
    .filter((length) => length <= digits.length)
    .flatMap((length) => [digits.slice(-length), ...(keys.startsWith('+') ? [digits.slice(0, length)] : [])]);
  const read = parts.flatMap((part) => [
    telephoneNumber(`+${part}`, []),
    ...regions.map((region) => telephoneNumber(part, [region])),
  ]);
  const valid = read.flatMap((each) => (each?.isValid() ? [each.number] : []));
  return [...new Set([...(number ? [number.number] : []), ...valid])];
}

const costlyTypes: ReadonlySet<string | undefined> = new Set(['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER']);
/** Calling codes of satellite and global services, whose local time is unknown and whose cost is unpredictable. */
const codesOfNoCountry: ReadonlySet<string> = new Set(['800', '808', '870', '878', '881', '882', '883', '888', '979']);
/** Premium ranges that the library does not recognize, by country, as national numbers. */
const costlyRanges: Readonly<Partial<Record<CountryCode, RegExp>>> = {
  IN: /^1(?:86|90)/,
  IT: /^0?89/,
  DE: /^(?:900|137)/,
  US: /^\d{3}(?:976\d{4}|5551212)$/,
};

/** Why a number is costly, and so called only if the operator allows it; undefined for ordinary numbers. */
export function whyCostly(number: PhoneNumber): string | undefined {
  if (codesOfNoCountry.has(number.countryCallingCode)) return 'is a number of no country';
  const ranges = number.country && costlyRanges[number.country];
  const isCostly = costlyTypes.has(parseFully(number.number)?.getType()) || ranges?.test(number.nationalNumber);
  return isCostly ? 'is a premium number' : undefined;
}

/** A number of ours, and the country of its account in case the number does not imply one. */
export interface OurNumber {
  readonly number: string;
  readonly country: string | null;
}

/** The countries a number may be in: its own, all that share its calling code, or that of its account. */
function regionsOf({ number, country }: OurNumber): readonly CountryCode[] {
  const read = parsePhoneNumberFromString(number);
  if (read?.country) return [read.country];
  const shared = read?.getPossibleCountries() ?? [];
  return shared.length === 0 && isCountry(country) ? [country] : shared;
}

/** Whether this is the code of a country with telephone numbers. */
export function isCountry(code: string | null): code is CountryCode {
  return getCountries().some((country) => country === code);
}

/** International prefixes of any country, possibly after a PBX's prefix for an outside line. */
const internationalPrefix = /^[089]{0,3}?(?:\+|00|0011|011|010|009|810)$/;
/** Everything that may precede an emergency number: prefixes for outside lines, areas and countries. */
const prefixes = /^[089]{0,3}(?:0011|011|010|810)?[089]{0,3}$/;
const prefixDigitsMost = 3;
/** The length of the longest such prefix. */
const digitsBeforeMost = 10;

/** Digits that begin with calling codes: the countries of each code, and what is dialled there, with and without leading zeros. */
function withinCountries(digits: string): { countries: readonly CountryCode[]; dialled: readonly string[] }[] {
  return Array.from({ length: prefixDigitsMost }, (_, index) => index + 1).flatMap((length) => {
    const countries = getCountries().filter((country) => getCountryCallingCode(country) === digits.slice(0, length));
    const rest = digits.slice(length);
    return countries.length === 0 ? [] : [{ countries, dialled: [rest, rest.replace(/^0+/, '')] }];
  });
}

/** Whether digits after a plus are an emergency number, alone or after the calling code of its country. */
function isEmergencyAbroad(digits: string, regions: readonly CountryCode[]): boolean {
  if (emergenciesIn(regions).has(digits)) return true;
  return withinCountries(digits).some(({ countries, dialled }) => {
    const known = emergenciesIn(countries);
    return dialled.some((each) => known.has(each));
  });
}

/** Whether a network may find a service of its own under these keys: alone, or after the calling code of its country. */
function isServiceSomewhere(keys: string, regions: readonly CountryCode[]): boolean {
  const digits = keys.replaceAll(/\D/g, '');
  const isInternational = keys.startsWith('+') || exitCodes.test(keys);
  if (isPublicService(digits, regions)) return isInternational || isShort(keys);
  return withinCountries(digits.replace(exitCodes, '')).some(({ countries, dialled }) => {
    const meant = isInternational ? countries : countries.filter((country) => regions.includes(country));
    return dialled.some((each) => isPublicService(each, meant));
  });
}

/** Every way to split digits into a prefix and a number. */
function splits(digits: string): { before: string; rest: string }[] {
  const most = Math.min(digits.length, digitsBeforeMost);
  return Array.from({ length: most + 1 }, (_, at) => ({ before: digits.slice(0, at), rest: digits.slice(at) }));
}

/** Whether a network may read these keys as an emergency number. Everything but keys and letters has been removed. */
function isEmergency(keys: string, regions: readonly CountryCode[]): boolean {
  if (/[a-z]/i.test(keys)) return false;
  const local = emergenciesIn(regions);
  // If our country is unknown, an extension such as 9100 does not count, though 100 is an emergency number somewhere.
  const prefixed = regions.length === 0 ? emergenciesEverywhere : local;
  const home = new Set<string>(regions.map((region) => getCountryCallingCode(region)));
  return [keys, keys.replace(serviceCode, '')].some((each) => {
    const digits = each.replace(/[*#]/g, '');
    const plain = digits.replaceAll('+', '');
    if (local.has(plain)) return true;
    if (splits(plain).some(({ before, rest }) => prefixes.test(before) && (prefixed.has(rest) || rest === '1911'))) return true;
    if ([...home].some((prefix) => plain.startsWith(prefix)) && isEmergencyAbroad(plain, regions)) return true;
    return splits(digits).some(({ before, rest }) => internationalPrefix.test(before) && isEmergencyAbroad(rest, regions));
  });
}

/** The keys that carriers may dial for an address: those of its user part, and those of the whole, if other characters are ignored. */
function keysOf(called: string): string[] {
  const user = userOf(called);
  const inName = /[a-z]/i.test(user) ? (user.match(/\+\d+/g) ?? []) : [];
  const readings = [user, called.trim().replace(/^(?:sips?:|tel:)/i, ''), ...inName];
  return readings.map((reading) => asciiDigits(reading).replace(/[^\da-z+*#]/gi, ''));
}

/** From where a call is placed, what its carrier dials, and what the operator allows. */
export interface CallingLine extends OurNumber {
  readonly dials?: Pick<ControlCapabilities, 'dials' | 'dialsAddresses' | 'extensions'> | undefined;
  readonly callsCostlyNumbers: boolean;
}

/** The address for the carrier, or why there is none. */
export type AddressRead =
  { readonly address: DialledAddress; readonly says?: undefined } | { readonly address?: undefined; readonly says: string };

/**
 * Turns an address as it was sent into the one that is dialled: telephone numbers in E.164, also within `sip:` addresses; extensions and
 * names unchanged. The checks judge the result, so what is dialled is what was checked. This is the only source of a DialledAddress.
 */
export function addressToDial(written: string, line: CallingLine): AddressRead {
  // Judged as written as well, since that names an emergency number where the result would only be unreadable.
  const says = whyNotCalled(written, line);
  if (says !== undefined) return { says };
  const plain = visible(written);
  const address = /^sips?:/i.test(plain) ? sipAddress(plain, line) : dialString(plain, line);
  if (address === undefined)
    return { says: isShort(withoutSeparators(plain)) && line.dials?.extensions ? notListed : unreadable };
  return isCallable(address, line) ? { address } : { says: whyNotCalled(address, line) ?? unreadable };
}

const unreadable =
  'is not a telephone number that can be read with certainty: write it with + and the code of its country, such as +91 20 2550 1234';

const notListed = 'is none of the extensions that the account lists';

function isCallable(address: string, line: CallingLine): address is DialledAddress {
  return whyNotCalled(address, line) === undefined;
}

/** More digits than this are a telephone number, never an extension. */
const extensionDigitsMost = digitsLeast - 1;

function isShort(keys: string): boolean {
  return /^[\d*#]{1,32}$/.test(keys) && keys.replaceAll(/\D/g, '').length <= extensionDigitsMost;
}

const withoutSeparators = (written: string): string => asciiDigits(written).replaceAll(separators, '');

/** The keys of an address that may be an extension: a short number, alone or as the user of a `sip:` address. */
export function extensionIn(called: string): string | undefined {
  const keys = withoutSeparators(userOf(called));
  return isShort(keys) ? keys : undefined;
}

/** Whether the account says that it has this extension; undefined if it does not say which it has. */
function isListedExtension(keys: string, dials: CallingLine['dials']): boolean | undefined {
  return dials?.extensions?.some(({ from, to }) => keys.length === from.length && from <= keys && keys <= to);
}

/** A telephone number in E.164, or an extension if it is short. */
function keysToDial(
  written: string,
  regions: readonly CountryCode[],
  isExtension: (keys: string) => boolean,
): string | undefined {
  const keys = withoutSeparators(written);
  return isShort(keys) && isExtension(keys) ? keys : telephoneNumber(written, regions)?.number;
}

function dialString(plain: string, line: CallingLine): string | undefined {
  const dials = line.dials?.dials ?? 'anything';
  const isExtension = (short: string): boolean => dials !== 'numbers' && isListedExtension(short, line.dials) !== false;
  const keys = keysToDial(plain, regionsOf(line), isExtension);
  if (keys !== undefined || dials !== 'anything') return keys;
  // Of a network that knows all its addresses, such as the simulated one.
  const full = withoutSeparators(plain);
  if (/^\+\d{1,32}$/.test(full)) return full;
  return /^(?=.*[a-z])[\w.!~'&=+$,/@-]+$/i.test(plain) ? plain : undefined;
}

const sipParts = /^sip:([^@:;]+)(:[^@]*)?@(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?((?:;[\w.!~*'%=[\]:&+$-]+)*)$/i;

/** An address whose user is an extension, a name, or a telephone number, which becomes E.164; its host is a name or an IP address. */
function sipAddress(plain: string, line: CallingLine): string | undefined {
  const [, written = '', password = '', host = '', port = '', parameters = ''] = sipParts.exec(plain) ?? [];
  if (!isHost(host) || line.dials?.dialsAddresses === false) return undefined;
  const name = visible(decoded(written));
  const keys = keysToDial(name, regionsOf(line), () => true);
  const user = keys?.replaceAll('#', '%23') ?? (/^(?=.*[a-z])[\w.!~*'()&=+$,/-]+$/i.test(name) ? name : undefined);
  return user === undefined ? undefined : `sip:${user}${password}@${host}${port}${parameters}`;
}

/**
 * Why this address may not be called from one of our numbers. A short number of the network that costs extra is allowed if the account
 * lists it among its extensions.
 */
export function whyNotCalled(
  to: string,
  line: OurNumber & Pick<CallingLine, 'callsCostlyNumbers' | 'dials'>,
): string | undefined {
  const readings = keysOf(to);
  const regions = regionsOf(line);
  const region = regions.length === 1 ? regions[0] : undefined;
  const keys = (readings[0] ?? '').replace(serviceCode, '');
  // 011 is the international prefix of North America, but Delhi's area code in India, so a valid national number takes precedence.
  const [home, abroad] = [keys, keys.replace(exitCodes, '+')].map((each) => readNumber(each, region));
  const number = home && parseFully(home.number)?.isValid() ? home : abroad;
  const isValid = number !== undefined && parseFully(number.number)?.isValid() === true;
  if (!isValid && readings.some((each) => isEmergency(each, regions))) return 'is a number for emergencies';
  if (line.callsCostlyNumbers) return undefined;
  if (isShort(keys) && isListedExtension(keys, line.dials)) return undefined;
  const says = number && isValid ? whyCostly(number) : whyCostlyOtherwise(to, number, regions);
  return says ?? ((isShort(keys) || !isValid) && isServiceSomewhere(keys, regions) ? publicService : undefined);
}

const publicService = 'is a premium or directory number, unless the account lists it among its extensions';

/** Why an address that is no valid number may still reach a costly one, also by the digits within a name. */
function whyCostlyOtherwise(to: string, number: PhoneNumber | undefined, regions: readonly CountryCode[]): string | undefined {
  const meant = numbersMeant(to, regions).flatMap((each) => parsePhoneNumberFromString(each) ?? []);
  // Premium numbers that the library takes for invalid.
  const named = runsOf(userOf(to)).flatMap((run) => [
    readNumber(`+${run.replace('+', '')}`, undefined) ?? [],
    ...regions.map((region) => readNumber(run, region) ?? []),
  ]);
  return [...(number ? [number] : []), ...meant, ...named.flat()].map(whyCostly).find((says) => says !== undefined);
}
