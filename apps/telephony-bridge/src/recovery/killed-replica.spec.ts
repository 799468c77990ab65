import { once } from 'node:events';
import { countActiveCalls, getCall, listCalls, placeCall, saveCarrierAccount, saveNumber } from '@parley/contracts';
import { NatsTransport } from '@parley/messaging';
import { sip } from '@parley/providers/sip';
import { type CallEnd, FrameClock, type InboundCall, SipEndpoint } from '@parley/sip';
import { eventually, freeSipPort, killHard, TestNats, typeScriptProcess, type TypeScriptProcess } from '@parley/testing';
import { BridgeHarness, freePort } from '../testing/bridge-harness.suite';
import { FakePhone } from '../testing/fake-network';
import { SipPhone } from '../testing/sip-phone';
import { leaseMs } from '../live/slots';
import { sweepEveryMs } from './sweeper';

const file = 'apps/telephony-bridge/src/testing/replica-processes.ts';
const slotsFreeWithinMs = 10_000;

describe('a bridge replica killed during calls', () => {
  let nats: TestNats;
  let harness: BridgeHarness;
  let child: TypeScriptProcess;

  beforeAll(async () => {
    nats = await TestNats.start();
    const connect = () => NatsTransport.connect({ servers: nats.url, name: 'spec' });
    harness = await BridgeHarness.open({}, connect);
  });
  afterAll(async () => {
    await killHard(child);
    await harness.close();
    await nats.stop();
  });

  it('loses no slot for longer than ten seconds, and every call ends with a reason, here and at its carrier', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    child = typeScriptProcess(file, 'runBridge', nats.url, harness.database.url, String(port), url);
    await once(child.stdout, 'data');
    const shop = await harness.shop();
    const answer = `${url}/telephony/fake/${shop.account.CarrierAccountKeyID}/answer`;
    const phones = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { callId } = harness.network.newCall('answered');
        const { plan } = await harness.network.tell(answer, [
          { kind: 'incoming', callId, from: '+919820012345', to: shop.number.number },
        ]);
        if (plan?.kind !== 'connect') throw new Error('not taken');
        return FakePhone.answer(plan.mediaUrl, callId);
      }),
    );
    for (const phone of phones) phone.stream();
    await eventually('all talk', async () => (await shop.ask(listCalls, { state: 'IN_PROGRESS' })).totalCount === 5);
    expect((await shop.ask(countActiveCalls, {})).activeCalls).toBe(5);
    for (const { channel } of harness.scripted.lines) channel.signal({ type: 'usage', usage: [{ kind: 'TTS_API', units: 54 }] });
    const sql = await harness.sql();
    await eventually('what they used is known beside their slots', async () => {
      const { rows } = await sql.query("SELECT count(*)::int AS known FROM call_slots WHERE used ->> 'TTS_API' = '54'");
      return rows[0]?.known === 5;
    });
    // A call that the killed replica may have placed: it rings, and nobody knows who holds it.
    const ringing = await shop.ask(placeCall, { AgentID: 12, to: '+919820012346' });
    await eventually('it rings', async () => (await shop.ask(getCall, ringing)).carrierCallID !== null);
    const { rows: leases } = await sql.query('SELECT extract(epoch FROM max(expires_at) - now()) * 1000 AS ms FROM call_slots');
    expect(Number(leases[0]?.ms)).toBeLessThanOrEqual(leaseMs);
    expect(leaseMs + sweepEveryMs).toBeLessThan(slotsFreeWithinMs);
    const killedAt = Date.now();
    await killHard(child);
    // A request on its way to the dead replica gets no answer, and is repeated.
    const active = () => shop.ask(countActiveCalls, {}).catch(() => ({ activeCalls: Number.POSITIVE_INFINITY }));
    await eventually('no slot is taken by the dead', async () => (await active()).activeCalls <= 1);
    await eventually('every call is over', async () => (await shop.ask(listCalls, { state: 'IN_PROGRESS' })).totalCount === 0);
    const { rows } = await shop.ask(listCalls, { direction: 'INBOUND' });
    expect(rows).toHaveLength(5);
    for (const row of rows) {
      expect(row).toMatchObject({ state: 'FAILED', cause: 'The process that held the call was lost.', remarks: ['MOVED'] });
      expect(harness.network.ended).toContain(row.carrierCallID);
      expect(row.credits).toEqual({ TTT_API: 0, TTS_API: 54, STT_API: 0 });
      expect(harness.scripted.endedSessions).toContain(row.sessionUUID);
      expect(harness.scripted.endedOn.get(row.sessionUUID ?? '')).toBe(row.endedAt);
      // Nobody talked while no replica held the call.
      expect(Date.parse(row.endedAt ?? '')).toBeLessThanOrEqual(killedAt);
      expect(row.durationSeconds).toBe(Math.ceil((Date.parse(row.endedAt ?? '') - Date.parse(row.answeredAt ?? '')) / 1000));
    }
    expect((await shop.ask(getCall, ringing)).state).toBe('RINGING');
    const { carrierCallID: callId } = await shop.ask(getCall, ringing);
    await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId: callId ?? '', state: 'no-answer' }]);
    expect(await shop.ask(getCall, ringing)).toMatchObject({ state: 'MISSED', outcome: 'NO_ANSWER' });
    await eventually('nothing is held', async () => (await shop.ask(countActiveCalls, {})).activeCalls === 0);
  });
});

