import type { Socket } from 'node:net';
import { eventually } from '@parley/testing';
import fc from 'fast-check';
import type { TestOrganization } from '../../testing/harness';
import type { SocketClient } from '../../testing/socket-client';
import { SocketHarness } from './socket-harness.suite';

const megabyte = 1024 * 1024;

describe('the protocol of a socket', () => {
  let by: SocketHarness;
  let mine: TestOrganization;
  let client: SocketClient;

  beforeAll(async () => {
    by = await SocketHarness.open();
  });
  beforeEach(async () => {
    mine = by.harness.organization();
    client = await by.caller(mine);
  });
  afterEach(async () => {
    await client.close();
    by.speech.reset();
  });
  afterAll(() => by.harness.close());

  const complaint = async () => (await client.next('error')).message;

  it('carries frames and sound both ways, in order', async () => {
    await client.start();
    for (let n = 0; n < 50; n += 1) client.sound(Buffer.from([n, 0]));
    client.send({ type: 'dtmf', digit: '#' });
    client.send({ type: 'playback', playedMs: 640 });
    client.send({ type: 'text', text: 'Hello' });
    expect(await client.next('agent.done')).toMatchObject({ text: 'You said Hello' });
    await eventually('all the sound is back', () => client.sounds.length === 50);
    expect(client.sounds.map((sound) => sound[0])).toEqual(Array.from({ length: 50 }, (_, n) => n));
    expect(by.speech.last.heard.map(({ type }) => type)).toEqual(['dtmf', 'playback', 'text']);
  });

  it('buffers what is said before the session is ready', async () => {
    client.send({ type: 'session.start' });
    client.sound(Buffer.from([7, 0]));
    client.send({ type: 'text', text: 'early' });
    expect(await client.next('agent.done')).toMatchObject({ text: 'You said early' });
    expect(by.speech.last.sounds.map((sound) => sound[0])).toEqual([7]);
  });

  it('keeps a hundred frames until the session is ready, and says of every other one that too many wait', async () => {
    const ready = Promise.withResolvers<void>();
    by.speech.delay = () => ready.promise;
    client.send({ type: 'session.start' });
    for (let n = 0; n < 103; n += 1) client.send({ type: 'playback', playedMs: n });
    await eventually('three are refused', () => client.count('error') === 3);
    expect(await client.next('error')).toMatchObject({
      statusCode: 409,
      code: 'SESSION_BUSY',
      message: expect.stringContaining('At most 100'),
    });
    ready.resolve();
    await client.next('session.ready');
    await eventually('the others arrive', () => by.speech.last.heard.length === 100);
    expect(client.count('error')).toBe(3);
  });

  it('handles frames of one packet in order', async () => {
    const { _socket: wire } = client.socket as unknown as { _socket: Socket };
    wire.cork();
    client.send({ type: 'session.start' });
    client.sound(Buffer.from([1, 0]));
    client.send({ type: 'dtmf', digit: '7' });
    client.sound(Buffer.from([2, 0]));
    client.send({ type: 'text', text: 'last' });
    wire.uncork();
    await client.next('agent.done');
    expect(client.count('error')).toBe(0);
    expect(by.speech.last.sounds.map((sound) => sound[0])).toEqual([1, 2]);
    expect(by.speech.last.heard.map(({ type }) => type)).toEqual(['dtmf', 'text']);
  });

  it('is ready before it passes on the speech service’s first frames', async () => {
    by.speech.greet = ({ channel }) => channel.signal({ type: 'agent.delta', text: 'Hello' });
    client.send({ type: 'session.start' });
    await client.next('agent.delta');
    expect(client.frames.map(({ type }) => type)).toEqual(['session.ready', 'agent.delta']);
  });

  it('answers a ping at any time', async () => {
    client.send({ type: 'ping' });
    await client.next('pong');
    await client.start();
    client.send({ type: 'ping' });
    await client.next('pong');
    expect(by.speech.last.heard).toEqual([]);
  });

  it('ends on request, and says so', async () => {
    await client.start();
    client.send({ type: 'session.end' });
    expect(await client.next('session.ended')).toMatchObject({ reason: 'ENDED_BY_USER' });
    expect(await client.closed).toMatchObject({ code: 1000 });
  });

  it('ends even if the speech service does not confirm in time', async () => {
    by.speech.hear = () => undefined;
    await client.start();
    client.send({ type: 'session.end' });
    expect(await client.closed).toMatchObject({ code: 1000 });
    expect(client.count('session.ended')).toBe(1);
  });

  it('ends when the agent ends it', async () => {
    await client.start();
    by.speech.last.channel.signal({ type: 'session.ended', reason: 'ENDED_BY_AGENT' });
    expect(await client.next('session.ended')).toMatchObject({ reason: 'ENDED_BY_AGENT' });
    expect(await client.closed).toMatchObject({ code: 1000, reason: 'ENDED_BY_AGENT' });
  });

  it('passes on no frame that only clients may send', async () => {
    await client.start();
    by.speech.last.channel.signal({ type: 'credits.exhausted' });
    by.speech.last.channel.signal({ type: 'text', text: 'from nobody' });
    by.speech.last.channel.signal({ type: 'warning', code: 'TEXT_IGNORED', message: 'x' });
    await client.next('warning');
    expect(client.frames.map(({ type }) => type)).toEqual(['session.ready', 'warning']);
  });

  it.each([
    ['text that is no JSON', 'hello?', 'A text frame must be JSON.'],
    ['an array', '[]', 'A text frame must be a JSON object with a type, such as {"type":"ping"}.'],
    ['a number', '7', expect.stringContaining('must be a JSON object with a type')],
    ['null', 'null', expect.stringContaining('must be a JSON object with a type')],
    ['an object without a type', '{}', 'type is required'],
    ['an unknown type', { type: 'sing' }, expect.stringContaining('type')],
    ['a frame that only servers send', { type: 'session.ready' }, expect.stringContaining('type')],
    ['a frame that only the door sends', { type: 'credits.exhausted' }, expect.stringContaining('type')],
    ['a digit that no telephone has', { type: 'dtmf', digit: 'E' }, expect.stringContaining('must be one of 0-9')],
    ['a text too long', { type: 'text', text: 'x'.repeat(8001) }, expect.stringContaining('8000')],
    ['a second start', { type: 'session.start' }, 'The session has begun already.'],
    ['half a sample', Buffer.alloc(3), expect.stringContaining('half a sample')],
  ])('reports %s, and goes on', async (_what, frame, message) => {
    await client.start();
    if (Buffer.isBuffer(frame)) client.sound(frame);
    else client.send(frame);
    expect(await complaint()).toEqual(message);
    client.send({ type: 'text', text: 'still here' });
    await client.next('agent.done');
    expect(by.speech.last.sounds).toEqual([]);
  });

  it.each([
    ['sound', Buffer.alloc(640)],
    ['a text', { type: 'text', text: 'Hello' }],
    ['an end', { type: 'session.end' }],
  ])('reports %s before session.start', async (_what, frame) => {
    if (Buffer.isBuffer(frame)) client.sound(frame);
    else client.send(frame);
    expect(await complaint()).toContain('session.start comes before');
    await client.start();
  });

  it.each([44_100, 0, -8000, '16000', 1e9, true])('refuses sound at a rate of %p', async (sampleRate) => {
    client.send({ type: 'session.start', sampleRate });
    expect(await complaint()).toContain('sampleRate');
    await client.start({ sampleRate: 8000, encoding: 'mulaw' });
    client.sound(Buffer.alloc(161));
    await eventually('an odd number of µ-law bytes comes through', () => by.speech.last.sounds.length === 1);
  });

  it('closes with 1009 on a frame of a megabyte', async () => {
    await client.start();
    client.sound(Buffer.alloc(megabyte));
    expect(await client.closed).toMatchObject({ code: 1009 });
    const other = await by.caller(mine);
    other.send(`{"type":"session.start","variables":{"a":"${'x'.repeat(megabyte)}"}}`);
    expect(await other.closed).toMatchObject({ code: 1009 });
  });

  it('closes with 1008 on a client that keeps sending unknown frames', async () => {
    for (let n = 0; n < 30; n += 1) client.send('no');
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(client.count('error')).toBe(21);
  });

  it('closes with 1007 on text that is not UTF-8', async () => {
    client.socket.send(Buffer.from([0xff, 0xfe, 0xfd]), { binary: false });
    expect(await client.closed).toMatchObject({ code: 1007 });
  });

  it('survives any frames in any order, and serves the next client', async () => {
    const types = ['session.start', 'text', 'dtmf', 'interrupt', 'playback', 'ping', '__proto__'];
    const fields = ['type', 'sampleRate', 'text', 'variables', '__proto__', 'constructor'];
    const isGone = ({ socket }: SocketClient) => socket.readyState !== socket.OPEN;
    const words = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ type: fc.constantFrom(...types) }).map((frame) => JSON.stringify(frame)),
      fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()).map((frame) => JSON.stringify(frame)),
    );
    const sounds = fc.uint8Array({ maxLength: 3_000 });
    const script = fc.array(fc.oneof(words, sounds), { minLength: 1, maxLength: 40 });
    const opened: Promise<unknown>[] = [];
    await fc.assert(
      fc.asyncProperty(script, async (frames) => {
        const hostile = await by.caller(mine);
        for (const frame of frames) hostile.socket.send(frame, { binary: typeof frame !== 'string' }, () => undefined);
        hostile.send({ type: 'ping' });
        await eventually('an answer or an end', () => hostile.count('pong') > 0 || isGone(hostile));
        opened.push(hostile.close());
      }),
      { numRuns: 40 },
    );
    for (const { code } of (await Promise.all(opened)) as { code: number }[]) expect([1000, 1005, 1008]).toContain(code);
    expect(Object.prototype).not.toHaveProperty('sampleRate');
    expect(by.harness.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await client.start();
  });
});

describe('an idle socket', () => {
  let by: SocketHarness;
  beforeAll(async () => {
    by = await SocketHarness.open({ SOCKET_START: '3s', SOCKET_IDLE: '4s', SOCKET_PING: '1s' });
  });
  afterAll(() => by.harness.close());

  it('is closed with 4408 without a session.start', async () => {
    const client = await by.caller(by.harness.organization());
    expect(await client.closed).toMatchObject({ code: 4408, reason: 'no session.start came' });
  });

  it('is closed with 4408 when nobody says anything, even if it is pinged', async () => {
    const client = await by.caller(by.harness.organization());
    await client.start();
    const pinging = setInterval(() => client.send({ type: 'ping' }), 100);
    expect(await client.closed).toMatchObject({ code: 4408, reason: 'nothing was said for too long' });
    expect(client.frames).toContainEqual({ type: 'session.ended', reason: 'IDLE' });
    clearInterval(pinging);
    await eventually('the line is closed', async () => (await by.speech.last.channel.closed).reason !== '');
  });

  it('is closed when its client shows no sign of life', async () => {
    const client = await by.caller(by.harness.organization());
    await client.start();
    const { channel } = by.speech.last;
    client.socket.pause();
    await channel.closed;
    client.socket.terminate();
  });
});
