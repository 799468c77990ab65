import {
  bookCampaignCall,
  countActiveCalls,
  endCall,
  getCall,
  listCalls,
  listDoNotCall,
  placeCall,
  stopCampaignCalls,
} from '@parley/contracts';
import { ProviderFailure } from '@parley/ports';
import { eventually } from '@parley/testing';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { FakePhone } from '../testing/fake-network';
import { CarrierWebhooks } from './webhooks.service';

describe('an incoming call', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open({ CALLS_PER_ORGANIZATION: '2' });
  });
  beforeEach(async () => {
    shop = await harness.shop();
    from = '+919820012345';
  });
  afterEach(() => harness.scripted.reset());
  afterAll(() => harness.close());

  let from: string;
  const ring = async (to = shop.number.number) => {
    const { callId } = harness.network.newCall();
    const { plan, status } = await harness.network.tell(shop.webhooks.answer, [{ kind: 'incoming', callId, from, to }]);
    return { callId, plan, status };
  };
  const pickedUp = async () => {
    const { callId, plan } = await ring();
    if (plan?.kind !== 'connect') throw new Error(`the call was not taken: ${JSON.stringify(plan)}`);
    const lines = harness.scripted.lines.length;
    const phone = await FakePhone.answer(plan.mediaUrl, callId);
    await eventually('the agent is on the line', () => harness.scripted.lines.length > lines);
    return { callId, phone, line: harness.scripted.last, mediaUrl: plan.mediaUrl };
  };
  it('puts callers on the do-not-call list when they ask for it, unless their number is withheld', async () => {
    const { phone } = await pickedUp();
    const session = async () => (await record()).sessionUUID;
    await eventually('its conversation is known', async () => (await session()) !== null);
    const sessionUUID = (await session()) ?? '';
    expect(await shop.ask(bookCampaignCall, { sessionUUID, minutes: 5 })).toEqual({ isDone: false });
    expect(await shop.ask(stopCampaignCalls, { sessionUUID })).toEqual({ isDone: true });
    expect((await shop.ask(listDoNotCall, {})).rows).toMatchObject([{ ContactNumber: from }]);
    phone.hangUp();
    await over();
    from = 'anonymous';
    const other = await pickedUp();
    await eventually('its conversation is known', async () => (await record()).from === from && (await session()) !== null);
    expect(await shop.ask(stopCampaignCalls, { sessionUUID: (await session()) ?? '' })).toEqual({ isDone: false });
    other.phone.hangUp();
  });

  it('is reported again by a carrier whose commands failed', async () => {
    const away = new ProviderFailure('fake', 'is away', { retryable: true });
    jest.spyOn(CarrierWebhooks.prototype, 'receive').mockRejectedValueOnce(away);
    expect((await ring()).status).toBe(503);
    const { plan, status } = await ring();
    expect([status, plan?.kind]).toEqual([200, 'connect']);
  });

  const records = () => shop.ask(listCalls, {});
  const record = async () => {
    const { rows } = await records();
    const [row] = rows;
    if (!row) throw new Error('there is no call');
    return row;
  };
  const over = async () => {
    await eventually('the call is over', async () => (await record()).endedAt !== null && harness.scripted.meters.size === 0);
    return record();
  };

  it('takes no more sound than can have been spoken since it began, however fast it arrives', async () => {
    const begun = performance.now();
    const { phone, line } = await pickedUp();
    for (let second = 0; second < 300; second += 1) phone.sound(new Uint8Array(8000).fill(0x33));
    phone.say({ event: 'digit', digit: '5' });
    await eventually('all of it came', () => line.heard.some(({ type }) => type === 'dtmf'));
    const heardMs = line.sounds.reduce((sum, { length }) => sum + length / 8, 0);
    expect(heardMs).toBeGreaterThanOrEqual(1_000);
    expect(heardMs).toBeLessThanOrEqual(3_000 + performance.now() - begun);
    phone.hangUp();
    await over();
  });

  it('is answered by the number’s agent, with unchanged sound both ways, and recorded with its cost', async () => {
    const { phone, line, callId } = await pickedUp();
    expect(line.opening).toMatchObject({
      channel: 'PHONE',
      sampleRate: 8000,
      encoding: 'mulaw',
      AgentKeyID: shop.number.AgentKeyID,
    });
    phone.sound(new Uint8Array(160).fill(0x33));
    await eventually('the agent hears', () => line.sounds.length === 1);
    expect(Buffer.from(line.sounds[0] ?? [])).toEqual(Buffer.alloc(160, 0x33));
    line.channel.send(new Uint8Array(160).fill(0x44));
    await eventually('the caller hears', () => phone.heard.length === 1);
    expect(phone.heard[0]).toEqual(Buffer.alloc(160, 0x44));
    line.channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 4 }] });
    line.channel.signal({ type: 'usage', usage: [{ kind: 'TTS_API', units: 30 }] });
    await eventually('it is counted', () => harness.scripted.charged.get(shop.principal.orgId)?.TTS_API === 30);
    expect(await shop.ask(countActiveCalls, {})).toMatchObject({
      activeCalls: 1,
      limit: 2,
      byAgent: [{ AgentID: 12, AgentName: 'Agent 12', activeCalls: 1 }],
    });
    phone.hangUp();
    const ended = await over();
    expect(ended).toMatchObject({
      state: 'COMPLETED',
      outcome: 'ANSWERED',
      direction: 'INBOUND',
      from,
      to: shop.number.number,
      carrierCallID: callId,
      cause: 'The other side hung up.',
      sessionUUID: line.sessionUUID,
    });
    await eventually('its credits are known', async () => (await record()).credits.TTS_API === 30);
    expect((await record()).credits).toEqual({ STT_API: 4, TTS_API: 30, TTT_API: 0 });
    expect(line.heard).toContainEqual({ type: 'session.end', reason: 'ENDED_BY_USER' });
    expect(await shop.ask(countActiveCalls, {})).toMatchObject({ activeCalls: 0, byAgent: [] });
    expect(await shop.ask(getCall, { CallKeyID: ended.CallKeyID })).toMatchObject({ CallKeyID: ended.CallKeyID });
  });

  it('has its usage in its record from the moment it ends', async () => {
    const { phone, line } = await pickedUp();
    line.channel.signal({ type: 'usage', usage: [{ kind: 'TTS_API', units: 30 }] });
    await eventually('it is counted', () => harness.scripted.charged.get(shop.principal.orgId)?.TTS_API === 30);
    // The speech service has not ended the session yet, so nothing is settled.
    harness.scripted.hear = () => undefined;
    phone.hangUp();
    await eventually('the call is over', async () => (await record()).endedAt !== null);
    expect(harness.scripted.meters.size).toBe(1);
    expect((await record()).credits).toEqual({ STT_API: 0, TTS_API: 30, TTT_API: 0 });
    line.channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 2 }] });
    line.channel.close('over');
    await eventually('what came last is added', async () => (await record()).credits.STT_API === 2);
  });

  it('fails if its media claims to belong to another call', async () => {
    const { plan } = await ring();
    if (plan?.kind !== 'connect') throw new Error('not taken');
    await FakePhone.answer(plan.mediaUrl, 'another call');
    expect(await over()).toMatchObject({ state: 'FAILED', cause: 'The carrier’s media was that of another call.' });
    expect(harness.scripted.lines).toEqual([]);
  });

  it('ignores reports sent to another call’s address', async () => {
    const { phone, callId } = await pickedUp();
    const placed = await shop.ask(placeCall, { AgentID: 12, to: '+919820012346' });
    await harness.network.tell(`${shop.webhooks.status}/${placed.CallKeyID}`, [{ kind: 'state', callId, state: 'completed' }]);
    const { rows } = await shop.ask(listCalls, { direction: 'INBOUND' });
    expect(rows[0]).toMatchObject({ carrierCallID: callId, state: 'IN_PROGRESS' });
    phone.hangUp();
    await shop.ask(endCall, { CallKeyID: placed.CallKeyID });
    await over();
  });

  it('is MISSED if the caller hangs up before it is connected, whoever reports that first', async () => {
    for (const toldFirst of ['media', 'carrier']) {
      const { callId, plan } = await ring();
      if (plan?.kind !== 'connect') throw new Error('not taken');
      const state = { kind: 'state' as const, callId, state: 'cancelled' as const, code: '487', cause: 'the caller gave up' };
      if (toldFirst === 'carrier') await harness.network.tell(shop.webhooks.status, [state]);
      else {
        const phone = await FakePhone.answer(plan.mediaUrl, callId);
        phone.hangUp();
      }
      const missed = await over();
      if (toldFirst === 'media') await harness.network.tell(shop.webhooks.status, [state]);
      expect(missed).toMatchObject({ state: 'MISSED', outcome: 'NO_ANSWER', answeredAt: null, durationSeconds: 0, minutes: 0 });
      const cause = toldFirst === 'media' ? 'The other side hung up before the call was connected.' : 'the caller gave up';
      expect(await record()).toMatchObject({ state: 'MISSED', outcome: 'NO_ANSWER', cause, causeCode: '487' });
    }
  });

  it('is recorded with whole minutes, response times, and the carrier’s recording', async () => {
    const { phone, line, callId } = await pickedUp();
    const latency = { transcriptionMs: 90, retrievalMs: null, firstTokenMs: 240, firstAudioMs: 120, pacingMs: 20 };
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    const done = { type: 'agent.done' as const, turnUUID: shop.number.AgentKeyID, text: 'Yes.', usage };
    line.channel.signal({ ...done, latency: { ...latency, endOfTurnMs: 300, totalMs: 770 } });
    line.channel.signal({ ...done, latency: { ...latency, endOfTurnMs: 500, totalMs: 970 } });
    phone.hangUp();
    await over();
    await eventually('its answers are summed up', async () => (await record()).turnCount === 2);
    const before = await record();
    expect(before).toMatchObject({
      // It lasted less than half a second, which rounds to none.
      minutes: 1,
      latency: { ...latency, endOfTurnMs: 400, totalMs: 870 },
      // We record nothing: only the carrier has recordings.
      recordingKey: null,
    });
    const url = 'https://carrier.example/recordings/1.wav';
    await harness.network.tell(shop.webhooks.status, [{ kind: 'recording', callId, url }]);
    expect((await record()).recordingKey).toBe(url);
  });

  it('passes keys on, drops sound when the agent is interrupted, and reports what was heard', async () => {
    const { phone, line } = await pickedUp();
    phone.say({ event: 'digit', digit: '5' });
    await eventually('the key is heard', () => line.heard.some((signal) => signal.type === 'dtmf' && signal.digit === '5'));
    line.channel.signal({ type: 'agent.audio.start', turnUUID: shop.number.AgentKeyID, sampleRate: 8000 });
    for (let at = 0; at < 25; at += 1) line.channel.send(new Uint8Array(160).fill(0x44));
    await eventually('marks came back', () => line.heard.filter(({ type }) => type === 'playback').length === 2);
    expect(line.heard.filter(({ type }) => type === 'playback')).toEqual([
      { type: 'playback', playedMs: 240 },
      { type: 'playback', playedMs: 480 },
    ]);
    line.channel.signal({ type: 'agent.interrupted', heardText: 'We', playedMs: 480 });
    await eventually('the carrier drops it', () => phone.events.some(({ event }) => event === 'clear'));
    phone.hangUp();
    await over();
  });

  it('ends with the agent’s goodbye, and the carrier is told', async () => {
    const { line, callId, phone } = await pickedUp();
    line.channel.signal({ type: 'session.ended', reason: 'ENDED_BY_AGENT' });
    line.channel.close('ENDED_BY_AGENT');
    await phone.closed;
    expect(await over()).toMatchObject({ state: 'COMPLETED', cause: 'The agent ended the call.' });
    await eventually('the carrier ends it', () => harness.network.ended.includes(callId));
  });

  it('is refused without an agent, or if the agent was deleted', async () => {
    harness.scripted.deletedAgents.add(12);
    for (let times = 0; times < 2; times += 1) expect((await ring()).plan).toEqual({ kind: 'refuse', reason: 'rejected' });
    expect((await records()).totalCount).toBe(0);
    const told = harness.log.filter(
      (line) => line.includes('no agent answers') && line.includes(shop.account.CarrierAccountKeyID),
    );
    expect(told).toEqual([expect.stringContaining('"level":"warn"')]);
  });

  it('is refused as busy when all slots are taken, and accepted once one is free', async () => {
    const first = await pickedUp();
    const second = await pickedUp();
    expect((await ring()).plan).toEqual({ kind: 'refuse', reason: 'busy' });
    const missed = await shop.ask(listCalls, { state: 'MISSED' });
    expect(missed.rows).toMatchObject([{ outcome: 'BUSY', cause: expect.stringMatching(/were live/) }]);
    first.phone.hangUp();
    await eventually('a slot is free', async () => (await shop.ask(countActiveCalls, {})).activeCalls === 1);
    (await pickedUp()).phone.hangUp();
    second.phone.hangUp();
    await eventually('all are over', async () => (await shop.ask(countActiveCalls, {})).activeCalls === 0);
  });

  it('without credits ends with the reason before the agent speaks', async () => {
    const { callId, plan } = await ring();
    harness.scripted.isOutOfCredits = true;
    if (plan?.kind !== 'connect') throw new Error('not taken');
    const phone = await FakePhone.answer(plan.mediaUrl, callId);
    await phone.closed;
    expect(await over()).toMatchObject({ state: 'FAILED', outcome: 'REJECTED', cause: 'The organization has no credits left.' });
    expect(harness.scripted.lines).toEqual([]);
  });

  it('that runs out of credits is ended by the agent with the reason', async () => {
    await pickedUp();
    for (const meter of harness.scripted.meters) meter.signal({ type: 'exhausted' });
    expect(await over()).toMatchObject({ state: 'COMPLETED', cause: 'The organization ran out of credits.' });
  });

  it('goes on at another speech replica when one is lost', async () => {
    const { line, phone } = await pickedUp();
    line.channel.close('moved');
    await eventually('another takes it', () => harness.scripted.lines.length === 2);
    expect(harness.scripted.last.opening.sessionUUID).toBe(line.sessionUUID);
    phone.sound(new Uint8Array(160).fill(0x33));
    await eventually('the agent hears', () => harness.scripted.last.sounds.length > 0);
    phone.hangUp();
    expect(await over()).toMatchObject({ state: 'COMPLETED' });
    await eventually('it is remarked', async () => (await record()).remarks.includes('MOVED'));
  });

  it('ends with a reason when no speech replica is left', async () => {
    const { line, phone } = await pickedUp();
    harness.scripted.isSpeechAway = true;
    line.channel.close('gone');
    await phone.closed;
    expect(await over()).toMatchObject({ state: 'FAILED', cause: 'No speech service could take the call.' });
  });

  it('ends with a reason when its media connection breaks', async () => {
    const { phone, callId } = await pickedUp();
    phone.cut();
    expect(await over()).toMatchObject({ state: 'FAILED', cause: 'The connection with the carrier’s media was lost.' });
    await eventually('the carrier is told', () => harness.network.ended.includes(callId));
  });

  it('accepts media once, and only with its token', async () => {
    const { mediaUrl, phone } = await pickedUp();
    await expect(FakePhone.connect(mediaUrl)).rejects.toThrow('403');
    await expect(FakePhone.connect(mediaUrl.replace(/[^/]+$/, 'x'.repeat(32)))).rejects.toThrow('403');
    await expect(FakePhone.connect(mediaUrl.replace('fake', 'other'))).rejects.toThrow('403');
    phone.hangUp();
    await over();
  });

  it('keeps its token valid for the carrier after someone else used it without a signature', async () => {
    const { callId, plan } = await ring();
    if (plan?.kind !== 'connect') throw new Error(`the call was not taken: ${JSON.stringify(plan)}`);
    const forged = { 'x-fake-signature': 'f'.repeat(64) };
    await expect(FakePhone.connect(plan.mediaUrl, forged)).rejects.toThrow('403');
    const lines = harness.scripted.lines.length;
    const phone = await FakePhone.answer(plan.mediaUrl, callId);
    await eventually('the agent is on the line', () => harness.scripted.lines.length > lines);
    phone.hangUp();
    await over();
  });

  it('is one call however often the carrier reports it', async () => {
    const { callId } = harness.network.newCall();
    const notice = { kind: 'incoming', callId, from, to: shop.number.number } as const;
    await Promise.all(Array.from({ length: 5 }, () => harness.network.tell(shop.webhooks.answer, [notice])));
    expect((await records()).totalCount).toBe(1);
  });

  it('needs its account’s signature, and each only once', async () => {
    const { callId } = harness.network.newCall();
    const notice = { kind: 'incoming', callId, from, to: shop.number.number } as const;
    const forged = await harness.network.tell(shop.webhooks.answer, [notice], { 'x-fake-signature': 'f'.repeat(64) });
    expect(forged.status).toBe(403);
    expect((await records()).totalCount).toBe(0);
    expect((await harness.network.tell(shop.webhooks.answer, [notice], { 'x-fake-nonce': callId })).status).toBe(200);
    expect((await harness.network.tell(shop.webhooks.answer, [notice], { 'x-fake-nonce': callId })).status).toBe(409);
    const stranger = shop.webhooks.answer.replace(shop.account.CarrierAccountKeyID, '0c8e6c0e-6f2b-4a86-9d5d-2f4dd5b9a1aa');
    expect((await harness.network.tell(stranger, [notice])).status).toBe(404);
  });

  it('is refused permanently if its numbers or its id contain what the database cannot store', async () => {
    const { callId } = harness.network.newCall();
    const notice = { kind: 'incoming', callId, from, to: shop.number.number } as const;
    for (const broken of [{ from: '+91\u000098' }, { to: '\u0000' }, { callId: `${callId}\u0000` }]) {
      expect((await harness.network.tell(shop.webhooks.answer, [{ ...notice, ...broken }])).status).toBe(400);
    }
    expect((await records()).totalCount).toBe(0);
    expect((await harness.network.tell(shop.webhooks.answer, [notice])).status).toBe(200);
  });

  it('keeps its end against late, repeated or disordered reports', async () => {
    const { phone, callId } = await pickedUp();
    phone.hangUp();
    const ended = await over();
    for (const state of ['completed', 'ringing', 'answered', 'busy', 'failed', 'completed'] as const) {
      await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state, code: '16' }]);
    }
    expect(await record()).toMatchObject({
      state: 'COMPLETED',
      endedAt: ended.endedAt,
      cause: 'The other side hung up.',
      causeCode: '16',
    });
  });

  it.each(['busy', 'no-answer'] as const)('goes on when a late report says %s', async (state) => {
    const { phone, callId } = await pickedUp();
    phone.stream();
    await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state, code: '486' }]);
    expect(await record()).toMatchObject({ state: 'IN_PROGRESS', endedAt: null });
    phone.hangUp();
    expect(await over()).toMatchObject({ state: 'COMPLETED', outcome: 'ANSWERED', cause: 'The other side hung up.' });
  });

  it('ends when its carrier says so, even while media arrives', async () => {
    const { phone, callId } = await pickedUp();
    phone.stream();
    await harness.network.tell(shop.webhooks.status, [
      { kind: 'state', callId, state: 'completed', cause: 'Normal clearing', code: '16' },
    ]);
    await phone.closed;
    expect(await over()).toMatchObject({ state: 'COMPLETED', cause: 'Normal clearing', causeCode: '16' });
  });

  it('reports each of its states in order', async () => {
    const { phone } = await pickedUp();
    phone.hangUp();
    const { CallKeyID } = await over();
    const told = () => harness.scripted.changes.filter((change) => change.CallKeyID === CallKeyID).map(({ state }) => state);
    await eventually('all is told', () => told().length === 3);
    expect(told()).toEqual(['RINGING', 'IN_PROGRESS', 'COMPLETED']);
  });
});
