import { createHmac } from 'node:crypto';
import { CallScene } from '@parley/ports/suites';
import { realClock } from '@parley/voice-session';
import { placing, publicUrl, StubCarrierApi, webhook, unchecked } from '../carrier-http/stub-carrier-api';
import { FakeAudioFork } from './audio-fork.fake';
import { audioFork } from './index';

const webhookSecret = 'wh_secret_of_jambonz';
const now = new Date('2026-03-02T09:30:00Z');
const api = new StubCarrierApi();
const open = () => {
  const credentials = audioFork.credentials.parse({ accountSid: 'acc', apiKey: 'key', webhookSecret, apiUrl: api.url });
  return audioFork.open(credentials, { publicUrl, clock: realClock });
};

beforeAll(() => api.start());
beforeEach(() => api.asked.splice(0));
afterAll(() => api.stop());

describe('requests from jambonz', () => {
  const body = { call_sid: 'j1', call_status: 'trying', direction: 'inbound', from: '+1', to: '+2' };
  const signed = ({ at = now.getTime() / 1000, secret = webhookSecret, sent = body } = {}) => {
    const signature = createHmac('sha256', secret)
      .update(`${at}.${JSON.stringify(body)}`)
      .digest('hex');
    return webhook({ body: sent, headers: { 'jambonz-signature': `t=${at},v1=${signature}` } });
  };
  const judged = (request = signed()) => open().webhooks?.verify(request, now).isGenuine;

  it('are accepted with a current signature, or with the secret if nothing is signed', () => {
    expect(judged()).toBe(true);
    expect(judged(webhook({ body, headers: { authorization: `Bearer ${webhookSecret}` } }))).toBe(true);
  });

  it('are refused for another account, whatever their secret', () => {
    const of = (account_sid: string) =>
      judged(webhook({ body: { ...body, account_sid }, headers: { authorization: `Bearer ${webhookSecret}` } }));
    expect([of('acc'), of('other')]).toEqual([true, false]);
  });

  it('are refused if unsigned, old, changed, or with another secret or scheme', () => {
    expect(judged(webhook({ body }))).toBe(false);
    expect(judged(signed({ at: now.getTime() / 1000 - 301 }))).toBe(false);
    expect(judged(signed({ sent: { ...body, to: '+3' } }))).toBe(false);
    expect(judged(signed({ secret: 'other' }))).toBe(false);
    expect(judged(webhook({ body, headers: { 'jambonz-signature': `t=${now.getTime() / 1000},v0=x` } }))).toBe(false);
  });

  it('upgrade with the secret given to the listen verb', async () => {
    const { webhooks } = open();
    const reply = await webhooks?.answer('j1', { kind: 'connect', mediaUrl: 'wss://m/tok', statusUrl: '' });
    const [, listen] = JSON.parse(reply?.body ?? '[]');
    expect(listen).toMatchObject({
      verb: 'listen',
      url: 'wss://m/tok',
      mixType: 'mono',
      passDtmf: true,
      bidirectionalAudio: { streaming: true },
    });
    const authorization = `Basic ${Buffer.from(`${listen.wsAuth.username}:${listen.wsAuth.password}`).toString('base64')}`;
    const upgrade = { method: 'GET', path: '/telephony/audio-fork/tok' };
    expect(webhooks?.verifyUpgrade(webhook({ ...upgrade, headers: { authorization } }), now)).toEqual({ isGenuine: true });
    expect(webhooks?.verifyUpgrade(webhook(upgrade), now)).toMatchObject({ isGenuine: false });
  });
});

describe('what jambonz reports', () => {
  const read = (fields: object, asked?: 'answer' | 'status') =>
    open().webhooks?.read(webhook({ body: { call_sid: 'j1', from: '+1', to: '+2', ...fields } }), asked);

  it('is an inbound call, an answered one, progress with our reference, a machine, or the end of a transfer', () => {
    expect(read({ call_status: 'trying', direction: 'inbound' })).toEqual([
      { kind: 'incoming', callId: 'j1', from: '+1', to: '+2' },
    ]);
    expect(read({ call_status: 'in-progress', direction: 'outbound' }, 'answer')).toMatchObject([{ kind: 'answering' }]);
    const end = {
      call_status: 'busy',
      direction: 'outbound',
      sip_status: 486,
      sip_reason: 'Busy Here',
      duration: 0,
      tag: { reference: 'r' },
    };
    expect(read(end, 'status')).toEqual([
      { kind: 'state', callId: 'j1', state: 'busy', reference: 'r', code: '486', durationSeconds: 0 },
    ]);
    expect(read({ type: 'amd_machine_stopped_speaking' })).toMatchObject([{ kind: 'machine', isAfterBeep: true }]);
    expect(read({ dial_call_status: 'no-answer' })).toMatchObject([{ kind: 'continuing', transfer: 'unanswered' }]);
  });
});

describe('commands to jambonz', () => {
  it('place, transfer, find and end a call', async () => {
    const { control } = open();
    const calls = '/v1/Accounts/acc/Calls';
    api
      .on(`POST ${calls}`, { sid: 'j1' }, 201)
      .on(`PUT ${calls}/j1`, undefined, 202)
      .on(`GET ${calls}/j1`, { call_sid: 'j1', call_status: 'in-progress' });
    api.on(`GET ${calls}`, [
      { call_sid: 'j0', call_status: 'ringing', from: '+0', to: '+0' },
      { call_sid: 'j1', call_status: 'ringing', from: placing.from, to: placing.to },
    ]);
    expect(await control?.place(placing)).toEqual({ callId: 'j1', state: 'queued' });
    expect(await control?.find({ callId: 'j1' })).toMatchObject({ state: 'answered', isExact: true });
    expect(await control?.find({ ...placing, placedAfter: now })).toMatchObject({
      callId: 'j1',
      state: 'ringing',
      isExact: false,
    });
    api.asked.splice(0);
    await control?.transfer?.({
      callId: 'j1',
      to: unchecked('+1'),
      from: '+2',
      ringSeconds: 9,
      documentUrl: 'https://d',
      afterUrl: '',
    });
    await control?.end('j1');
    await control?.end('j2');
    expect(api.take()).toEqual([
      `PUT ${calls}/j1 {"call_hook":{"url":"https://d","method":"POST"}}`,
      `PUT ${calls}/j1 {"call_status":"completed"}`,
      `PUT ${calls}/j2 {"call_status":"completed"}`,
    ]);
  });

  it('do not exist for a FreeSWITCH without jambonz', () => {
    const credentials = audioFork.credentials.parse({ webhookSecret });
    expect(audioFork.open(credentials, { publicUrl, clock: realClock }).control).toBeUndefined();
  });
});

describe('an audio fork', () => {
  it('is refused if it mixes both sides, since the agent would hear itself', () => {
    const scene = new CallScene((surroundings) => new FakeAudioFork(surroundings));
    (scene.carrier as FakeAudioFork).media.receive(JSON.stringify({ sampleRate: 8000, mixType: 'stereo' }));
    expect(scene.of('ended')).toMatchObject([{ reason: 'protocol', message: expect.stringContaining('must be mono') }]);
  });
});
