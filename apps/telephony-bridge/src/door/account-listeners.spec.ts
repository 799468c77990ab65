/** @waits sound takes as long as it lasts */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import {
  type CallRecord,
  deleteCarrierAccount,
  deleteNumber,
  endCall,
  getCall,
  listCalls,
  placeCall,
  saveCarrierAccount,
  saveNumber,
  sendDtmf,
  testCarrierAccount,
  transferCall,
} from '@parley/contracts';
import type { CarrierDescriptor } from '@parley/ports';
import { sip } from '@parley/providers/sip';
import { Baresip, eventually, freeSipPort, hasSipPeers } from '@parley/testing';
import { Client } from 'pg';
import { z } from 'zod';
import { BridgeHarness, type Member } from '../testing/bridge-harness.suite';
import { SipPhone } from '../testing/sip-phone';
import { Registrar } from '../testing/registrar';
import { heardBy, msOf, nextHz, ourHz, shareOf, speaksInTones, theirHz, toneFile } from '../testing/tones';

const host = '127.0.0.1';
const real = hasSipPeers() ? describe : describe.skip;
const mediaPorts = { mediaPortFrom: String(36_000 + (process.pid % 40) * 100), mediaPortTo: '39999' };

async function isListening(port: number): Promise<boolean> {
  const probe = connect(port, host);
  const isOpen = await once(probe, 'connect').then(
    () => true,
    () => false,
  );
  probe.destroy();
  return isOpen;
}

/** A carrier whose network accepts what is sent and never answers. */
const silentTries: number[] = [];
const Silent = z.object({ port: z.coerce.number() });
const silent: CarrierDescriptor<typeof Silent> = {
  id: 'silent',
  name: 'Silent',
  credentials: Silent,
  capabilities: { ...sip.capabilities, control: undefined },
  open: ({ port }) => ({
    id: 'silent',
    listensOn: port,
    listen: () => {
      silentTries.push(port);
      return new Promise(() => undefined);
    },
    close: async () => undefined,
  }),
};

