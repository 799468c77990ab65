import { randomUUID } from 'node:crypto';
import {
  conversationEnded,
  conversationErased,
  examplesOf,
  listCalls,
  listDoNotCall,
  ServerFrame,
  stopCampaignCalls,
} from '@parley/contracts';
import type { RunningService } from '@parley/service-kit';
import { eventually } from '@parley/testing';
import { BridgeHarness, freePort, type Shop } from '../testing/bridge-harness.suite';
import { FakePhone } from '../testing/fake-network';

const from = '+919820012345';

describe('a call', () => {
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

  const answered = async (answer = shop.webhooks.answer) => {
    const { callId } = harness.network.newCall('answered');
    const { plan } = await harness.network.tell(answer, [{ kind: 'incoming', callId, from, to: shop.number.number }]);
    if (plan?.kind !== 'connect') throw new Error(`the call was not taken: ${JSON.stringify(plan)}`);
    const phone = await FakePhone.answer(plan.mediaUrl, callId);
    phone.stream();
    return { phone, callId };
  };
  const pickedUp = async (answer = shop.webhooks.answer) => {
    const call = await answered(answer);
    await eventually('it is in progress', async () => (await records())[0]?.state === 'IN_PROGRESS');
    return call;
  };
  const answerAt = (port: number) => `http://127.0.0.1:${port}/telephony/fake/${shop.account.CarrierAccountKeyID}/answer`;
  const records = async () => (await shop.ask(listCalls, {})).rows;
  const over = async () => {
    await eventually('it is over', async () => (await records())[0]?.endedAt !== null);
    return (await records())[0];
  };

  it('whose carrier falls silent is ended on both sides, and its record says so', async () => {
    const port = await freePort();
    const TELEPHONY_PUBLIC_URL = `http://127.0.0.1:${port}`;
    await harness.bridge({ CALL_SILENT_MEDIA: '1s', TELEPHONY_PUBLIC_URL }, port);
    const { callId, phone } = await answered(answerAt(port));
    phone.sound(new Uint8Array(160).fill(0x33));
    phone.pause();
    expect(await over()).toMatchObject({
      state: 'FAILED',
      outcome: 'FAILED',
      cause: 'No sound came from the carrier for too long.',
      remarks: ['NO_MEDIA'],
    });
    await eventually('the carrier ends it', () => harness.network.ended.includes(callId));
  });

  it('has one line: another token of it is refused at any replica, and its usage is kept', async () => {
    const port = await freePort();
    await harness.bridge({}, port);
    const { callId } = harness.network.newCall('answered');
    const incoming = { kind: 'incoming', callId, from, to: shop.number.number } as const;
    const plans = await Promise.all(Array.from({ length: 6 }, () => harness.network.tell(shop.webhooks.answer, [incoming])));
    const urls = plans.flatMap(({ plan }) => (plan?.kind === 'connect' ? [plan.mediaUrl] : []));
    expect(new Set(urls).size).toBe(6);
    const there = (url: string) => Object.assign(new URL(url), { port: String(port) }).href;
    const lines = urls.map((url, index) => (index % 2 ? there(url) : url));
    const talk = async (url: string): Promise<FakePhone> => {
      const phone = await FakePhone.answer(url, callId);
      phone.stream();
      return phone;
    };
    const together = await Promise.allSettled(lines.slice(0, 4).map(talk));
    const phones = together.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    await eventually('it is in progress', async () => (await records())[0]?.state === 'IN_PROGRESS');
    for (const url of lines.slice(4)) await expect(FakePhone.answer(url, callId)).rejects.toThrow();
    await eventually('one agent is on the line', () => harness.scripted.lines.length === 1);
    harness.scripted.last.channel.signal({ type: 'usage', usage: [{ kind: 'TTS_API', units: 54 }] });
    await eventually('it is counted', () => harness.scripted.charged.get(shop.principal.orgId)?.['TTS_API'] === 54);
    for (const phone of phones) phone.hangUp();
    expect(await over()).toMatchObject({ state: 'COMPLETED', outcome: 'ANSWERED', cause: 'The other side hung up.' });
    await eventually('every meter is settled', () => harness.scripted.meters.size === 0);
    expect((await records())[0]).toMatchObject({ outcome: 'ANSWERED', credits: { TTS_API: 54 } });
    expect(harness.scripted.lines).toHaveLength(1);
  });

  it.each(['caller', 'carrier'])('leaves no credits held if its %s ends it while they are being held', async (who) => {
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    let asked = 0;
    harness.scripted.beforeMeter = () => ((asked += 1), held);
    const opened = jest.spyOn(harness.scripted.meters, 'add');
    const { phone, callId } = await answered();
    await eventually('credits are asked for', () => asked > 0);
    if (who === 'caller') phone.hangUp();
    else await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'cancelled' }]);
    expect(await over()).toMatchObject({ state: 'MISSED', answeredAt: null });
    hold();
    await eventually('a meter holds them', () => opened.mock.calls.length > 0);
    await eventually('and lets them go', () => harness.scripted.meters.size === 0);
    opened.mockRestore();
  });

  it('leaves no credits held if no speech service accepts it', async () => {
    harness.scripted.isSpeechAway = true;
    const opened = jest.spyOn(harness.scripted.meters, 'add');
    await answered();
    expect(await over()).toMatchObject({ state: 'FAILED', outcome: 'FAILED' });
    expect(opened).toHaveBeenCalledTimes(1);
    await eventually('they are let go', () => harness.scripted.meters.size === 0);
    opened.mockRestore();
  });

  it('was not answered if no conversation could be begun', async () => {
    harness.scripted.isSpeechAway = true;
    await answered();
    const untaken = { state: 'FAILED', answeredAt: null, durationSeconds: 0, minutes: 0, sessionUUID: null };
    expect(await over()).toMatchObject({ ...untaken, cause: expect.stringContaining('The call could not be taken: ') });
    expect(harness.scripted.changes.at(-1)).toMatchObject({ state: 'FAILED', answeredAt: null, durationSeconds: 0 });
  });

  it('says so if it failed because nothing said was transcribed', async () => {
    await pickedUp();
    const { channel } = harness.scripted.last;
    channel.signal({ type: 'warning', code: 'SPEECH_NOT_WRITTEN', message: 'What is said cannot be written down.' });
    channel.signal({ type: 'session.ended', reason: 'FAILED' });
    const cause = 'The conversation failed: no speech provider wrote down what was said.';
    expect(await over()).toMatchObject({ state: 'FAILED', answeredAt: expect.any(String), cause });
  });

  it.each(['media', 'carrier'])(
    'is completed if its media breaks and its carrier reports the end, the %s first',
    async (first) => {
      const { phone, callId } = await pickedUp();
      const say = () => harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'completed' }]);
      if (first === 'carrier') await say();
      phone.cut();
      await phone.closed;
      if (first === 'media') await say();
      const ended = await over();
      const ending = { state: 'COMPLETED', outcome: 'ANSWERED', cause: 'The carrier says that the call is over.' };
      expect(ended).toMatchObject(ending);
      const told = harness.scripted.changes.filter(
        ({ CallKeyID, endedAt }) => CallKeyID === ended?.CallKeyID && endedAt !== null,
      );
      expect(new Set(told.map(({ state, outcome, cause }) => `${state} ${outcome} ${cause}`)).size).toBe(1);
    },
  );

  it('reports its sound quality once, with its end', async () => {
    const call = await pickedUp();
    await eventually('the agent hears', () => (harness.scripted.lines[0]?.sounds.length ?? 0) > 10);
    call.phone.hangUp();
    const key = (await over())?.CallKeyID;
    const told = () => harness.scripted.changes.filter(({ CallKeyID, endedAt }) => CallKeyID === key && endedAt !== null);
    await eventually('it is told', () => told().length > 0);
    expect(told()).toHaveLength(1);
    expect(told()[0]?.quality).toMatchObject({ lateFrames: expect.any(Number), jitterMs: expect.any(Number), isOneWay: false });
    expect(told()[0]?.quality?.frames).toBeGreaterThan(10);
  });

  it('counts as many turns as its conversation, including one cut off by the end', async () => {
    harness.scripted.greet = ({ channel }) =>
      void channel.signal(
        ServerFrame.parse(examplesOf(ServerFrame).find((frame) => (frame as { type: string }).type === 'agent.done')),
      );
    const call = await pickedUp();
    await eventually('the agent hears', () => (harness.scripted.lines[0]?.sounds.length ?? 0) > 10);
    call.phone.hangUp();
    await over();
    await eventually('what this side heard is written down', async () => (await records())[0]?.turnCount === 1);
    const [example] = conversationEnded.payload.array().parse(examplesOf(conversationEnded.payload));
    const { sessionUUID } = harness.scripted.last;
    const told = { orgId: shop.principal.orgId, occurredAt: new Date().toISOString() };
    const payload = { ...conversationEnded.payload.parse(example), sessionUUID, channel: 'PHONE' as const, turnCount: 2 };
    await harness.bus.emit(conversationEnded, {
      id: randomUUID(),
      ...told,
      payload: { ...payload, channel: 'API', turnCount: 9 },
    });
    await harness.bus.emit(conversationEnded, { id: randomUUID(), ...told, payload });
    await eventually('the record agrees with the log', async () => (await records())[0]?.turnCount === 2);
  });

  it('puts its caller on the do-not-call list, though the words were known only when it was over', async () => {
    const call = await pickedUp();
    call.phone.hangUp();
    await over();
    const listed = async () => (await shop.ask(listDoNotCall, {})).rows.map(({ ContactNumber }) => ContactNumber);
    const [example] = examplesOf(conversationEnded.payload);
    const { sessionUUID } = harness.scripted.last;
    const payload = { ...conversationEnded.payload.parse(example), sessionUUID, channel: 'PHONE' as const };
    const tell = (asksNeverToBeCalled: boolean) =>
      harness.bus.emit(conversationEnded, {
        ...{ id: randomUUID(), orgId: shop.principal.orgId, occurredAt: new Date().toISOString() },
        payload: { ...payload, asksNeverToBeCalled, turnCount: asksNeverToBeCalled ? 5 : 4 },
      });
    await tell(false);
    await eventually('it was read', async () => (await records())[0]?.turnCount === 4);
    expect(await listed()).toEqual([]);
    await tell(true);
    await eventually('the caller is listed', async () => (await listed()).includes(from));
  });

  it('loses its caller’s number once what was said is erased, and stays with its duration', async () => {
    const call = await pickedUp();
    call.phone.hangUp();
    await over();
    const [before] = await records();
    expect(before?.from).toBe(from);
    await harness.bus.emit(conversationErased, {
      ...{ id: randomUUID(), orgId: shop.principal.orgId, occurredAt: new Date().toISOString() },
      payload: { sessionUUID: harness.scripted.last.sessionUUID },
    });
    await eventually('the number is erased', async () => (await records())[0]?.from === 'deleted');
    const [after] = await records();
    expect(after).toMatchObject({ to: before?.to, state: before?.state, durationSeconds: before?.durationSeconds });
    expect(JSON.stringify(after)).not.toContain(from);
  });

  it('lists its caller if the agent asks for that after they hung up', async () => {
    const call = await pickedUp();
    const { sessionUUID } = harness.scripted.last;
    await eventually('its conversation is known', async () => (await records())[0]?.sessionUUID === sessionUUID);
    call.phone.hangUp();
    await over();
    expect(await shop.ask(stopCampaignCalls, { sessionUUID })).toEqual({ isDone: true });
    expect((await shop.ask(listDoNotCall, {})).rows).toMatchObject([{ ContactNumber: from }]);
  });

  it.each(['first', 'not at all'])('says that its media never began, where the carrier says that it is over %s', async (when) => {
    const { callId } = harness.network.newCall();
    const { plan } = await harness.network.tell(shop.webhooks.answer, [
      { kind: 'incoming', callId, from, to: shop.number.number },
    ]);
    if (plan?.kind !== 'connect') throw new Error('not taken');
    const phone = await FakePhone.connect(plan.mediaUrl);
    phone.cut();
    if (when === 'first') await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'completed' }]);
    const cause = 'The carrier’s media connected and never began.';
    await eventually('it is said', async () => (await records())[0]?.cause === cause);
    const state = when === 'first' ? 'MISSED' : 'FAILED';
    expect((await records())[0]).toMatchObject({ state, remarks: ['NO_MEDIA'], cause });
  });

  it('reports its sound quality even if the carrier reported the end first', async () => {
    const call = await pickedUp();
    await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId: call.callId, state: 'completed' }]);
    const key = (await over())?.CallKeyID;
    await eventually('it is told', () =>
      harness.scripted.changes.some(({ CallKeyID, quality }) => CallKeyID === key && quality !== null && quality !== undefined),
    );
  });

  it('accepts its token in the query for carriers that allow nothing else', async () => {
    const { callId } = harness.network.newCall();
    const { plan } = await harness.network.tell(shop.webhooks.answer, [
      { kind: 'incoming', callId, from, to: shop.number.number },
    ]);
    if (plan?.kind !== 'connect') throw new Error('not taken');
    const token = plan.mediaUrl.split('/').at(-1) ?? '';
    const inQuery = plan.mediaUrl.replace(token, `media?token=${token}`);
    await expect(FakePhone.connect(inQuery.replace(token, 'x'.repeat(36)))).rejects.toThrow('403');
    const phone = await FakePhone.answer(inQuery, callId);
    await eventually('the agent is on the line', () => harness.scripted.lines.length === 1);
    phone.hangUp();
    await over();
  });

  describe('on a stopping replica', () => {
    let leaving: RunningService;
    let answer: string;
    const open = async (CALL_DRAIN: string) => {
      const port = await freePort();
      leaving = await harness.bridge({ CALL_DRAIN, TELEPHONY_PUBLIC_URL: `http://127.0.0.1:${port}` }, port);
      answer = answerAt(port);
    };

    it('is ended, charged and recorded when its time is over, though nobody hangs up', async () => {
      await open('300ms');
      await pickedUp(answer);
      await leaving.stop();
      expect(await over()).toMatchObject({ state: 'COMPLETED', cause: 'The telephony bridge was stopped.' });
    });

    it('goes on to its end, while new calls are refused', async () => {
      await open('20s');
      const call = await pickedUp(answer);
      const stopped = leaving.stop();
      const { callId } = harness.network.newCall();
      const refused = await harness.network
        .tell(answer, [{ kind: 'incoming', callId, from, to: shop.number.number }])
        .catch(() => ({ status: 503, plan: undefined }));
      expect(refused.plan?.kind).not.toBe('connect');
      const { sounds } = harness.scripted.last;
      const before = sounds.length;
      await eventually('the agent still hears', () => sounds.length > before + 5);
      call.phone.hangUp();
      await stopped;
      expect(await over()).toMatchObject({ state: 'COMPLETED', cause: 'The other side hung up.' });
    });
  });
});
