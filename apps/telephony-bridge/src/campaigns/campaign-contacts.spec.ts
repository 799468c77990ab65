import {
  addCampaignContacts,
  contactVariablesMax,
  exportCampaignContacts,
  getCall,
  getCampaign,
  listCampaignContacts,
  previewCampaign,
  saveCampaign,
  saveLegalHours,
  testCampaign,
  uploadCampaignContacts,
  Variables,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { openNumbers } from '../testing/open-numbers';
import { weekdays } from './campaign.wire';

const file = { fileKey: 'contacts/1/due.csv', fileName: 'due.csv', size: 10, contentType: 'text/csv' };

describe('the contacts of a campaign', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  let CampaignKeyID: string;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
  });
  beforeEach(async () => {
    shop = await harness.shop();
    const fields = { CampaignName: 'Renewals', AgentID: 12, CallerNumber: shop.number.number };
    ({ CampaignKeyID } = await shop.ask(saveCampaign, fields));
  });
  afterEach(() => harness.scripted.reset());
  afterAll(() => harness.close());

  const rows = async (query: object = {}) =>
    (await shop.ask(listCampaignContacts, { CampaignKeyID, sortOrder: 'ASC', ...query })).rows;

  it('are typed in with their own variables, each number once; bad rows are listed', async () => {
    const Contacts = [
      { ContactNumber: '098200 12345', CustomerName: 'Ravi', variables: { due_amount: 1200 } },
      { ContactNumber: 'twelve' },
      { ContactNumber: '+91 98200 12345' },
      { ContactNumber: '00919820012346' },
    ];
    const added = await shop.ask(addCampaignContacts, { CampaignKeyID, Contacts });
    expect(added).toEqual({
      addedCount: 2,
      repeatedCount: 1,
      errorCount: 1,
      errors: [{ row: 2, field: 'ContactNumber', message: 'is not a telephone number' }],
      ignoredColumns: [],
      contactCount: 2,
      notice: null,
    });
    expect(await rows()).toMatchObject([
      { ContactNumber: '+919820012345', CustomerName: 'Ravi', variables: { due_amount: 1200 }, state: 'WAITING', attempts: 0 },
      { ContactNumber: '+919820012346', disposition: null, result: null },
    ]);
    expect(await rows({ searchName: 'ravi' })).toHaveLength(1);
    expect(await rows({ state: 'COMPLETED' })).toHaveLength(0);
  });

  it('are chosen from the organization’s contacts; unknown ids are listed by position', async () => {
    harness.scripted.contacts = [{ ContactID: 3 }, { ContactID: 4 }];
    const added = await shop.ask(addCampaignContacts, { CampaignKeyID, ContactIDs: [4, 99_999, 3, 99_999] });
    expect(added).toMatchObject({ addedCount: 2, repeatedCount: 0, errorCount: 1, contactCount: 2 });
    expect(added.errors).toEqual([{ row: 2, field: 'ContactIDs', message: 'There is no contact 99999' }]);
    await expect(shop.ask(addCampaignContacts, { CampaignKeyID, ContactIDs: [99_999] })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'ContactIDs.0', message: 'There is no contact 99999' }],
    });
    await expect(shop.ask(saveCampaign, { CampaignKeyID, ContactIDs: [3, 99_999], CampaignName: 'Other' })).rejects.toMatchObject(
      {
        code: 'VALIDATION_FAILED',
        details: [{ field: 'ContactIDs.1', message: 'There is no contact 99999' }],
      },
    );
    expect(await shop.ask(getCampaign, { CampaignKeyID })).toMatchObject({ CampaignName: 'Renewals', contactCount: 2 });
  });

  it('are called in their own time zone, or in that of their number', async () => {
    harness.scripted.contacts = [{ ContactID: 5, ContactNumber: '+14155550187', TimeZone: 'Pacific/Honolulu' }];
    await shop.ask(addCampaignContacts, { CampaignKeyID, ContactIDs: [5] });
    const Contacts = [
      { ContactNumber: '+12125550187', TimeZone: 'asia/calcutta' },
      { ContactNumber: '+12125550188', TimeZone: null },
      { ContactNumber: '+18505550187' },
      { ContactNumber: '+12125550189', TimeZone: 'Mars/Olympus' },
      { ContactNumber: '+12125550190', TimeZone: '+05:30' },
    ];
    const added = await shop.ask(addCampaignContacts, { CampaignKeyID, Contacts });
    const message = 'is not an IANA time zone such as Asia/Kolkata';
    expect(added.errors).toEqual([4, 5].map((row) => ({ row, field: 'TimeZone', message })));
    harness.scripted.contactFile = [
      {
        rows: [{ row: 2, ContactNumber: '+61412345678', CustomerName: '', TimeZone: 'Australia/Perth', variables: {} }],
        errors: [],
      },
    ];
    await shop.ask(uploadCampaignContacts, { CampaignKeyID, file });
    expect((await rows()).map(({ ContactNumber, TimeZone }) => [ContactNumber, TimeZone])).toEqual([
      ['+14155550187', 'Pacific/Honolulu'],
      ['+12125550187', 'Asia/Kolkata'],
      ['+12125550188', 'America/New_York'],
      ['+18505550187', null],
      ['+61412345678', 'Australia/Perth'],
    ]);
  });

  it('can be called at enough hours in the United States, whose area codes tell the zone', async () => {
    const ContactNumber = '+14155550187';
    await shop.ask(addCampaignContacts, { CampaignKeyID, Contacts: [{ ContactNumber }] });
    await shop.ask(saveCampaign, { CampaignKeyID, CallingHours: { days: [...weekdays], from: '08:00', to: '08:01' } });
    const [contact] = await rows();
    const shown = { timeZone: 'America/Los_Angeles', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    expect(new Intl.DateTimeFormat('en', shown).format(new Date(contact?.nextCallAt ?? 0))).toBe('08:00');
  });

  it('have no more variables than a call of theirs can pass on', async () => {
    const withVariables = (count: number) => ({
      ContactNumber: '+919820012345',
      variables: Object.fromEntries(Array.from({ length: count }, (_, place) => [`a${place}`, place])),
    });
    const add = (count: number) => shop.ask(addCampaignContacts, { CampaignKeyID, Contacts: [withVariables(count)] });
    await expect(add(contactVariablesMax + 1)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(add(contactVariablesMax)).resolves.toMatchObject({ addedCount: 1 });
    const named = { ...withVariables(contactVariablesMax).variables, name: 'Ravi', CustomerName: 'Ravi', campaignID: 3 };
    expect(Variables.safeParse(named).success).toBe(true);
    expect(Variables.safeParse({ ...named, one: 'more' }).success).toBe(false);
  });

  it('are added beside invalid numbers, however long, and refused if none is valid', async () => {
    const bad = [{ ContactNumber: '1' }, { ContactNumber: '9'.repeat(40) }, { ContactNumber: '' }];
    const long = { ContactNumber: '+919820012347', CustomerName: 'x'.repeat(201) };
    const added = await shop.ask(addCampaignContacts, {
      CampaignKeyID,
      Contacts: [...bad, { ContactNumber: '+919820012345' }, long],
    });
    expect(added).toMatchObject({ addedCount: 1, errorCount: 4, contactCount: 1 });
    const message = 'is not a telephone number';
    expect(added.errors).toEqual([
      ...[1, 2].map((row) => ({ row, field: 'ContactNumber', message })),
      { row: 3, field: 'ContactNumber', message: 'is required' },
      { row: 5, field: 'CustomerName', message: 'is longer than 200 characters' },
    ]);
    await expect(shop.ask(addCampaignContacts, { CampaignKeyID, Contacts: bad.slice(0, 2) })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [0, 1].map((index) => {
        const field = `Contacts.${index}.ContactNumber`;
        return { field, message: `${field} ${message}` };
      }),
    });
  });

  it.each([
    ['+911860123', 'is not a telephone number'],
    ['112', 'is not a telephone number'],
    ['108', 'is not a telephone number'],
    ['+44112', 'is not a telephone number'],
    ['+19005550123', 'is a premium number, which campaigns do not call'],
    ['+870773111632', 'is a number of no country, which campaigns do not call'],
    ['+449098790879', 'is a premium number, which campaigns do not call'],
  ])('are never emergency, short or premium numbers: %s', async (ContactNumber, message) => {
    const asked = shop.ask(addCampaignContacts, { CampaignKeyID, Contacts: [{ ContactNumber }] });
    const field = 'Contacts.0.ContactNumber';
    await expect(asked).rejects.toMatchObject({ details: [{ field, message: `${field} ${message}` }] });
    await expect(shop.ask(testCampaign, { CampaignKeyID, to: ContactNumber })).rejects.toMatchObject({
      details: [{ field: 'to', message: `to ${message}` }],
    });
    harness.scripted.contacts = [{ ContactID: 5, ContactNumber }];
    await expect(shop.ask(addCampaignContacts, { CampaignKeyID, ContactIDs: [5] })).rejects.toMatchObject({
      details: [{ field: 'ContactIDs.0', message: expect.stringContaining(message) }],
    });
  });

  it('are read from a file, with the rows that could not be read', async () => {
    const row = (at: number) => ({ row: at, ContactNumber: `+9198200123${at}`, CustomerName: '', variables: { plan: 'gold' } });
    harness.scripted.contactFile = [
      {
        rows: [row(10), row(11)],
        errors: [{ row: 12, field: 'ContactNumber', message: 'is required' }],
        ignoredColumns: ['Notes'],
      },
      { rows: [row(13)], errors: [] },
    ];
    const added = await shop.ask(uploadCampaignContacts, { CampaignKeyID, file, mapping: { Mobile: 'ContactNumber' } });
    expect(added).toMatchObject({ addedCount: 3, errorCount: 1, errors: [{ row: 12 }], contactCount: 3 });
    expect(added.ignoredColumns).toEqual(['Notes']);
    expect((await rows())[0]).toMatchObject({ variables: { plan: 'gold' } });
    harness.scripted.contactFile = [{ rows: [], errors: [{ row: 2, field: 'ContactNumber', message: 'is required' }] }];
    await expect(shop.ask(uploadCampaignContacts, { CampaignKeyID, file })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'file', message: 'Line 2: ContactNumber is required' }],
    });
  });

  it('are limited to a hundred thousand; a larger request adds none', async () => {
    harness.scripted.contacts = Array.from({ length: 100_001 }, (_, at) => ({ ContactID: at + 1 }));
    const asked = shop.ask(addCampaignContacts, { CampaignKeyID, filter: { City: 'Pune' } });
    await expect(asked).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('100000 contacts') });
    expect((await shop.ask(getCampaign, { CampaignKeyID })).contactCount).toBe(0);
  });

  it('are not all added when a filter is misspelt', async () => {
    harness.scripted.contacts = [{ ContactID: 1 }, { ContactID: 2 }];
    const wanted = { CampaignKeyID, filter: Object.fromEntries([['Citty', 'Pune']]) };
    await expect(shop.ask(addCampaignContacts, wanted)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((await shop.ask(getCampaign, { CampaignKeyID })).contactCount).toBe(0);
  });

  it('are exported as CSV without formulas', async () => {
    const variables = { due_amount: 1200, state: '@SUM(A1)', will_pay: true, '=2+3': 'x' };
    const Contacts = [
      { ContactNumber: '+919820012345', CustomerName: '=1+1', variables },
      { ContactNumber: '+12125550187', variables: { plan: 'gold' } },
    ];
    await shop.ask(addCampaignContacts, { CampaignKeyID, Contacts });
    const [first, second] = await rows();
    const properties = {
      will_pay: { type: 'boolean' as const },
      sum: { type: 'number' as const },
      at: { type: 'string' as const },
    };
    await shop.ask(saveCampaign, { CampaignKeyID, ResultSchema: { properties } });
    let csv = '';
    const { principal } = shop;
    for await (const part of harness.bus.stream(exportCampaignContacts, { CampaignKeyID }, { principal })) csv += part.csv;
    const [header, line, other] = csv.split('\r\n');
    const fixed =
      'CampaignContactID,ContactID,CustomerName,ContactNumber,TimeZone,state,attempts,disposition,cause,' +
      'nextCallAt,lastCallAt,lastOutcome,lastCallSeconds,creditsUsed,CallKeyID,CallID,UpdatedOn';
    expect(header).toBe(`${fixed},"'=2+3",due_amount,plan,variables.state,variables.will_pay,will_pay,sum,at,resultReason`);
    const start = `${first?.CampaignContactID},,"'=1+1",+919820012345,Asia/Kolkata,WAITING,0,,,${first?.nextCallAt},,,,,,,`;
    expect(line).toBe(`${start}${first?.UpdatedOn},x,1200,,"'@SUM(A1)",true,,,,`);
    expect(other).toContain(`${second?.CampaignContactID},,,+12125550187,America/New_York,WAITING,`);
    expect(other?.endsWith(',,,gold,,,,,,')).toBe(true);
  });

  it('preview what the agent would say to the first of them, and name variables without a value', async () => {
    harness.scripted.prompts = { Greeting: 'Hello {{name}}!', SystemPrompt: '{{due_amount}} are due by {{due_date|today}}.' };
    const Contacts = [{ ContactNumber: '+919820012345', CustomerName: 'Ravi', variables: { due_amount: 1200 } }];
    await shop.ask(addCampaignContacts, { CampaignKeyID, Contacts });
    expect(await shop.ask(previewCampaign, { CampaignKeyID })).toMatchObject({
      ContactNumber: '+919820012345',
      greeting: 'Hello Ravi!',
      prompt: '1200 are due by today.',
      unfilled: [{ name: 'due_date', default: 'today' }],
    });
    expect((await shop.ask(previewCampaign, { CampaignKeyID, variables: { name: 'Asha' } })).greeting).toBe('Hello Asha!');
  });

  it('are not touched by a test call, which uses the first one’s variables', async () => {
    await shop.ask(addCampaignContacts, { CampaignKeyID, Contacts: [{ ContactNumber: '+919820012345', CustomerName: 'Ravi' }] });
    const [to = ''] = openNumbers(1);
    const test = await shop.ask(testCampaign, { CampaignKeyID, to });
    await eventually('it rings', async () => (await shop.ask(getCall, test)).carrierCallID !== null);
    expect(harness.network.placed.at(-1)).toMatchObject({ to, from: shop.number.number });
    expect(test.CampaignID).toBeNull();
    expect((await shop.ask(getCampaign, { CampaignKeyID })).progress).toMatchObject({ waiting: 1, active: 0 });
  });

  it.each(['911', 'banana', '+91 98200'])('are telephone numbers, as is the target of a test call: %j is refused', async (to) => {
    await expect(shop.ask(testCampaign, { CampaignKeyID, to })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'to', message: 'to is not a telephone number' }],
    });
  });

  it('are called within the organization’s legal hours only', async () => {
    const [to = ''] = openNumbers(1);
    const inThreeDays = new Date(Date.now() + 3 * 86_400_000);
    const days = weekdays.filter((_name, day) => day === inThreeDays.getUTCDay());
    await shop.ask(saveLegalHours, { Country: '*', hours: { from: '10:00', to: '11:00', days } });
    const placed = harness.network.placed.length;
    const opening = new RegExp(`legal hours of [A-Z]{2}.* from (?<instant>\\S+Z)\\.`);
    const refused: unknown = await shop.ask(testCampaign, { CampaignKeyID, to }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(opening) });
    const says = opening.exec(refused instanceof Error ? refused.message : '')?.groups?.instant ?? '';
    expect(Math.abs(new Date(says).getTime() - inThreeDays.getTime())).toBeLessThan(2 * 86_400_000);
    expect(harness.network.placed).toHaveLength(placed);
    await shop.ask(saveLegalHours, { Country: '*', hours: null });
    await shop.ask(testCampaign, { CampaignKeyID, to });
    await eventually('it rings', () => harness.network.placed.length > placed);
  });
});
