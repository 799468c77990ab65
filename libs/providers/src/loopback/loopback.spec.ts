import { loudnessOf } from '@parley/audio';
import type { AnswerPlan, CallNotice, MediaEvent, WiredMedia } from '@parley/ports';
import { describeCallMedia } from '@parley/ports/suites';
import { VirtualClock } from '@parley/voice-session';
import { FakeLoopback } from './loopback.fake';
import {
  type LoopbackFaults,
  loopbackMedia,
  LoopbackNetwork,
  type LoopbackOrder,
  menu,
  person,
  type Phone,
  voicemail,
} from './index';
import { LoopbackWebhooks } from './loopback-webhooks';
import { commandsOf, LoopbackControl } from './loopback-control';
import { unchecked } from '../carrier-http/stub-carrier-api';

describeCallMedia('the simulated network', (surroundings) => new FakeLoopback(surroundings));

const publicUrl = 'https://calls.example';
const secret = 'a-secret-of-the-test';

/** An account on the simulated network: answers its webhooks, and keeps its media in memory. */
class Account {
  readonly clock = new VirtualClock();
  readonly notices: CallNotice[] = [];
  readonly events: MediaEvent[] = [];
  readonly medias: WiredMedia[] = [];
  plan: AnswerPlan = {
    kind: 'connect',
    mediaUrl: 'wss://calls.example/telephony/loopback/tok',
    statusUrl: `${publicUrl}/status`,
  };
  isDown = false;
  readonly webhooks = new LoopbackWebhooks(secret, publicUrl);
  readonly network: LoopbackNetwork;
  readonly control: LoopbackControl;

  constructor(faults: LoopbackFaults = {}) {
    this.network = new LoopbackNetwork({
      clock: this.clock,
      faults,
      post: async (url, { headers, body }) => {
        if (this.isDown) throw new Error('connection refused');
        const request = { method: 'POST', path: url.slice(publicUrl.length), headers, body: Buffer.from(body) };
        expect(this.webhooks.verify(request)).toEqual({ isGenuine: true });
        const notices = this.webhooks.read(request);
        this.notices.push(...notices);
        const asks = notices.some(({ kind }) => kind !== 'state');
        return asks ? this.webhooks.answer('', this.plan) : { status: 200, body: '' };
      },
      connect: async (url, listener) => {
        expect(url).toBe('wss://calls.example/telephony/loopback/tok');
        const wire = { send: listener.message, close: listener.closed, bufferedBytes: 0 };
        const media = loopbackMedia.open({ wire, clock: this.clock, hear: (event) => this.events.push(event) });
        this.medias.push(media);
        return {
          send: (message) => media.receive(message),
          close: () => media.disconnected({ isClean: true, message: 'closed' }),
        };
      },
    });
    this.control = new LoopbackControl(commandsOf(this.network), secret);
  }

  get states(): string[] {
    return this.notices.flatMap((notice) => (notice.kind === 'state' ? [notice.state] : []));
  }

  order(to: string, reference = 'attempt-1'): LoopbackOrder {
    const urls = { answerUrl: `${publicUrl}/answer`, statusUrl: `${publicUrl}/status` };
    return { reference, from: '+15550000100', to, ...urls, ringSeconds: 20, secondsMax: 600, detectMachine: false, secret };
  }

  place(to: string, phone?: Phone): string {
    if (phone) this.network.connect(to, phone);
    return this.network.place(this.order(to)).callId;
  }

  /** How loud the call's audio was, second by second. */
  heardLoudness(): number {
    return Math.max(
      0,
      ...this.events.flatMap((event) =>
        event.kind === 'audio' ? [event.bytes.some((byte) => byte !== 0xff && byte !== 0x7f) ? 1 : 0] : [],
      ),
    );
  }
}

