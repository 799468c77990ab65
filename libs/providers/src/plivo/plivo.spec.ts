import { realClock } from '@parley/voice-session';
import { form, placing, publicUrl, StubCarrierApi, webhook, unchecked } from '../carrier-http/stub-carrier-api';
import { CallScene } from '@parley/ports/suites';
import { FakePlivo } from './plivo.fake';
import { plivoSignature, PlivoWebhooks } from './plivo-calls';
import { plivo } from './index';

describe('requests from Plivo', () => {
  const webhooks = new PlivoWebhooks('MYTOKEN', 'https://example.com', 'MA1');
  const headers = (signature: string, nonce = '5923') => ({
    'x-plivo-signature-v3': signature,
    'x-plivo-signature-v3-nonce': nonce,
  });

  // Signatures made with Plivo's own library.
  it.each([
    [
      'https://example.com/answer/?a=b&a=a',
      'CallUUID=97ceeb52&From=%2B1+4&Multi=b&Multi=a&To=2',
      'u8evHaJH7ljytmtA/IG/eVu7aKVoIYnTDUe1i6chRk8=',
    ],
    ['https://example.com/answer', '', 'ro4w62nh01l/badWXhbZUW5OmpS2ta0OMSo3i7F962E='],
    ['https://example.com/answer', 'z=1', 'QeQAhOWD8IbreHZ2WSi9nRVVj6sgqMpFWA1FjjgGsBw='],
    ['https://example.com/answer?x=1&z=1&a=2', '', 'YzfYGKgVITV3TTY0ghK5uALZEMwUCKcn3I7dwjgY3y0='],
    ['https://example.com:8443/answer?x=1%202', '', '/rq2FNmTTQ+RqVloC+ddAJXmJ5aA3LsDNCCqclixrqg='],
  ])('are signed at %s with %s', (url, body, signature) => {
    expect(plivoSignature('MYTOKEN', { url, form: new URLSearchParams(body), nonce: '5923' })).toBe(signature);
  });

  it('are accepted once per nonce, and refused if unsigned, changed or with another nonce', () => {
    const signature = 'QeQAhOWD8IbreHZ2WSi9nRVVj6sgqMpFWA1FjjgGsBw=';
    const request = { path: '/answer', body: 'z=1' };
    expect(webhooks.verify(webhook({ ...request, headers: headers(`other=,${signature}`) }))).toEqual({
      isGenuine: true,
      onceKey: 'plivo 5923',
    });
    expect(webhooks.verify(webhook(request))).toMatchObject({ isGenuine: false });
    expect(webhooks.verify(webhook({ ...request, body: 'z=2', headers: headers(signature) }))).toMatchObject({
      isGenuine: false,
    });
    expect(webhooks.verify(webhook({ ...request, headers: headers(signature, '5924') }))).toMatchObject({ isGenuine: false });
  });

  it('are refused for another main account, whatever their signature', () => {
    const judged = (ParentAuthID: string, authId: string) => {
      const body = form({ CallUUID: 'p1', ParentAuthID });
      const signed = { url: 'https://example.com/x', form: new URLSearchParams(body), nonce: '7' };
      const request = webhook({ path: '/x', body, headers: headers(plivoSignature('MYTOKEN', signed), '7') });
      return new PlivoWebhooks('MYTOKEN', 'https://example.com', authId).verify(request).isGenuine;
    };
    expect([judged('MA1', 'MA1'), judged('MA2', 'MA1'), judged('MA2', 'SA1')]).toEqual([true, false, true]);
  });

  it('may upgrade unsigned, since the token admits them, but not with a wrong signature', () => {
    const upgrade = { method: 'GET', path: '/telephony/plivo/tok' };
    const right = plivoSignature('MYTOKEN', {
      url: 'wss://example.com/telephony/plivo/tok',
      form: new URLSearchParams(),
      nonce: '1',
    });
    expect(webhooks.verifyUpgrade(webhook(upgrade))).toMatchObject({ isGenuine: true });
    expect(webhooks.verifyUpgrade(webhook({ ...upgrade, headers: headers(right, '1') }))).toMatchObject({
      isGenuine: true,
      onceKey: 'plivo 1',
    });
    expect(webhooks.verifyUpgrade(webhook({ ...upgrade, headers: headers(right, '2') }))).toMatchObject({ isGenuine: false });
  });
});