const host = '127.0.0.1';

/** Phones at one address that we call: the user part says what each does. */
class CalledPhones {
  readonly ends = new Map<string, CallEnd>();
  readonly rung = new Set<string>();
  private endpoint: SipEndpoint | undefined;

  static async open(): Promise<CalledPhones> {
    const phones = new CalledPhones();
    phones.endpoint = await SipEndpoint.open({
      host,
      port: 0,
      media: { host, from: 49_000 + (process.pid % 40) * 20, to: 50_999 },
      admission: { trusted: [host] },
      clock: new FrameClock(),
      incoming: (call) => phones.rings(call),
    });
    return phones;
  }

  addressOf(user: string): string {
    return `sip:${user}@${host}:${this.endpoint?.address.port}`;
  }

  async close(): Promise<void> {
    await this.endpoint?.close();
  }

  private rings(call: InboundCall): void {
    const { to = '' } = call;
    this.rung.add(to);
    call.listen({ ended: (end) => this.ends.set(to, end) });
    call.ring();
    if (to === 'answering') call.answer();
  }
}

describe('a replica killed during SIP calls', () => {
  let nats: TestNats;
  let harness: BridgeHarness;
  let child: TypeScriptProcess;
  let called: CalledPhones;

  beforeAll(async () => {
    nats = await TestNats.start();
    const connect = () => NatsTransport.connect({ servers: nats.url, name: 'spec' });
    harness = await BridgeHarness.open({ NO_BRIDGE: 'true' }, connect, [sip]);
    called = await CalledPhones.open();
  });
  afterAll(async () => {
    await killHard(child);
    await called.close();
    await harness.close();
    await nats.stop();
  });

  it('has others tell its peers: BYE for a conversation, CANCEL for ringing, from the same port', async () => {
    const [port, sipPort] = [await freePort(), await freeSipPort()];
    const url = `http://${host}:${port}`;
    child = typeScriptProcess(file, 'runBridge', nats.url, harness.database.url, String(port), url, `${sipPort}-${sipPort}`);
    await once(child.stdout, 'data');
    const member = harness.member();
    const mediaPorts = { mediaPortFrom: String(40_000 + (process.pid % 40) * 100), mediaPortTo: '44999' };
    const credentials = { port: String(sipPort), trusted: host, callsAddresses: 'true', ...mediaPorts };
    const { CarrierAccountKeyID } = await member.ask(saveCarrierAccount, { carrier: 'sip', AccountName: 'Phones', credentials });
    const { NumberKeyID } = await member.ask(saveNumber, { CarrierAccountKeyID, number: 'agent', AgentID: 12 });
    let caller: SipPhone | undefined;
    await eventually('a call that comes is up', async () => {
      caller = await SipPhone.call('agent', sipPort).catch(() => undefined);
      return caller !== undefined;
    });
    const place = (user: string) => member.ask(placeCall, { AgentID: 12, to: called.addressOf(user), NumberKeyID });
    const [answering, ringing] = [await place('answering'), await place('ringing')];
    await eventually('two talk', async () => (await member.ask(listCalls, { state: 'IN_PROGRESS' })).totalCount === 2);
    await eventually('one rings', () => called.rung.has('ringing'));
    const sql = await harness.sql();
    await eventually('what ends them is written down', async () => {
      const { rows } = await sql.query("SELECT count(*)::int AS kept FROM call_slots WHERE dialogs <> '[]'");
      return rows[0]?.kept === 3;
    });
    await harness.bridge({ SIP_PORTS: `${sipPort}-${sipPort}`, CARRIERS_IN_PRIVATE_NETWORKS: 'true' });
    await killHard(child);
    await eventually('every peer was told', () => caller?.isToldOfEnd === true && called.ends.size === 2);
    expect(called.ends.get('answering')).toMatchObject({ kind: 'hung-up-by-peer' });
    expect(called.ends.get('ringing')).toMatchObject({ kind: 'cancelled', status: 487 });
    await eventually('every call is over', async () => {
      const { rows } = await member.ask(listCalls, {});
      return rows.length === 3 && rows.every(({ endedAt }) => endedAt !== null);
    });
    const cause = 'The process that held the call was lost.';
    expect(await member.ask(getCall, answering)).toMatchObject({ state: 'FAILED', outcome: 'FAILED', cause });
    expect(await member.ask(getCall, ringing)).toMatchObject({ state: 'FAILED', outcome: 'UNREACHABLE', cause });
    expect((await sql.query('SELECT 1 FROM call_slots')).rows).toEqual([]);
    caller?.hangUp();
  });
});
