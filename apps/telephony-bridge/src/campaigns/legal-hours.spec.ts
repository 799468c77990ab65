import {
  addCampaignContacts,
  getCampaign,
  listCampaignContacts,
  listLegalHours,
  resumeCampaign,
  saveCampaign,
  saveLegalHours,
  startCampaign,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { anyHour, openNumbers } from '../testing/open-numbers';

describe('the legal hours of an organization', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
  });
  beforeEach(async () => {
    shop = await harness.shop();
    harness.network.placed.splice(0);
  });
  afterEach(() => harness.scripted.reset());
  afterAll(() => harness.close());

  const save = (Country: string, hours: { from: string; to: string } | null) => shop.ask(saveLegalHours, { Country, hours });
  const of = async (country: string) => (await shop.ask(listLegalHours, {})).find(({ Country }) => Country === country);

  it('are the law’s until narrowed, and again once that is undone', async () => {
    expect(await of('IN')).toMatchObject({ lawFrom: '09:00', lawTo: '21:00', from: '09:00', to: '21:00', isNarrowed: false });
    expect(await save('IN', { from: '10:00', to: '19:00' })).toMatchObject({ from: '10:00', to: '19:00', isNarrowed: true });
    expect(await save('FR', { from: '10:00', to: '13:00' })).toMatchObject({ lawFrom: '09:00', lawTo: '20:00' });
    expect(await of('IN')).toMatchObject({ from: '10:00', to: '19:00', isNarrowed: true });
    const other = await harness.shop();
    expect((await other.ask(listLegalHours, {})).every(({ isNarrowed }) => !isNarrowed)).toBe(true);
    await save('IN', null);
    expect(await of('IN')).toMatchObject({ from: '09:00', to: '21:00', isNarrowed: false });
  });

  it.each([
    ['IN', { from: '08:59', to: '21:00' }, ['hours.from'], 'in IN calls are allowed from 09:00 to 21:00'],
    ['US', { from: '08:00', to: '21:01' }, ['hours.to'], 'in US calls are allowed from 08:00 to 21:00'],
    ['FR', { from: '00:00', to: '23:59' }, ['hours.from', 'hours.to'], 'in FR calls are allowed from 09:00 to 20:00'],
    ['*', { from: '07:00', to: '12:00' }, ['hours.from'], 'in any country calls are allowed from 08:00 to 21:00'],
  ])('are never wider than the law: %s %j is refused, with what is allowed', async (country, hours, fields, says) => {
    const details = fields.map((field) => ({ field, message: expect.stringContaining(says) }));
    await expect(save(country, hours)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', details });
    expect((await of(country))?.isNarrowed ?? false).toBe(false);
  });

  it.each(['XX', 'UK'])('exist for real countries only: %s is refused', async (country) => {
    await expect(save(country, { from: '10:00', to: '12:00' })).rejects.toMatchObject({ details: [{ field: 'Country' }] });
  });

  it('are changed only by members who see all agents, and read by everybody', async () => {
    const { orgId } = shop.principal;
    const held = harness.memberOf({ orgId, agentIds: [12] });
    const narrower = held.ask(saveLegalHours, { Country: 'IN', hours: { from: '10:00', to: '19:00' } });
    await expect(narrower).rejects.toMatchObject({ code: 'SCOPE_MISSING', message: expect.stringContaining('Legal hours') });
    expect((await held.ask(listLegalHours, {})).find(({ Country }) => Country === 'IN')).toMatchObject({ isNarrowed: false });
  });

  it('pause a running campaign with the reason, lose no contact, and let it resume once widened', async () => {
    const [number = ''] = openNumbers(1);
    harness.scripted.contacts = [{ ContactID: 1, ContactNumber: number }];
    const { CampaignKeyID } = await shop.ask(saveCampaign, {
      ...{ CampaignName: 'Renewals', AgentID: 12, CallerNumber: shop.number.number, ContactIDs: [1], startDate: '2099-01-01' },
      CallingHours: { ...anyHour, from: '09:00', to: '20:00' },
    });
    await shop.ask(startCampaign, { CampaignKeyID });
    await save('*', { from: '20:00', to: '20:30' });
    const read = () => shop.ask(getCampaign, { CampaignKeyID });
    await eventually('it pauses', async () => (await read()).status === 'PAUSED');
    expect(await read()).toMatchObject({
      statusReason: expect.stringContaining('legal hours leave this campaign none'),
      progress: { waiting: 1, failed: 0 },
    });
    await save('*', null);
    await shop.ask(saveCampaign, { CampaignKeyID, startDate: null });
    await shop.ask(resumeCampaign, { CampaignKeyID });
    await eventually('it calls', () => harness.network.placed.length === 1);
  });

  const campaignFor = async (hours: { from: string; to: string }, numbers: readonly string[]) => {
    const { CampaignKeyID } = await shop.ask(saveCampaign, {
      ...{ CampaignName: 'Renewals', AgentID: 12, CallerNumber: shop.number.number, CallingHours: { ...anyHour, ...hours } },
    });
    await shop.ask(addCampaignContacts, { CampaignKeyID, Contacts: numbers.map((ContactNumber) => ({ ContactNumber })) });
    return CampaignKeyID;
  };
  // A mobile number in Australia does not tell its zone.
  const australian = '+61412345678';

  it.each([
    ['AU', australian, { from: '10:00', to: '12:00' }],
    ['IN', '+919820012345', { from: '21:30', to: '23:00' }],
  ])(
    'or a campaign’s own hours that leave no time for %s refuse its start, and give up no contact',
    async (country, number, hours) => {
      const CampaignKeyID = await campaignFor(hours, [number]);
      const refusal = { code: 'CONFLICT', message: expect.stringContaining(`no hour to call in: ${country}.`) };
      await expect(shop.ask(startCampaign, { CampaignKeyID })).rejects.toMatchObject(refusal);
      expect(await shop.ask(getCampaign, { CampaignKeyID })).toMatchObject({
        status: 'DRAFT',
        progress: { waiting: 1, failed: 0 },
      });
      const { rows } = await shop.ask(listCampaignContacts, { CampaignKeyID });
      expect(rows).toMatchObject([{ state: 'WAITING', nextCallAt: null }]);
      await shop.ask(saveCampaign, { CampaignKeyID, CallingHours: anyHour });
      expect(await shop.ask(startCampaign, { CampaignKeyID })).toMatchObject({ status: 'RUNNING' });
    },
  );

  it('or a campaign’s own hours pause it if they leave none to the waiting contacts; it resumes once widened', async () => {
    const [number = ''] = openNumbers(1);
    const CampaignKeyID = await campaignFor({ from: '00:00', to: '23:59' }, [australian]);
    await shop.ask(saveCampaign, { CampaignKeyID, startDate: '2099-01-01' });
    await shop.ask(startCampaign, { CampaignKeyID });
    await shop.ask(saveCampaign, { CampaignKeyID, CallingHours: { from: '10:00', to: '12:00' } });
    const read = () => shop.ask(getCampaign, { CampaignKeyID });
    await eventually('it pauses', async () => (await read()).status === 'PAUSED');
    expect(await read()).toMatchObject({
      statusReason: expect.stringContaining('no hour to call in: AU.'),
      progress: { waiting: 1, failed: 0 },
    });
    await expect(shop.ask(resumeCampaign, { CampaignKeyID })).rejects.toMatchObject({ code: 'CONFLICT' });
    await shop.ask(addCampaignContacts, { CampaignKeyID, Contacts: [{ ContactNumber: number }] });
    await shop.ask(saveCampaign, { CampaignKeyID, CallingHours: anyHour });
    expect(await shop.ask(resumeCampaign, { CampaignKeyID })).toMatchObject({ status: 'RUNNING', statusReason: null });
    const [first] = (await shop.ask(listCampaignContacts, { CampaignKeyID, sortOrder: 'ASC' })).rows;
    expect(first?.nextCallAt?.slice(0, 10)).toMatch(/^2099-01-0[12]$/);
  });

  it('keep a campaign going for other countries, and give up no contact', async () => {
    const [number = ''] = openNumbers(1);
    const CampaignKeyID = await campaignFor({ from: '00:00', to: '23:59' }, [number, australian]);
    await save('AU', { from: '10:00', to: '12:00' });
    await shop.ask(startCampaign, { CampaignKeyID });
    const read = () => shop.ask(getCampaign, { CampaignKeyID });
    await eventually('the other is called', () => harness.network.placed.length === 1);
    expect(await read()).toMatchObject({ status: 'RUNNING', progress: { waiting: 1, failed: 0 } });
  });
});
