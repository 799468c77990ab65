import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js';
import examples from 'libphonenumber-js/examples.mobile.json';
import { parsePhoneNumberFromString as parseFully } from 'libphonenumber-js/max';
import { addressToDial, numbersMeant, type OurNumber, regionOf, whyNotCalled as whyNotCalledFrom } from './callable-numbers';

const ours = { number: '+912025501234', country: null };
const people = { callsCostlyNumbers: false };
const whyNotCalled = (to: string, from: OurNumber, rules: typeof people) => whyNotCalledFrom(to, { ...from, ...rules });

describe('whether a number may be called', () => {
  it.each([
    ['+19005551234', 'is a premium number'],
    ['+1 (900) 555-1234', 'is a premium number'],
    ['sip:+19005551234@trunk.example', 'is a premium number'],
    ['sip:%2B19005551234:pw@trunk.example;transport=tcp', 'is a premium number'],
    ['011 1 900 555 1234', 'is a premium number'],
    ['+911900123456', 'is a premium number'],
    ['1900123456', 'is a premium number'],
    ['*671900123456', 'is a premium number'],
    ['+19005551234,,1', 'is a premium number'],
    ['+19005551234p1', 'is a premium number'],
    ['+19005551234x1', 'is a premium number'],
    ['sip:+19005551234,,@trunk.example', 'is a premium number'],
    ['+1900\u200b5551234', 'is a premium number'],
    ['+390899123456', 'is a premium number'],
    ['+499001234567', 'is a premium number'],
    ['+49900123456', 'is a premium number'],
    ['+491371234567', 'is a premium number'],
    ['+447012345678', 'is a premium number'],
    ['+449098790879', 'is a premium number'],
    ['+33899123456', 'is a premium number'],
    ['+881612345678', 'is a number of no country'],
    ['+97912345678', 'is a number of no country'],
    ['0088213212345', 'is a number of no country'],
    ['112', 'is a number for emergencies'],
    ['sip:911@pbx.example', 'is a number for emergencies'],
    ['+919820012345', undefined],
    ['09820012345', undefined],
    ['+14155552671', undefined],
    ['+15550102', undefined],
    ['011 4190 0123', undefined],
    ['011 2610 1234', undefined],
    ['+442071234567', undefined],
    ['+390612345678', undefined],
    ['+4930123456', undefined],
    ['+911800123456', undefined],
    ['205', undefined],
    ['1001', undefined],
    ['sip:support@pbx.example', undefined],
  ])('allows a number that is not premium: %s', (to, says) => {
    expect(whyNotCalled(to, ours, people)).toBe(says);
  });

  it.each([
    ...[
      '9-1-1',
      '9 1 1',
      '1 1 2',
      '(9)99',
      '9.1.1',
      '9/1/1',
      '9,1,1',
      '9;1;1',
      '９１１',
      '911;phone-context=x',
      '911@pbx',
      'tel:911',
    ],
    ...['sip:9-1-1@pbx.example', 'sip:9%2D11@pbx.example', 'sip:%39%31%31@pbx.example', 'sip:+1911:pw@pbx.example', 'sips:112@x'],
    ...['+911', '+1911', '001911', '0111911', '9911', '0112', '*67911', '*911', '#31#112', '+91112', '+91 100', '+910112'],
    ...['00112', '000112', '0 0112', '+0112', '+00112', '8911', '01911', '90112', '91911', '099911', 'sip:00112@pbx', '8~10 112'],
    ...['٩١١', '९११', '०११२', '+९१ १००', '0100', '9100', '00 100', '9 00 44 999', '0 011 44 999', '8 10 44 999', '9+911'],
    ...['+44999', '+44112', '0044 999', '+49110', '+61000'],
  ])('refuses emergency numbers in any disguise: %s', (to) => {
    expect(whyNotCalled(to, ours, { callsCostlyNumbers: true })).toBe('is a number for emergencies');
  });

  it.each([
    ['+912025501234', ['100', '101', '102', '108', '+91100', '91112'], ['000', '110', '105']],
    ['+61291234567', ['000', '106', '0 0 0'], ['100', '110']],
    ['+4930123456', ['110', '1-1-0'], ['100', '101']],
    ['+14155552671', ['1911', '1 9-1-1'], ['100', '110', '2911']],
    ['1000', ['000', '100', '101', '108', '110', '112', '8911', '0112'], ['205', '1001', '7000', '9100', '8101', '1112', '2112']],
  ])(
    'refuses the emergency numbers of the country of %s, or of all countries if that is unknown',
    (from, emergencies, others) => {
      for (const to of emergencies)
        expect([to, whyNotCalled(to, { number: from, country: null }, people)]).toEqual([to, 'is a number for emergencies']);
      for (const to of others) expect([to, whyNotCalled(to, { number: from, country: null }, people)]).toEqual([to, undefined]);
    },
  );

  it('falls back to the account’s country where our own number has none', () => {
    const extension = { number: '1000', country: 'DE' };
    for (const to of ['110', '0110', '112', '911', '999', '8911', '+4930 110']) {
      const says = whyNotCalled(to, extension, people);
      expect([to, says]).toEqual([to, to === '+4930 110' ? undefined : 'is a number for emergencies']);
    }
    for (const to of ['100', '101', '108', '000', '205'])
      expect([to, whyNotCalled(to, extension, people)]).toEqual([to, undefined]);
    // The country of our own number decides.
    expect(whyNotCalled('100', { ...ours, country: 'DE' }, people)).toBe('is a number for emergencies');
    // Numbers as dialled within that country.
    expect(whyNotCalled('0900 1234567', extension, people)).toBe('is a premium number');
  });

  it.each([
    [
      { dials: 'numbers', dialsAddresses: true },
      { '09820009922': '+919820009922', '+9198220\u200b09922': '+919822009922', '12124567890': '', '205': '', agent: '' },
    ],
    [
      { dials: 'numbers', dialsAddresses: false },
      { '+1 (212) 456-7890': '+12124567890', 'sip:support@pbx.example': '', 'sip:+919820009922@pbx.example': '' },
    ],
    [
      { dials: 'extensions', dialsAddresses: true },
      { '20\u20605': '205', '*97': '*97', '09820009922': '+919820009922', '449098790123': '', '0 09820009922': '' },
    ],
    [
      { dials: 'extensions', dialsAddresses: false },
      { '1-0-0-1': '1001', '+15550102': '', 'sip:1001@pbx.example': '', agent: '', '*679820009922': '' },
    ],
    [
      { dials: 'anything', dialsAddresses: true },
      { 'sip:desk@-.example': '', 'sip:desk@a..b': '', 'sip:desk@xn--': '', 'sip:desk@10.0.0.1': 'sip:desk@10.0.0.1' },
    ],
    [
      { dials: 'anything', dialsAddresses: true },
      { agent: 'agent', '\u202asip:sup\u00adport@pbx.example\u202c': 'sip:support@pbx.example', '<agent>': '', 'a b': '' },
    ],
  ] as const)('is dialled in full, or refused, by a network that dials %j', (dials, cases) => {
    for (const [to, address] of Object.entries(cases)) {
      const line = { ...ours, ...people, dials };
      expect([to, addressToDial(to, line)]).toEqual([to, address === '' ? { says: expect.any(String) } : { address }]);
      // What is dialled is read as itself, as when it is judged again before it is dialled.
      if (address !== '') expect(addressToDial(address, line)).toEqual({ address });
    }
  });

  it.each([
    ['desk+912025550456', ['+912025550456']],
    ['+91O2025550456', ['+912025550456']],
    ['sip:desk-9820012345@pbx.example', ['+919820012345']],
    ['+4479460018991234', ['+447946001899']],
  ])('may be in a name, or precede surplus digits: %s', (called, numbers) => {
    expect(numbersMeant(called, ['IN'])).toEqual(expect.arrayContaining(numbers));
  });

  it.each([
    ['sip:desk+449098790123@x'],
    ['desk+449098790123'],
    ['sip:449098790123desk@x'],
    ['+44909879012399'],
    ['+8816314100001234567'],
  ])('is refused if a network may find a premium number in it: %s', (to) => {
    expect(whyNotCalled(to, ours, people)).toMatch(/^is a (?:premium number|number of no country)$/);
  });

  it.each([['sip:desk+112@pbx.example'], ['desk+112']])('is refused if a name ends with an emergency number: %s', (to) => {
    expect(whyNotCalled(to, ours, people)).toBe('is a number for emergencies');
  });

  it('allows every valid number', () => {
    for (const to of ['+919119112112', '+14159110112', '+442079460911', '+911125501112', '+49110112', '9119112112'])
      expect([to, whyNotCalled(to, ours, people)]).toEqual([to, undefined]);
  });

  it('allows premium numbers if the operator does, but never emergency numbers', () => {
    expect(whyNotCalled('+19005551234', ours, { callsCostlyNumbers: true })).toBeUndefined();
    expect(whyNotCalled('112', ours, { callsCostlyNumbers: true })).toBe('is a number for emergencies');
  });

  it.each([
    ['+919811199999'],
    ['+91 98111 99999'],
    ['09811199999'],
    ['9811199999'],
    ['0091 98111 99999'],
    ['011919811199999'],
    ['*679811199999'],
    ['*67+919811199999'],
    ['sip:9811199999@trunk.example'],
    ['sip:9811199999:pw@trunk.example'],
    ['sip:9811199999%20@trunk.example'],
    ['sip:%2B919811199999@trunk.example'],
    ['sip:+919811199999;phone-context=x@trunk.example'],
  ])('finds the number a network would dial: %s', (called) => {
    expect(numbersMeant(called, ['IN'])).toContain('+919811199999');
  });

  it.each([
    ...['+5215512345678', '5215512345678', '15512345678', '00521 55 1234 5678', '+52 55 1234 5678'],
    ...['044 55 1234 5678', '045 55 1234 5678', '01 55 1234 5678', '+52 01 55 1234 5678'],
  ])('dials a mobile of Mexico as today, without the prefixes of before 2020: %s', (to) => {
    const line = { number: '+525512340000', country: null, ...people };
    expect(addressToDial(to, line)).toEqual({ address: '+525512345678' });
    expect(numbersMeant(to, ['MX'])).toEqual(['+525512345678']);
  });

  const everywhere = getCountries().flatMap((country) => getExampleNumber(country, examples) ?? []);

  it('reads a number of a country to the same one, with any zeros before its area, and reads the result as itself', () => {
    expect(everywhere.length).toBeGreaterThan(200);
    const line = { ...ours, ...people };
    const read = everywhere.flatMap(({ number, countryCallingCode: code, nationalNumber }) =>
      [0, 1, 3].map((zeros) => {
        const written = `+${code} ${'0'.repeat(zeros)}${nationalNumber}`;
        const { address } = addressToDial(written, line);
        const again = address === undefined ? undefined : addressToDial(address, line).address;
        return { written, number, address, again };
      }),
    );
    expect(read.filter(({ address, again }) => again !== address)).toEqual([]);
    // Countries with significant zeros have other numbers with one more; nowhere else may zeros lead to two spellings of one person.
    const others = read.filter(({ number, address }) => address !== undefined && address !== number);
    expect(others.filter(({ address = '' }) => !parseFully(address)?.isValid())).toEqual([]);
    expect(others.length).toBeLessThan(read.length / 50);
    expect(read.filter(({ address }) => address !== undefined).length).toBeGreaterThan(read.length * 0.9);
  });

  it.each(['+31 00 112', '+3100112', '+49 000 110', '+91 0000 112', 'sip:+3100112@pbx.example'])(
    'finds an emergency number behind zeros: %s',
    (to) => expect(addressToDial(to, { ...ours, ...people }).says).toBeDefined(),
  );

  it.each([
    ...['sip:user019001.23456@x', 'sip:user01900123456@x', 'sip:desk-0190-012-3456@pbx.example'],
    'sip:user49900/12345/678@x',
  ])('finds a premium number within a name, also one that the library takes for invalid: %s', (to) =>
    expect(addressToDial(to, { ...ours, ...people }).says).toBe('is a premium number'),
  );

  it('leaves numbers alone that are already in full', () => {
    expect(numbersMeant('+914155552671', ['IN'])).toEqual(['+914155552671']);
    expect(numbersMeant('sip:support@pbx.example', ['IN'])).toEqual([]);
    expect(numbersMeant('1001', ['IN'])).toEqual([]);
  });

  it.each(['+14', '+99', '+910', '+1555911', '+44123', '+999999999', '+0441234567', '+12129761234', '+12125551212'])(
    'leads a carrier that reaches the whole network to no number that is none, or costs extra: %s',
    (to) => {
      const dials = { dials: 'extensions', dialsAddresses: true } as const;
      for (const address of [to, `sip:${to}@pbx.example`])
        expect(addressToDial(address, { ...ours, ...people, dials })).toEqual({ says: expect.any(String) });
    },
  );

  describe.each([
    { number: '+12124567890', country: null, services: ['411', '9761234'] },
    { number: '+442071234567', country: null, services: ['118500', '9118500'] },
    { number: '+4930123456', country: null, services: ['11880', '0137123'] },
    { number: '+912025501234', country: null, services: ['197', '1860123'] },
    { number: '1000', country: 'FR', services: ['3200', '118218'] },
  ])('as an extension of a line with the number $number ($country)', ({ number, country, services }) => {
    const line = { number, country, ...people };
    const dials = { dials: 'extensions', dialsAddresses: true } as const;
    const extensions = services.map((from) => ({ from, to: from }));

    it('is no directory or premium number of its country, unless the account lists it, or the operator allows those', () => {
      for (const to of services.flatMap((each) => [each, `sip:${each}@pbx.example`, `*67${each}`]))
        expect([to, addressToDial(to, { ...line, dials }).says]).toEqual([to, expect.stringMatching(/^is a premium/)]);
      for (const to of services.flatMap((each) => [each, `sip:${each}@pbx.example`])) {
        expect(addressToDial(to, { ...line, dials, callsCostlyNumbers: true })).toEqual({ address: to });
      }
      for (const to of services) expect(addressToDial(to, { ...line, dials: { ...dials, extensions } })).toEqual({ address: to });
    });

    it('is none behind a plus or the code of a country either, whatever the account lists', () => {
      const code = getCountryCallingCode(regionOf(number) ?? 'FR');
      const prefixes = ['+', `+${code}`, `00${code}`, `+${code}0`, `+${code} `, `(+${code})`];
      for (const to of services.flatMap((service) => prefixes.map((prefix) => prefix + service)))
        for (const kind of ['extensions', 'anything', 'numbers'] as const)
          for (const address of [to, `sip:${to}@pbx.example`, `sip:${to.replace('+', '%2B')}@pbx.example`]) {
            const read = addressToDial(address, { ...line, dials: { dials: kind, dialsAddresses: true, extensions } });
            expect([address, kind, read]).toEqual([address, kind, { says: expect.any(String) }]);
          }
      // Without a plus they may be a complete number: 4911880 in Germany.
      for (const to of services.map((service) => code + service))
        expect(addressToDial(to, { ...line, dials }).address).not.toBe(to);
    });

    it('is one that the account lists, if it lists any, and never an emergency number', () => {
      const listed = {
        ...line,
        dials: { ...dials, extensions: [...extensions, { from: '200', to: '299' }, { from: '112', to: '112' }] },
      };
      expect(addressToDial('205', listed)).toEqual({ address: '205' });
      for (const to of ['305', '2050', '20'])
        expect([to, addressToDial(to, listed).says]).toEqual([to, expect.stringContaining('none of')]);
      expect(addressToDial('112', listed).says).toBe('is a number for emergencies');
      expect(addressToDial('305', { ...line, dials })).toEqual({ address: '305' });
    });
  });
});
