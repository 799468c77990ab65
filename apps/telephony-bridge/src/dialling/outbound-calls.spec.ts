import { randomUUID } from 'node:crypto';
import { countActiveCalls, endCall, getCall, listCalls, placeCall, saveNumber } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { CallRecords } from '../calls/call-records';
import { FakePhone } from '../testing/fake-network';

describe('a placed call', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open({ CALLS_PER_ORGANIZATION: '2', CALLS_WAITING_PER_ORGANIZATION: '2' });
  });
  beforeEach(async () => {
    shop = await harness.shop();
    harness.network.placed.splice(0);
  });
  afterEach(() => {
    harness.scripted.reset();
    harness.network.onPlace = () => undefined;
    harness.network.beforeAnswer = async () => undefined;
    harness.network.failures = 0;
  });
  afterAll(() => harness.close());

  const to = '+919820012345';
  const place = (wish: object = {}) => shop.ask(placeCall, { AgentID: 12, to, ...wish });
  const read = (CallKeyID: string) => shop.ask(getCall, { CallKeyID });
  const until = (CallKeyID: string, state: string) =>
    eventually(`the call is ${state}`, async () => (await read(CallKeyID)).state === state);
  /** Whoever is called picks up at once. */
  const answering = () => {
    const phones: FakePhone[] = [];
    harness.network.onPlace = ({ mediaUrl }, call) => {
      call.state = 'answered';
      void FakePhone.answer(mediaUrl, call.callId).then((phone) => phones.push(phone));
    };
    return phones;
  };

  it('rings, is answered, and ends when the other side hangs up', async () => {
    const phones = answering();
    const { CallKeyID, from } = await place({ variables: { name: 'Asha' }, language: 'hindi' });
    expect(from).toBe(shop.number.number);
    await until(CallKeyID, 'IN_PROGRESS');
    await eventually('the agent is on the line', () => harness.scripted.lines.length === 1);
    expect(harness.scripted.last.opening).toMatchObject({ channel: 'PHONE', language: 'hindi', variables: { name: 'Asha' } });
    expect(harness.network.placed).toMatchObject([{ from: shop.number.number, to, reference: CallKeyID }]);
    phones[0]?.hangUp();
    await until(CallKeyID, 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', cause: 'The other side hung up.' });
  });

  it('reports both ids of its contact, whichever was given, and is refused for an unknown contact', async () => {
    harness.scripted.contacts = [{ ContactID: 77 }];
    const { ContactKeyID } = await place({ ContactID: 77 });
    expect(ContactKeyID).toMatch(/-000000000077$/);
    expect(await place({ ContactKeyID })).toMatchObject({ ContactID: 77, ContactKeyID });
    await expect(place({ ContactKeyID, ContactID: 78 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(place({ ContactID: 78 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('ContactID'),
    });
    // Dialled now, so that it does not disturb the next test.
    await eventually('both are dialled', () => harness.network.placed.length === 2);
  });

  it('is connected even if the telephone is answered before the carrier has replied to our order', async () => {
    const answered = Promise.withResolvers<unknown>();
    harness.network.onPlace = ({ from }, { callId }) =>
      void harness.network.tell(shop.webhooks.answer, [{ kind: 'answering', callId, from, to }]).then(answered.resolve);
    const order = Promise.withResolvers<void>();
    harness.network.beforeAnswer = () => order.promise;
    const looked = jest.spyOn(CallRecords.prototype, 'isPlacing');
    await place();
    await eventually('the answered call is looked for', () => looked.mock.calls.length > 0);
    looked.mockRestore();
    order.resolve();
    expect(await answered.promise).toMatchObject({ plan: { kind: 'connect' } });
    const nobodys = [{ kind: 'answering' as const, callId: 'never-placed', from: '+1', to }];
    expect(await harness.network.tell(shop.webhooks.answer, nobodys)).toMatchObject({ plan: { kind: 'hang-up' } });
  });

  it('is known by our reference from the carrier’s first report, even before its reply to the order', async () => {
    const [order, told] = [Promise.withResolvers<void>(), Promise.withResolvers<{ callId: string; answer: unknown }>()];
    const { network } = harness;
    network.beforeAnswer = () => order.promise;
    network.onPlace = ({ from, answerUrl }, { callId }) =>
      void network.tell(answerUrl, [{ kind: 'answering', callId, from, to }]).then((answer) => told.resolve({ callId, answer }));
    const { CallKeyID } = await place();
    const { callId, answer } = await told.promise;
    expect(answer).toMatchObject({ plan: { kind: 'connect' } });
    const { answerUrl = '', statusUrl = '' } = network.placed.at(-1) ?? {};
    // Other calls of the carrier do not match, and no other account knows the reference.
    await network.tell(statusUrl, [{ kind: 'state', callId: 'another', state: 'failed' }]);
    const stranger = await harness.shop();
    const foreign = answerUrl.replace(shop.account.CarrierAccountKeyID, stranger.account.CarrierAccountKeyID);
    expect(await network.tell(foreign, [{ kind: 'answering', callId, from: '+1', to }])).toMatchObject({
      plan: { kind: 'hang-up' },
    });
    expect(await read(CallKeyID)).toMatchObject({ state: 'RINGING' });
    await network.tell(statusUrl, [{ kind: 'state', callId, state: 'no-answer' }]);
    expect(await read(CallKeyID)).toMatchObject({ state: 'MISSED' });
    order.resolve();
  });

  it('goes on after the ringing time, once it was answered', async () => {
    const phones = answering();
    const ringSeconds = 37;
    const waiting = jest.spyOn(globalThis, 'setTimeout');
    const { CallKeyID } = await place({ ringSeconds });
    await until(CallKeyID, 'IN_PROGRESS');
    const late = waiting.mock.calls.filter(([, ms]) => ms === (ringSeconds + 20) * 1000);
    waiting.mockRestore();
    expect(late).toHaveLength(1);
    for (const [giveUp] of late) giveUp();
    await expect(eventually('it is over', async () => (await read(CallKeyID)).endedAt !== null, 500)).rejects.toThrow();
    phones[0]?.hangUp();
    await until(CallKeyID, 'COMPLETED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', cause: 'The other side hung up.' });
  });

  it('is MISSED when it rings for too long', async () => {
    const ringSeconds = 38;
    const waiting = jest.spyOn(globalThis, 'setTimeout');
    const { CallKeyID } = await place({ ringSeconds });
    await eventually('it rings', async () => (await read(CallKeyID)).carrierCallID !== null);
    const late = waiting.mock.calls.filter(([, ms]) => ms === (ringSeconds + 20) * 1000);
    waiting.mockRestore();
    for (const [giveUp] of late) giveUp();
    await until(CallKeyID, 'MISSED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'NO_ANSWER', cause: 'Nobody answered.' });
  });

  it.each([
    ['busy', 'MISSED', 'BUSY'],
    ['declined', 'MISSED', 'REJECTED'],
    ['no-answer', 'MISSED', 'NO_ANSWER'],
    ['failed', 'FAILED', 'UNREACHABLE'],
    ['cancelled', 'CANCELLED', 'CANCELLED'],
  ] as const)('that the carrier reports as %s is %s', async (state, ours, outcome) => {
    const { CallKeyID } = await place();
    await eventually('it rings', async () => (await read(CallKeyID)).carrierCallID !== null);
    const { carrierCallID: callId } = await read(CallKeyID);
    if (!callId) throw new Error('it has no id');
    await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state, code: '486' }]);
    expect(await read(CallKeyID)).toMatchObject({ state: ours, outcome, causeCode: '486' });
    expect((await shop.ask(countActiveCalls, {})).activeCalls).toBe(0);
  });

  it('is one call however often it is ordered with one reference', async () => {
    const reference = randomUUID();
    const placed = await Promise.all(Array.from({ length: 5 }, () => place({ reference })));
    expect(new Set(placed.map(({ CallKeyID }) => CallKeyID)).size).toBe(1);
    await eventually('it rings', () => harness.network.placed.length > 0);
    expect(harness.network.placed).toHaveLength(1);
  });

  it('is refused with the reference of another one: to another number, by another agent or for another contact', async () => {
    harness.scripted.contacts = [{ ContactID: 77 }, { ContactID: 78 }];
    const [reference, other] = [randomUUID(), await harness.shop()];
    const wish = { reference, ContactID: 77, ringSeconds: 30 };
    const { CallKeyID } = await place(wish);
    // The same person, however written; and how it rings does not make it another call.
    for (const same of [
      wish,
      { ...wish, to: '+91 98200 12345' },
      { ...wish, NumberKeyID: shop.number.NumberKeyID, ringSeconds: 40 },
    ])
      expect((await place(same)).CallKeyID).toBe(CallKeyID);
    const second = await shop.ask(saveNumber, {
      CarrierAccountKeyID: shop.account.CarrierAccountKeyID,
      number: `+9120256${10_000 + shop.principal.orgId}`,
      AgentID: 12,
    });
    for (const another of [
      { to: '+919820012346' },
      { AgentID: 13 },
      { ContactID: 78 },
      { ContactID: null },
      { NumberKeyID: second.NumberKeyID },
    ])
      await expect(place({ ...wish, ...another })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('reference'),
      });
    // References of two organizations have nothing to do with each other.
    expect((await other.ask(placeCall, { AgentID: 12, to: '+919820012346', reference })).to).toBe('+919820012346');
    await eventually('both ring', () => harness.network.placed.length === 2);
  });

  it('is refused only if there is neither a free slot nor room to wait, even if all are placed at once', async () => {
    const placed = await Promise.allSettled(Array.from({ length: 6 }, () => place()));
    expect(placed.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    await eventually('two ring', async () => (await shop.ask(listCalls, { state: 'RINGING' })).totalCount === 2);
    expect((await shop.ask(listCalls, { state: 'QUEUED' })).totalCount).toBe(2);
  });

  it('waits above the limit, is refused above the queue’s, and rings as soon as a slot is free', async () => {
    const calls = [await place(), await place()];
    await eventually('both ring', () => harness.network.placed.length === 2);
    const [third, fourth] = [await place(), await place()];
    expect([third.state, fourth.state]).toEqual(['QUEUED', 'QUEUED']);
    await expect(place()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect((await shop.ask(countActiveCalls, {})).activeCalls).toBe(2);
    await shop.ask(endCall, { CallKeyID: calls[0]?.CallKeyID ?? '' });
    await until(third.CallKeyID, 'RINGING');
    expect((await read(fourth.CallKeyID)).state).toBe('QUEUED');
    const { rows } = await shop.ask(listCalls, { state: 'CANCELLED' });
    expect(rows).toMatchObject([{ cause: 'The call was cancelled on request.' }]);
  });

  it('does not wait behind another organization’s queue', async () => {
    await Promise.all([place(), place()]);
    await eventually('both ring', async () => (await shop.ask(countActiveCalls, {})).activeCalls === 2);
    await Promise.all([place(), place()]);
    const other = await harness.shop();
    const { CallKeyID } = await other.ask(placeCall, { AgentID: 12, to });
    await eventually('it rings', async () => (await other.ask(getCall, { CallKeyID })).state === 'RINGING');
  });

  it('is looked up at its carrier before it is tried again, so that nobody is called twice', async () => {
    harness.network.losesAnswers = 1;
    const { CallKeyID } = await place();
    await eventually('it rings', async () => (await read(CallKeyID)).carrierCallID !== null);
    expect(harness.network.placed.filter(({ reference }) => reference === CallKeyID)).toHaveLength(1);
  });

  it('fails with the reason after the carrier refused it repeatedly', async () => {
    harness.network.failures = 100;
    const { CallKeyID } = await place();
    await until(CallKeyID, 'FAILED');
    expect((await read(CallKeyID)).cause).toMatch(/could not be placed: fake: answered 503/);
    // Anybody may have their own calls refused, as often as they like: such a line of the log has no stack.
    const [line = ''] = harness.log.filter((each) => each.includes(CallKeyID) && each.includes('could not be placed'));
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', error: { message: 'fake: answered 503' } });
    expect(line).not.toContain('stack');
  });

  it('is not placed without credits', async () => {
    harness.scripted.isOutOfCredits = true;
    const { CallKeyID } = await place();
    await until(CallKeyID, 'FAILED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'REJECTED', cause: 'The organization has no credits left.' });
    expect(harness.network.placed).toEqual([]);
  });

  it('stays in its queue while others have set all credits aside, however long, and is placed once they have not', async () => {
    const plenty = 1_000;
    harness.scripted.setAsideFor = plenty;
    const { CallKeyID } = await place();
    // A question would have been refused long before.
    await eventually('it was tried several times', () => harness.scripted.setAsideFor < plenty - 3);
    expect(await read(CallKeyID)).toMatchObject({ state: 'QUEUED', cause: null, ringingAt: null });
    expect((await shop.ask(countActiveCalls, {})).activeCalls).toBe(0);
    harness.scripted.setAsideFor = 0;
    await eventually('it is placed', async () => (await read(CallKeyID)).carrierCallID !== null);
  });

  it('waits a moment if others set all credits aside just before it is dialled', async () => {
    let checks = 0;
    harness.scripted.beforeMeter = async () => {
      checks += 1;
      if (checks === 2) harness.scripted.setAsideFor = 3;
    };
    const { CallKeyID } = await place();
    await eventually('it is placed', async () => (await read(CallKeyID)).carrierCallID !== null);
    expect([checks, harness.scripted.setAsideFor]).toEqual([5, 0]);
  });

  it('fails with that reason once it has waited too long for credits', async () => {
    harness.scripted.setAsideFor = 1_000;
    const { CallKeyID } = await place();
    const sql = await harness.sql();
    await sql.query(`UPDATE telephony.calls SET queued_at = now() - interval '1 day' WHERE key_id = $1`, [CallKeyID]);
    await until(CallKeyID, 'FAILED');
    expect(await read(CallKeyID)).toMatchObject({ outcome: 'REJECTED', cause: expect.stringContaining('set aside') });
    expect(harness.network.placed).toEqual([]);
  });

  it('is ended on request, also at its carrier; once it is over that is a CONFLICT', async () => {
    const phones = answering();
    const { CallKeyID } = await place();
    await eventually('the agent is on the line', () => harness.scripted.lines.length === 1);
    const ended = await shop.ask(endCall, { CallKeyID });
    expect(ended).toMatchObject({ state: 'COMPLETED', cause: 'The call was ended on request.' });
    await phones[0]?.closed;
    expect(harness.network.ended).toContain(ended.carrierCallID);
    await expect(shop.ask(endCall, { CallKeyID })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it.each(['911', 'banana', '+91 98', '+00000000000'])('is refused if %j is not a telephone number', async (wrong) => {
    await expect(place({ to: wrong })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'to', message: expect.stringMatching(/^to is (?:not a telephone number|a number for emergencies)/) }],
    });
    expect(harness.network.placed).toHaveLength(0);
  });

  it.each([
    ['+19005551234', 'is a premium number'],
    ['sip:+19005551234@office.example', 'is a premium number'],
    ['sip:112@office.example', 'is a number for emergencies'],
    ['sip:9-1-1@office.example', 'is a number for emergencies'],
    ['sip:+1911@office.example', 'is a number for emergencies'],
  ])('is refused to %s, which costs extra or is an emergency number', async (wrong, message) => {
    const details = [{ field: 'to', message: `to ${message}` }];
    await expect(place({ to: wrong })).rejects.toMatchObject({ code: 'VALIDATION_FAILED', details });
    expect(harness.network.placed).toHaveLength(0);
  });

  it.each(['098200 12345', 'sip:desk@office.example'])('may go to %j, which the carrier can call', async (right) => {
    await place({ to: right });
    await eventually('it rings', () => harness.network.placed.length === 1);
  });

  it('belongs to one organization: no other can read, end or list it', async () => {
    const { CallKeyID } = await place();
    const other = await harness.shop();
    for (const contract of [getCall, endCall])
      await expect(other.ask(contract, { CallKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await other.ask(listCalls, {})).totalCount).toBe(0);
    const restricted = harness.memberOf({ orgId: shop.principal.orgId, agentIds: [99] });
    await expect(restricted.ask(getCall, { CallKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await restricted.ask(listCalls, {})).totalCount).toBe(0);
    expect((await restricted.ask(countActiveCalls, {})).activeCalls).toBe(0);
    await expect(restricted.ask(placeCall, { AgentID: 12, to })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const ofAnother = harness.memberOf({ orgId: shop.principal.orgId, agentIds: [13] });
    await expect(ofAnother.ask(placeCall, { AgentID: 13, to })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(other.ask(placeCall, { AgentID: 12, to, NumberKeyID: shop.number.NumberKeyID })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
