import {
  addDoNotCall,
  deleteNumber,
  getCall,
  listDoNotCall,
  listNumbers,
  placeCall,
  removeDoNotCall,
  saveCarrierAccount,
  saveNumber,
} from '@parley/contracts';
import { sip } from '@parley/providers/sip';
import { eventually } from '@parley/testing';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';

const anOrganization = {
  OrgKeyID: '7a0c2f0e-3b1d-4c8e-9a5f-6d2e8b4c1f00',
  OrgID: 1,
  OrganizationName: 'Shop',
  timezone: 'Asia/Kolkata',
  defaultRegion: 'IN',
  roleTypeID: 1,
  roleName: 'Owner',
  memberAdminID: '8b1d3f1e-4c2e-4d9f-8b6a-7e3f9c5d2a11',
  isCurrent: true,
} as const;

describe('the do-not-call list', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open({ CALLS_PER_ORGANIZATION: '1' }, undefined, [sip]);
  });
  beforeEach(async () => {
    shop = await harness.shop();
    harness.network.placed.splice(0);
  });
  afterEach(() => harness.scripted.reset());
  afterAll(() => harness.close());

  const add = (ContactNumbers: string[], reason = '') => shop.ask(addDoNotCall, { ContactNumbers, reason });
  const place = (to: string) => shop.ask(placeCall, { AgentID: 12, to });

  it('reports what became of each number, and adds none twice however it is written', async () => {
    const { addedCount, results } = await add(['+91 98200-12345', '098200 12345', '+919820012346', 'twelve', '123']);
    expect(addedCount).toBe(2);
    expect(results).toEqual([
      { ContactNumber: '+919820012345', outcome: 'ADDED' },
      { ContactNumber: '+919820012345', outcome: 'ALREADY_LISTED' },
      { ContactNumber: '+919820012346', outcome: 'ADDED' },
      { ContactNumber: 'twelve', outcome: 'INVALID' },
      { ContactNumber: '123', outcome: 'INVALID' },
    ]);
    expect((await add(['9820012346'])).results).toEqual([{ ContactNumber: '+919820012346', outcome: 'ALREADY_LISTED' }]);
  });

  it.each([
    ['a space of no width inside', '+9198220\u200b09922'],
    ['a word joiner inside', '+9198220\u206009922'],
    ['a soft hyphen inside', '+9198220\u00ad09922'],
    ['a space of no width behind', '+919822009922\u200b'],
    ['marks of direction around', '\u202a+919822009922\u202c'],
    ['pauses and a key', '+919822009922,,1'],
    ['a digit of full width', '+91\uff19822009922'],
    ['a pause written as a letter', '+919822009922w1'],
    ['an extension', '+919822009922 ext 5'],
    ['an address with pauses', 'sip:9822009922,,@pbx.example.com'],
    ['an address with a space of no width', 'sip:98220\u200b09922@pbx.example.com'],
  ])('holds for a number written with %s, and lists it', async (_what, written) => {
    await add(['+919822009922']);
    // What cannot be dialled as it is written is refused already for that.
    const code = /\d(?:,|w|x| ext)/.test(written) ? 'VALIDATION_FAILED' : 'CONFLICT';
    await expect(place(written)).rejects.toMatchObject({ code });
    if (!/[a-z]/.test(written))
      expect((await add([written])).results).toEqual([{ ContactNumber: '+919822009922', outcome: 'ALREADY_LISTED' }]);
    expect(harness.network.placed).toEqual([]);
  });

  it('reads a number without country code as one of the organization’s countries, if it exists there', async () => {
    const { CarrierAccountKeyID, NumberKeyID } = shop.number;
    await shop.ask(deleteNumber, { NumberKeyID });
    for (const number of ['+6531290001', '+912025501235'])
      await shop.ask(saveNumber, { CarrierAccountKeyID, number, AgentID: 12 });
    const { results } = await add(['98765 43202', '8123 4567', '00918123450012', '98765']);
    expect(results.map(({ ContactNumber, outcome }) => `${ContactNumber} ${outcome}`)).toEqual([
      '+919876543202 ADDED',
      '+6581234567 ADDED',
      '+918123450012 ADDED',
      '98765 INVALID',
    ]);
    const { rows: own } = await shop.ask(listNumbers, { searchName: '+912025501235' });
    const from = { AgentID: 12, NumberKeyID: own[0]?.NumberKeyID };
    await expect(shop.ask(placeCall, { ...from, to: '98765 43202' })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('reads one as a contact’s number too, before the organization has a number and when it has one of another country', async () => {
    const { CarrierAccountKeyID, NumberKeyID } = shop.number;
    await shop.ask(deleteNumber, { NumberKeyID });
    harness.scripted.organizations = [anOrganization];
    expect((await add(['2025501234', '09822012345'])).results).toEqual([
      { ContactNumber: '+912025501234', outcome: 'ADDED' },
      { ContactNumber: '+919822012345', outcome: 'ADDED' },
    ]);
    await shop.ask(saveNumber, { CarrierAccountKeyID, number: '+12125550187', AgentID: 12 });
    expect((await add(['2025501235'])).results).toEqual([{ ContactNumber: '+912025501235', outcome: 'ADDED' }]);
    for (const to of ['+912025501234', '+912025501235', '+12025501235'])
      await expect(place(to)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('do-not-call') });
  });

  it('has extensions if the organization has a PBX or a trunk, and is asked before one is called', async () => {
    expect((await add(['205'])).results).toEqual([{ ContactNumber: '205', outcome: 'INVALID' }]);
    const pbx = {
      carrier: 'sip',
      AccountName: 'PBX',
      credentials: { trunk: 'sip:192.0.2.1', callsAddresses: 'true', extensions: '2xx' },
    };
    const { CarrierAccountKeyID } = await shop.ask(saveCarrierAccount, pbx);
    const { NumberKeyID } = await shop.ask(saveNumber, { CarrierAccountKeyID, number: '1000', AgentID: 12 });
    expect((await add(['2-05', '205', '9820012345'])).results.map(({ outcome }) => outcome)).toEqual([
      'ADDED',
      'ALREADY_LISTED',
      'ADDED',
    ]);
    expect((await shop.ask(listDoNotCall, { searchName: '205' })).rows).toMatchObject([{ ContactNumber: '205' }]);
    const call = (to: string) => shop.ask(placeCall, { AgentID: 12, NumberKeyID, to });
    for (const to of ['205', '2 05', 'sip:205@192.0.2.1', 'sip:%32%305@192.0.2.1'])
      await expect(call(to)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(call('305')).rejects.toMatchObject({
      details: [{ message: 'to is none of the extensions that the account lists' }],
    });
    expect(await call('206')).toMatchObject({ to: '206' });
  });

  it('lists, finds and deletes its own organization’s entries only', async () => {
    await add(['+919820012345'], 'asked by the customer');
    await add(['+919820012346']);
    const { rows, totalCount } = await shop.ask(listDoNotCall, { searchName: 'by the customer' });
    expect(totalCount).toBe(1);
    expect(rows).toMatchObject([{ ContactNumber: '+919820012345', reason: 'asked by the customer' }]);
    const DoNotCallKeyID = rows[0]?.DoNotCallKeyID ?? '';
    const other = await harness.shop();
    expect((await other.ask(listDoNotCall, {})).totalCount).toBe(0);
    await expect(other.ask(removeDoNotCall, { DoNotCallKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await other.ask(placeCall, { AgentID: 12, to: '+919820012345' });
    await shop.ask(removeDoNotCall, { DoNotCallKeyID });
    await expect(shop.ask(removeDoNotCall, { DoNotCallKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await shop.ask(listDoNotCall, {})).rows).toMatchObject([{ ContactNumber: '+919820012346' }]);
  });

  it('accepts numbers from members limited to some agents, who may not list or delete any', async () => {
    const { orgId } = shop.principal;
    const held = harness.memberOf({ orgId, agentIds: [12] });
    expect((await held.ask(addDoNotCall, { ContactNumbers: ['+919820012345'] })).addedCount).toBe(1);
    await expect(held.ask(listDoNotCall, {})).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    const DoNotCallKeyID = (await shop.ask(listDoNotCall, {})).rows[0]?.DoNotCallKeyID ?? '';
    await expect(held.ask(removeDoNotCall, { DoNotCallKeyID })).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    expect(await shop.ask(removeDoNotCall, { DoNotCallKeyID })).toMatchObject({ ContactNumber: '+919820012345' });
  });

  it.each([
    ...['+919820012345', '+91 (98200) 12345', '09820012345', '9820012345'],
    ...['sip:+919820012345@pbx.example', 'sip:09820012345@pbx.example', 'sip:9820012345:pw@h.example'],
    ...['sip:9820012345%20@h.example', 'sip:%2B919820012345@h.example'],
  ])('refuses a call to %s', async (to) => {
    await add(['+919820012345']);
    await expect(place(to)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('do-not-call list') });
  });

  it.each([
    ['a mobile of Mexico', '+525512345678', '+52 1 55 1234 5678'],
    ['a mobile of Mexico', '+5215512345678', '+52 55 1234 5678'],
    ['a mobile of Argentina', '+5491123456789', '+54 11 2345 6789'],
    ['a mobile of Argentina', '+541123456789', 'sip:+5491123456789@pbx.example'],
    ['a mobile of Brazil', '+5511981234567', '+55 11 8123 4567'],
    ['a mobile of Brazil', '+551181234567', '+55 11 98123-4567'],
  ])('is one for all prefixes of %s: listed as %s, it holds for %s', async (_whose, listed, to) => {
    expect((await add([listed])).addedCount).toBe(1);
    await expect(place(to)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('do-not-call list') });
    if (!to.startsWith('sip:'))
      expect(await add([to, listed])).toMatchObject({
        addedCount: 0,
        results: [{ outcome: 'ALREADY_LISTED' }, { outcome: 'ALREADY_LISTED' }],
      });
    expect((await shop.ask(listDoNotCall, {})).totalCount).toBe(1);
  });

  it('takes two prefixes of one number in a request for one', async () => {
    const { results } = await add(['+5491123456789', '+541123456789']);
    expect(results.map(({ outcome }) => outcome)).toEqual(['ADDED', 'ALREADY_LISTED']);
    expect((await shop.ask(listDoNotCall, {})).totalCount).toBe(1);
  });

  it('applies to calls that are already waiting for a slot', async () => {
    const first = await place('+919820012300');
    const carrierCallID = async () => (await shop.ask(getCall, first)).carrierCallID;
    await eventually('it rings', async () => (await carrierCallID()) !== null);
    const waiting = await place('+919820012345');
    expect(waiting.state).toBe('QUEUED');
    await add(['+919820012345']);
    await harness.network.tell(shop.webhooks.status, [
      { kind: 'state', callId: (await carrierCallID()) ?? '', state: 'busy', code: '486' },
    ]);
    const read = () => shop.ask(getCall, { CallKeyID: waiting.CallKeyID });
    await eventually('it is over', async () => (await read()).endedAt !== null);
    expect(await read()).toMatchObject({ state: 'CANCELLED', cause: 'The number is on the do-not-call list.' });
    expect(harness.network.placed).toHaveLength(1);
  });

  it('adds ten thousand numbers at once, from two requests at the same time', async () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => `+9198${String(20_000_000 + index)}`);
    const [one, other] = await Promise.all([add(numbers), add(numbers.toReversed())]);
    expect(one.addedCount + other.addedCount).toBe(10_000);
    expect((await shop.ask(listDoNotCall, { pageSize: 1 })).totalCount).toBe(10_000);
  });
});
