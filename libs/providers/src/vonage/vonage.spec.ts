import { createHash, createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import { CallScene } from '@parley/ports/suites';
import { realClock } from '@parley/voice-session';
import { placing, publicUrl, StubCarrierApi, webhook, unchecked } from '../carrier-http/stub-carrier-api';
import { vonage } from './index';
import { VonageWebhooks } from './vonage-calls';
import { FakeVonage } from './vonage.fake';

const secret = 'signature-secret';
const applicationId = '0f0e0d0c-0b0a-4908-8706-050403020100';
const now = new Date('2026-03-02T09:30:00Z');
const iat = now.getTime() / 1000;
const coded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as signed by Vonage. */
function token(claims: object, { alg = 'HS256', key = secret } = {}): string {
  const text = `${coded({ alg, typ: 'JWT' })}.${coded(claims)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

describe('requests from Vonage', () => {
  const webhooks = new VonageWebhooks(secret, applicationId);
  const body = { status: 'completed', uuid: 'u1' };
  const payload_hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const judged = (claims: object, made?: { alg?: string; key?: string }) =>
    webhooks.verify(webhook({ body, headers: { authorization: `Bearer ${token(claims, made)}` } }), now);

  it('are accepted once with a current token that has the body’s hash', () => {
    expect(judged({ iat, jti: 'j1', payload_hash, iss: 'Vonage' })).toEqual({ isGenuine: true, onceKey: 'vonage j1' });
  });

  it('are refused for another application of the account, also at the upgrade', () => {
    const of = (application_id: string) => judged({ iat, payload_hash, application_id }).isGenuine;
    expect([of(applicationId), of(applicationId.replace(/0$/, '1'))]).toEqual([true, false]);
    const authorization = `Bearer ${token({ iat, application_id: 'another' })}`;
    const upgrade = webhook({ method: 'GET', path: '/telephony/vonage/tok', headers: { authorization } });
    expect(webhooks.verifyUpgrade(upgrade, now)).toMatchObject({ isGenuine: false });
  });

  it('are refused unsigned, or with another body, secret or algorithm, or an old or expired token', () => {
    const refusals = [
      webhooks.verify(webhook({ body }), now),
      judged({ iat, jti: 'j1', payload_hash: payload_hash.replace(/./, 'x') }),
      judged({ iat, jti: 'j1' }),
      judged({ iat, payload_hash }, { key: 'other' }),
      judged({ iat, payload_hash }, { alg: 'none' }),
      judged({ iat: iat - 301, payload_hash }),
      judged({ iat: iat + 301, payload_hash }),
      judged({ iat, exp: iat - 1, payload_hash }),
      webhooks.verify(webhook({ body, headers: { authorization: 'Bearer a.b.c' } }), now),
      webhooks.verify(webhook({ body, headers: { authorization: `Bearer ${token({ iat })}.x` } }), now),
    ];
    expect(refusals.map(({ isGenuine }) => isGenuine)).toEqual(refusals.map(() => false));
  });

  it('are verified at the upgrade, which has no body', () => {
    const upgrade = { method: 'GET', path: '/telephony/vonage/tok' };
    const signed = { ...upgrade, headers: { authorization: `Bearer ${token({ iat, jti: 'j2' })}` } };
    expect(webhooks.verifyUpgrade(webhook(signed), now)).toMatchObject({ isGenuine: true });
    expect(webhooks.verifyUpgrade(webhook(upgrade), now)).toMatchObject({ isGenuine: false });
  });
});

describe('what Vonage reports', () => {
  const webhooks = new VonageWebhooks(secret, applicationId);
  const read = (body: object, asked?: 'answer' | 'status') => webhooks.read(webhook({ body }), asked);

  it('is a call waiting for an NCCO, progress, a machine and its beep, or a recording', () => {
    const call = { from: '1', to: '2', uuid: 'u1', conversation_uuid: 'CON-1' };
    expect(read(call, 'answer')).toEqual([{ kind: 'incoming', callId: 'u1', from: '1', to: '2' }]);
    expect(webhooks.read(webhook({ method: 'GET', path: '/a?from=1&to=2&uuid=u1' }), 'answer')).toMatchObject([
      { kind: 'incoming' },
    ]);
    expect(webhooks.read(webhook({ path: '/a?placed=1', body: call }))).toEqual([
      { kind: 'answering', callId: 'u1', from: '1', to: '2' },
    ]);
    expect(read({ ...call, status: 'unanswered', detail: 'timeout', sip_code: 480 })).toEqual([
      { kind: 'state', callId: 'u1', state: 'no-answer', code: '480' },
    ]);
    expect(read({ ...call, status: 'completed', duration: '9', direction: 'outbound' })).toMatchObject([
      { state: 'completed', durationSeconds: 9 },
    ]);
    expect(read({ call_uuid: 'u1', status: 'machine', sub_state: 'beep_start' })).toEqual([
      { kind: 'machine', callId: 'u1', answeredBy: 'machine', isAfterBeep: true },
    ]);
    expect(read({ uuid: 'u1', recording_url: 'https://r' })).toMatchObject([{ kind: 'recording' }]);
    expect(read({ status: 'completed' })).toEqual([]);
    expect(webhooks.read(webhook({ body: '{' }))).toEqual([]);
  });

  it('is answered with an NCCO whose WebSocket is signed', async () => {
    const { body } = await webhooks.answer('u1', {
      kind: 'connect',
      mediaUrl: 'wss://m/tok',
      statusUrl: 'https://s',
      parameters: { call: 'c1' },
    });
    expect(JSON.parse(body)).toEqual([
      {
        action: 'connect',
        endpoint: [
          {
            type: 'websocket',
            uri: 'wss://m/tok',
            'content-type': 'audio/l16;rate=16000',
            headers: { call: 'c1' },
            authorization: { type: 'vonage' },
          },
        ],
        eventUrl: ['https://s'],
        eventMethod: 'POST',
      },
    ]);
  });
});

describe('commands to Vonage', () => {
  const api = new StubCarrierApi();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const applicationId = '9b3c5d7e-1f20-4a31-8b42-5c64d7e8f901';
  const open = () => {
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const credentials = vonage.credentials.parse({ applicationId, privateKey: key, signatureSecret: secret, apiUrl: api.url });
    return vonage.open(credentials, { publicUrl, clock: realClock }).control;
  };
  beforeAll(() => api.start());
  beforeEach(() => api.asked.splice(0));
  afterAll(() => api.stop());

  it('have the application’s token, and place, transfer, press keys in and end a call', async () => {
    const control = open();
    api.on('POST /v1/calls', { uuid: 'u1', status: 'started' }, 201);
    for (const path of ['/v1/calls/u1', '/v1/calls/u1/dtmf']) api.on(`PUT ${path}`, undefined, 204);
    expect(await control?.place(placing)).toEqual({ callId: 'u1', state: 'queued' });
    const [asked] = api.asked;
    const [header, claims, signature = ''] = (asked?.headers.authorization ?? '').replace('Bearer ', '').split('.');
    expect(createVerify('RSA-SHA256').update(`${header}.${claims}`).verify(publicKey, signature, 'base64url')).toBe(true);
    expect(JSON.parse(Buffer.from(claims ?? '', 'base64url').toString())).toMatchObject({ application_id: applicationId });
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({
      to: [{ type: 'phone', number: '919820012345' }],
      answer_url: [`${placing.answerUrl}?placed=1`],
      ringing_timer: 30,
    });
    api.asked.splice(0);
    await control?.transfer?.({
      callId: 'u1',
      to: unchecked('+1'),
      from: '+2',
      ringSeconds: 9,
      documentUrl: '',
      afterUrl: 'https://a',
    });
    await control?.sendDigits?.('u1', '1w2');
    await control?.end('u1');
    await control?.end('u2');
    expect(api.take()).toEqual([
      'PUT /v1/calls/u1 {"action":"transfer","destination":{"type":"ncco","ncco":[{"action":"connect","from":"2","timeout":9,"endpoint":[{"type":"phone","number":"1"}],"eventType":"synchronous","eventUrl":["https://a"]}]}}',
      'PUT /v1/calls/u1/dtmf {"digits":"1p2"}',
      'PUT /v1/calls/u1 {"action":"hangup"}',
      'PUT /v1/calls/u2 {"action":"hangup"}',
    ]);
  });

  it('find an attempt among the calls since it was placed', async () => {
    const call = (uuid: string, number: string) => ({
      uuid,
      status: 'answered',
      to: { number },
      from: { number: '912025501234' },
      start_time: '2026-03-02T09:30:05Z',
    });
    api.on('GET /v1/calls', { _embedded: { calls: [call('other', '919820000000'), call('ours', '919820012345')] } });
    const search = { reference: 'r', from: placing.from, to: placing.to, placedAfter: now };
    expect(await open()?.find(search)).toMatchObject({ callId: 'ours', state: 'answered', isExact: false });
    expect(await open()?.find({ callId: 'u9' })).toBeUndefined();
  });

  it('refuse an invalid key', () => {
    expect(vonage.credentials.safeParse({ applicationId, privateKey: 'no key', signatureSecret: 'x' }).success).toBe(false);
  });
});

describe('a stream of Vonage', () => {
  it('never receives more than the 3,072 messages it can buffer, and plays everything', () => {
    const scene = new CallScene((surroundings) => new FakeVonage(surroundings));
    scene.carrier.begin();
    for (let part = 0; part < 2; part += 1) scene.media.send(scene.speechOf(0x31, 50_000));
    expect(scene.carrier.violations).toEqual([]);
    scene.clock.pass(110_000);
    expect(scene.carrier.violations).toEqual([]);
    expect(scene.heardMs(0x31)).toBe(100_000);
  });
});
