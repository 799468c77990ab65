import { randomUUID } from 'node:crypto';
import {
  callStateChanged,
  conversationErased,
  Fault,
  getCampaign,
  listCampaignContacts,
  resumeCampaign,
  saveCampaign,
  saveCampaignWebhook,
  startCampaign,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import type { Client } from 'pg';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { anyHour, openNumbers } from '../testing/open-numbers';
import { LearnedResults } from './learned-results';
import { FakePhone } from '../testing/fake-network';

const ResultSchema = { properties: { will_pay: { type: 'boolean' as const } } };

describe('the results of a campaign’s calls', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  let database: Client;
  let results: LearnedResults | undefined;
  beforeAll(async () => {
    const started = jest.spyOn(LearnedResults.prototype, 'onApplicationBootstrap');
    harness = await BridgeHarness.open();
    [results] = started.mock.contexts;
    started.mockRestore();
    database = await harness.sql();
  });
  beforeEach(async () => {
    shop = await harness.shop();
    harness.network.placed.splice(0);
    harness.network.onPlace = ({ mediaUrl }, { callId }) =>
      void harness.noted(callId).then(async () => {
        const before = charged()?.TTS_API ?? 0;
        const phone = await FakePhone.answer(mediaUrl, callId);
        await eventually('what was said is charged', () => (charged()?.TTS_API ?? 0) > before);
        phone.hangUp();
      });
    harness.scripted.greet = ({ channel }) => channel.signal({ type: 'usage', usage: [{ kind: 'TTS_API', units: 30 }] });
  });
  afterEach(() => harness.scripted.reset());
  afterAll(async () => {
    await harness.close();
  });

  async function begun(count: number, change: object = {}): Promise<string> {
    harness.scripted.contacts = openNumbers(count).map((ContactNumber, index) => ({ ContactID: index + 1, ContactNumber }));
    const { CampaignKeyID } = await shop.ask(saveCampaign, {
      CampaignName: 'Renewals',
      AgentID: 12,
      CallerNumber: shop.number.number,
      CallingHours: anyHour,
      Retry: { maxAttempts: 1 },
      ContactIDs: harness.scripted.contacts.map(({ ContactID }) => ContactID),
      ResultSchema,
      ...change,
    });
    await shop.ask(startCampaign, { CampaignKeyID });
    return CampaignKeyID;
  }
  const onlyRow = async (CampaignKeyID: string) => (await shop.ask(listCampaignContacts, { CampaignKeyID })).rows[0];
  const spent = async (key: string) =>
    (await database.query('SELECT credits_spent::int AS spent FROM campaigns WHERE key_id = $1', [key])).rows[0]?.spent;
  const charged = () => harness.scripted.charged.get(shop.principal.orgId);

  it('are shown with the contact, counted, and charged once, however often the end of a call is reported', async () => {
    harness.scripted.learn = () => ({ result: { will_pay: true }, reason: null, tokens: 41 });
    const key = await begun(1);
    await eventually('it is learned', async () => (await onlyRow(key))?.result !== null);
    expect(await onlyRow(key)).toMatchObject({ result: { will_pay: true }, resultReason: null, state: 'COMPLETED' });
    await eventually('it is charged', () => charged()?.TTT_API === 41);
    const { CampaignID } = await shop.ask(getCampaign, { CampaignKeyID: key });
    const ended = harness.scripted.changes.find((change) => change.CampaignID === CampaignID && change.state === 'COMPLETED');
    if (!ended) throw new Error('its end was not told');
    await database.query(
      `INSERT INTO outbox (id, subject, org_id, payload, bytes) SELECT gen_random_uuid(), $1, $2, $3::jsonb, 100 FROM generate_series(1, 3)`,
      [callStateChanged.subject, shop.principal.orgId, JSON.stringify(ended)],
    );
    const tellings = () =>
      harness.scripted.changes.filter(({ CallKeyID, state }) => CallKeyID === ended.CallKeyID && state === 'COMPLETED');
    await eventually('it is told again', () => tellings().length >= 4);
    expect(harness.scripted.extractions).toHaveLength(1);
    expect(harness.scripted.extractions[0]).toMatchObject({ ResultSchema: { properties: { will_pay: { type: 'boolean' } } } });
    expect([charged()?.TTT_API, await spent(key)]).toEqual([41, 71]);
  });

  it('are erased with what was said, also from news that waits for a webhook', async () => {
    harness.scripted.learn = () => ({ result: { will_pay: true }, reason: null, tokens: 0 });
    await shop.ask(saveCampaignWebhook, { CampaignKeyID: null, url: 'https://crm.invalid/hook', secret: 'a secret of sixteen' });
    const key = await begun(1);
    await eventually('it is learned', async () => (await onlyRow(key))?.result !== null);
    const waiting = async () => {
      const { rows } = await database.query(`SELECT body FROM campaign_webhook_events WHERE org_id = $1`, [shop.principal.orgId]);
      return JSON.stringify(rows);
    };
    expect(await waiting()).toContain('will_pay');
    await harness.bus.emit(conversationErased, {
      ...{ id: randomUUID(), orgId: shop.principal.orgId, occurredAt: new Date().toISOString() },
      payload: { sessionUUID: harness.scripted.last.sessionUUID },
    });
    await eventually('it is erased', async () => (await onlyRow(key))?.result === null);
    expect(await onlyRow(key)).toMatchObject({ state: 'COMPLETED', resultReason: 'What was said was erased.' });
    expect(await waiting()).not.toContain('will_pay');
    expect(await waiting()).toContain('campaign.contact.finished');
  });

  it('are empty without a schema or speech, and give the reason where nothing could be extracted', async () => {
    const without = await begun(1, { ResultSchema: null });
    await eventually('it is over', async () => (await onlyRow(without))?.state === 'COMPLETED');
    const key = await begun(1);
    await eventually('it is known', async () => (await onlyRow(key))?.resultReason !== null);
    expect(await onlyRow(key)).toMatchObject({ result: null, resultReason: 'The caller said nothing.' });
    expect(harness.scripted.extractions).toHaveLength(1);
  });

  it('are extracted again after a failure, and charged once', async () => {
    let asked = 0;
    harness.scripted.learn = () => {
      asked += 1;
      if (asked === 1) throw new Fault('MODEL_PROVIDER_UNAVAILABLE');
      return { result: { will_pay: false }, reason: null, tokens: 7 };
    };
    const key = await begun(1);
    await eventually('it was asked', () => asked === 1);
    const due = `SELECT 1 FROM campaign_attempts WHERE result_due > now() + interval '1 second' AND result_due < now() + interval '40 seconds'`;
    await eventually('it is put off', async () => (await database.query(due)).rowCount === 1);
    await database.query('UPDATE campaign_attempts SET result_due = now() WHERE result_due IS NOT NULL');
    results?.wake();
    await eventually('it is learned', async () => (await onlyRow(key))?.result !== null);
    await eventually('it is charged', () => charged()?.TTT_API === 7);
    expect(asked).toBe(2);
  });

  it('are charged once even if the bridge died between writing and charging, however often the charge is sent', async () => {
    harness.scripted.learn = () => ({ result: { will_pay: true }, reason: null, tokens: 41 });
    let [asked, isAway] = [0, true];
    // Neither the request nor the reply gets through, as when a process dies there.
    harness.scripted.beforeCharge = () => {
      asked += 1;
      if (isAway) throw new Fault('SERVICE_UNAVAILABLE');
    };
    const key = await begun(1);
    await eventually('it is learned', async () => (await onlyRow(key))?.result !== null);
    await eventually('its charge was asked for', () => asked > 0);
    const dueAgain = async () => {
      await database.query(`UPDATE campaign_attempts SET charge_due = now() WHERE charge_due IS NOT NULL`);
      results?.wake();
    };
    const isLeft = async () => (await database.query('SELECT 1 FROM campaign_attempts WHERE charge_due IS NOT NULL')).rowCount;
    expect([charged()?.TTT_API ?? 0, await isLeft()]).toEqual([0, 1]);
    isAway = false;
    harness.scripted.afterCharge = () => {
      throw new Fault('SERVICE_UNAVAILABLE');
    };
    await dueAgain();
    await eventually('it is charged', () => charged()?.TTT_API === 41);
    harness.scripted.afterCharge = () => undefined;
    const before = asked;
    await dueAgain();
    await eventually('it is asked for again', () => asked > before);
    await eventually('it is known to be charged', async () => (await isLeft()) === 0);
    expect([charged()?.TTT_API, await spent(key)]).toEqual([41, 71]);
    expect(harness.scripted.extractions).toHaveLength(1);
  });

  it('start no call beyond the budget; the campaign goes on when that is raised', async () => {
    harness.scripted.greet = ({ channel }) => channel.signal({ type: 'usage', usage: [{ kind: 'TTS_API', units: 600 }] });
    const key = await begun(3, { ResultSchema: null, CreditBudget: 1_500, MaxConcurrentCalls: 1 });
    const read = () => shop.ask(getCampaign, { CampaignKeyID: key });
    await eventually('it pauses', async () => (await read()).status === 'PAUSED');
    expect(await read()).toMatchObject({
      statusReason: 'The budget is spent: 1200 of 1500 credits, and another call may take 600.',
      progress: { waiting: 1, completed: 2 },
    });
    expect(harness.network.placed).toHaveLength(2);
    await shop.ask(saveCampaign, { CampaignKeyID: key, CreditBudget: 5_000 });
    await shop.ask(resumeCampaign, { CampaignKeyID: key });
    await eventually('it goes on', async () => (await read()).status === 'COMPLETED');
  });
});
