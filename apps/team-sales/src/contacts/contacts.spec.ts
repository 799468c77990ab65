import { randomUUID } from 'node:crypto';
import {
  contactDeleted,
  contactsAssigned,
  deleteContact,
  exportContacts,
  getContact,
  listContacts,
  listMappedCustomers,
  mapContacts,
  readContacts,
  removeMember,
  saveContact,
  unmapContacts,
} from '@parley/contracts';
import type { z } from 'zod';
import { Installation, type TestOrganization } from '../installation.suite';

const ravi = { CustomerName: 'Ravi Kulkarni', ContactNumber: '098200 12345', Email: 'ravi@example.com', City: 'Pune' };
let nextNumber = 9_820_100_000;
const number = () => String((nextNumber += 1));

describe('contacts', () => {
  let installation: Installation;
  let organization: TestOrganization;
  let ask: Installation['bus']['ask'];
  let owner: { principal: TestOrganization['owner'] };

  beforeAll(async () => {
    installation = await Installation.start();
    ask = installation.bus.ask.bind(installation.bus);
  });
  beforeEach(async () => {
    organization = await installation.organization();
    owner = { principal: organization.owner };
  });
  afterAll(() => installation.stop());

  const save = (contact: Partial<z.input<typeof saveContact.request>> = {}) =>
    ask(saveContact, { CustomerName: 'Somebody', ContactNumber: number(), ...contact }, owner);
  const found = async (query: object) => (await ask(listContacts, query, owner)).rows.map(({ CustomerName }) => CustomerName);

  it('keep their number as E.164, read with the organization’s country', async () => {
    const contact = await save({ ...ravi, ContactKeyID: null });
    expect(contact).toMatchObject({
      CustomerName: 'Ravi Kulkarni',
      ContactNumber: '+919820012345',
      City: 'Pune',
      State: '',
      SalesUsers: [],
    });
    expect(await ask(getContact, { ContactKeyID: contact.ContactKeyID }, owner)).toEqual(contact);
    await expect(save({ ContactNumber: '+1 212 555 0187' })).resolves.toMatchObject({ ContactNumber: '+12125550187' });
  });

  it('keep what a change omits, and clear optional fields by null', async () => {
    const { ContactKeyID } = await save({ ...ravi, State: 'Maharashtra' });
    const change = (body: object) => ask(saveContact, { ContactKeyID, ...body }, owner);
    expect(await change({ City: 'Nashik' })).toMatchObject({
      ...ravi,
      ContactNumber: '+919820012345',
      City: 'Nashik',
      State: 'Maharashtra',
    });
    expect(await change({ Email: null, State: null })).toMatchObject({
      CustomerName: ravi.CustomerName,
      Email: '',
      City: 'Nashik',
      State: '',
    });
    await expect(change({ ContactNumber: null })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('keep each of several changes that are made at the same time', async () => {
    const { ContactKeyID } = await save();
    for (let round = 0; round < 10; round++) {
      const change = (fields: object) => ask(saveContact, { ContactKeyID, ...fields }, owner);
      const [CustomerName, City, Email, TimeZone] = [
        `Name ${round}`,
        `City ${round}`,
        `of${round}@example.in`,
        round % 2 ? 'Asia/Kolkata' : null,
      ];
      await Promise.all([{ CustomerName }, { City }, { Email }, { TimeZone }].map(change));
      expect(await ask(getContact, { ContactKeyID }, owner)).toMatchObject({
        CustomerName,
        City,
        Email,
        TimeZone: TimeZone ?? '',
      });
    }
  });

  it('have their own time zone, which can be kept, changed and cleared', async () => {
    const { ContactKeyID, TimeZone } = await save({ ...ravi, TimeZone: 'America/New_York' });
    expect(TimeZone).toBe('America/New_York');
    const change = (body: object) => ask(saveContact, { ContactKeyID, ...body }, owner);
    expect(await change({ City: 'Nashik' })).toMatchObject({ TimeZone: 'America/New_York' });
    await expect(change({ TimeZone: 'Mars/Olympus' })).rejects.toMatchObject({ details: [{ field: 'TimeZone' }] });
    for await (const { contacts } of installation.bus.stream(readContacts, {}, owner))
      expect(contacts).toMatchObject([{ TimeZone: 'America/New_York' }]);
    expect(await change({ TimeZone: null })).toMatchObject({ TimeZone: '', City: 'Nashik' });
    expect((await save()).TimeZone).toBe('');
  });

  it.each([
    ...['+52 1 55 1234 5678', '+5215512345678', '+52 55 1234 5678', '+52 044 55 1234 5678', '+52 01 55 1234 5678'].map(
      (written) => [written, '+525512345678'] as const,
    ),
    ['+229 97 12 34 56', '+2290197123456'],
    ['+229 01 97 12 34 56', '+2290197123456'],
    ['+54 9 11 2345 6789', '+5491123456789'],
    ['+54 11 2345 6789', '+541123456789'],
    ...['+48 (0)51 234 0051', '+48 00 512340051', '+48512340051'].map((written) => [written, '+48512340051'] as const),
    ...['+49 00 1512 3456789', '+49 0 1512 3456789', '+491512 3456789'].map((written) => [written, '+4915123456789'] as const),
    ['+229 0001 97 12 34 56', '+2290197123456'],
  ] as const)('keep %s as it is dialled today', async (ContactNumber, current) => {
    expect(await save({ ContactNumber })).toMatchObject({ ContactNumber: current });
  });

  it.each([
    '९८२०० १२३४५',
    '+९१ ९८२०० १२३४५',
    '+9198200１２345',
    '\u202a+91 98200 12345\u202c',
    '(+91) 98200-12345',
    ' [ +91 ]98200 12345',
  ])('take %j, whatever script its digits are in', async (ContactNumber) => {
    expect(await save({ ContactNumber })).toMatchObject({ ContactNumber: '+919820012345' });
  });

  it.each(['12', 'call me', '+999 12345678', '98200123456789', '+91 98200 12345 ext 5', '98200 12345 x7'])(
    'refuse %j, which is no number',
    async (ContactNumber) => {
      await expect(save({ ContactNumber })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'ContactNumber' }],
      });
    },
  );

  it('have each number once per organization, however it is written', async () => {
    await save(ravi);
    await expect(save({ ContactNumber: '+91-98200-12345' })).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = await save();
    const taken = save({ ContactKeyID: other.ContactKeyID, ContactNumber: ravi.ContactNumber });
    await expect(taken).rejects.toMatchObject({ code: 'CONFLICT' });
    const stranger = await installation.organization();
    await expect(ask(saveContact, ravi, { principal: stranger.owner })).resolves.toMatchObject({
      ContactNumber: '+919820012345',
    });
  });

  it('are changed and deleted by their key, in their own organization only', async () => {
    const { ContactKeyID, ContactID } = await save(ravi);
    const stranger = { principal: (await installation.organization()).owner };
    for (const contract of [getContact, deleteContact]) {
      await expect(ask(contract, { ContactKeyID }, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(ask(saveContact, { ...ravi, ContactKeyID }, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(save({ ...ravi, ContactKeyID, City: 'Mumbai' })).resolves.toMatchObject({ ContactID, City: 'Mumbai' });
    await ask(deleteContact, { ContactKeyID }, owner);
    expect(await installation.events.of(contactDeleted, organization.OrgID, 1)).toEqual([{ ContactKeyID, ContactID }]);
    await expect(ask(getContact, { ContactKeyID }, owner)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are found by name, number and address, ignoring accents and case', async () => {
    await save({ CustomerName: 'Zoë Çelik', ContactNumber: '9820012345', Email: 'zoe@example.com' });
    await save({ CustomerName: 'दीपिका शिंदे' });
    for (const searchName of ['zoe cel', 'ÇELIK', '98200123', 'ZOE@', 'Zoe\u0308'])
      expect(await found({ searchName })).toEqual(['Zoë Çelik']);
    for (const searchName of ['98200 123', '+91 98200-123', '(98200) 123'])
      expect(await found({ searchName })).toEqual(['Zoë Çelik']);
    expect(await found({ searchName: '98200 / 9' })).toEqual([]);
    expect(await found({ searchName: 'शिंदे' })).toEqual(['दीपिका शिंदे']);
    expect(await found({ searchName: '_' })).toEqual([]);
  });

  it('are listed by days in the organization’s time zone', async () => {
    const { CreatedOn } = await save();
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata', dateStyle: 'short' }).format(new Date(CreatedOn));
    expect((await ask(listContacts, { fromDate: day, toDate: day }, owner)).totalCount).toBe(1);
    expect((await ask(listContacts, { toDate: '2020-01-01' }, owner)).totalCount).toBe(0);
    const backwards = ask(listContacts, { fromDate: '2026-03-02', toDate: '2026-03-01T00:00:00Z' }, owner);
    await expect(backwards).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('can belong to several representatives', async () => {
    const [one, other] = [await installation.representative(organization), await installation.representative(organization)];
    const { ContactID, ContactKeyID } = await save({ ...ravi, SalesUserID: one.SalesUserID });
    await ask(mapContacts, { SalesUserKeyID: other.SalesUserKeyID, ContactID: [ContactID] }, owner);
    const { SalesUsers } = await ask(getContact, { ContactKeyID }, owner);
    expect(SalesUsers.map(({ SalesUserID }) => SalesUserID)).toEqual([one.SalesUserID, other.SalesUserID]);
    const { rows, totalCount } = await ask(listMappedCustomers, { SalesUserKeyID: other.SalesUserKeyID }, owner);
    expect({ totalCount, ids: rows.map((row) => row.ContactID) }).toEqual({ totalCount: 1, ids: [ContactID] });
  });

  it('have the one representative that a save names, none after null, and keep theirs when it names none', async () => {
    const [one, other] = [await installation.representative(organization), await installation.representative(organization)];
    const { ContactID, ContactKeyID } = await save({ ...ravi, SalesUserID: one.SalesUserID });
    const after = async (change: object) => (await save({ ContactKeyID, ...change })).SalesUsers.map((each) => each.SalesUserID);
    expect(await after({ City: 'Nashik' })).toEqual([one.SalesUserID]);
    expect(await after({ SalesUserID: other.SalesUserID })).toEqual([other.SalesUserID]);
    const { rows } = await ask(listMappedCustomers, { SalesUserKeyID: one.SalesUserKeyID }, owner);
    expect(rows).toEqual([]);
    await ask(mapContacts, { SalesUserKeyID: one.SalesUserKeyID, ContactID: [ContactID] }, owner);
    expect(await after({ SalesUserID: other.SalesUserID })).toEqual([other.SalesUserID]);
    expect(await after({ SalesUserID: null })).toEqual([]);
    const told = await installation.events.of(contactsAssigned, organization.OrgID, 6);
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(0);
  });

  it('are assigned and unassigned one by one, with a result for each id', async () => {
    const { SalesUserKeyID, SalesUserID } = await installation.representative(organization);
    const [first, second] = [await save(), await save()];
    const foreign = await ask(saveContact, ravi, { principal: (await installation.organization()).owner });
    await ask(mapContacts, { SalesUserKeyID, ContactID: [first.ContactID] }, owner);
    const ids = [first.ContactID, second.ContactID, second.ContactID, foreign.ContactID, 2_000_000_000];
    const mapped = await ask(mapContacts, { SalesUserKeyID, ContactID: ids }, owner);
    expect(mapped).toMatchObject({ SalesUserID, changedCount: 1 });
    expect(mapped.results.map(({ outcome }) => outcome)).toEqual(['UNCHANGED', 'MAPPED', 'UNKNOWN', 'UNKNOWN']);
    const unmapped = await ask(unmapContacts, { SalesUserKeyID, ContactID: [second.ContactID, foreign.ContactID] }, owner);
    expect(unmapped.results.map(({ outcome }) => outcome)).toEqual(['UNMAPPED', 'UNKNOWN']);
    const counts = (await installation.events.of(contactsAssigned, organization.OrgID, 3)).map(({ count }) => count);
    expect(counts).toEqual([1, 1, -1]);
  });

  it('are unassigned from everybody when deleted, and statistics are told', async () => {
    const [one, other] = [await installation.representative(organization), await installation.representative(organization)];
    const [gone, stays] = [await save(), await save()];
    for (const { SalesUserKeyID } of [one, other])
      await ask(mapContacts, { SalesUserKeyID, ContactID: [gone.ContactID, stays.ContactID] }, owner);
    await ask(removeMember, { memberAdminID: other.memberAdminID ?? '' }, owner);
    await ask(deleteContact, { ContactKeyID: gone.ContactKeyID }, owner);
    const told = await installation.events.of(contactsAssigned, organization.OrgID, 4);
    const sumOf = (id: number) => told.reduce((sum, { SalesUserID, count }) => sum + (SalesUserID === id ? count : 0), 0);
    expect([sumOf(one.SalesUserID), sumOf(other.SalesUserID)]).toEqual([1, 1]);
  });

  it('are not assigned to another organization or to a representative who left', async () => {
    const { ContactID } = await save();
    const unknown = { SalesUserKeyID: randomUUID(), ContactID: [ContactID] };
    await expect(ask(mapContacts, unknown, owner)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ask(listMappedCustomers, unknown, owner)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const foreign = await installation.representative(await installation.organization());
    await expect(save({ SalesUserID: foreign.SalesUserID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const gone = await installation.representative(organization);
    await ask(removeMember, { memberAdminID: gone.memberAdminID ?? '' }, owner);
    await expect(ask(mapContacts, { ...unknown, SalesUserKeyID: gone.SalesUserKeyID }, owner)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('are exported completely, without formulas', async () => {
    await save({
      CustomerName: '=HYPERLINK("http://evil")',
      ContactNumber: '9820012345',
      City: 'Pune, Kothrud',
      State: 'a "state"',
    });
    for (let count = 0; count < 160; count += 1) await save({ CustomerName: `Customer ${count}` });
    let csv = '';
    for await (const part of installation.bus.stream(exportContacts, {}, owner)) csv += part.csv;
    const lines = csv.split('\r\n');
    expect(lines).toHaveLength(163);
    expect(lines[0]).toBe('CustomerName,ContactNumber,Email,City,State,Country,TimeZone');
    expect(lines[1]).toBe(`"'=HYPERLINK(""http://evil"")",+919820012345,,"Pune, Kothrud","a ""state""",,`);
    expect(lines.at(-2)).toContain('Customer 159');
  });

  it('are not exported for days that end before they begin', async () => {
    const backwards = { fromDate: '2026-06-06T12:00:00Z', toDate: '2026-05-26' };
    const parts = installation.bus.stream(exportContacts, backwards, owner)[Symbol.asyncIterator]();
    await expect(parts.next()).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});
