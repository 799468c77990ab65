import { generateKeyPairSync, sign } from 'node:crypto';
import { CallScene } from '@parley/ports/suites';
import { realClock } from '@parley/voice-session';
import { placing, publicUrl, StubCarrierApi, webhook, unchecked } from '../carrier-http/stub-carrier-api';
import { FakeTelnyx } from './telnyx.fake';
import { telnyx, telnyxMedia } from './index';

const { privateKey, publicKey: keyObject } = generateKeyPairSync('ed25519');
const publicKey = keyObject.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
const now = new Date('2026-03-02T09:30:00Z');
const api = new StubCarrierApi();
const open = () => {
  const credentials = telnyx.credentials.parse({ apiKey: 'KEY', connectionId: '77', publicKey, apiUrl: api.url });
  return telnyx.open(credentials, { publicUrl, clock: realClock });
};
const event = (event_type: string, payload: object) => ({
  data: { event_type, id: 'e', payload: { call_control_id: 'v3:1', ...payload } },
});

beforeAll(() => api.start());
beforeEach(() => api.asked.splice(0));
afterAll(() => api.stop());

describe('requests from Telnyx', () => {
  const body = event('call.answered', { from: '+1', to: '+2' });
  const signed = ({
    at = now.getTime() / 1000,
    text = JSON.stringify(body),
    sent = body,
  }: { at?: number; text?: string; sent?: object } = {}) => {
    const signature = sign(null, Buffer.from(`${at}|${text}`), privateKey).toString('base64');
    return webhook({ body: sent, headers: { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': String(at) } });
  };

  it('are accepted once with a current signature', () => {
    expect(open().webhooks?.verify(signed(), now)).toMatchObject({
      isGenuine: true,
      onceKey: expect.stringContaining('telnyx '),
    });
  });

  it('are refused for another application of the account, whatever their signature', () => {
    const judged = (connection_id: string) => {
      const sent = event('call.answered', { from: '+1', to: '+2', connection_id });
      return open().webhooks?.verify(signed({ text: JSON.stringify(sent), sent }), now).isGenuine;
    };
    expect([judged('77'), judged('78')]).toEqual([true, false]);
  });

  it('are refused if unsigned, old, changed, or signed with another key', () => {
    const other = generateKeyPairSync('ed25519')
      .publicKey.export({ type: 'spki', format: 'der' })
      .subarray(-32)
      .toString('base64');
    const elsewhere = telnyx.open(
      { apiKey: 'K', connectionId: '7', publicKey: other, apiUrl: api.url },
      { publicUrl, clock: realClock },
    );
    const verdicts = [
      open().webhooks?.verify(webhook({ body }), now),
      open().webhooks?.verify(signed({ at: now.getTime() / 1000 - 301 }), now),
      open().webhooks?.verify(signed({ sent: { ...body, more: 1 } }), now),
      elsewhere.webhooks?.verify(signed(), now),
    ];
    expect(verdicts.map((verdict) => verdict?.isGenuine)).toEqual([false, false, false, false]);
    expect(telnyx.credentials.safeParse({ apiKey: 'K', connectionId: '7', publicKey: 'short' }).success).toBe(false);
  });
});

describe('what Telnyx reports', () => {
  const read = (type: string, payload: object) => open().webhooks?.read(webhook({ body: event(type, payload) }));

  it('is an inbound call, progress with our reference, an end with its cause, a machine and its beep, or a recording', () => {
    expect(read('call.initiated', { direction: 'incoming', from: '+1', to: '+2' })).toEqual([
      { kind: 'incoming', callId: 'v3:1', from: '+1', to: '+2' },
    ]);
    const client_state = Buffer.from('ref-1').toString('base64');
    expect(read('call.answered', { client_state })).toEqual([
      { kind: 'state', callId: 'v3:1', reference: 'ref-1', state: 'answered' },
    ]);
    const end = {
      hangup_cause: 'timeout',
      sip_hangup_cause: '480',
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2026-01-01T00:00:20Z',
    };
    expect(read('call.hangup', end)).toEqual([
      { kind: 'state', callId: 'v3:1', state: 'no-answer', code: '480', durationSeconds: 20 },
    ]);
    expect(read('call.machine.detection.ended', { result: 'machine' })).toMatchObject([
      { kind: 'machine', answeredBy: 'machine', isAfterBeep: false },
    ]);
    expect(read('call.machine.greeting.ended', { result: 'ended' })).toMatchObject([{ kind: 'machine', isAfterBeep: true }]);
    expect(read('call.recording.saved', { recording_urls: { mp3: 'https://r' } })).toMatchObject([
      { kind: 'recording', url: 'https://r' },
    ]);
    expect(read('call.speak.ended', {})).toEqual([]);
    expect(open().webhooks?.read(webhook({ body: '[]' }))).toEqual([]);
  });

  it.each([
    ['originator_cancel', undefined, { state: 'cancelled', code: 'originator_cancel' }],
    ['originator_cancel', '487', { state: 'cancelled', code: '487' }],
    ['normal_clearing', undefined, { state: 'completed', code: 'normal_clearing' }],
    ['user_busy', '486', { state: 'busy', code: '486' }],
    ['call_rejected', undefined, { state: 'declined', code: 'call_rejected' }],
    [undefined, undefined, { state: 'failed' }],
    ['not_found', undefined, { state: 'failed', code: 'not_found', cause: 'The carrier could not hold the call: not_found.' }],
  ])('gives an end with %s and the code %s its code, and our own words as cause', (hangup_cause, code, end) => {
    const told = read('call.hangup', { ...(hangup_cause && { hangup_cause }), ...(code && { sip_hangup_cause: code }) });
    expect(told).toEqual([{ kind: 'state', callId: 'v3:1', ...end }]);
  });

  it('is answered by commands', async () => {
    const { webhooks } = open();
    for (const action of ['answer', 'reject', 'hangup', 'transfer'])
      api.on(`POST /v2/calls/v3%3A1/actions/${action}`, { data: {} });
    await webhooks?.answer('v3:1', { kind: 'connect', mediaUrl: 'wss://m/tok', statusUrl: 'https://s' });
    expect(JSON.parse(api.asked[0]?.body ?? '')).toMatchObject({
      stream_url: 'wss://m/tok',
      stream_bidirectional_mode: 'rtp',
      stream_bidirectional_codec: 'PCMU',
      webhook_url: 'https://s',
    });
    await webhooks?.answer('v3:1', { kind: 'refuse', reason: 'busy' });
    await webhooks?.answer('v3:1', { kind: 'transfer', to: unchecked('+1'), from: '+2', ringSeconds: 9, afterUrl: '' });
    await webhooks?.answer('v3:1', { kind: 'hang-up' });
    expect(api.take().slice(1)).toEqual([
      'POST /v2/calls/v3%3A1/actions/reject {"cause":"USER_BUSY"}',
      'POST /v2/calls/v3%3A1/actions/transfer {"to":" 1","from":" 2","timeout_secs":9}',
      'POST /v2/calls/v3%3A1/actions/hangup {}',
    ]);
  });
});

describe('commands to Telnyx', () => {
  it('place a call that streams, and find it by our reference while it is live', async () => {
    const { control } = open();
    api.on('POST /v2/calls', { data: { call_control_id: 'v3:1' } });
    expect(await control?.place(placing)).toEqual({ callId: 'v3:1', state: 'queued' });
    const client_state = Buffer.from(placing.reference).toString('base64');
    expect(JSON.parse(api.asked[0]?.body ?? '')).toMatchObject({
      connection_id: '77',
      stream_url: placing.mediaUrl,
      client_state,
      command_id: placing.reference,
    });
    api.on('GET /v2/connections/77/active_calls', {
      data: [{ call_control_id: 'v3:0' }, { call_control_id: 'v3:1', client_state }],
    });
    api.on('GET /v2/calls/v3%3A1', { data: { call_control_id: 'v3:1', is_alive: true, call_duration: 4 } });
    const search = { ...placing, placedAfter: now };
    expect(await control?.find(search)).toEqual({ callId: 'v3:1', state: 'answered', durationSeconds: 4, isExact: true });
    expect(await control?.find({ ...search, reference: 'another' })).toBeUndefined();
    api.on('GET /v2/calls/v3%3A1', { data: { call_control_id: 'v3:1', is_alive: false, call_duration: 0 } });
    expect(await control?.find({ callId: 'v3:1' })).toMatchObject({ state: 'failed' });
    await control?.end('v3:gone');
  });
});

describe('a stream of Telnyx', () => {
  it('orders frames, drops duplicates, and gives a lost one up after five', () => {
    const scene = new CallScene((surroundings) => new FakeTelnyx(surroundings));
    scene.carrier.begin();
    const { media } = scene.carrier as FakeTelnyx;
    const send = (chunk: number) =>
      media.receive(
        JSON.stringify({
          event: 'media',
          media: { track: 'inbound', chunk: String(chunk), payload: Buffer.from([chunk]).toString('base64') },
        }),
      );
    for (const chunk of [1, 3, 2, 2, 5, 4, 7, 8, 9, 10, 11, 6, 12]) send(chunk);
    media.receive(JSON.stringify({ event: 'media', media: { track: 'outbound', chunk: '13', payload: 'AAAA' } }));
    expect(scene.of('audio').map(({ bytes }) => bytes[0])).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]);
  });

  it('passes on what Telnyx reports, and refuses a codec that was not requested', () => {
    const scene = new CallScene((surroundings) => new FakeTelnyx(surroundings));
    const { media } = scene.carrier as FakeTelnyx;
    media.receive(JSON.stringify({ event: 'error', payload: { code: 100003, title: 'malformed_frame' } }));
    expect(scene.of('warning')[0]?.message).toContain('malformed_frame');
    const start = { call_control_id: 'c', media_format: { encoding: 'OPUS', sample_rate: 16_000 } };
    media.receive(JSON.stringify({ event: 'start', stream_id: 's', start }));
    expect(scene.of('ended')).toMatchObject([{ reason: 'protocol', message: expect.stringContaining('OPUS') }]);
    expect(telnyxMedia.subprotocols).toEqual([]);
  });
});
