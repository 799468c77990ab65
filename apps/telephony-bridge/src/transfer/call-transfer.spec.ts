import { type CallRecord, endCall, getCall, placeCall, sendDtmf, transferCall } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { BridgeHouse, freePort, type Shop } from '../testing/bridge-house.suite';
import { PaperPhone } from '../testing/paper-network';

describe('a call that is given to a person', () => {
  let house: BridgeHouse;
  let shop: Shop;
  beforeAll(async () => {
    house = await BridgeHouse.open();
  });
  beforeEach(async () => {
    shop = await house.shop();
    house.network.placed.splice(0);
    house.network.transfers.splice(0);
    house.network.ended.splice(0);
    // The agent's sentence is over at once.
    house.neighbours.hear = (line, item) => {
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
    house.neighbours.reset();
    house.network.onPlace = () => undefined;
  });
  afterAll(() => house.close());

  const person = '+919820054321';
  const talking = async (port?: number) => {
    const phones: PaperPhone[] = [];
    house.network.onPlace = ({ mediaUrl, to }, call) => {
      if (to === person) return;
      call.state = 'answered';
      const url = new URL(mediaUrl);
      if (port !== undefined) url.port = String(port);
      void PaperPhone.answer(url.href, call.callId).then((phone) => phones.push(phone));
    };
    const { CallKeyID } = await shop.ask(placeCall, { AgentID: 12, to: '+919820012345' });
    await eventually('the agent is on the line', () => house.neighbours.lines.length > 0 && phones.length > 0);
    await eventually('it is in progress', async () => (await read(CallKeyID)).state === 'IN_PROGRESS');
    const [phone] = phones;
    if (!phone) throw new Error('nobody answered');
    return { CallKeyID, phone, line: house.neighbours.last };
  };
  const read = (CallKeyID: string): Promise<CallRecord> => shop.ask(getCall, { CallKeyID });
  const after = () => shop.webhooks.answer.replace('/answer', '/after');

  it('blindly is connected by its carrier after the sentence, and is over as TRANSFERRED once it was taken', async () => {
    const { CallKeyID, phone, line } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person });
    await eventually('the carrier connects', () => house.network.transfers.length === 1);
    expect(house.network.transfers).toMatchObject([{ to: person, from: shop.number.number }]);
    phone.hangUp();
    const { carrierCallID: callId } = await read(CallKeyID);
    await house.network.tell(after(), [{ kind: 'continuing', callId: callId ?? '', transfer: 'answered' }]);
    expect(await read(CallKeyID)).toMatchObject({ state: 'COMPLETED', outcome: 'TRANSFERRED', transferredTo: person });
    await eventually('the agent is told', () => line.heard.some(({ type }) => type === 'transfer.done'));
    expect(house.network.ended).not.toContain(callId);
  });

  it('is given to no number for emergencies or that costs more than others, whether a person or the agent asks', async () => {
    const { CallKeyID, line } = await talking();
    await expect(shop.ask(transferCall, { CallKeyID, to: '+19005551234' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'to', message: 'is a premium number' }],
    });
    for (const to of ['9-1-1', '+1911', '112'])
      await expect(shop.ask(transferCall, { CallKeyID, to })).rejects.toMatchObject({
        details: [{ field: 'to', message: 'is a number for emergencies' }],
      });
    line.channel.signal({ type: 'line.transfer', to: '+19005551234' });
    await eventually('the agent goes on', () => line.heard.some(({ type }) => type === 'transfer.failed'));
    expect(house.network.transfers).toEqual([]);
    expect(house.network.placed.some(({ to }) => to === '+19005551234')).toBe(false);
  });

  it('is no transfer when the caller hangs up while nobody has taken it yet', async () => {
    const { CallKeyID, phone } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person });
    await eventually('the carrier connects', () => house.network.transfers.length === 1);
    phone.hangUp();
    const { carrierCallID: callId } = await read(CallKeyID);
    await house.network.tell(shop.webhooks.status, [{ kind: 'state', callId: callId ?? '', state: 'completed' }]);
    expect(await read(CallKeyID)).toMatchObject({ state: 'COMPLETED', outcome: 'ANSWERED', transferredTo: null });
  });

  it('is one all the same when the carrier tells first that the call is over, and then that a person had it', async () => {
    const { CallKeyID, phone } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person });
    await eventually('the carrier connects', () => house.network.transfers.length === 1);
    phone.hangUp();
    const { carrierCallID: callId } = await read(CallKeyID);
    await house.network.tell(shop.webhooks.status, [{ kind: 'state', callId: callId ?? '', state: 'completed' }]);
    await house.network.tell(after(), [{ kind: 'continuing', callId: callId ?? '', transfer: 'answered' }]);
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'TRANSFERRED', transferredTo: person });
  });

  it('comes back to the agent when nobody takes it', async () => {
    const { CallKeyID, phone, line } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person });
    await eventually('the carrier connects', () => house.network.transfers.length === 1);
    phone.hangUp();
    const { carrierCallID: callId } = await read(CallKeyID);
    const { plan } = await house.network.tell(after(), [{ kind: 'continuing', callId: callId ?? '', transfer: 'unanswered' }]);
    if (plan?.kind !== 'connect') throw new Error('not taken back');
    const again = await PaperPhone.answer(plan.mediaUrl, callId ?? '');
    await eventually('the agent goes on', () => line.heard.some(({ type }) => type === 'transfer.failed'));
    again.sound(new Uint8Array(160).fill(0x33));
    await eventually('the agent hears', () => line.sounds.length > 0);
    line.channel.send(new Uint8Array(160).fill(0x44));
    await eventually('the caller hears', () => again.heard.length > 0);
    again.hangUp();
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', transferredTo: null });
  });

  it('announced: the person hears the summary first, then the two talk, and the end of either is the end', async () => {
    const { CallKeyID, phone } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person, mode: 'ANNOUNCED', summary: 'Asha asks about order 1004.' });
    await eventually('the person is called', () => house.network.placed.some(({ to }) => to === person));
    const leg = house.network.placed.find(({ to }) => to === person);
    if (!leg) throw new Error('nobody is called');
    const found = [...house.network.calls.values()].find(({ reference }) => reference === leg.reference);
    const taken = await PaperPhone.answer(leg.mediaUrl, found?.callId ?? '');
    await eventually('the summary is heard', () => Buffer.concat(taken.heard).length >= 4000);
    expect(house.neighbours.spoken).toEqual(['Asha asks about order 1004.']);
    expect(phone.heard).toEqual([]);
    phone.stream(new Uint8Array(160).fill(0x33));
    taken.stream(new Uint8Array(160).fill(0x44));
    const hears = (one: PaperPhone, word: number) => one.heard.some((bytes) => bytes.includes(word));
    await eventually('the two hear each other', () => hears(taken, 0x33) && hears(phone, 0x44));
    taken.hangUp();
    await phone.closed;
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'TRANSFERRED', transferredTo: person });
    expect(house.neighbours.charged.get(shop.principal.orgId)?.TTS_API).toBe('Asha asks about order 1004.'.length);
  });

  it('announced: is no transfer when the caller hangs up while the person’s telephone rings', async () => {
    const { CallKeyID, phone } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person, mode: 'ANNOUNCED' });
    await eventually('the person is called', () => house.network.placed.some(({ to }) => to === person));
    phone.hangUp();
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', transferredTo: null });
    await eventually('the person’s telephone rings no more', () => house.network.ended.length > 0);
  });

  it('announced: joins the two when the person’s line comes to another replica than the one that holds the call', async () => {
    const elsewhere = await freePort();
    await house.bridge({}, elsewhere);
    const { CallKeyID, phone } = await talking(elsewhere);
    await shop.ask(transferCall, { CallKeyID, to: person, mode: 'ANNOUNCED', summary: 'Asha asks about order 1004.' });
    await eventually('the person is called', () => house.network.placed.some(({ to }) => to === person));
    const leg = house.network.placed.find(({ to }) => to === person);
    const found = [...house.network.calls.values()].find(({ reference }) => reference === leg?.reference);
    const taken = await PaperPhone.answer(leg?.mediaUrl ?? '', found?.callId ?? '');
    await eventually('the summary is heard', () => Buffer.concat(taken.heard).length >= 4000);
    expect(phone.heard).toEqual([]);
    phone.stream(new Uint8Array(160).fill(0x33));
    taken.stream(new Uint8Array(160).fill(0x44));
    const hears = (one: PaperPhone, word: number) => one.heard.some((bytes) => bytes.includes(word));
    await eventually('the two hear each other', () => hears(taken, 0x33) && hears(phone, 0x44));
    phone.hangUp();
    await taken.closed;
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'TRANSFERRED', transferredTo: person });
  });

  it('announced comes back to the agent when the person does not pick up', async () => {
    const { CallKeyID, phone, line } = await talking();
    await shop.ask(transferCall, { CallKeyID, to: person, mode: 'ANNOUNCED' });
    await eventually('the person is called', () => house.network.placed.some(({ to }) => to === person));
    const { reference = '' } = house.network.placed.find(({ to }) => to === person) ?? {};
    const found = [...house.network.calls.values()].find((each) => each.reference === reference);
    const busy = { kind: 'state', callId: found?.callId ?? '', reference, state: 'busy' } as const;
    await house.network.tell(shop.webhooks.status, [busy]);
    await eventually('the agent goes on', () => line.heard.some(({ type }) => type === 'transfer.failed'));
    phone.hangUp();
    await eventually('it is over', async () => (await read(CallKeyID)).state === 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', transferredTo: null });
  });

  it('has keys pressed on its line, and is CONFLICT for orders once it is over', async () => {
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
