import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ArrivedCall, type Listening, type MediaEvent, mediaTokenOf } from '@parley/ports';
import { CallScene } from '@parley/ports/suites';
import { eventually } from '@parley/testing';
import { realClock, VirtualClock } from '@parley/voice-session';
import { asteriskAudioSocket, listenForAudioSockets } from '../asterisk-audiosocket';
import { fakeUuid } from '../asterisk-audiosocket/audiosocket.fake';
import { audioSocketFrame, FrameReader } from '../asterisk-audiosocket/audiosocket-media';
import { asteriskWebSocket } from '../asterisk-websocket';
import { FakeAsteriskWebSocket } from '../asterisk-websocket/asterisk-websocket.fake';
import { form, placing, publicUrl, StubCarrierApi, webhook, unchecked } from '../carrier-http/stub-carrier-api';

const secret = 'a-password-of-our-own';
const api = new StubCarrierApi();
const surroundings = { publicUrl, clock: realClock };
const credentials = () =>
  asteriskAudioSocket.credentials.parse({
    ariUrl: `${api.url}/ari/`,
    ariUser: 'parley',
    ariPassword: 'p',
    dialString: 'PJSIP/{digits}@trunk',
    webhookSecret: secret,
  });

beforeAll(() => api.start());
beforeEach(() => api.asked.splice(0));
afterAll(() => api.stop());

describe('commands to Asterisk', () => {
  const channel = `/ari/channels/parley-${placing.reference}`;

  it('place one call per reference, whose dialplan knows the token', async () => {
    const { control } = asteriskAudioSocket.open(credentials(), surroundings);
    api.on(`POST ${channel}`, { id: 'x', state: 'Down' });
    expect(await control?.place(placing)).toEqual({ callId: `parley-${placing.reference}`, state: 'queued' });
    expect(JSON.parse(api.asked[0]?.body ?? '')).toMatchObject({
      endpoint: 'PJSIP/919820012345@trunk',
      context: 'parley-outbound',
      callerId: placing.from,
      variables: { PARLEY_TOKEN: 'tok', PARLEY_REFERENCE: placing.reference, PARLEY_CALL_ID: `parley-${placing.reference}` },
    });
    api.on(`POST ${channel}`, { message: 'exists' }, 409).on(`GET ${channel}`, { id: 'x', state: 'Up' });
    expect(await control?.place(placing)).toMatchObject({ state: 'answered' });
    expect(await control?.find({ ...placing, placedAfter: new Date() })).toMatchObject({ state: 'answered', isExact: true });
    await control?.end('parley-unknown');
    expect(api.take().at(-1)).toBe('DELETE /ari/channels/parley-unknown?reason_code=16');
    expect(await control?.find({ callId: 'parley-unknown' })).toBeUndefined();
  });

  it('dial only numbers, since a dial string could do more', async () => {
    const { control } = asteriskAudioSocket.open(credentials(), surroundings);
    for (const to of ['1&Local/x', '+91,20', 'sip:a@b', '${SHELL(x)}', '']) {
      await expect(control?.place({ ...placing, to: unchecked(to) })).rejects.toMatchObject({ retryable: false });
    }
    expect(api.asked).toEqual([]);
  });
});

describe('what a dialplan reports and asks', () => {
  const open = (descriptor = asteriskAudioSocket) => descriptor.open(credentials(), surroundings).webhooks;
  const read = (fields: Record<string, string>) => open()?.read(webhook({ body: form({ channel: 'c1', ...fields }) }));

  it('bears the secret', () => {
    expect(open()?.verify(webhook({ body: form({ channel: 'c1', key: secret }) }), new Date())).toEqual({ isGenuine: true });
    expect(open()?.verify(webhook({ body: form({ channel: 'c1' }) }), new Date())).toMatchObject({ isGenuine: false });
  });

  it('is an inbound call, an end with its Q.850 cause, or what follows the media', () => {
    expect(read({ event: 'incoming', from: '+1', to: '100' })).toEqual([
      { kind: 'incoming', callId: 'c1', from: '+1', to: '100' },
    ]);
    expect(read({ event: 'ended', cause: '17', reference: 'r', seconds: '3' })).toEqual([
      { kind: 'state', callId: 'c1', reference: 'r', state: 'busy', code: '17', durationSeconds: 3 },
    ]);
    expect(read({ event: 'ended', cause: '99' })).toMatchObject([
      { state: 'failed', cause: 'The carrier could not hold the call: Q.850 cause 99.', code: '99' },
    ]);
    for (const cause of ['0', '']) {
      const [told] = read({ event: 'ended', cause }) ?? [];
      expect(told).toEqual({ kind: 'state', callId: 'c1', state: 'completed' });
    }
    expect(read({ event: 'continuing', dialled: 'NOANSWER' })).toMatchObject([{ transfer: 'unanswered' }]);
    expect(read({ event: 'continuing' })).toMatchObject([{ transfer: 'none' }]);
    expect(read({ event: 'nonsense' })).toEqual([]);
  });

  it('is answered in a line that a dialplan can split, and nothing else', async () => {
    const plan = { kind: 'connect', mediaUrl: 'wss://m/telephony/a/tok', statusUrl: '' } as const;
    expect((await open()?.answer('c1', plan))?.body).toBe('connect tok');
    expect((await open(asteriskWebSocket)?.answer('c1', plan))?.body).toBe('connect tok');
    const transfer = { kind: 'transfer', to: unchecked('+1${X}&SIP/y'), from: '+2', ringSeconds: 9, afterUrl: '' } as const;
    expect((await open()?.answer('c1', transfer))?.body).toBe('dial +1XSIPy 9 +2');
  });
});