describe('what Plivo reports', () => {
  const webhooks = new PlivoWebhooks('t', publicUrl, 'MA1');
  const read = (fields: Record<string, string>, asked?: 'answer' | 'status') =>
    webhooks.read(webhook({ body: form({ CallUUID: 'u1', ...fields }) }), asked);

  it('is an inbound call, an answered one, an end with its cause, a machine, a recording or the end of a transfer', () => {
    const call = { From: '1', To: '2', Event: 'StartApp' };
    expect(read({ ...call, CallStatus: 'ringing', Direction: 'inbound' })).toEqual([
      { kind: 'incoming', callId: 'u1', from: '1', to: '2' },
    ]);
    expect(read({ ...call, CallStatus: 'in-progress', Direction: 'outbound' }, 'answer')).toMatchObject([{ kind: 'answering' }]);
    const end = {
      Event: 'Hangup',
      CallStatus: 'completed',
      HangupCauseName: 'Normal Hangup',
      HangupCauseCode: '4000',
      Duration: '7',
    };
    expect(read(end)).toEqual([{ kind: 'state', callId: 'u1', state: 'completed', code: '4000', durationSeconds: 7 }]);
    expect(read({ Event: 'Ring', CallStatus: 'ringing', Direction: 'outbound' }, 'status')).toMatchObject([
      { kind: 'state', state: 'ringing' },
    ]);
    expect(read({ Machine: 'true', Event: 'MachineDetection' })).toMatchObject([{ kind: 'machine', answeredBy: 'machine' }]);
    expect(read({ RecordUrl: 'https://r', RecordingDuration: '3.6' })).toMatchObject([{ kind: 'recording', durationSeconds: 4 }]);
    expect(read({ DialStatus: 'busy' })).toMatchObject([{ kind: 'continuing', transfer: 'refused' }]);
    expect(read({ Event: 'StartStream' })).toEqual([]);
  });

  it('is answered in XML that streams mu-law both ways', async () => {
    const plan = { kind: 'connect', mediaUrl: 'wss://m/tok', statusUrl: 'https://s', parameters: { call: 'c1' } } as const;
    expect((await webhooks.answer('u1', plan)).body).toContain(
      '<Response><Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000" statusCallbackUrl="https://s" extraHeaders="call=c1">wss://m/tok</Stream></Response>',
    );
  });
});

describe('a stream of Plivo', () => {
  it('treats an unacknowledged checkpoint as heard when a later one is', () => {
    const scene = new CallScene((surroundings) => new FakePlivo(surroundings, undefined, true));
    scene.carrier.begin();
    scene.media.mark('forgotten');
    scene.say(0x31, 200);
    scene.media.mark('answered');
    scene.clock.pass(1000);
    expect(scene.of('mark').map(({ name }) => name)).toEqual(['forgotten', 'answered']);
    expect(scene.of('started')[0]?.start.parameters).toEqual({ call: 'c-1' });
  });
});

describe('commands to Plivo', () => {
  const api = new StubCarrierApi();
  const open = () => plivo.open({ authId: 'MA1', authToken: 't', apiUrl: api.url }, { publicUrl, clock: realClock }).control;
  beforeAll(() => api.start());
  beforeEach(() => api.asked.splice(0));
  afterAll(() => api.stop());

  it('place, transfer, press keys in and end a call', async () => {
    const control = open();
    api
      .on('POST /v1/Account/MA1/Call/', { request_uuid: 'u1' }, 201)
      .on('POST /v1/Account/MA1/Call/u1/', {}, 202)
      .on('POST /v1/Account/MA1/Call/u1/DTMF/', {}, 202);
    api.on('DELETE /v1/Account/MA1/Call/u1/', undefined, 204);
    expect(await control?.place(placing)).toEqual({ callId: 'u1', state: 'queued' });
    expect(JSON.parse(api.asked[0]?.body ?? '')).toMatchObject({
      from: '912025501234',
      to: '919820012345',
      hangup_url: placing.statusUrl,
      ring_timeout: 30,
    });
    api.asked.splice(0);
    await control?.transfer?.({
      callId: 'u1',
      to: unchecked('+1'),
      from: '+2',
      ringSeconds: 9,
      documentUrl: 'https://d',
      afterUrl: '',
    });
    await control?.sendDigits?.('u1', '12#');
    await control?.end('u1');
    await control?.end('u2');
    expect(api.take()).toEqual([
      'POST /v1/Account/MA1/Call/u1/ {"legs":"aleg","aleg_url":"https://d","aleg_method":"POST"}',
      'POST /v1/Account/MA1/Call/u1/DTMF/ {"digits":"12#","leg":"aleg"}',
      'DELETE /v1/Account/MA1/Call/u1/',
      'DELETE /v1/Account/MA1/Call/u2/',
    ]);
  });

  it('find a call that is live, one that is over, and an attempt by its numbers', async () => {
    const control = open();
    api.on('GET /v1/Account/MA1/Call/u1/?status=live', { call_status: 'in-progress', from: '912025501234', to: '919820012345' });
    expect(await control?.find({ callId: 'u1' })).toEqual({ callId: 'u1', state: 'answered', isExact: true });
    const over = {
      call_uuid: 'u2',
      call_duration: 5,
      hangup_cause_name: 'Busy Line',
      hangup_cause_code: 3010,
      initiation_time: '2026-03-02 09:30:02+00:00',
    };
    api.on('GET /v1/Account/MA1/Call/u2/', over).on('GET /v1/Account/MA1/Call/u2/?status=live', {}, 404);
    expect(await control?.find({ callId: 'u2' })).toEqual({
      callId: 'u2',
      state: 'busy',
      code: '3010',
      durationSeconds: 5,
      isExact: true,
    });
    expect(await control?.find({ callId: 'u3' })).toBeUndefined();
    const search = { reference: 'r', from: placing.from, to: placing.to, placedAfter: new Date('2026-03-02T09:30:00Z') };
    api.on('GET /v1/Account/MA1/Call/?status=live', { calls: ['u0', 'u1'] });
    expect(await control?.find(search)).toEqual({ callId: 'u1', state: 'answered', isExact: false });
    api.on('GET /v1/Account/MA1/Call/?status=live', { calls: [] }).on('GET /v1/Account/MA1/Call/', { objects: [over] });
    expect(await control?.find(search)).toMatchObject({ callId: 'u2', isExact: false });
  });
});
