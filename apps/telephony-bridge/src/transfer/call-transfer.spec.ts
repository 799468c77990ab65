import {
  addDoNotCall,
  type CallRecord,
  endCall,
  getCall,
  placeCall,
  sendDtmf,
  transferCall,
  watchCalls,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { BridgeHarness, freePort, type Shop } from '../testing/bridge-harness.suite';
import { FakePhone } from '../testing/fake-network';

describe('a transferred call', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
  });
  beforeEach(async () => {
    shop = await harness.shop();
    harness.network.placed.splice(0);
    harness.network.transfers.splice(0);
    harness.network.ended.splice(0);
    // The agent's sentence ends at once.
    harness.scripted.hear = (line, item) => {
      if (!('signal' in item)) return;
      const { signal } = item;
      if (signal.type === 'transfer.ask') line.channel.signal({ type: 'line.transfer', to: signal.to });
      if (signal.type !== 'transfer.done' && signal.type !== 'session.end') return;
      const reason = signal.type === 'transfer.done' ? 'TRANSFERRED' : 'ENDED_BY_USER';
      line.channel.signal({ type: 'session.ended', reason });
      line.channel.close(reason);
    };
  });
  afterEach(() => {
    harness.scripted.reset();
    harness.network.onPlace = () => undefined;
  });
  afterAll(() => harness.close());

  const person = '+919820054321';
  const talking = async (port?: number) => {
    const phones: FakePhone[] = [];
    harness.network.onPlace = ({ mediaUrl, to }, call) => {
      if (to === person) return;
      call.state = 'answered';
      const url = new URL(mediaUrl);
      if (port !== undefined) url.port = String(port);
      void FakePhone.answer(url.href, call.callId).then((phone) => phones.push(phone));
    };
    const { CallKeyID } = await shop.ask(placeCall, { AgentID: 12, to: '+919820012345' });
    await eventually('the agent is on the line', () => harness.scripted.lines.length > 0 && phones.length > 0);
    await eventually('it is in progress', async () => (await read(CallKeyID)).state === 'IN_PROGRESS');
    const [phone] = phones;
    if (!phone) throw new Error('nobody answered');
    return { CallKeyID, phone, line: harness.scripted.last };
  };
  /** Keys reach the other one, in order, and the agent hears of none. */
  const passesKeys = async ({
    phone,
    taken,
    line,
  }: {
    phone: FakePhone;
    taken: FakePhone;
    line: BridgeHarness['scripted']['last'];
  }): Promise<void> => {
    for (const digit of '57#') phone.say({ event: 'digit', digit });
    for (const digit of '12') taken.say({ event: 'digit', digit });
    const keys = (one: FakePhone) => one.events.flatMap(({ digits }) => digits ?? []).join('');
    await eventually('both have the other’s keys', () => keys(taken) === '57#' && keys(phone) === '12');
    expect(line.heard.map(({ type }) => type)).not.toContain('dtmf');
  };
  const read = (CallKeyID: string): Promise<CallRecord> => shop.ask(getCall, { CallKeyID });
  const after = () => shop.webhooks.answer.replace('/answer', '/after');

  it('blind: is connected by the carrier after the sentence, and ends as TRANSFERRED once taken', async () => {
    const { CallKeyID, phone, line } = await talking();
    expect((await shop.ask(transferCall, { CallKeyID, to: person })).transfer).toMatchObject({ to: person, mode: 'BLIND' });
    await eventually('the carrier connects', () => harness.network.transfers.length === 1);
    await eventually('it rings', async () => (await read(CallKeyID)).transfer?.state === 'RINGING');
    expect(harness.network.transfers).toMatchObject([{ to: person, from: shop.number.number }]);
    phone.hangUp();
    const { carrierCallID: callId } = await read(CallKeyID);
    await harness.network.tell(after(), [{ kind: 'continuing', callId: callId ?? '', transfer: 'answered' }]);
    const record = await read(CallKeyID);
    expect(record).toMatchObject({ state: 'COMPLETED', outcome: 'TRANSFERRED', transferredTo: person });
    const times = [record.transfer?.askedAt, record.transfer?.ringingAt, record.transfer?.endedAt];
    expect([record.transfer?.state, ...times]).toEqual([
      'TAKEN',
      ...times.map((time) => expect.stringContaining(time ?? 'none')),
    ]);
    await eventually('the agent is told', () => line.heard.some(({ type }) => type === 'transfer.done'));
    expect(harness.network.ended).not.toContain(callId);
  });

  it('never goes to emergency or premium numbers, whether a person or the agent asks', async () => {
    const { CallKeyID, line } = await talking();
    await expect(shop.ask(transferCall, { CallKeyID, to: '+19005551234' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'to', message: 'to is a premium number' }],
    });
    for (const to of ['9-1-1', '+1911', '112'])
      await expect(shop.ask(transferCall, { CallKeyID, to })).rejects.toMatchObject({
        details: [{ field: 'to', message: 'to is a number for emergencies' }],
      });
    line.channel.signal({ type: 'line.transfer', to: '+19005551234' });
    await eventually('the agent goes on', () => line.heard.some(({ type }) => type === 'transfer.failed'));
    expect(harness.network.transfers).toEqual([]);
    expect(harness.network.placed.some(({ to }) => to === '+19005551234')).toBe(false);
  });

  it.each(['+919820054321', '098200 54321', 'sip:09820054321@pbx.example'])(
    'never goes where a person says, %s, if that is on the do-not-call list',
    async (to) => {
      const { CallKeyID, line } = await talking();
      await shop.ask(addDoNotCall, { ContactNumbers: [person], reason: 'asked for it' });
      for (const mode of ['BLIND', 'ANNOUNCED'] as const)
        await expect(shop.ask(transferCall, { CallKeyID, to, mode })).rejects.toMatchObject({
          code: 'CONFLICT',
          message: expect.stringContaining('do-not-call list'),
        });
      expect((await read(CallKeyID)).transfer).toBeNull();
      expect(line.heard.map(({ type }) => type)).not.toContain('transfer.ask');
      expect(harness.network.transfers).toEqual([]);
    },
  );

  it('goes to the number that the agent’s builder chose, also if a caller has put it on the do-not-call list', async () => {
    const { line } = await talking();
    await shop.ask(addDoNotCall, { ContactNumbers: [person], reason: 'asked by the contact in a call' });
    line.channel.signal({ type: 'line.transfer', to: person });
    await eventually('the person is called', () => harness.network.placed.some(({ to }) => to === person));
  });

  it('is no transfer if the caller hangs up before anybody took it', async () => {
    const { CallKeyID, phone } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person });
    await eventually('the carrier connects', () => harness.network.transfers.length === 1);
    phone.hangUp();
    const { carrierCallID: callId } = await read(CallKeyID);
    await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId: callId ?? '', state: 'completed' }]);
    expect(await read(CallKeyID)).toMatchObject({ state: 'COMPLETED', outcome: 'ANSWERED', transferredTo: null });
    expect((await read(CallKeyID)).transfer).toMatchObject({ state: 'CALLER_LEFT', endedAt: expect.any(String) });
  });

  it('counts as transferred even if the carrier reports the end before it reports the transfer', async () => {
    const { CallKeyID, phone } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person });
    await eventually('the carrier connects', () => harness.network.transfers.length === 1);
    phone.hangUp();
    const { carrierCallID: callId } = await read(CallKeyID);
    await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId: callId ?? '', state: 'completed' }]);
    await harness.network.tell(after(), [{ kind: 'continuing', callId: callId ?? '', transfer: 'answered' }]);
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'TRANSFERRED', transferredTo: person, transfer: { state: 'TAKEN' } });
  });

  it('is asked for once at a time, at any replica; a second request is refused until the call came back', async () => {
    const port = await freePort();
    const other = await harness.bridge({}, port);
    const { CallKeyID } = await talking();
    const ask = (to: string) => shop.ask(transferCall, { CallKeyID, to, mode: 'ANNOUNCED' });
    const asked = await Promise.allSettled([ask(person), ask('+919820054322'), ask('+919820054323'), ask('+919820054324')]);
    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ code: 'CONFLICT' })));
    const called = () => harness.network.placed.filter(({ to }) => to.startsWith('+91982005432'));
    await eventually('one is called', () => called().length > 0);
    expect(called()).toHaveLength(1);
    const { reference = '' } = called()[0] ?? {};
    const { callId = '' } = [...harness.network.calls.values()].find((each) => each.reference === reference) ?? {};
    await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, reference, state: 'no-answer' }]);
    await eventually('it came back', async () => (await read(CallKeyID)).transfer?.state === 'NO_ANSWER');
    await expect(ask(person)).resolves.toMatchObject({ transfer: { to: person } });
    await shop.ask(endCall, { CallKeyID });
    await other.stop();
  });

  it('comes back to the agent when nobody answers', async () => {
    const { CallKeyID, phone, line } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person });
    await eventually('the carrier connects', () => harness.network.transfers.length === 1);
    phone.hangUp();
    const { carrierCallID: callId } = await read(CallKeyID);
    const { plan } = await harness.network.tell(after(), [{ kind: 'continuing', callId: callId ?? '', transfer: 'unanswered' }]);
    if (plan?.kind !== 'connect') throw new Error('not taken back');
    const again = await FakePhone.answer(plan.mediaUrl, callId ?? '');
    await eventually('the agent goes on', () => line.heard.some(({ type }) => type === 'transfer.failed'));
    again.sound(new Uint8Array(160).fill(0x33));
    await eventually('the agent hears', () => line.sounds.length > 0);
    line.channel.send(new Uint8Array(160).fill(0x44));
    await eventually('the caller hears', () => again.heard.length > 0);
    again.hangUp();
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', transferredTo: null, transfer: { state: 'NO_ANSWER' } });
  });

  it('announced: the person hears a summary, then both talk, and either ends the call', async () => {
    const { CallKeyID, phone, line } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person, mode: 'ANNOUNCED', summary: 'Asha asks about order 1004.' });
    await eventually('the person is called', () => harness.network.placed.some(({ to }) => to === person));
    const leg = harness.network.placed.find(({ to }) => to === person);
    if (!leg) throw new Error('nobody is called');
    const found = [...harness.network.calls.values()].find(({ reference }) => reference === leg.reference);
    const taken = await FakePhone.answer(leg.mediaUrl, found?.callId ?? '');
    await eventually('the summary is heard', () => Buffer.concat(taken.heard).length >= 4000);
    expect(harness.scripted.spoken).toEqual(['Asha asks about order 1004.']);
    expect(phone.heard).toEqual([]);
    phone.stream(new Uint8Array(160).fill(0x33));
    taken.stream(new Uint8Array(160).fill(0x44));
    const hears = (one: FakePhone, word: number) => one.heard.some((bytes) => bytes.includes(word));
    await eventually('the two hear each other', () => hears(taken, 0x33) && hears(phone, 0x44));
    await passesKeys({ phone, taken, line });
    await eventually('it is taken', async () => (await read(CallKeyID)).transfer?.state === 'TAKEN');
    expect(await read(CallKeyID)).toMatchObject({ state: 'IN_PROGRESS', transferredTo: person });
    taken.hangUp();
    await phone.closed;
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'TRANSFERRED', transferredTo: person });
    expect(harness.scripted.charged.get(shop.principal.orgId)?.TTS_API).toBe('Asha asks about order 1004.'.length);
  });

  it('announced: is no transfer if the caller hangs up while the person’s telephone rings', async () => {
    const { CallKeyID, phone } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person, mode: 'ANNOUNCED' });
    await eventually('the person is called', () => harness.network.placed.some(({ to }) => to === person));
    phone.hangUp();
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', transferredTo: null });
    await eventually('the person’s telephone rings no more', () => harness.network.ended.length > 0);
  });

  it('announced: connects both even if the person’s line reaches another replica', async () => {
    const elsewhere = await freePort();
    await harness.bridge({}, elsewhere);
    const { CallKeyID, phone, line } = await talking(elsewhere);
    await shop.ask(transferCall, { CallKeyID, to: person, mode: 'ANNOUNCED', summary: 'Asha asks about order 1004.' });
    await eventually('the person is called', () => harness.network.placed.some(({ to }) => to === person));
    const leg = harness.network.placed.find(({ to }) => to === person);
    const found = [...harness.network.calls.values()].find(({ reference }) => reference === leg?.reference);
    const taken = await FakePhone.answer(leg?.mediaUrl ?? '', found?.callId ?? '');
    await eventually('the summary is heard', () => Buffer.concat(taken.heard).length >= 4000);
    expect(phone.heard).toEqual([]);
    phone.stream(new Uint8Array(160).fill(0x33));
    taken.stream(new Uint8Array(160).fill(0x44));
    const hears = (one: FakePhone, word: number) => one.heard.some((bytes) => bytes.includes(word));
    await eventually('the two hear each other', () => hears(taken, 0x33) && hears(phone, 0x44));
    await passesKeys({ phone, taken, line });
    phone.hangUp();
    await taken.closed;
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'TRANSFERRED', transferredTo: person });
  });

  it('announced: comes back to the agent if the person does not answer, and viewers see each step', async () => {
    const { CallKeyID, phone, line } = await talking();
    const told: unknown[] = [];
    const leaving = new AbortController();
    const options = { principal: shop.principal, signal: leaving.signal };
    const watch = async (): Promise<void> => {
      for await (const item of harness.bus.stream(watchCalls, {}, options))
        if (item.type === 'call') told.push(item.call.transfer);
    };
    // Where a process is starved a stream is taken for dead; a dashboard opens another.
    const watching = (async () => {
      while (!leaving.signal.aborted) await watch().catch(() => undefined);
    })();
    await shop.ask(transferCall, { CallKeyID, to: person, mode: 'ANNOUNCED' });
    await eventually('the person is called', () => harness.network.placed.some(({ to }) => to === person));
    const { reference = '' } = harness.network.placed.find(({ to }) => to === person) ?? {};
    const found = [...harness.network.calls.values()].find((each) => each.reference === reference);
    await eventually('it is told that it rings', () => JSON.stringify(told).includes('"RINGING"'));
    const busy = { kind: 'state', callId: found?.callId ?? '', reference, state: 'busy' } as const;
    await harness.network.tell(shop.webhooks.status, [busy]);
    await eventually('the agent goes on', () => line.heard.some(({ type }) => type === 'transfer.failed'));
    await eventually('it is told that the person refused', () => JSON.stringify(told).includes('"REFUSED"'));
    expect(JSON.stringify(told)).not.toContain(person);
    leaving.abort();
    await watching;
    phone.hangUp();
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', transferredTo: null, transfer: { state: 'REFUSED' } });
  });

  it('accepts key presses, and refuses orders with CONFLICT once it is over', async () => {
    const { CallKeyID, phone } = await talking();
    await shop.ask(sendDtmf, { CallKeyID, digits: '1w2' });
    await eventually('the keys are heard', () => phone.events.some(({ digits }) => digits === '1w2'));
    await shop.ask(endCall, { CallKeyID });
    for (const order of [
      () => shop.ask(sendDtmf, { CallKeyID, digits: '1' }),
      () => shop.ask(transferCall, { CallKeyID, to: person }),
    ]) {
      await expect(order()).rejects.toMatchObject({ code: 'CONFLICT' });
    }
  });
});
