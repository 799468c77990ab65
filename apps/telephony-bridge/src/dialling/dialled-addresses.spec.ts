import { addDoNotCall, placeCall, saveCarrierAccount, saveNumber } from '@parley/contracts';
import { eventually } from '@parley/testing';
import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';

/** Ordinary numbers of several countries, which are listed, and numbers that cost more than a call. */
const listed = [
  '+12124567890',
  '+14155550123',
  '+919820012345',
  '+912025550456',
  '+442079460018',
  '+4915112345678',
  '+33612345678',
];
const costly = [
  ...['+449098790123', '+447012345678', '+4990012345678', '+33899123456', '+911900123456', '+19005550123'],
  ...['+881631410000', '+870773123456', '+882161234567', '+883510000000'],
];
const unwanted = new Set([...listed, ...costly]);

/** Everything that a carrier in India may understand by the string it was given, by which the outcome is judged without any code of the bridge. */
function meanings(address: string): string[] {
  const user = decodeURIComponent(/^(?:sips?:|tel:)?([^@;:?]*)/i.exec(address)?.[1] ?? address);
  const runs = [user, ...user.split(/[a-z]+/i)].map((run) => run.replaceAll(/[^\d+]/g, '')).filter((run) => run.length >= 8);
  return runs.flatMap((run) => {
    const digits = run.replaceAll('+', '');
    // With a plus a number is complete, and nothing else can be meant.
    return run.startsWith('+') ? [`+${digits}`] : [`+${digits}`, parsePhoneNumberFromString(digits, 'IN')?.number ?? ''];
  });
}

const grouped = (digits: string) =>
  fc
    .tuple(fc.constantFrom('', '-', ' ', '.', '/', '\u2011', '\u200b', '\u00a0'), fc.integer({ min: 1, max: 5 }))
    .map(([separator, size]) => (digits.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(separator));
const inScript = (text: string) =>
  fc
    .constantFrom('0', '\u0966', '\u0660', '\uff10')
    .map((zero) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit))));
const prefixes = ['', '+', '00', '011', '0', '1', '91', '*67', '*31#', '9', '9011', '(', '+ ', '\uff0b'];
const addressForms: readonly ((keys: string) => string)[] = [
  (keys) => keys,
  (keys) => keys,
  (keys) => `sip:${keys}@x`,
  (keys) => `SIP:${encodeURIComponent(keys)}@trunk.example`,
  (keys) => `sips:${keys}:pw@trunk.example;transport=tls`,
  (keys) => `sip:${keys.replace('+', '%2B')}@x`,
  (keys) => `sip:user${keys}@x`,
  (keys) => `sip:x@${keys}`,
  (keys) => `sip:${keys};phone-context=example.com@x`,
  (keys) => `tel:${keys}`,
  (keys) => `<sip:${keys}@x>`,
  (keys) => `${keys},,1`,
  (keys) => `${keys}*9`,
  (keys) => `${keys} ext 5`,
];

/** Spellings of unwanted numbers, whole or without their country's code, within the length that a request may have. */
const spelling = fc
  .constantFrom(...unwanted)
  .chain((number) => fc.constantFrom(number.slice(1), String(parsePhoneNumberFromString(number)?.nationalNumber)))
  .chain(grouped)
  .chain((digits) => fc.constantFrom(...prefixes).map((prefix) => prefix + digits))
  .chain(inScript)
  .chain((keys) => fc.constantFrom(...addressForms).map((form) => form(keys)))
  .filter((to) => to.trim().length >= 3 && to.trim().length <= 32);

describe('the addresses that carriers dial', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open({ CALLS_PER_ORGANIZATION: '1000', CALLS_WAITING_PER_ORGANIZATION: '1000' });
    shop = await harness.shop();
    await shop.ask(addDoNotCall, { ContactNumbers: [...listed], reason: '' });
  });
  beforeEach(() => {
    harness.network.placed.splice(0);
  });
  afterAll(() => harness.close());

  /** Places a call; returns what the carrier was given, or nothing if the call was refused. */
  async function dialledFor(to: string, NumberKeyID = shop.number.NumberKeyID): Promise<string | undefined> {
    const placed = await shop.ask(placeCall, { AgentID: 12, to, NumberKeyID }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(?:CONFLICT|VALIDATION_FAILED)$/) });
    });
    if (!placed) return undefined;
    const isThis = ({ reference }: { reference: string }) => reference === placed.CallKeyID;
    await eventually(`${to} is dialled`, () => harness.network.placed.some(isThis));
    const dialled = harness.network.placed.find(isThis)?.to;
    expect(placed.to).toBe(dialled);
    return dialled;
  }

  it('are never listed or costly numbers, however they were written', async () => {
    await fc.assert(
      fc.asyncProperty(spelling, async (to) => {
        const dialled = await dialledFor(to);
        if (dialled !== undefined) expect(meanings(dialled).filter((number) => unwanted.has(number))).toEqual([]);
      }),
      { numRuns: 400, endOnFailure: true },
    );
  });

  it.each([
    ['09820012399', '+919820012399'],
    ['9820012399', '+919820012399'],
    ['919820012399', '+919820012399'],
    ['0091 98200-12399', '+919820012399'],
    ['+1 (212) 456-7899', '+12124567899'],
    ['tel:+919820012399', '+919820012399'],
    ['sip:9820012399@pbx.example', 'sip:+919820012399@pbx.example'],
    ['SIP:%2B919820012399:pw@x.io;a=1', 'sip:+919820012399:pw@x.io;a=1'],
    ['sip:support@pbx.example', 'sip:support@pbx.example'],
    ['sip:1001@192.0.2.1:5080', 'sip:1001@192.0.2.1:5080'],
  ])('are complete: for %s from India %s', async (to, dialled) => {
    expect(await dialledFor(to)).toBe(dialled);
  });

  it.each([
    ...['12124567899', '1-212-456-7899', '442079460099', '4915112345699', '+91982001', '9 011 91 9820012399', '*67 9820012399'],
    ...['+919820012399,,1', '+919820012399x5', '198', 'reception', 'sip:12124567899@x', 'sip:+919820012399@112'],
    ...['sip:+919820012399@+912025550456', 'sip:1001', 'sip:;a@x', 'sip:1001;phone-context=+91@x', 'sips:1001@pbx.example'],
    ...['sip:a b@x', 'sip:a@x?b=c', '<sip:1001@x>', 'sip:%00@x', 'sip:%@x', 'tel:1001;phone-context=+91'],
  ])('are refused with words if they cannot be read with certainty: %s', async (to) => {
    const refused = shop.ask(placeCall, { AgentID: 12, to });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'to' }] });
    expect(harness.network.placed).toEqual([]);
  });

  it('follow the country of the account where our own number implies none', async () => {
    const { CarrierAccountKeyID } = shop.account;
    const { NumberKeyID } = await shop.ask(saveNumber, { CarrierAccountKeyID, number: '1000', AgentID: 12 });
    expect(await dialledFor('(212) 456-7899', NumberKeyID)).toBeUndefined();
    await shop.ask(saveCarrierAccount, { CarrierAccountKeyID, country: 'US' });
    expect(await dialledFor('(212) 456-7899', NumberKeyID)).toBe('+12124567899');
    expect(await dialledFor('1-212-456-7898', NumberKeyID)).toBe('+12124567898');
    expect(await dialledFor('1-212-456-7890', NumberKeyID)).toBeUndefined();
  });
});
