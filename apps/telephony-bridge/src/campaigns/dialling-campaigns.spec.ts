import { randomUUID } from 'node:crypto';
import {
  addCampaignContacts,
  addDoNotCall,
  agentDeleted,
  bookCampaignCall,
  getCampaign,
  listCalls,
  listCampaignContacts,
  listDoNotCall,
  pauseCampaign,
  saveCallLimits,
  saveCampaign,
  startCampaign,
  stopCampaignCalls,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import type { Client } from 'pg';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { anyHour, openNumbers } from '../testing/open-numbers';
import { CampaignLoop } from './campaign-loop';
import { CampaignEngine } from './plan/engine';
import { FakePhone } from '../testing/fake-network';

describe('a running campaign', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  let database: Client;
  let loop: CampaignLoop | undefined;
  beforeAll(async () => {
    const started = jest.spyOn(CampaignLoop.prototype, 'onApplicationBootstrap');
    harness = await BridgeHarness.open();
    [loop] = started.mock.contexts;
    started.mockRestore();
    database = await harness.sql();
  });
  beforeEach(async () => {
    shop = await harness.shop();
    harness.network.placed.splice(0);
    harness.network.onPlace = () => undefined;
    harness.network.refusedCallers.clear();
  });
  afterEach(() => harness.scripted.reset());
  afterAll(async () => {
    await harness.close();
  });

  async function begun(count: number, change: object = {}): Promise<string> {
    harness.scripted.contacts = openNumbers(count).map((ContactNumber, index) => ({ ContactID: index + 1, ContactNumber }));
    const CampaignKeyID = await saved({ ContactIDs: harness.scripted.contacts.map(({ ContactID }) => ContactID), ...change });
    await shop.ask(startCampaign, { CampaignKeyID });
    return CampaignKeyID;
  }
  async function saved(change: object): Promise<string> {
    const { CampaignKeyID } = await shop.ask(saveCampaign, {
      CampaignName: 'Renewals',
      AgentID: 12,
      CallerNumber: shop.number.number,
      CallingHours: anyHour,
      CallsPerMinute: 600,
      MaxConcurrentCalls: 50,
      Retry: { maxAttempts: 1 },
      ...change,
    });
    return CampaignKeyID;
  }
  const read = (CampaignKeyID: string) => shop.ask(getCampaign, { CampaignKeyID });
  const reaches = (CampaignKeyID: string, status: string) =>
    eventually(`it is ${status}`, async () => (await read(CampaignKeyID)).status === status);
  /** Resolves once the replica has checked its campaigns completely: the second check begins after the first. */
  async function lookedRound(): Promise<void> {
    const step = jest.spyOn(CampaignEngine.prototype, 'step');
    await eventually('it looked twice', () => {
      loop?.wake();
      return step.mock.calls.length >= 2;
    });
    await Promise.all(step.mock.contexts.map((engine) => engine.placed()));
    step.mockRestore();
  }
  /** Callers who hang up before the agent is connected count as missed. */
  async function talk(mediaUrl: string, callId: string): Promise<void> {
    const phone = await FakePhone.answer(mediaUrl, callId);
    const isTalking = async () =>
      (await shop.ask(listCalls, { state: 'IN_PROGRESS' })).rows.some(({ carrierCallID }) => carrierCallID === callId);
    await eventually('it is in progress', isTalking);
    phone.hangUp();
  }
  /** Ends every call as its number says. */
  function answerBy(stateOf: (number: string) => 'busy' | 'no-answer' | 'answered'): void {
    harness.network.onPlace = ({ to, mediaUrl }, { callId }) => {
      const state = stateOf(to);
      const act = async (): Promise<void> => {
        if (state === 'answered') return talk(mediaUrl, callId);
        await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state }]);
      };
      void harness.noted(callId).then(act);
    };
  }

  it('calls everybody once, counts the outcomes, and completes', async () => {
    answerBy((number) => (number.endsWith('1') ? 'busy' : number.endsWith('2') ? 'no-answer' : 'answered'));
    const key = await begun(10);
    await reaches(key, 'COMPLETED');
    expect(await read(key)).toMatchObject({
      contactCount: 10,
      progress: { waiting: 0, active: 0, completed: 8, missed: 2, failed: 0 },
    });
    expect(new Set(harness.network.placed.map(({ to }) => to)).size).toBe(10);
    expect(harness.network.placed).toHaveLength(10);
    const { CampaignID } = await read(key);
    const { rows } = await shop.ask(listCalls, { CampaignID });
    expect(rows).toHaveLength(10);
    const fifth = rows.find(({ ContactID }) => ContactID === 5);
    expect(fifth).toMatchObject({ outcome: 'ANSWERED', state: 'COMPLETED', CampaignKeyID: key });
    expect(fifth?.ContactKeyID).toMatch(/-000000000005$/);
    const told = harness.scripted.changes.find(({ CallKeyID }) => CallKeyID === fifth?.CallKeyID);
    expect(told).toMatchObject({ CampaignKeyID: key, ContactKeyID: fifth?.ContactKeyID, AgentKeyID: fifth?.AgentKeyID });
  });

  it('keeps contacts waiting while others have set all credits aside, which is no failed attempt, and calls them afterwards', async () => {
    answerBy(() => 'busy');
    const plenty = 1_000;
    harness.scripted.setAsideFor = plenty;
    const key = await begun(2);
    await eventually('each was tried twice', () => harness.scripted.setAsideFor <= plenty - 4);
    const { CampaignID, status, progress } = await read(key);
    expect([status, progress.failed, (await shop.ask(listCalls, { CampaignID })).rows]).toEqual(['RUNNING', 0, []]);
    harness.scripted.setAsideFor = 0;
    await reaches(key, 'COMPLETED');
    expect((await read(key)).progress).toMatchObject({ missed: 2, failed: 0 });
    expect(harness.network.placed).toHaveLength(2);
  });

  it('reports which campaign contact each call was for, also if contacts came as a list', async () => {
    answerBy(() => 'busy');
    const key = await saved({});
    const Contacts = openNumbers(2).map((ContactNumber) => ({ ContactNumber }));
    await shop.ask(addCampaignContacts, { CampaignKeyID: key, Contacts });
    await shop.ask(startCampaign, { CampaignKeyID: key });
    await reaches(key, 'COMPLETED');
    const { CampaignID } = await read(key);
    const { rows } = await shop.ask(listCampaignContacts, { CampaignKeyID: key });
    const called = () => harness.scripted.changes.filter((change) => change.CampaignID === CampaignID);
    await eventually('both ends were told', () => called().filter(({ endedAt }) => endedAt !== null).length === 2);
    expect(new Set(called().map(({ CampaignContactID }) => CampaignContactID))).toEqual(
      new Set(rows.map(({ CampaignContactID }) => CampaignContactID)),
    );
    expect(called().map(({ ContactID }) => ContactID)).not.toContainEqual(expect.any(Number));
  });

  it('ends a contact at once whose call failed while being answered', async () => {
    harness.scripted.isSpeechAway = true;
    harness.network.onPlace = ({ mediaUrl }, { callId }) =>
      void harness.noted(callId).then(() => FakePhone.answer(mediaUrl, callId));
    const key = await begun(1);
    await reaches(key, 'COMPLETED');
    expect((await read(key)).progress).toMatchObject({ failed: 1, active: 0 });
    const { rows } = await shop.ask(listCampaignContacts, { CampaignKeyID: key });
    expect(rows[0]).toMatchObject({ state: 'FAILED', attempts: 1, cause: expect.stringContaining('could not be taken') });
  });

  it('dials ahead up to its abandonment cap, and hangs up on those who answer while all lines are taken', async () => {
    const phones: FakePhone[] = [];
    harness.network.onPlace = ({ mediaUrl }, { callId }) =>
      void harness.noted(callId).then(async () => phones.push(await FakePhone.answer(mediaUrl, callId)));
    const key = await begun(2, { MaxConversations: 1, AbandonedShareMax: 0.1, startDate: '2099-01-01' });
    // As if 120 calls had been made, half of them answered.
    await database.query(
      `UPDATE campaigns SET starts_at = NULL, outcomes = '{"ANSWERED": 60, "NO_ANSWER": 60}' WHERE key_id = $1`,
      [key],
    );
    const progress = async () => (await read(key)).progress;
    await eventually('one was hung up on', async () => (await progress()).missed === 1);
    expect(await progress()).toMatchObject({ active: 1, missed: 1, failed: 0 });
    const { rows } = await shop.ask(listCampaignContacts, { CampaignKeyID: key, state: 'MISSED' });
    expect(rows[0]).toMatchObject({ attempts: 1, cause: 'It was answered while nobody was free to speak.' });
    const counted = await database.query(`SELECT outcomes ->> 'ABANDONED' AS abandoned FROM campaigns WHERE key_id = $1`, [key]);
    expect(counted.rows[0]?.abandoned).toBe('1');
    for (const phone of phones) phone.hangUp();
    await reaches(key, 'COMPLETED');
    expect(await progress()).toMatchObject({ completed: 1, missed: 1 });
  });

  it('dials no more than there are free lines if nothing may be abandoned', async () => {
    const phones: FakePhone[] = [];
    harness.network.onPlace = ({ mediaUrl }, { callId }) =>
      void harness.noted(callId).then(async () => phones.push(await FakePhone.answer(mediaUrl, callId)));
    const key = await begun(2, { MaxConversations: 1 });
    await eventually('one talks', async () => (await shop.ask(listCalls, { state: 'IN_PROGRESS' })).rows.length === 1);
    await lookedRound();
    expect(harness.network.placed).toHaveLength(1);
    phones[0]?.hangUp();
    await eventually('the next is called', () => harness.network.placed.length === 2);
    await eventually('it was answered', () => phones.length === 2);
    phones[1]?.hangUp();
    await reaches(key, 'COMPLETED');
  });

  it('retries as its policy says, and no more often', async () => {
    answerBy(() => 'busy');
    const key = await begun(1, { Retry: { maxAttempts: 2, minutesBetween: 1 } });
    await eventually('it was tried', () => harness.network.placed.length === 1);
    await eventually('it waits', async () => (await read(key)).progress.waiting === 1);
    await database.query(`UPDATE campaign_contacts SET due_at = now() WHERE state = 'WAITING'`);
    await reaches(key, 'COMPLETED');
    expect(harness.network.placed).toHaveLength(2);
    expect((await read(key)).progress).toMatchObject({ missed: 1 });
  });

  it('begins no further call once it looked after it was paused', async () => {
    const key = await begun(40, { MaxConcurrentCalls: 500, CallsPerMinute: 20 });
    await eventually('it dials', () => harness.network.placed.length > 0);
    await shop.ask(pauseCampaign, { CampaignKeyID: key });
    // The look in progress may still place what it took; a later one takes nothing.
    await lookedRound();
    const { length } = harness.network.placed;
    await lookedRound();
    expect(harness.network.placed).toHaveLength(length);
    expect(length).toBeLessThanOrEqual(20);
  });

  it('never calls numbers on the do-not-call list', async () => {
    answerBy(() => 'busy');
    const [first = ''] = openNumbers(1);
    await shop.ask(addDoNotCall, { ContactNumbers: [first] });
    const key = await begun(2);
    await reaches(key, 'COMPLETED');
    expect(harness.network.placed.map(({ to }) => to)).not.toContain(first);
    expect((await read(key)).progress).toMatchObject({ doNotCall: 1, missed: 1 });
  });

  it('never rings a number that another campaign is ringing, nor above the daily limit over all campaigns', async () => {
    await shop.ask(saveCallLimits, { CallsPerNumberADay: 2 });
    const ringing: string[] = [];
    harness.network.onPlace = (_, { callId }) => void ringing.push(callId);
    const keys = [await begun(4), await begun(4)];
    await eventually('four ring', () => harness.network.placed.length >= 4);
    await lookedRound();
    expect(new Set(harness.network.placed.map(({ to }) => to)).size).toBe(4);
    expect(harness.network.placed).toHaveLength(4);
    const waiting = async () => (await Promise.all(keys.map(read))).map(({ progress }) => progress.waiting);
    await eventually('the others wait', async () => (await waiting()).reduce((sum, each) => sum + each, 0) === 4);
    answerBy(() => 'busy');
    for (const callId of ringing) {
      await harness.noted(callId);
      await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'busy' }]);
    }
    const missed = async () => (await Promise.all(keys.map(read))).reduce((sum, { progress }) => sum + progress.missed, 0);
    await eventually('their calls are over', async () => (await missed()) === 4);
    await database.query(`UPDATE campaign_contacts SET due_at = now() WHERE state = 'WAITING'`);
    await eventually('the other campaign calls them', () => harness.network.placed.length === 8);
    for (const key of keys) await reaches(key, 'COMPLETED');
    const third = await begun(4);
    await eventually('they are left for the next day', async () => {
      const { rows } = await shop.ask(listCampaignContacts, { CampaignKeyID: third });
      return rows.every(({ nextCallAt }) => nextCallAt !== null && Date.parse(nextCallAt) > Date.now() + 3_600_000);
    });
    expect(harness.network.placed).toHaveLength(8);
  });

  it('pauses with a reason when its agent is deleted, and calls nobody', async () => {
    const key = await begun(3, { startDate: '2099-01-01' });
    harness.scripted.deletedAgents.add(12);
    await database.query('UPDATE campaigns SET starts_at = NULL WHERE key_id = $1', [key]);
    await reaches(key, 'PAUSED');
    expect((await read(key)).statusReason).toBe('Its agent was deleted.');
    await eventually('all wait', async () => (await read(key)).progress.waiting === 3);
    expect(harness.network.placed).toHaveLength(0);
  });

  it('finishes calls in progress when its agent is deleted, and starts no others', async () => {
    const phones: FakePhone[] = [];
    const ringing: (() => Promise<void>)[] = [];
    harness.network.onPlace = ({ mediaUrl }, { callId }) => {
      const answer = async (): Promise<void> => void phones.push(await FakePhone.answer(mediaUrl, callId));
      if (harness.network.placed.length === 1) void harness.noted(callId).then(answer);
      else ringing.push(answer);
    };
    const key = await begun(6, { MaxConcurrentCalls: 2 });
    const talking = async () => (await shop.ask(listCalls, { state: 'IN_PROGRESS' })).rows.length;
    await eventually('one talks while the other rings', async () => (await talking()) === 1 && ringing.length === 1);
    harness.scripted.deletedAgents.add(12);
    const payload = { AgentID: 12, AgentKeyID: randomUUID(), Version: 4 };
    const occurredAt = new Date().toISOString();
    await harness.bus.emit(agentDeleted, { id: randomUUID(), orgId: shop.principal.orgId, occurredAt, payload });
    await reaches(key, 'PAUSED');
    expect((await read(key)).statusReason).toBe('Its agent was deleted.');
    await ringing[0]?.();
    await eventually('both talk', async () => (await talking()) === 2);
    for (const phone of phones) phone.hangUp();
    await eventually('both are over', async () => (await read(key)).progress.active === 0);
    expect((await read(key)).progress).toMatchObject({ waiting: 4, completed: 2, failed: 0 });
    expect(harness.network.placed).toHaveLength(2);
  });

  it('says that its end date passed, and why each remaining contact was not called', async () => {
    let end = (): Promise<unknown> => Promise.resolve();
    harness.network.onPlace = (_, { callId }) => {
      end = () => harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'busy' }]);
    };
    const key = await begun(3, { MaxConcurrentCalls: 1, endDate: '2099-12-31' });
    await eventually('one rings', () => harness.network.placed.length === 1);
    await database.query('UPDATE campaigns SET ends_at = now() WHERE key_id = $1', [key]);
    await eventually('the others are given up', async () => (await read(key)).progress.cancelled === 2);
    await end();
    await reaches(key, 'COMPLETED');
    expect((await read(key)).statusReason).toBe('Its end date has passed: 2 contacts were not called any more.');
    const { rows } = await shop.ask(listCampaignContacts, { CampaignKeyID: key, state: 'CANCELLED' });
    expect(rows.map(({ cause }) => cause)).toEqual(['The campaign ended before.', 'The campaign ended before.']);
  });

  it('pauses when the carrier refuses all its caller numbers, without counting an attempt', async () => {
    harness.network.refusedCallers.add(shop.number.number);
    const key = await begun(2);
    await reaches(key, 'PAUSED');
    expect((await read(key)).statusReason).toContain('refuses every number');
    await eventually('both wait', async () => (await read(key)).progress.waiting === 2);
    expect(harness.network.placed).toHaveLength(0);
  });

  it('also pauses when the carrier accepts the call first and then refuses the number', async () => {
    harness.network.onPlace = (_, { callId }) => {
      const refuse = async (): Promise<void> => {
        await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'failed', refusesCaller: true }]);
      };
      void harness.noted(callId).then(refuse);
    };
    const key = await begun(1);
    await reaches(key, 'PAUSED');
    expect(await read(key)).toMatchObject({
      statusReason: expect.stringContaining('refuses every number'),
      progress: { waiting: 1 },
    });
    const { rows } = await shop.ask(listCampaignContacts, { CampaignKeyID: key });
    expect(rows[0]).toMatchObject({ attempts: 0, disposition: null });
    expect(harness.network.placed).toHaveLength(1);
  });

  it('calls back those who ask for it, and never again those who decline', async () => {
    const phones: FakePhone[] = [];
    harness.network.onPlace = ({ mediaUrl }, { callId }) =>
      void harness.noted(callId).then(async () => phones.push(await FakePhone.answer(mediaUrl, callId)));
    const key = await begun(2);
    const inProgress = async () => (await shop.ask(listCalls, { state: 'IN_PROGRESS' })).rows;
    const isKnown = ({ sessionUUID }: { sessionUUID: string | null }) => sessionUUID !== null;
    await eventually('both talk', async () => (await inProgress()).filter(isKnown).length === 2);
    const [one, other] = await inProgress();
    expect(await shop.ask(bookCampaignCall, { sessionUUID: one?.sessionUUID ?? '', minutes: 90 })).toEqual({ isDone: true });
    expect(await shop.ask(stopCampaignCalls, { sessionUUID: other?.sessionUUID ?? '' })).toEqual({ isDone: true });
    for (const phone of phones) phone.hangUp();
    await eventually('both are over', async () => (await read(key)).progress.active === 0);
    const { rows } = await shop.ask(listCampaignContacts, { CampaignKeyID: key });
    const dispositionOf = (number?: string) => rows.find(({ ContactNumber }) => ContactNumber === number);
    expect(dispositionOf(one?.to)).toMatchObject({
      state: 'WAITING',
      disposition: 'CALL_BACK',
      attempts: 1,
      CallKeyID: one?.CallKeyID,
    });
    expect(dispositionOf(other?.to)).toMatchObject({ state: 'COMPLETED', disposition: 'DO_NOT_CALL' });
    expect((await shop.ask(listDoNotCall, {})).rows).toMatchObject([{ ContactNumber: other?.to }]);
    const stranger = { sessionUUID: one?.sessionUUID ?? '', minutes: 5 };
    expect(await shop.ask(bookCampaignCall, stranger)).toEqual({ isDone: false });
  });
});