describe('a SIP account', () => {
  let harness: BridgeHarness;
  let port: number;
  let member: Member;
  let environment: Record<string, string>;
  beforeAll(async () => {
    port = await freeSipPort();
    environment = { SIP_PORTS: `${port}-${port + 1}`, CARRIERS_IN_PRIVATE_NETWORKS: 'true' };
    harness = await BridgeHarness.open(environment, undefined, [sip, silent]);
    member = harness.member();
  });
  afterEach(() => harness.scripted.reset());
  afterAll(() => harness.close());

  /** The end of our lease on a port, in milliseconds since 1970. */
  const leaseOf = async (leased: number): Promise<number> => {
    const client = new Client({ connectionString: harness.database.adminUrl });
    await client.connect();
    const { rows } = await client.query<{ expires_at: Date }>('SELECT expires_at FROM telephony.account_ports WHERE port = $1', [
      leased,
    ]);
    await client.end();
    return rows[0]?.expires_at.getTime() ?? 0;
  };
  /** Given as strings, as the API expects them. */
  const save = (who: Member, credentials: Record<string, string>, CarrierAccountKeyID: string | null = null) =>
    who.ask(saveCarrierAccount, {
      CarrierAccountKeyID,
      carrier: 'sip',
      AccountName: 'Phones',
      credentials: { trusted: host, ...mediaPorts, ...credentials },
    });

  /** Another account may have the port only once nobody listens on it. */
  const remove = async (who: Member, CarrierAccountKeyID: string): Promise<void> => {
    await who.ask(deleteCarrierAccount, { CarrierAccountKeyID });
    await eventually('nobody listens there', async () => !(await isListening(port)));
  };

  it('gets a port from the allowed range that no other account has', async () => {
    const stranger = harness.member();
    const open = `${port} to ${port + 1}`;
    // Errors mask a secret, but not inside another number.
    const refused = save(stranger, { port: '99', password: String(port).slice(-4) });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining(open) });
    const { CarrierAccountKeyID } = await save(stranger, { port: String(port) });
    await expect(save(harness.member(), { port: String(port) })).rejects.toMatchObject({ code: 'CONFLICT' });
    await save(stranger, { port: String(port + 1) }, CarrierAccountKeyID);
    await save(stranger, { port: String(port) }, CarrierAccountKeyID);
    await remove(stranger, CarrierAccountKeyID);
  });

  it('takes calls by a changed password at once and no more by the old one, at a replica that did not change it, during a call', async () => {
    const other = await harness.bridge(environment, 0);
    const stranger = harness.member();
    const phones = { callerUsername: 'desk', port: String(port), trusted: '192.0.2.1' };
    const { CarrierAccountKeyID } = await save(stranger, { ...phones, callerPassword: 'open sesame' });
    const { NumberKeyID } = await stranger.ask(saveNumber, { CarrierAccountKeyID, number: 'agent', AgentID: 12 });
    const calls: SipPhone[] = [];
    const call = async (password: string): Promise<void> => {
      calls.push(await SipPhone.call('agent', port, { username: 'desk', password }));
    };
    try {
      await eventually('it listens', () => isListening(port));
      await call('open sesame');
      for (const password of ['close sesame', 'a third one']) {
        const before = password === 'close sesame' ? 'open sesame' : 'close sesame';
        await stranger.ask(saveCarrierAccount, {
          CarrierAccountKeyID,
          carrier: 'sip',
          credentials: { callerPassword: password },
        });
        await expect(call(before)).rejects.toThrow('401');
        await call(password);
      }
      const told = harness.log.filter((line) => line.includes('A caller was refused') && line.includes(CarrierAccountKeyID));
      expect(told).toHaveLength(1);
      expect(told[0]).toMatch(/"status":401,"reason":"its name or password is wrong","address":"127\.0\.0\.1"/);
    } finally {
      for (const phone of calls) phone.hangUp();
      await stranger.ask(deleteNumber, { NumberKeyID });
      await remove(stranger, CarrierAccountKeyID);
      await other.stop();
    }
  });

  it('listens and keeps its port beside an account whose network never answers', async () => {
    const stranger = harness.member();
    const { CarrierAccountKeyID } = await save(stranger, { port: String(port) });
    const silent = { carrier: 'silent', AccountName: 'Silent', credentials: { port: String(port + 1) } };
    await stranger.ask(saveCarrierAccount, { CarrierAccountKeyID: null, ...silent });
    await eventually('it is tried to listen on the silent one', () => silentTries.length > 0);
    const leasedUntil = await leaseOf(port);
    await eventually('the port goes on being leased', async () => (await leaseOf(port)) > leasedUntil + 3_000);
    await eventually('it listens', () => isListening(port));
    await eventually('the silent one is tried again', () => silentTries.length > 1);
    await remove(stranger, CarrierAccountKeyID);
  });

  it('does not pass its test at any replica while its port is in use by another program, and does once that has left', async () => {
    const other = await harness.bridge(environment, 0);
    const stranger = harness.member();
    const program = createServer().listen(port, host);
    await once(program, 'listening');
    const { CarrierAccountKeyID } = await save(stranger, { port: String(port) });
    const test = () => stranger.ask(testCarrierAccount, { CarrierAccountKeyID });
    try {
      const reason = `Port ${port} is not open, so no call can arrive: the log of the telephony bridge says why.`;
      // Replicas answer in turn.
      for (const result of await Promise.all([test(), test()])) expect(result).toMatchObject({ isWorking: false, reason });
    } finally {
      program.close();
    }
    await eventually('it listens', async () => (await test()).isWorking);
    expect(await Promise.all([test(), test()])).toMatchObject([{ isWorking: true }, { isWorking: true }]);
    await remove(stranger, CarrierAccountKeyID);
    await other.stop();
  });

  it('is refused with a range of media ports without a pair, and listens with a corrected one', async () => {
    const stranger = harness.member();
    const wrong = { mediaPortFrom: '30000', mediaPortTo: '20000' };
    const details = [{ field: 'credentials.mediaPortFrom' }, { field: 'credentials.mediaPortTo' }];
    const account = await save(stranger, { port: String(port) });
    await expect(save(stranger, wrong, account.CarrierAccountKeyID)).rejects.toMatchObject({ details });
    expect(await stranger.ask(testCarrierAccount, account)).toMatchObject({ isWorking: true });
    await remove(stranger, account.CarrierAccountKeyID);
  });

  it('registers with its trunk by digest, unregisters when deleted, and reports a wrong password', async () => {
    const registrar = await Registrar.start({ username: 'shop', password: 'open sesame' });
    const stranger = harness.member();
    const trunk = { trunk: `sip:${host}:${registrar.port}`, registers: 'true', username: 'shop', port: String(port) };
    try {
      const { CarrierAccountKeyID } = await save(stranger, { ...trunk, password: 'open sesame' });
      await eventually('it is registered', () => registrar.registered.length > 0);
      expect(registrar.registered[0]?.contact).toContain(`shop@${host}:${port}`);
      expect(registrar.registered[0]?.seconds).toBeGreaterThan(30);
      expect(await stranger.ask(testCarrierAccount, { CarrierAccountKeyID })).toMatchObject({ isWorking: true, reason: null });
      // The registration itself is unchanged.
      expect(new Set(registrar.registered.map(({ contact }) => contact)).size).toBe(1);
      await save(stranger, { ...trunk, password: 'a guess' }, CarrierAccountKeyID);
      expect(await stranger.ask(testCarrierAccount, { CarrierAccountKeyID })).toMatchObject({ isWorking: false });
      await remove(stranger, CarrierAccountKeyID);
      await eventually('it is registered no more', () => registrar.registered.at(-1)?.seconds === 0);
    } finally {
      registrar.stop();
    }
  });

  describe('that registers with a trunk', () => {
    let registrar: Registrar;
    let stranger: Member;
    let account: { readonly CarrierAccountKeyID: string };
    let trunk: Record<string, string>;
    beforeEach(async () => {
      registrar = await Registrar.start({ username: 'shop', password: 'open sesame' });
      stranger = harness.member();
      const us = { username: 'shop', password: 'open sesame', port: String(port) };
      trunk = { trunk: `sip:${host}:${registrar.port}`, registers: 'true', ...us };
    });
    afterEach(async () => {
      registrar.isSilent = false;
      await remove(stranger, account.CarrierAccountKeyID);
      registrar.stop();
    });
    const test = () => stranger.ask(testCarrierAccount, account);

    it('stays registered when tested by either replica, listening or not', async () => {
      account = await save(stranger, trunk);
      await eventually('it is registered', () => registrar.contact !== undefined);
      const other = await harness.bridge(environment, 0);
      const live = registrar.contact;
      try {
        // Replicas answer in turn.
        for (let turn = 0; turn < 4; turn += 1) {
          expect(await test()).toMatchObject({ isWorking: true, reason: null });
          expect(registrar.contact).toBe(live);
        }
        expect(new Set(registrar.registered.map(({ contact }) => contact))).toEqual(new Set([live]));
      } finally {
        await other.stop();
      }
    });

    it('works with a trunk that demands a longer expiry, even without registering', async () => {
      registrar.secondsMin = 4_000;
      account = await save(stranger, trunk);
      await eventually('it is registered', () => registrar.registered.some(({ seconds }) => seconds === 4_000));
      expect(await test()).toMatchObject({ isWorking: true, reason: null });
      const { port: _, ...placesOnly } = trunk;
      const second = await stranger.ask(saveCarrierAccount, {
        ...{ CarrierAccountKeyID: null, carrier: 'sip', AccountName: 'Out', credentials: placesOnly },
      });
      expect(await stranger.ask(testCarrierAccount, second)).toMatchObject({ isWorking: true, reason: null });
    });

    it('reports within seconds that the trunk does not answer', async () => {
      registrar.isSilent = true;
      account = await save(stranger, trunk);
      expect(await test()).toMatchObject({ isWorking: false, reason: 'The carrier did not answer within 5 seconds.' });
    });

    it('keeps port and password when another field changes, and cannot lose a required one', async () => {
      account = await save(stranger, trunk);
      const change = (credentials: Record<string, string | null>) =>
        stranger.ask(saveCarrierAccount, { ...account, credentials });
      expect(await change({ callerDigest: 'md5' })).toMatchObject({
        credentialFields: expect.arrayContaining(['port', 'password', 'trusted', 'callerDigest']),
      });
      await expect(change({ password: null })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'credentials.password' }],
      });
      await eventually('it listens', () => isListening(port));
      expect(await test()).toMatchObject({ isWorking: true });
      expect(await change({ callerDigest: null })).toMatchObject({
        credentialFields: expect.not.arrayContaining(['callerDigest']),
      });
    });
  });

  real('and a soft phone (needs Debian’s baresip)', () => {
    let microphone: Awaited<ReturnType<typeof toneFile>>;
    let phone: Baresip;
    let NumberKeyID: string;
    beforeAll(async () => {
      microphone = await toneFile(theirHz);
      const account = await save(member, { port: String(port), callsAddresses: 'true' });
      const { CarrierAccountKeyID } = account;
      ({ NumberKeyID } = await member.ask(saveNumber, { CarrierAccountKeyID, number: 'agent', AgentID: 12 }));
    });
    beforeEach(async () => {
      phone = await Baresip.start({ microphone: microphone.file, account: 'answermode=auto' });
    });
    afterEach(() => phone.stop());
    afterAll(() => microphone.remove());

    const dial = (user = 'agent') => phone.command('dial', `sip:${user}@${host}:${port}`);
    const only = async (): Promise<CallRecord> => {
      const { rows } = await member.ask(listCalls, { pageSize: 1 });
      const [row] = rows;
      if (!row) throw new Error('no call');
      return row;
    };
    const over = async (): Promise<CallRecord> => {
      await eventually('the call is over and written down', async () => (await only()).endedAt !== null);
      return only();
    };
    it('connects caller and agent: both are heard, keys arrive, and speech interrupts the agent', async () => {
      await eventually('it listens', () => isListening(port));
      speaksInTones(harness.scripted, { greetingMs: 20_000, isInterruptible: true });
      dial();
      await eventually('the agent is on the line', () => harness.scripted.lines.length === 1);
      const { last: line } = harness.scripted;
      await eventually('the agent hears', () => heardBy(line).length > 28_000 && msOf(heardBy(line), theirHz) > 500);
      phone.press('12#');
      const keys = () => line.heard.flatMap((signal) => (signal.type === 'dtmf' ? [signal.digit] : [])).join('');
      await eventually('the keys arrive', () => keys() === '12#');
      const interruptedAt = heardBy(line).length;
      await eventually('it could say something else', () => heardBy(line).length > interruptedAt + 24_000);
      phone.command('hangup');
      expect(await over()).toMatchObject({
        direction: 'INBOUND',
        to: 'agent',
        from: 'phone',
        state: 'COMPLETED',
        cause: 'The other side hung up.',
      });
      await eventually('the phone has written what it heard', async () => msOf(await phone.heard(), ourHz) > 0);
      // Speech cut the greeting off: twenty seconds were sent, and what came after them was heard.
      expect(msOf(await phone.heard(), nextHz)).toBeGreaterThan(300);
    });

    it('can be put on hold by the phone and resumed, and receives keys meanwhile', async () => {
      dial();
      await eventually('the agent hears', () => harness.scripted.lines.length === 1 && heardBy(harness.scripted.last).length > 0);
      const { last: line } = harness.scripted;
      phone.command('hold');
      await eventually('the phone is silent', () => msOf(heardBy(line).slice(-2400), theirHz) === 0);
      await member.ask(sendDtmf, { CallKeyID: (await only()).CallKeyID, digits: '7' });
      phone.command('resume');
      await eventually('the phone is heard again', () => shareOf(heardBy(line).slice(-1600), theirHz) > 0.9);
      phone.command('hangup');
      expect(await over()).toMatchObject({ state: 'COMPLETED', remarks: [] });
    });

    it('rings a phone that answers, and says when the call ends; an unanswered call is MISSED with its code', async () => {
      speaksInTones(harness.scripted, { greetingMs: 600 });
      const to = `sip:phone@${host}:${phone.port}`;
      const { CallKeyID } = await member.ask(placeCall, { AgentID: 12, to, NumberKeyID });
      await eventually('the agent is on the line', () => harness.scripted.lines.length === 1);
      await eventually('the agent hears', () => msOf(heardBy(harness.scripted.last), theirHz) > 500);
      await member.ask(endCall, { CallKeyID });
      await phone.saw('CALL_CLOSED');
      await eventually('the phone has written what it heard', async () => msOf(await phone.heard(), ourHz) > 0);
      expect(await member.ask(getCall, { CallKeyID })).toMatchObject({
        direction: 'OUTBOUND',
        state: 'COMPLETED',
        cause: 'The call was ended on request.',
      });
      const nobody = await member.ask(placeCall, { AgentID: 12, to: `sip:nobody@${host}:${phone.port}`, NumberKeyID });
      await eventually('it is over', async () => (await member.ask(getCall, nobody)).endedAt !== null);
      expect(await member.ask(getCall, nobody)).toMatchObject({ outcome: 'UNREACHABLE', causeCode: '404' });
    });

    it('transfers by REFER, and returns to the agent when the other phone does not answer', async () => {
      harness.scripted.hear = ({ channel }, item) => {
        if (!('signal' in item)) return;
        const { signal } = item;
        if (signal.type === 'transfer.ask') channel.signal({ type: 'line.transfer', to: signal.to });
        if (signal.type === 'session.end' || signal.type === 'transfer.done') channel.close('over');
      };
      dial();
      await eventually('the agent hears', () => harness.scripted.lines.length === 1 && heardBy(harness.scripted.last).length > 0);
      const { CallKeyID } = await only();
      const colleague = await Baresip.start({ microphone: microphone.file, user: 'colleague', account: 'answermode=auto' });
      try {
        const place = `${host}:${colleague.port}`;
        await member.ask(transferCall, { CallKeyID, to: `sip:nobody@${place}` });
        const { last: line } = harness.scripted;
        await eventually('the agent has the caller back', () => line.heard.some(({ type }) => type === 'transfer.failed'));
        const before = line.sounds.length;
        await eventually('the agent hears again', () => line.sounds.length > before + 5);
        await member.ask(transferCall, { CallKeyID, to: `sip:colleague@${place}` });
        await colleague.saw('CALL_ESTABLISHED');
        expect(await over()).toMatchObject({ outcome: 'TRANSFERRED', transferredTo: `sip:colleague@${place}` });
      } finally {
        await colleague.stop();
      }
    });

    it('refuses a number without an agent with 404, and records nothing', async () => {
      const before = (await member.ask(listCalls, {})).totalCount;
      dial('stranger');
      expect((await phone.saw('CALL_CLOSED')).param).toContain('404');
      expect((await member.ask(listCalls, {})).totalCount).toBe(before);
    });
  });
});
