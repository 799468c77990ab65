import { CallScene } from '@parley/ports/suites';
import { realClock } from '@parley/voice-session';
import { form, placing, publicUrl, StubCarrierApi, webhook, unchecked } from '../carrier-http/stub-carrier-api';
import { FakeExotel } from './exotel.fake';
import { ExotelWebhooks } from './exotel-calls';
import { exotel } from './index';

const secret = 'a-password-of-our-own';

describe('requests from Exotel', () => {
  const webhooks = new ExotelWebhooks(secret, 'acme1');

  it('are accepted with the secret in the Authorization header or in the URL', () => {
    const basic = `Basic ${Buffer.from(`parley:${secret}`).toString('base64')}`;
    expect(webhooks.verify(webhook({ headers: { authorization: basic } }))).toEqual({ isGenuine: true });
    expect(webhooks.verify(webhook({ path: `/x?key=${secret}` }))).toEqual({ isGenuine: true });
    for (const request of [webhook(), webhook({ path: '/x?key=other' }), webhook({ headers: { authorization: 'Basic !!' } })]) {
      expect(webhooks.verify(request)).toMatchObject({ isGenuine: false });
    }
  });

  it('are refused for another account, whatever their secret', () => {
    const of = (AccountSid: string) => webhooks.verify(webhook({ path: `/x?key=${secret}&AccountSid=${AccountSid}` })).isGenuine;
    const inJson = webhook({ path: `/x?key=${secret}`, body: { CallSid: 'e1', AccountSid: 'other' } });
    expect([of('acme1'), of('other'), webhooks.verify(inJson).isGenuine]).toEqual([true, false, false]);
  });
});

describe('what Exotel reports', () => {
  const webhooks = new ExotelWebhooks(secret, 'acme1');

  it('is an inbound call, an end with our reference and its recording, or the end of a transfer', () => {
    const asked = webhook({ method: 'GET', path: `/a?CallSid=e1&CallFrom=09876&CallTo=0804&Direction=incoming&key=${secret}` });
    expect(webhooks.read(asked, 'answer')).toEqual([{ kind: 'incoming', callId: 'e1', from: '09876', to: '0804' }]);
    const body = {
      CallSid: 'e1',
      EventType: 'terminal',
      Status: 'no-answer',
      CustomField: 'ref-1',
      ConversationDuration: 0,
      RecordingUrl: 'https://r',
      Legs: [],
    };
    expect(webhooks.read(webhook({ body }), 'status')).toEqual([
      { kind: 'state', callId: 'e1', state: 'no-answer', code: 'no-answer', reference: 'ref-1', durationSeconds: 0 },
      { kind: 'recording', callId: 'e1', url: 'https://r' },
    ]);
    expect(webhooks.read(webhook({ body: form({ CallSid: 'e1', EventType: 'answered', Status: 'in-progress' }) }))).toMatchObject(
      [{ state: 'answered' }],
    );
    const after = webhook({ method: 'GET', path: '/a?CallSid=e1&CallFrom=1&DialCallStatus=busy' });
    expect(webhooks.read(after, 'answer')).toMatchObject([{ kind: 'continuing', transfer: 'refused' }]);
  });

  it('is answered with the address of the stream, or the number to connect', async () => {
    const connect = await webhooks.answer('e1', { kind: 'connect', mediaUrl: 'wss://m/tok', statusUrl: '' });
    expect(JSON.parse(connect.body)).toEqual({ url: 'wss://m/tok' });
    const transfer = await webhooks.answer('e1', {
      kind: 'transfer',
      to: unchecked('+1'),
      from: '+2',
      ringSeconds: 9,
      afterUrl: '',
    });
    expect(JSON.parse(transfer.body)).toMatchObject({ destination: { numbers: ['+1'] }, max_ringing_duration: 9 });
  });
});

describe('commands to Exotel', () => {
  const api = new StubCarrierApi();
  const open = (flowId?: string) => {
    const credentials = exotel.credentials.parse({
      accountSid: 'ex',
      apiKey: 'k',
      apiToken: 't',
      webhookSecret: secret,
      apiUrl: api.url,
      flowId,
    });
    return exotel.open(credentials, { publicUrl, clock: realClock }).control;
  };
  beforeAll(() => api.start());
  beforeEach(() => api.asked.splice(0));
  afterAll(() => api.stop());

  it('place a call that is streamed or enters a flow, with the secret in its callbacks', async () => {
    api.on('POST /v1/Accounts/ex/Calls/connect.json', { Call: { Sid: 'e1', Status: 'in-progress' } });
    expect(await open()?.place(placing)).toEqual({ callId: 'e1', state: 'answered' });
    await open('42')?.place(placing);
    const [streamed, flowing] = api.asked.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(streamed).toMatchObject({
      From: placing.to,
      CallerId: placing.from,
      StreamUrl: placing.mediaUrl,
      StreamType: 'bidirectional',
      CustomField: placing.reference,
    });
    expect(streamed?.['StatusCallback']).toBe(`${placing.statusUrl}?key=${secret}`);
    expect(flowing).toMatchObject({ Url: 'http://my.exotel.com/ex/exoml/start_voice/42' });
  });

  it('find a call by its id, and an attempt by its numbers and Indian time', async () => {
    api.on('GET /v1/Accounts/ex/Calls/e1.json', { Call: { Sid: 'e1', Status: 'completed', Duration: '5' } });
    expect(await open()?.find({ callId: 'e1' })).toMatchObject({ state: 'completed', durationSeconds: 5, isExact: true });
    api.on('GET /v1/Accounts/ex/Calls.json', { Calls: [{ Sid: 'e2', Status: 'busy', DateCreated: '2026-03-02 15:00:01' }] });
    const search = { reference: 'r', from: '+1', to: '+2', placedAfter: new Date('2026-03-02T09:30:00Z') };
    expect(await open()?.find(search)).toMatchObject({ callId: 'e2', isExact: false });
    expect(await open()?.find({ ...search, placedAfter: new Date('2026-03-02T10:30:00Z') })).toBeUndefined();
  });

  it('cannot end a call: closing the stream does', async () => {
    await expect(open()?.end('e1')).rejects.toMatchObject({ retryable: false });
  });
});

describe('a stream of Exotel', () => {
  it('pads the last chunk of a sentence with silence instead of holding it back', () => {
    const scene = new CallScene((surroundings) => new FakeExotel(surroundings));
    scene.carrier.begin();
    scene.say(0x31, 260);
    scene.clock.pass(1000);
    expect(scene.heardMs(0x31)).toBe(260);
    expect(scene.carrier.violations).toEqual([]);
  });
});
