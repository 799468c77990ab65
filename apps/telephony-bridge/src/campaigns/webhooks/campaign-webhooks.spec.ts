import {
  addDoNotCall,
  deleteCampaignWebhook,
  getCampaign,
  listCalls,
  listCampaignWebhooks,
  listUndeliveredCampaignEvents,
  pauseCampaign,
  resumeCampaign,
  retryCampaignWebhook,
  saveCampaign,
  saveCampaignWebhook,
  secretMask,
  startCampaign,
  testCampaignWebhook,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import type { Client } from 'pg';
import { BridgeHarness, type Shop } from '../../testing/bridge-harness.suite';
import { anyHour, openNumbers } from '../../testing/open-numbers';
import { FakePhone } from '../../testing/fake-network';
import { isSignedBy, WebhookReceiver } from './webhook-receiver.suite';
import { WebhookReach } from './webhook-sender';

const secret = 'a secret of twenty-five';

describe('webhooks of an organization', () => {
  const receiver = new WebhookReceiver();
  let harness: BridgeHarness;
  let shop: Shop;
  let database: Client;
  beforeAll(async () => {
    await receiver.open();
    harness = await BridgeHarness.open({}, undefined, [], new WebhookReach({ isAllowed: () => true, protocols: ['http:'] }));
    database = await harness.sql();
  });
  beforeEach(async () => {
    receiver.reset();
    shop = await harness.shop();
    harness.network.placed.splice(0);
    harness.network.onPlace = () => undefined;
  });
  afterEach(() => harness.scripted.reset());
  afterAll(async () => {
    await harness.close();
    receiver.close();
  });

  const listen = (change: object = {}) => shop.ask(saveCampaignWebhook, { url: `${receiver.url}/hook`, secret, ...change });
  async function campaignOf(count: number, change: object = {}): Promise<string> {
    harness.scripted.contacts = openNumbers(count).map((ContactNumber, index) => ({ ContactID: index + 1, ContactNumber }));
    const { CampaignKeyID } = await shop.ask(saveCampaign, {
      ...{ CampaignName: 'Renewals', AgentID: 12, CallerNumber: shop.number.number, CallingHours: anyHour, CallsPerMinute: 600 },
      ...{ Retry: { maxAttempts: 1 }, ContactIDs: harness.scripted.contacts.map(({ ContactID }) => ContactID), ...change },
    });
    return CampaignKeyID;
  }
  /** Callers who hang up before the agent is connected count as missed. */
  async function isTalking(callId: string): Promise<void> {
    const calls = async () => (await shop.ask(listCalls, { state: 'IN_PROGRESS' })).rows;
    await eventually('they talk', async () => (await calls()).some(({ carrierCallID }) => carrierCallID === callId));
  }
  /** The person called talks for a moment. */
  function talk(): void {
    harness.network.onPlace = ({ mediaUrl }, { callId }) =>
      void harness.noted(callId).then(async () => {
        const phone = await FakePhone.answer(mediaUrl, callId);
        await isTalking(callId);
        phone.hangUp();
      });
    harness.scripted.greet = ({ channel }) => channel.signal({ type: 'usage', usage: [{ kind: 'TTS_API', units: 30 }] });
  }
  const types = () => receiver.received.map(({ event }) => event.type);

  it('receive a campaign’s start and end, and each contact with its outcome and result', async () => {
    talk();
    harness.scripted.learn = () => ({ result: { will_pay: true }, reason: null, tokens: 3 });
    await listen();
    const key = await campaignOf(2, { ResultSchema: { properties: { will_pay: { type: 'boolean' } } }, startDate: '2099-01-01' });
    const [listed = ''] = openNumbers(1);
    await shop.ask(addDoNotCall, { ContactNumbers: [listed] });
    await shop.ask(startCampaign, { CampaignKeyID: key });
    await shop.ask(pauseCampaign, { CampaignKeyID: key });
    await shop.ask(saveCampaign, { CampaignKeyID: key, startDate: null });
    await shop.ask(resumeCampaign, { CampaignKeyID: key });
    await eventually('both contacts are told of', () => types().filter((type) => type.endsWith('finished')).length === 2);
    await eventually('its end is told', () => types().includes('campaign.completed'));
    expect(types().slice(0, 3)).toEqual(['campaign.started', 'campaign.paused', 'campaign.resumed']);
    expect(types().toSorted()).toEqual([
      'campaign.completed',
      ...['campaign.contact.finished', 'campaign.contact.finished'],
      ...['campaign.paused', 'campaign.resumed', 'campaign.started'],
    ]);
    const contacts = receiver.received.filter(({ event }) => event.type.endsWith('finished')).map(({ event }) => event.contact);
    expect(contacts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ContactNumber: listed, state: 'DO_NOT_CALL', disposition: 'DO_NOT_CALL', result: null }),
        expect.objectContaining({ state: 'COMPLETED', disposition: 'REACHED', result: { will_pay: true } }),
      ]),
    );
    expect(receiver.received.every((event) => isSignedBy(secret, event) && event.path === '/hook')).toBe(true);
  });

  it('are tested by an event of their own, and report the response', async () => {
    const { WebhookKeyID } = await listen();
    const test = await shop.ask(testCampaignWebhook, { WebhookKeyID });
    expect(test).toMatchObject({ isTaken: true, status: 204, failure: null });
    const [event] = receiver.received;
    expect(event?.event).toMatchObject({ id: test.EventID, type: 'campaign.test' });
    expect(event && isSignedBy(secret, event)).toBe(true);
    receiver.answer = (_, response) => void response.writeHead(503).end();
    expect(await shop.ask(testCampaignWebhook, { WebhookKeyID })).toMatchObject({
      ...{ isTaken: false, status: 503, failure: 'It answered 503.' },
    });
    const nobody = await listen({ url: 'http://127.0.0.1:1/' });
    expect(await shop.ask(testCampaignWebhook, nobody)).toMatchObject({
      ...{ isTaken: false, status: null, failure: 'It could not be reached.' },
    });
    const stranger = await harness.shop();
    await expect(stranger.ask(testCampaignWebhook, { WebhookKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await shop.ask(listCampaignWebhooks, {})).toMatchObject([{ waitingCount: 0 }, { waitingCount: 0 }]);
  });

  it('say why a campaign paused by itself, and receive only their own campaign’s events', async () => {
    const key = await campaignOf(1, { startDate: '2099-01-01' });
    const other = await campaignOf(1, { startDate: '2099-01-01' });
    await listen({ CampaignKeyID: key });
    for (const CampaignKeyID of [key, other]) await shop.ask(startCampaign, { CampaignKeyID });
    harness.scripted.deletedAgents.add(12);
    await database.query('UPDATE campaigns SET starts_at = NULL WHERE key_id = ANY($1)', [[key, other]]);
    await eventually('its pause is told', () => types().includes('campaign.paused'));
    const isPaused = async () => (await shop.ask(getCampaign, { CampaignKeyID: other })).status === 'PAUSED';
    await eventually('the other one is paused as well', isPaused);
    const mine = [shop.principal.orgId];
    const untold = async () => (await database.query('SELECT 1 FROM campaign_webhook_events WHERE org_id = $1', mine)).rowCount;
    await eventually('nothing is left to be told', async () => (await untold()) === 0);
    expect(receiver.received.map(({ event }) => [event.type, event.CampaignKeyID, event.statusReason])).toEqual([
      ['campaign.started', key, null],
      ['campaign.paused', key, 'Its agent was deleted.'],
    ]);
  });

  it('return their secret masked, and keep it when the mask is sent', async () => {
    const { WebhookKeyID, secret: shown } = await listen();
    expect(shown).toBe(secretMask);
    const [row] = (await database.query('SELECT sealed FROM campaign_webhooks WHERE key_id = $1', [WebhookKeyID])).rows;
    expect(String(row?.sealed)).not.toContain(secret);
    await shop.ask(saveCampaignWebhook, { WebhookKeyID, secret: secretMask, url: `${receiver.url}/moved` });
    const key = await campaignOf(1, { startDate: '2099-01-01' });
    await shop.ask(startCampaign, { CampaignKeyID: key });
    await eventually('it is told', () => receiver.received.length === 1);
    expect(receiver.received[0]?.path).toBe('/moved');
    expect(receiver.received.every((event) => isSignedBy(secret, event))).toBe(true);
    await expect(listen({ secret: secretMask })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'secret' }],
    });
    await expect(listen({ secret: 'too short' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(listen({ url: 'ftp://crm.example/' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(listen({ url: 'https://crm.example/' })).rejects.toMatchObject({ details: [{ field: 'url' }] });
    const { host } = new URL(receiver.url);
    for (const url of [`http://ada:secret@${host}/`, `http://ada@${host}/`])
      await expect(listen({ url })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'url', message: 'url must hold no user name and no password' }],
      });
  });

  it('show what their address holds behind its origin to those alone who may change it, and keep it when its mask is sent', async () => {
    const url = `${receiver.url}/T000/xyzzy`;
    const { WebhookKeyID } = await listen({ url });
    const { orgId } = shop.principal;
    const [viewer, editor] = [
      { integrations: ['CanView' as const] },
      { integrations: ['CanView' as const, 'CanUpdate' as const] },
    ];
    const shownBy = async (permissions: typeof viewer | typeof editor) =>
      (await harness.memberOf({ orgId, permissions }).ask(listCampaignWebhooks, {})).map((webhook) => webhook.url);
    expect(await shownBy(editor)).toEqual([url]);
    const masked = `${new URL(url).origin}/...`;
    expect(await shownBy(viewer)).toEqual([masked]);
    await shop.ask(saveCampaignWebhook, { WebhookKeyID, url: masked });
    expect(await shownBy(editor)).toEqual([url]);
    for (const sent of [
      { WebhookKeyID, url: 'https://thief.example/...' },
      { url: masked, secret },
    ])
      await expect(shop.ask(saveCampaignWebhook, sent)).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'url' }],
      });
  });

  it('list undelivered events, resend them on request, and receive none while disabled', async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const { WebhookKeyID } = await listen();
    const key = await campaignOf(1, { startDate: '2099-01-01' });
    await shop.ask(startCampaign, { CampaignKeyID: key });
    const only = async () => (await shop.ask(listCampaignWebhooks, {}))[0];
    await eventually('it failed', async () => (await only())?.lastFailure === 'It answered 500.');
    await database.query(`UPDATE campaign_webhook_events SET given_up_on = now()`);
    expect(await only()).toMatchObject({ waitingCount: 0, givenUpCount: 1, lastDeliveredOn: null });
    const { rows } = await shop.ask(listUndeliveredCampaignEvents, { WebhookKeyID });
    expect(rows).toMatchObject([{ type: 'campaign.started', CampaignKeyID: key, attempts: 1, givenUpOn: expect.any(String) }]);
    receiver.reset();
    expect(await shop.ask(retryCampaignWebhook, { WebhookKeyID })).toMatchObject({ waitingCount: 1, givenUpCount: 0 });
    await eventually('it is taken', () => receiver.received.length === 1);
    expect(receiver.received[0]?.event.id).toBe(rows[0]?.EventID);
    await shop.ask(saveCampaignWebhook, { WebhookKeyID, isActive: false });
    await shop.ask(pauseCampaign, { CampaignKeyID: key });
    expect(await only()).toMatchObject({ isActive: false, waitingCount: 0, givenUpCount: 0, lastFailure: null });
  });

  it('belong to their organization and to members who see all its agents', async () => {
    const { WebhookKeyID } = await listen();
    const other = await harness.shop();
    expect(await other.ask(listCampaignWebhooks, {})).toEqual([]);
    for (const ask of [retryCampaignWebhook, deleteCampaignWebhook])
      await expect(other.ask(ask, { WebhookKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const key = await campaignOf(1);
    await expect(other.ask(saveCampaignWebhook, { CampaignKeyID: key, url: receiver.url, secret })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const held = harness.memberOf({ orgId: shop.principal.orgId, agentIds: [12] });
    await expect(held.ask(listCampaignWebhooks, {})).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    await shop.ask(deleteCampaignWebhook, { WebhookKeyID });
    expect(await shop.ask(listCampaignWebhooks, {})).toEqual([]);
  });
});
