import {
  cancelCampaign,
  deleteNumber,
  getCampaign,
  listCampaigns,
  pauseCampaign,
  resumeCampaign,
  saveCampaign,
  saveNumber,
  startCampaign,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';

describe('campaigns', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
  });
  beforeEach(async () => {
    shop = await harness.shop();
  });
  afterEach(() => harness.scripted.reset());
  afterAll(() => harness.close());

  const made = (change: object = {}) =>
    shop.ask(saveCampaign, { CampaignName: 'March renewals', AgentID: 12, CallerNumber: shop.number.number, ...change });

  it('start as drafts with defaults, and are read back as saved', async () => {
    harness.scripted.contacts = [{ ContactID: 77 }, { ContactID: 78 }];
    const campaign = await made({ ContactIDs: [77, 78], endDate: '2099-12-31', CallingHours: { from: '11:00' } });
    expect(campaign).toMatchObject({
      status: 'DRAFT',
      contactCount: 2,
      CallsPerMinute: 10,
      CallingHours: { from: '11:00', to: '19:00' },
      progress: { waiting: 2, active: 0, completed: 0 },
      endDate: '2099-12-31',
      startDate: null,
    });
    expect(await shop.ask(getCampaign, campaign)).toEqual(campaign);
    expect((await shop.ask(listCampaigns, { searchName: 'renewals' })).rows).toEqual([campaign]);
    expect((await shop.ask(listCampaigns, { status: 'RUNNING' })).rows).toEqual([]);
  });

  it('keep what a save omits, and return to defaults for null', async () => {
    const { CampaignKeyID } = await made({ CallsPerMinute: 30, MaxConcurrentCalls: 7, endDate: '2099-12-31' });
    const changed = await shop.ask(saveCampaign, { CampaignKeyID, CallsPerMinute: null, endDate: null });
    expect(changed).toMatchObject({ CampaignName: 'March renewals', CallsPerMinute: 10, MaxConcurrentCalls: 7, endDate: null });
  });

  it('call from each number once, even if it is named twice', async () => {
    const [{ number }, { CarrierAccountKeyID }] = [shop.number, shop.account];
    const other = await shop.ask(saveNumber, { CarrierAccountKeyID, number: '+912025501288', AgentID: 12 });
    const { MoreCallerNumbers } = await made({ MoreCallerNumbers: [other.number, number, other.number] });
    expect(MoreCallerNumbers).toEqual([other.number]);
  });

  it('keep days, holidays and reasons to try again once that are named twice', async () => {
    const sent = {
      CallingHours: { days: ['Monday', 'Sunday', 'Monday'] },
      Retry: { retryOn: ['FAILED', 'FAILED'] },
      Holidays: ['2027-01-26', '2027-08-15', '2027-01-26'],
    } as const;
    expect(await made({ ...sent, Holidays: [...sent.Holidays] })).toMatchObject({
      CallingHours: { days: ['Monday', 'Sunday'] },
      Retry: { retryOn: ['FAILED'] },
      Holidays: ['2027-01-26', '2027-08-15'],
    });
  });

  it('keep omitted parts of nested settings', async () => {
    const CallingHours = { days: ['Monday', 'Tuesday'], from: '11:00', to: '18:00' } as const;
    const Retry = { maxAttempts: 5, minutesBetween: 7, retryOn: ['VOICEMAIL'] } as const;
    const voicemail = { action: 'LEAVE_MESSAGE', message: 'Please call back.' } as const;
    const { CampaignKeyID } = await made({ CallingHours, Retry, voicemail });
    const change = (sent: object) => shop.ask(saveCampaign, { CampaignKeyID, ...sent });
    await change({ CallingHours: { from: '12:00' }, Retry: { maxAttempts: 2 } });
    expect(await change({ voicemail: { message: 'Ring us.' } })).toMatchObject({
      CallingHours: { ...CallingHours, from: '12:00' },
      Retry: { ...Retry, maxAttempts: 2 },
      voicemail: { ...voicemail, message: 'Ring us.' },
    });
    await expect(change({ CallingHours: { to: '09:00' } })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'CallingHours.from', message: 'CallingHours.from must be before to' }],
    });
    expect(await change({ Retry: null })).toMatchObject({ Retry: { maxAttempts: 3, minutesBetween: 60 } });
  });

  it('report before they start that their caller number is gone, and can be given another', async () => {
    harness.scripted.contacts = [{ ContactID: 77 }];
    const { CampaignKeyID } = await made({ ContactIDs: [77] });
    const { CarrierAccountKeyID, NumberKeyID, number } = shop.number;
    await shop.ask(deleteNumber, { NumberKeyID });
    await expect(shop.ask(startCampaign, { CampaignKeyID })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`${number} any more`),
    });
    expect(await shop.ask(saveCampaign, { CampaignKeyID, CampaignName: 'April' })).toMatchObject({ CampaignName: 'April' });
    const other = await shop.ask(saveNumber, { CarrierAccountKeyID, number: '+912025501299', AgentID: 12 });
    await shop.ask(saveCampaign, { CampaignKeyID, CallerNumber: other.number });
    expect(await shop.ask(startCampaign, { CampaignKeyID })).toMatchObject({ status: 'RUNNING' });
  });

  it('lose nothing when two saves run at the same time', async () => {
    const { CampaignKeyID } = await made();
    for (let round = 1; round <= 6; round += 1) {
      const sent = [{ CallsPerMinute: 10 + round }, { MaxConcurrentCalls: 5 + round }, { ringSeconds: 40 + round }];
      await Promise.all(sent.map((change) => shop.ask(saveCampaign, { CampaignKeyID, ...change })));
      expect(await shop.ask(getCampaign, { CampaignKeyID })).toMatchObject(Object.assign({}, ...sent));
    }
  });

  it.each([
    [
      { properties: { will_pay: { type: 'boolean' } }, required: ['will_pay', 'sum'] },
      'ResultSchema.required.1',
      'must name one',
    ],
    [{ properties: { state: { type: 'string' } } }, 'ResultSchema.properties.state', 'must have another name'],
    [{ properties: { resultReason: { type: 'string' } } }, 'ResultSchema.properties.resultReason', 'must have another name'],
  ])('refuse a result schema that cannot be stored: %j', async (ResultSchema, field, says) => {
    await expect(made({ ResultSchema })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field, message: expect.stringContaining(says) }],
    });
  });

  it('accept a schema as written for structured output of language models', async () => {
    const properties = { will_pay: { type: 'boolean' } };
    const ResultSchema = { type: 'object', properties, required: ['will_pay'], additionalProperties: false };
    expect((await made({ ResultSchema })).ResultSchema).toEqual(ResultSchema);
  });

  it('end after they begin, and not in the past', async () => {
    harness.scripted.contacts = [{ ContactID: 77 }];
    const refused = (message: string, field = 'endDate') => ({
      code: 'VALIDATION_FAILED',
      details: [{ field, message: `${field} ${message}` }],
    });
    await expect(made({ endDate: '2020-01-01' })).rejects.toMatchObject(refused('is in the past'));
    const { CampaignKeyID } = await made({ startDate: '2099-06-01', ContactIDs: [77] });
    const save = (change: object) => shop.ask(saveCampaign, { CampaignKeyID, ...change });
    await expect(save({ endDate: '2099-05-31' })).rejects.toMatchObject(refused('must not be before startDate'));
    expect(await save({ endDate: '2099-06-01' })).toMatchObject({ endDate: '2099-06-01' });
    await expect(save({ startDate: '2099-06-02' })).rejects.toMatchObject(refused('must not be before startDate'));
    // Its start date passes unnoticed.
    const database = new Client({ connectionString: harness.database.adminUrl });
    await database.connect();
    await database.query('UPDATE telephony.campaigns SET starts_at = NULL, ends_at = now() WHERE key_id = $1', [CampaignKeyID]);
    await database.end();
    await expect(shop.ask(startCampaign, { CampaignKeyID })).rejects.toMatchObject(refused('is in the past'));
    expect(await shop.ask(getCampaign, { CampaignKeyID })).toMatchObject({ status: 'DRAFT', progress: { waiting: 1 } });
  });

  it('replace their contacts by those in a save', async () => {
    harness.scripted.contacts = [{ ContactID: 77 }, { ContactID: 78 }, { ContactID: 79 }];
    const { CampaignKeyID } = await made({ ContactIDs: [77, 78] });
    const changed = await shop.ask(saveCampaign, { CampaignKeyID, ContactIDs: [78, 79] });
    expect(changed).toMatchObject({ contactCount: 2, progress: { waiting: 2 } });
  });

  it('move through their states, each with an event, and refuse what the state does not allow', async () => {
    harness.scripted.contacts = [{ ContactID: 77 }];
    const { CampaignKeyID } = await made();
    const choice = { CampaignKeyID };
    await expect(shop.ask(startCampaign, choice)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('no one to call'),
    });
    // It begins in 2099, so that nobody is called during the test.
    await shop.ask(saveCampaign, { CampaignKeyID, ContactIDs: [77], startDate: '2099-01-01' });
    expect(await shop.ask(startCampaign, choice)).toMatchObject({ status: 'RUNNING' });
    await expect(shop.ask(startCampaign, choice)).rejects.toMatchObject({ code: 'CONFLICT' });
    const refusal = { code: 'CONFLICT', message: expect.stringContaining('The campaign March renewals calls from') };
    const { NumberKeyID } = shop.number;
    await expect(shop.ask(deleteNumber, { NumberKeyID })).rejects.toMatchObject(refusal);
    await expect(shop.ask(saveNumber, { NumberKeyID, number: '+912025501277' })).rejects.toMatchObject(refusal);
    expect(await shop.ask(saveNumber, { NumberKeyID, label: 'Sales' })).toMatchObject({ label: 'Sales' });
    expect(await shop.ask(pauseCampaign, choice)).toMatchObject({ status: 'PAUSED' });
    await expect(shop.ask(pauseCampaign, choice)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await shop.ask(resumeCampaign, choice)).toMatchObject({ status: 'RUNNING' });
    expect(await shop.ask(cancelCampaign, choice)).toMatchObject({
      status: 'CANCELLED',
      progress: { waiting: 0, cancelled: 1 },
    });
    const told = () => harness.scripted.campaignChanges.filter((change) => change.CampaignKeyID === CampaignKeyID);
    await eventually('all is told', () => told().length === 4);
    expect(told().map(({ status }) => status)).toEqual(['RUNNING', 'PAUSED', 'RUNNING', 'CANCELLED']);
    await expect(shop.ask(resumeCampaign, choice)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(shop.ask(saveCampaign, { CampaignKeyID, CallsPerMinute: 5 })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('are hidden from other organizations, and cannot use agents or numbers of others', async () => {
    const { CampaignKeyID } = await made();
    const other = await harness.shop();
    await expect(other.ask(getCampaign, { CampaignKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(other.ask(startCampaign, { CampaignKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(made({ CallerNumber: '+912029999999' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('no number'),
    });
    harness.scripted.deletedAgents.add(12);
    await expect(made()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('call from numbers of agents that the member may use', async () => {
    const { orgId } = shop.principal;
    const { CarrierAccountKeyID } = shop.number;
    const own = await shop.ask(saveNumber, { CarrierAccountKeyID, number: '+912025559001', AgentID: 13 });
    const held = harness.memberOf({ orgId, agentIds: [13] });
    const fields = { CampaignName: 'Renewals', AgentID: 13 };
    const { CampaignKeyID } = await held.ask(saveCampaign, { ...fields, CallerNumber: own.number });
    const withheld = { code: 'NOT_FOUND', message: `None of your agents has the number ${shop.number.number}.` };
    await expect(held.ask(saveCampaign, { ...fields, CallerNumber: shop.number.number })).rejects.toMatchObject(withheld);
    const more = { CampaignKeyID, MoreCallerNumbers: [shop.number.number] };
    await expect(held.ask(saveCampaign, more)).rejects.toMatchObject(withheld);
    await shop.ask(saveCampaign, more);
    expect(await held.ask(saveCampaign, { CampaignKeyID, CallsPerMinute: 3 })).toMatchObject({
      MoreCallerNumbers: [shop.number.number],
    });
  });
});
