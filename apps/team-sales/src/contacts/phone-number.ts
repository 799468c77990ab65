import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';

/** A number as people write it, as E.164; undefined when it is none. Without a country prefix it is read as one of `region`. */
export function toE164(written: string, region: string): string | undefined {
  const number = parsePhoneNumberFromString(written, { ...countryOf(region), extract: false });
  return number?.isValid() ? number.number : undefined;
}

function countryOf(region: string): { defaultCountry?: CountryCode } {
  return isSupportedCountry(region) ? { defaultCountry: region } : {};
}
