import { CallScene } from '@parley/ports/suites';
import { realClock } from '@parley/voice-session';
import { form, placing, publicUrl, StubCarrierApi, webhook, unchecked } from '../carrier-http/stub-carrier-api';
import { twilioSignature, TwilioWebhooks } from './twilio-calls';
import { FakeTwilio } from './twilio.fake';
import { twilio } from './index';

const accountSid = 'AC00000000000000000000000000000001';
const calls = `/2010-04-01/Accounts/${accountSid}/Calls`;

describe('requests from Twilio', () => {
  const webhooks = new TwilioWebhooks('12345', 'https://mycompany.com', accountSid);
  const fields = {
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  };
  const signed = (changes: { path?: string; body?: string; signature?: string } = {}) =>
    webhook({
      path: changes.path ?? '/myapp.php?foo=1&bar=2',
      body: changes.body ?? form(fields),
      headers: { 'x-twilio-signature': changes.signature ?? 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', host: 'elsewhere.example' },
    });

  it('are accepted with the signature of Twilio’s published example, whatever the Host header', () => {
    expect(webhooks.verify(signed())).toEqual({ isGenuine: true });
  });

  it('are refused unsigned, or with a wrong signature, field, URL or token', () => {
    const others = [
      webhook({ path: '/myapp.php?foo=1&bar=2', body: form(fields) }),
      signed({ signature: 'RSOYDt4T1cUTdK1PDd93/VVr8B9=' }),
      signed({ signature: '' }),
      signed({ body: form({ ...fields, Digits: '1235' }) }),
      signed({ body: `${form(fields)}&More=1` }),
      signed({ path: '/myapp.php?foo=1&bar=3' }),
    ];
    for (const request of others) expect(webhooks.verify(request)).toMatchObject({ isGenuine: false });
    expect(new TwilioWebhooks('12346', 'https://mycompany.com', accountSid).verify(signed())).toMatchObject({ isGenuine: false });
    expect(new TwilioWebhooks('12345', 'https://other.example', accountSid).verify(signed())).toMatchObject({ isGenuine: false });
  });

  it('are verified if a field occurs twice, and with or without the default port', () => {
    // As signed by the official library.
    expect(twilioSignature('12345', 'https://example.com/a', new URLSearchParams('E=ringing&E=answered&B=x'))).toBe(
      'GNNedN5SAr65jGEdVlhfNaZoJng=',
    );
    const signature = twilioSignature('12345', 'https://mycompany.com:443/x', new URLSearchParams());
    expect(webhooks.verify(webhook({ path: '/x', headers: { 'x-twilio-signature': signature } }))).toEqual({ isGenuine: true });
  });

  it('are refused for another account, whatever their signature', () => {
    const judged = (AccountSid: string) => {
      const body = form({ ...fields, AccountSid });
      const signature = twilioSignature('12345', 'https://mycompany.com/x', new URLSearchParams(body));
      return webhooks.verify(webhook({ path: '/x', body, headers: { 'x-twilio-signature': signature } }));
    };
    expect(judged(accountSid)).toEqual({ isGenuine: true });
    expect(judged(accountSid.replace(/1$/, '2'))).toEqual({ isGenuine: false, reason: 'the request is about another account' });
  });

  it('are verified at the upgrade of a media stream by its wss URL', () => {
    const judged = (signature: string) =>
      new TwilioWebhooks('12345', 'https://example.com', accountSid).verifyUpgrade(
        webhook({ method: 'GET', path: '/telephony/twilio/tok', headers: { 'x-twilio-signature': signature } }),
      );
    expect(judged('4fvWmHoCrLkyScjD9W0CvEoKUAE=')).toEqual({ isGenuine: true });
    expect(judged(twilioSignature('12345', 'wss://example.com/telephony/twilio/other', new URLSearchParams()))).toMatchObject({
      isGenuine: false,
    });
  });
});

describe('what Twilio reports', () => {
  const webhooks = new TwilioWebhooks('t', publicUrl, accountSid);
  const read = (fields: Record<string, string>, asked?: 'answer' | 'status') =>
    webhooks.read(webhook({ body: form({ CallSid: 'CA1', ...fields }) }), asked);

  it('is an inbound call, an answered one, progress, a machine, a recording or the end of a transfer', () => {
    const numbers = { From: '+1', To: '+2' };
    expect(read({ ...numbers, CallStatus: 'ringing', Direction: 'inbound' })).toEqual([
      { kind: 'incoming', callId: 'CA1', from: '+1', to: '+2' },
    ]);
    expect(read({ ...numbers, CallStatus: 'in-progress', Direction: 'outbound-api' }, 'answer')).toEqual([
      { kind: 'answering', callId: 'CA1', from: '+1', to: '+2' },
    ]);
    const progress = { CallbackSource: 'call-progress-events', SequenceNumber: '3', CallDuration: '12', SipResponseCode: '200' };
    expect(read({ ...progress, CallStatus: 'completed' })).toEqual([
      { kind: 'state', callId: 'CA1', state: 'completed', code: '200', durationSeconds: 12, order: 3 },
    ]);
    expect(read({ CallStatus: 'in-progress' }, 'status')).toMatchObject([{ kind: 'state', state: 'answered' }]);
    expect(read({ AnsweredBy: 'machine_end_beep', MachineDetectionDuration: '4000' })).toEqual([
      { kind: 'machine', callId: 'CA1', answeredBy: 'machine', isAfterBeep: true },
    ]);
    expect(read({ RecordingUrl: 'https://api.twilio.com/r', RecordingDuration: '9' })).toMatchObject([
      { kind: 'recording', durationSeconds: 9 },
    ]);
    expect(read({ DialCallStatus: 'no-answer', CallStatus: 'in-progress' })).toMatchObject([
      { kind: 'continuing', transfer: 'unanswered' },
    ]);
  });

  it.each(['busy', 'no-answer', 'failed', 'canceled'])('has its own word for the end where it has no code: %s', (CallStatus) => {
    expect(read({ CallStatus }, 'status')).toMatchObject([{ code: CallStatus }]);
    expect(read({ CallStatus, SipResponseCode: '486' }, 'status')).toMatchObject([{ code: '486' }]);
  });

  it('is nothing if it is about a stream, or malformed', () => {
    expect(read({ StreamEvent: 'stream-started' })).toEqual([]);
    expect(read({ CallStatus: 'confused' })).toEqual([]);
    expect(webhooks.read(webhook({ body: 'a&b&=%%%' }))).toEqual([]);
    expect(webhooks.read(webhook({ body: 'x'.repeat(300_000) }))).toEqual([]);
  });

  it('is answered in escaped TwiML', async () => {
    const { body, contentType } = await webhooks.answer('CA1', {
      kind: 'connect',
      mediaUrl: 'wss://calls.example/telephony/twilio/tok',
      statusUrl: `${publicUrl}/s?a=1&b="2"`,
      parameters: { call: '<c>' },
    });
    expect(contentType).toBe('application/xml');
    expect(body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><Response><Connect><Stream url="wss://calls.example/telephony/twilio/tok" statusCallback="https://calls.example/s?a=1&amp;b=&quot;2&quot;"><Parameter name="call" value="&lt;c&gt;"/></Stream></Connect></Response>',
    );
    const transfer = await webhooks.answer('CA1', {
      kind: 'transfer',
      to: unchecked('+1'),
      from: '+2',
      ringSeconds: 20,
      afterUrl: 'https://a',
    });
    expect(transfer.body).toContain(
      '<Dial callerId="+2" timeout="20" action="https://a" answerOnBridge="true"><Number>+1</Number></Dial>',
    );
    expect((await webhooks.answer('CA1', { kind: 'refuse', reason: 'busy' })).body).toContain('<Reject reason="busy"/>');
    expect((await webhooks.answer('CA1', { kind: 'hang-up' })).body).toContain('<Hangup/>');
  });
});

describe('commands to Twilio', () => {
  const api = new StubCarrierApi();
  const open = () =>
    twilio.open(twilio.credentials.parse({ accountSid, authToken: 't', apiUrl: api.url }), { publicUrl, clock: realClock })
      .control;
  beforeAll(() => api.start());
  beforeEach(() => api.asked.splice(0));
  afterAll(() => api.stop());

  it('place, find, transfer and end a call', async () => {
    const control = open();
    api
      .on(`POST ${calls}.json`, { sid: 'CA9', status: 'queued' }, 201)
      .on(`POST ${calls}/CA9.json`, { sid: 'CA9', status: 'completed' });
    expect(await control?.place(placing)).toEqual({ callId: 'CA9', state: 'queued' });
    const [asked] = api.asked;
    expect(asked?.headers.authorization).toBe(`Basic ${Buffer.from(`${accountSid}:t`).toString('base64')}`);
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toMatchObject({
      To: placing.to,
      From: placing.from,
      Timeout: '30',
      TimeLimit: '600',
      AsyncAmd: 'true',
    });
    expect(new URLSearchParams(asked?.body).getAll('StatusCallbackEvent')).toEqual([
      'initiated',
      'ringing',
      'answered',
      'completed',
    ]);
    api.asked.splice(0);
    const transfer = { callId: 'CA9', to: unchecked('+1'), from: '+2', ringSeconds: 9, documentUrl: '', afterUrl: 'https://a' };
    await control?.transfer?.(transfer);
    await control?.end('CA9');
    await control?.end('CA-unknown');
    const [transferred, ended, unknown] = api.take();
    expect(transferred).toContain('<Dial callerId="+2"');
    expect(ended).toBe(`POST ${calls}/CA9.json Status=completed`);
    expect(unknown).toBe(`POST ${calls}/CA-unknown.json Status=completed`);
  });

  it('find a call by its id, and after a crash the latest one by its numbers', async () => {
    const control = open();
    api.on(`GET ${calls}/CA9.json`, { sid: 'CA9', status: 'in-progress', duration: null });
    expect(await control?.find({ callId: 'CA9' })).toEqual({
      callId: 'CA9',
      state: 'answered',
      isExact: true,
      durationSeconds: undefined,
    });
    expect(await control?.find({ callId: 'CA0' })).toBeUndefined();
    const at = (time: string, sid: string) => ({ sid, status: 'busy', duration: '0', date_created: time });
    api.on(`GET ${calls}.json`, {
      calls: [
        at('Mon, 02 Mar 2026 09:29:00 +0000', 'old'),
        at('Mon, 02 Mar 2026 09:30:02 +0000', 'ours'),
        at('Mon, 02 Mar 2026 09:30:01 +0000', 'before'),
      ],
    });
    const search = { reference: 'r', from: '+1', to: '+2', placedAfter: new Date('2026-03-02T09:30:00Z') };
    expect(await control?.find(search)).toEqual({
      callId: 'ours',
      state: 'busy',
      durationSeconds: 0,
      isExact: false,
    });
    expect(await control?.find({ ...search, placedAfter: new Date('2026-03-02T10:00:00Z') })).toBeUndefined();
  });

  it('end a call that has ended already, and fail for any other reason', async () => {
    const control = open();
    const complaint = (code: number) => ({ code, message: 'Unable to update record.', status: 400 });
    api.on(`POST ${calls}/CA9.json`, complaint(21220), 400);
    await expect(control?.end('CA9')).resolves.toBeUndefined();
    api.on(`POST ${calls}/CA9.json`, complaint(20003), 400);
    await expect(control?.end('CA9')).rejects.toMatchObject({ code: '20003' });
  });

  it('say whether a failure is worth a retry', async () => {
    api.on(`POST ${calls}.json`, { message: 'no' }, 400);
    await expect(open()?.place(placing)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('twilio: answered 400'),
    });
    api.on(`POST ${calls}.json`, {}, 503);
    await expect(open()?.place(placing)).rejects.toMatchObject({ retryable: true });
    api.on(`POST ${calls}.json`, { unexpected: true }, 201);
    await expect(open()?.place(placing)).rejects.toMatchObject({ retryable: false });
    const nobody = twilio.open({ accountSid, authToken: 't', apiUrl: 'http://127.0.0.1:9' }, { publicUrl, clock: realClock });
    await expect(nobody.control?.end('CA1')).rejects.toMatchObject({ retryable: true });
  });
});

describe('a stream of Twilio', () => {
  it('never receives more than the ten minutes it can buffer, and plays everything', () => {
    const scene = new CallScene((surroundings) => new FakeTwilio(surroundings));
    scene.carrier.begin();
    for (let minute = 0; minute < 11; minute += 1) scene.media.send(scene.speechOf(0x31, 60_000));
    expect(scene.carrier.violations).toEqual([]);
    scene.clock.pass(12 * 60_000);
    expect(scene.heardMs(0x31)).toBe(11 * 60_000);
  });
});