describe('the simulated network', () => {
  const silentPhone: Phone = { answers: 'picks-up', script: [{ kind: 'wait', ms: 600_000 }] };
  let account: Account;
  beforeEach(() => {
    account = new Account();
  });
  afterEach(() => account.network.close());

  it.each([
    ['+15550000001', ['ringing', 'answered']],
    ['+15550000002', ['ringing', 'busy']],
    ['+15550000003', ['ringing', 'no-answer']],
    ['+15550000004', ['failed']],
    ['+15550000007', ['ringing', 'declined']],
  ])('rings at %s as its last digits say', async (to, states) => {
    account.place(to);
    await account.clock.pass(21_000);
    expect(account.states.slice(0, states.length)).toEqual(states);
  });

  it('lets a person talk with the account, speaking when it pauses, and hang up in the end', async () => {
    const callId = account.place('+15550000001', person(['Hello?', 'Thank you.']));
    await account.clock.pass(3000);
    expect(account.events[0]).toMatchObject({ kind: 'started', start: { callId, from: '+15550000100', to: '+15550000001' } });
    const loud = new Uint8Array(8000).map((_, i) => (i % 2 === 0 ? 0x00 : 0x80));
    account.medias[0]?.send(loud);
    account.medias[0]?.mark('greeting');
    await account.clock.pass(2500);
    expect(account.events).toContainEqual({ kind: 'mark', name: 'greeting', wasCleared: false });
    expect(loudnessOf(account.network.handsetOf(callId)?.heard ?? new Int16Array(0))).toBeGreaterThan(0.1);
    expect(account.heardLoudness()).toBe(1);
    await account.clock.pass(60_000);
    expect(account.events.at(-1)).toMatchObject({ kind: 'ended', reason: 'caller-hung-up' });
    expect(account.states).toEqual(['ringing', 'answered', 'completed']);
  });

  it('greets and beeps like a mailbox', async () => {
    account.place('+15550000005', voicemail('Please leave a message.'));
    await account.clock.pass(2000 + 100 + 20_000);
    expect(account.heardLoudness()).toBe(1);
    expect(account.states).toEqual(['ringing', 'answered']);
  });

  it('has a menu that opens for the right key', async () => {
    const callId = account.place('+15550000006', menu('42', ['Front desk.']));
    await account.clock.pass(3000);
    expect(account.medias[0]?.sendDigits('42')).toBe(true);
    expect(account.network.handsetOf(callId)?.keys).toBe('42');
    await account.clock.pass(60_000);
    expect(account.states.at(-1)).toBe('completed');
  });

  it('places one call per reference, and finds it by that, even after its end', async () => {
    account.network.connect('+15550000009', silentPhone);
    const { callId } = account.network.place(account.order('+15550000009'));
    expect(account.network.place(account.order('+15550000009')).callId).toBe(callId);
    await account.clock.pass(5000);
    const search = { reference: 'attempt-1', from: '', to: '', placedAfter: new Date(0) };
    expect(await account.control.find(search)).toMatchObject({ callId, state: 'answered', isExact: true });
    await account.control.end(callId);
    await account.control.end(callId);
    expect(await account.control.find({ callId })).toMatchObject({ state: 'completed', cause: 'ended by the account' });
    expect(await account.control.find({ callId: 'unknown' })).toBeUndefined();
    await account.clock.pass(100);
    expect(account.states).toEqual(['ringing', 'answered', 'completed']);
    expect(account.events.at(-1)).toMatchObject({ kind: 'ended' });
  });

  it('brings in an outside call, and refuses or ends it as the account says', async () => {
    await account.network.call(account.order('+15550000100'), silentPhone);
    await account.clock.pass(1000);
    expect(account.notices[0]).toMatchObject({ kind: 'incoming' });
    expect(account.states).toEqual(['answered']);
    account.medias[0]?.hangUp();
    await account.clock.pass(3000);
    expect(account.events.at(-1)).toMatchObject({ kind: 'ended', reason: 'hung-up' });
    expect(account.states.at(-1)).toBe('completed');
    account.plan = { kind: 'refuse', reason: 'busy' };
    await account.network.call(account.order('+15550000100', 'second'), silentPhone);
    await account.clock.pass(100);
    expect(account.states.at(-1)).toBe('busy');
  });

  it('transfers to a phone that picks up, and asks again if nobody does', async () => {
    const callId = account.place('+15550000009', silentPhone);
    await account.clock.pass(3000);
    const transfer = { callId, from: '+15550000100', ringSeconds: 10, documentUrl: '', afterUrl: `${publicUrl}/after` };
    await account.control.transfer({ ...transfer, to: unchecked('+15550000003') });
    await account.clock.pass(11_000);
    expect(account.notices.at(-1)).toMatchObject({ kind: 'continuing', transfer: 'unanswered' });
    expect(account.medias).toHaveLength(2);
    await account.control.transfer({ ...transfer, to: unchecked('+15550000001') });
    await account.clock.pass(11_000);
    expect(account.notices.at(-1)).toMatchObject({ kind: 'continuing', transfer: 'answered' });
    expect(account.medias).toHaveLength(2);
  });

  it('ends a call when its media breaks, and at its time limit', async () => {
    account.place('+15550000009', silentPhone);
    await account.clock.pass(3000);
    account.medias[0]?.close('lost', 'killed');
    await account.clock.pass(100);
    expect(account.states.at(-1)).toBe('completed');
    account.network.place({ ...account.order('+15550000009', 'long'), secondsMax: 5 });
    await account.clock.pass(10_000);
    expect(account.states.slice(-3)).toEqual(['ringing', 'answered', 'completed']);
  });

  it('delivers callbacks late, twice or not at all on request', async () => {
    const lossy = new Account({
      duplicates: true,
      loses: (state) => state === 'answered',
      lateMs: (state) => (state === 'ringing' ? 9000 : 0),
    });
    const callId = lossy.place('+15550000009', silentPhone);
    await lossy.clock.pass(4000);
    await lossy.control.end(callId);
    await lossy.clock.pass(10_000);
    expect(lossy.states).toEqual(['completed', 'completed', 'ringing', 'ringing']);
    const orders = lossy.notices.flatMap((notice) => (notice.kind === 'state' ? [notice.order] : []));
    expect(orders).toEqual([3, 3, 1, 1]);
  });

  it('repeats a callback if the account was away, and gives up a call that gets no document', async () => {
    account.isDown = true;
    account.place('+15550000009', silentPhone);
    await account.clock.pass(3000);
    account.isDown = false;
    await account.clock.pass(10_000);
    expect(account.states.sort()).toEqual(['answered', 'failed', 'ringing']);
  });
});
