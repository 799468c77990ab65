import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { callerFor, regionKey, regionOf, zoneOfRegion, zonesOfNumber } from './regions';

const callers = ['+912025501234', '+12125550100', '+912025501235'];

describe('the caller number for a contact', () => {
  it('is one of the contact’s country: the same first, another for each further attempt', () => {
    const from = (id: number, attempt: number) => callerFor(callers, { id, region: 'IN Asia/Kolkata', attempt });
    expect([from(2, 1), from(2, 1), from(2, 2), from(2, 3)]).toEqual([
      ...['+912025501234', '+912025501234'],
      ...['+912025501235', '+912025501234'],
    ]);
    expect(from(3, 1)).toBe('+912025501235');
    expect(callerFor(callers, { id: 3, region: 'US America/New_York', attempt: 2 })).toBe('+12125550100');
  });

  it('is any of them in turn if none is of the country, and none if the carrier refuses all', () => {
    const from = (id: number) => callerFor(callers, { id, region: 'FR Europe/Paris', attempt: 1 });
    expect(new Set([0, 1, 2].map(from))).toEqual(new Set(callers));
    expect(callerFor([], { id: 1, region: 'FR Europe/Paris', attempt: 1 })).toBeUndefined();
  });
});

const region = (number: string, zone?: string) => regionKey({ number, ...(zone && { zone }) }, 'Asia/Kolkata');

describe('the time zone of a contact', () => {
  it.each([
    ['+12125550187', 'US America/New_York'],
    ['+13125550187', 'US America/Chicago'],
    ['+13035550187', 'US America/Denver'],
    ['+16025550187', 'US America/Phoenix'],
    ['+14155550187', 'US America/Los_Angeles'],
    ['+18085550187', 'US Pacific/Honolulu'],
    ['+16045550187', 'CA America/Vancouver'],
    ['+19025550187', 'CA America/Halifax'],
    ['+5511987654321', 'BR America/Sao_Paulo'],
    ['+5592987654321', 'BR America/Manaus'],
    ['+61298765432', 'AU Australia/Sydney'],
    ['+61889412345', 'AU Australia/Darwin'],
    ['+61894123456', 'AU Australia/Perth'],
    ['+525512345678', 'MX America/Mexico_City'],
    ['+526641234567', 'MX America/Tijuana'],
    ['+74951234567', 'RU Europe/Moscow'],
    ['+74231234567', 'RU Asia/Vladivostok'],
    ['+622112345678', 'ID Asia/Jakarta'],
    ['+62361123456', 'ID Asia/Makassar'],
    ['+919820012345', 'IN Asia/Kolkata'],
  ])('follows from the prefix of %s: %s', (number, expected) => {
    expect(region(number)).toBe(expected);
  });

  it('is each of several that an area covers, and all of the country’s if the number does not tell', () => {
    expect(region('+18505550187')).toBe('US America/Chicago,America/New_York');
    expect(regionOf('US America/Chicago,America/New_York')).toEqual({
      country: 'US',
      zones: ['America/Chicago', 'America/New_York'],
    });
    expect(region('+61412345678')).toBe('AU *');
    expect(regionOf('AU *').zones.length).toBeGreaterThan(5);
    expect([zoneOfRegion('AU *'), zoneOfRegion('US America/Chicago,America/New_York')]).toEqual([null, null]);
    expect(zoneOfRegion('US America/Chicago')).toBe('America/Chicago');
  });

  it('is its own rather than its number’s, under one name however it is written', () => {
    expect(region('+12125550187', 'Pacific/Honolulu')).toBe('US Pacific/Honolulu');
    expect(new Set(['Asia/Kolkata', 'Asia/Calcutta', 'asia/kolkata'].map((zone) => region('+12125550187', zone)))).toEqual(
      new Set(['US Asia/Kolkata']),
    );
  });

  it('is known for every area code in use in the United States and Canada', () => {
    const unknown: string[] = [];
    for (let code = 200; code < 1000; code += 1) {
      const number = parsePhoneNumberFromString(`+1${code}5550187`);
      const isOfAPlace = number?.getType() === 'FIXED_LINE_OR_MOBILE' && (number.country === 'US' || number.country === 'CA');
      if (isOfAPlace && zonesOfNumber(number.country ?? '', number.nationalNumber) === undefined)
        unknown.push(`${number.country} ${code}`);
    }
    expect(unknown).toEqual([]);
  });

  it('is known to this runtime, for every table', () => {
    const codes = Array.from({ length: 1000 }, (_, code) => String(code));
    const zones = ['US', 'AU', 'BR', 'ID', 'MX', 'RU'].flatMap((country) =>
      codes.flatMap((code) => zonesOfNumber(country, code) ?? []),
    );
    for (const timeZone of new Set(zones)) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
    expect(new Set(zones).size).toBeGreaterThan(30);
  });
});
