/** @waits calls last until another replica takes them */
import { type CallRecord, listCalls, saveCarrierAccount, saveNumber } from '@parley/contracts';
import { sip } from '@parley/providers/sip';
import type { RunningService } from '@parley/service-kit';
import { eventually, freeSipPort } from '@parley/testing';
import { BridgeHarness, freePort, type Member } from '../testing/bridge-harness.suite';
import { Registrar } from '../testing/registrar';
import { SipPhone } from '../testing/sip-phone';

const host = '127.0.0.1';
const hungUp = { state: 'COMPLETED', outcome: 'ANSWERED', cause: 'The other side hung up.' };

describe('the SIP port of a stopping replica, with others on the machine', () => {
  let harness: BridgeHarness;
  let environment: Record<string, string>;
  let port: number;
  let member: Member;
  beforeEach(async () => {
    port = await freeSipPort();
    const drains = { CALL_DRAIN: '30s', DRAIN_SECONDS: '60' };
    environment = { SIP_PORTS: `${port}-${port}`, CARRIERS_IN_PRIVATE_NETWORKS: 'true', ...drains };
    harness = await BridgeHarness.open({ NO_BRIDGE: 'true' }, undefined, [sip]);
    member = harness.member();
  });
  afterEach(() => harness.close());

  const bridge = async (): Promise<RunningService> => harness.bridge(environment, await freePort());
  const save = async (credentials: Record<string, string> = {}): Promise<void> => {
    const mediaPorts = { mediaPortFrom: String(52_000 + (process.pid % 40) * 80), mediaPortTo: '57999' };
    const all = { port: String(port), trusted: host, ...mediaPorts, ...credentials };
    const { CarrierAccountKeyID } = await member.ask(saveCarrierAccount, { carrier: 'sip', AccountName: 'A', credentials: all });
    await member.ask(saveNumber, { CarrierAccountKeyID, number: 'agent', AgentID: 12 });
  };
  const call = (): Promise<SipPhone> => SipPhone.call('agent', port);
  const firstCall = async (): Promise<SipPhone> => {
    let phone: SipPhone | undefined;
    await eventually('a call is taken', async () => {
      phone ??= await call().catch(() => undefined);
      return phone !== undefined;
    });
    if (!phone) throw new Error('no call');
    return phone;
  };
  const inProgress = async (): Promise<number> => (await member.ask(listCalls, { state: 'IN_PROGRESS' })).totalCount;
  const records = async (): Promise<readonly CallRecord[]> => (await member.ask(listCalls, {})).rows;

  it('takes new calls at another replica at once, keeps its own, and moves completely when they are over', async () => {
    const leaving = await bridge();
    await save();
    const old = await firstCall();
    await eventually('it is in progress', async () => (await inProgress()) === 1);
    await bridge();
    const stopped = leaving.stop();
    // None of them is refused.
    const fresh = await Promise.all([call(), call(), call()]);
    await eventually('all are in progress', async () => (await inProgress()) === 4);
    expect(old.isToldOfEnd).toBe(false);
    old.hangUp();
    fresh[0].hangUp();
    await stopped;
    await eventually('two are over', async () => (await inProgress()) === 2);
    const last = await firstCall();
    for (const phone of [fresh[1], fresh[2], last]) phone.hangUp();
    await eventually('all are over', async () => (await records()).filter(({ endedAt }) => endedAt !== null).length === 5);
    expect(await records()).toEqual(Array.from({ length: 5 }, () => expect.objectContaining(hungUp)));
  });

  it('moves on from replica to replica as they stop, without losing a call', async () => {
    const first = await bridge();
    await save();
    const phones = [await firstCall()];
    const second = await bridge();
    const stopped = [first.stop()];
    phones.push(await call());
    await eventually('two are in progress', async () => (await inProgress()) === 2);
    await bridge();
    stopped.push(second.stop());
    phones.push(await call());
    await eventually('three are in progress', async () => (await inProgress()) === 3);
    for (const phone of phones) {
      phone.hangUp();
      await eventually('it is over', async () => (await inProgress()) === phones.length - 1 - phones.indexOf(phone));
    }
    await Promise.all(stopped);
    expect(await records()).toEqual(Array.from({ length: 3 }, () => expect.objectContaining(hungUp)));
  });

  it('stays registered with its trunk under the same contact', async () => {
    const known = { username: 'shop', password: 'open sesame' };
    const registrar = await Registrar.start(known);
    const leaving = await bridge();
    await save({ ...known, trunk: `sip:${host}:${registrar.port}`, registers: 'true' });
    const old = await firstCall();
    await eventually('it is registered', () => registrar.contact !== undefined);
    await bridge();
    const seen = registrar.registered.length;
    const stopped = leaving.stop();
    await eventually('the other one registers', () => registrar.registered.length > seen);
    old.hangUp();
    await stopped;
    (await firstCall()).hangUp();
    expect(registrar.contact).toContain(`shop@${host}:${port}`);
    expect(registrar.registered.filter(({ seconds }) => seconds === 0)).toEqual([]);
    registrar.stop();
  });

  it('refuses new calls with 503 if there is no other replica', async () => {
    const leaving = await bridge();
    await save();
    const old = await firstCall();
    const stopped = leaving.stop();
    await expect(call()).rejects.toThrow(/Service Unavailable|503/);
    old.hangUp();
    await stopped;
  });
});