describe('an AudioSocket over real TCP', () => {
  const uuid = Buffer.from(fakeUuid.replaceAll('-', ''), 'hex');
  const opened: Socket[] = [];
  const dial = async (port: number) => {
    const socket = connect(port, '127.0.0.1');
    opened.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
  });

  it('starts with its UUID, and carries audio both ways, keys and the end', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<ArrivedCall>();
    const listening = await listenForAudioSockets(
      { host: '127.0.0.1', port: 0 },
      { arrived: resolve, noticed: () => undefined },
      realClock,
    );
    const socket = await dial(listening.port);
    socket.write(audioSocketFrame(0x01, uuid));
    socket.write(audioSocketFrame(0x12, new Uint8Array(640).fill(7)));
    const call = await arrived;
    expect(call.token).toBe(fakeUuid);
    const events: MediaEvent[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { promise: keyed, resolve: key } = Promise.withResolvers<void>();
    const media = call.answer((event) => {
      events.push(event);
      if (event.kind === 'digit') key();
      if (event.kind === 'ended') end();
    });
    socket.write(audioSocketFrame(0x03, Buffer.from('5')));
    await keyed;
    expect(events).toMatchObject([
      { kind: 'started', start: { format: { encoding: 'pcm16', sampleRate: 16_000 }, parameters: { uuid: fakeUuid } } },
      { kind: 'audio' },
      { kind: 'digit', digit: '5' },
    ]);
    media.send(new Uint8Array(640).fill(9));
    media.hangUp();
    const reader = new FrameReader();
    const kinds: number[] = [];
    for await (const part of socket) kinds.push(...reader.push(part).map((frame) => frame.kind));
    expect(kinds).toEqual([0x12, 0x00]);
    await ended;
    expect(events.at(-1)).toMatchObject({ kind: 'ended', reason: 'hung-up' });
    await listening.close();
  });

  it('is closed if it does not start with a UUID, and hung up when refused', async () => {
    const handler = { arrived: (call: ArrivedCall) => call.refuse('busy'), noticed: () => undefined };
    const listening = await listenForAudioSockets({ host: '127.0.0.1', port: 0 }, handler, realClock);
    const garbage = await dial(listening.port);
    garbage.on('error', () => undefined).write('GET / HTTP/1.1\r\n\r\n'.padEnd(20_000, 'x'));
    await once(garbage, 'close');
    const refused = await dial(listening.port);
    refused.write(audioSocketFrame(0x01, uuid));
    const [answer] = await once(refused, 'data');
    expect([...(answer as Buffer)]).toEqual([0, 0, 0]);
    await listening.close();
  });
});

describe('an AudioSocket that does not leave', () => {
  const uuid = Buffer.from(fakeUuid.replaceAll('-', ''), 'hex');
  const clock = new VirtualClock();
  let listening: Listening;
  let socket: Socket;
  beforeEach(async () => {
    const handler = { arrived: (call: ArrivedCall) => call.refuse('busy'), noticed: () => undefined };
    listening = await listenForAudioSockets({ host: '127.0.0.1', port: 0 }, handler, clock);
    // It keeps its half open, and says nothing more.
    socket = connect({ port: listening.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
    await once(socket, 'connect');
  });
  afterEach(async () => {
    socket.destroy();
    await listening.close();
  });
  const isCut = () =>
    eventually('its place is free', () => {
      socket.write(audioSocketFrame(0x10));
      return socket.destroyed;
    });

  it('has its place for two seconds after it was refused', async () => {
    socket.write(audioSocketFrame(0x01, uuid));
    await once(socket.resume(), 'end');
    await clock.pass(2_000);
    await isCut();
  });

  it('loses it at once when its first bytes announce anything but a UUID', async () => {
    socket.write(Buffer.from([0x10, 0xff, 0xff]));
    await isCut();
  });
});

describe('a WebSocket of Asterisk', () => {
  it('has its token in the path or in the query', () => {
    expect(mediaTokenOf({ path: '/telephony/asterisk-websocket/tok' })).toBe('tok');
    expect(mediaTokenOf({ path: '/telephony/asterisk-websocket/media?token=tok' })).toBe('tok');
    expect(mediaTokenOf({ path: '' })).toBe('');
  });

  it('sends nothing between XOFF and XON, and everything after', () => {
    const scene = new CallScene((around) => new FakeAsteriskWebSocket(around));
    const carrier = scene.carrier as FakeAsteriskWebSocket;
    carrier.begin();
    carrier.stop();
    scene.say(0x31, 600);
    expect(scene.heardMs(0x31)).toBe(0);
    carrier.goOn();
    scene.clock.pass(2000);
    expect(scene.heardMs(0x31)).toBe(600);
    expect(carrier.violations).toEqual([]);
  });

  it('reads its start message as text and as JSON', () => {
    const scene = new CallScene((around) => new FakeAsteriskWebSocket(around, 'json'));
    scene.carrier.begin();
    // It names the WebSocket's own channel, not that of another request.
    expect(scene.of('started')[0]?.start).toMatchObject({
      callId: undefined,
      streamId: 'media1',
      parameters: { CALL: 'c-1' },
    });
    const plain = new CallScene((around) => new FakeAsteriskWebSocket(around));
    plain.carrier.begin();
    expect(plain.of('started')[0]?.start).toMatchObject({
      callId: undefined,
      format: { encoding: 'mulaw', sampleRate: 8000 },
    });
  });
});
