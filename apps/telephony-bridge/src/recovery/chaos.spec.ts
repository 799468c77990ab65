import { once } from 'node:events';
import { countActiveCalls, Fault, listCalls } from '@parley/contracts';
import { NatsTransport } from '@parley/messaging';
import { eventualAnswer, eventually, killHard, TestNats, typeScriptProcess, type TypeScriptProcess } from '@parley/testing';
import { BridgeHarness, freePort, type Shop } from '../testing/bridge-harness.suite';
import { FakePhone } from '../testing/fake-network';
import { countsSound } from '../testing/replica-processes';

/** `npm run chaos -- calls` has fifty. */
const calls = Number(process.env['CHAOS_CALLS'] ?? 4);
const caseMs = 600_000;
const from = '+919820012345';
const speechFile = 'apps/telephony-bridge/src/testing/replica-processes.ts';
const bridgeFile = 'apps/telephony-bridge/src/testing/replica-processes.ts';

describe(`${calls} calls during a failure`, () => {
  let nats: TestNats;
  let harness: BridgeHarness;
  let shop: Shop;
  const phones: FakePhone[] = [];
  const children: TypeScriptProcess[] = [];

  beforeAll(async () => {
    nats = await TestNats.start();
    const connect = () => NatsTransport.connect({ servers: nats.url, name: 'spec' });
    harness = await BridgeHarness.open({ CALLS_PER_ORGANIZATION: String(calls) }, connect);
    countsSound(harness.scripted);
  });
  beforeEach(async () => {
    shop = await harness.shop();
  });
  afterEach(async () => {
    for (const phone of phones.splice(0)) phone.cut();
    for (const child of children.splice(0)) await killHard(child);
    harness.scripted.reset();
    countsSound(harness.scripted);
  });
  afterAll(async () => {
    await harness.close();
    await nats.stop();
  });

  async function child(file: string, exported: string, ...args: string[]): Promise<TypeScriptProcess> {
    const started = typeScriptProcess(file, exported, ...args);
    children.push(started);
    await once(started.stdout, 'data');
    return started;
  }
  /** A request may have gone to the dead process: the retry is answered by a living one. */
  async function again<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const orAway = () =>
      ask().catch((error: unknown) => {
        if (error instanceof Fault && error.code === 'SERVICE_UNAVAILABLE') return undefined;
        throw error;
      });
    const answer = await eventualAnswer(orAway, (each) => each !== undefined);
    if (answer === undefined) throw new TypeError('no answer');
    return answer;
  }
  const inProgress = async () => (await again(() => shop.ask(listCalls, { state: 'IN_PROGRESS' }))).totalCount;
  const active = async () => (await again(() => shop.ask(countActiveCalls, {}))).activeCalls;
  const records = async () => (await again(() => shop.ask(listCalls, { pageSize: 200 }))).rows;
  const told = async () => (await records()).reduce((sum, { credits }) => sum + credits.STT_API, 0);
  const charged = () => harness.scripted.charged.get(shop.principal.orgId)?.['STT_API'] ?? 0;

  /** A carrier that gets no document asks again. */
  async function mediaOf(answer: string, callId: string): Promise<string> {
    const notice = { kind: 'incoming', callId, from, to: shop.number.number } as const;
    const { plan } = await eventualAnswer(
      () => harness.network.tell(answer, [notice]),
      ({ status }) => status < 500,
    );
    if (plan?.kind !== 'connect') throw new Error('not taken');
    return plan.mediaUrl;
  }

  /** Callers who talk without a pause, answered by a bridge at this address. */
  async function talk(bridgeUrl = harness.url): Promise<void> {
    const answer = `${bridgeUrl}/telephony/fake/${shop.account.CarrierAccountKeyID}/answer`;
    for (let at = 0; at < calls; at++) {
      const { callId } = harness.network.newCall('answered');
      phones.push(await FakePhone.answer(await mediaOf(answer, callId), callId));
    }
    for (const phone of phones) phone.stream();
    await eventually('all talk', async () => (await inProgress()) === calls);
    await eventually('all are counted', () => charged() >= calls);
  }

  /** Every call has ended with a reason, holds no slot, and was charged exactly what it used. */
  async function settled(): Promise<void> {
    await eventually('no slot is held', async () => (await active()) === 0);
    await eventually('every call is over', async () => (await records()).every(({ endedAt }) => endedAt !== null));
    await eventually('every meter is settled', () => harness.scripted.meters.size === 0);
    const rows = await records();
    expect(rows).toHaveLength(calls);
    for (const { cause } of rows) expect(cause).toEqual(expect.any(String));
  }

  it(
    'end when their bridge is killed, free their slots, and are charged as reported',
    async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const bridge = await child(bridgeFile, 'runBridge', nats.url, harness.database.url, String(port), url);
      await talk(url);
      await killHard(bridge);
      await settled();
      for (const { state, cause, carrierCallID } of await records()) {
        expect({ state, cause }).toEqual({ state: 'FAILED', cause: 'The process that held the call was lost.' });
        expect(harness.network.ended).toContain(carrierCallID);
      }
      expect(charged()).toBeGreaterThanOrEqual(calls);
      await eventually('the records say what was paid', async () => (await told()) === charged());
    },
    caseMs,
  );

  it(
    'survive a killed speech replica, and are charged exactly what was used',
    async () => {
      const speech = await child(speechFile, 'runSpeech', nats.url);
      await talk();
      const before = charged();
      await killHard(speech);
      await eventually('all are heard again', () => charged() >= before + 2 * calls);
      expect(await inProgress()).toBe(calls);
      for (const phone of phones) phone.hangUp();
      await settled();
      for (const { state } of await records()) expect(state).toBe('COMPLETED');
      await eventually('the records say what was paid', async () => (await told()) === charged());
    },
    caseMs,
  );

  it(
    'end or go on when NATS is killed, and are charged exactly what was used',
    async () => {
      await talk();
      await nats.crash();
      await nats.restart();
      const before = charged();
      const live = await inProgress();
      if (live > 0) await eventually('those that live are heard again', () => charged() >= before + live);
      for (const phone of phones) phone.hangUp();
      await settled();
      await eventually('the records say what was paid', async () => (await told()) === charged());
    },
    caseMs,
  );
});
