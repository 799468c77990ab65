import { EventEmitter } from 'node:events';
import { eventually } from '@parley/testing';
import { ClientSocket } from './client-socket';
import { SocketHarness } from './socket-harness.suite';
import { SocketSession } from './socket-session';

/** More than the buffers of both ends hold. */
const floodBytes = 64 * 1024 * 1024;
const frame = Buffer.alloc(64 * 1024);

describe('a slow or fast client', () => {
  let by: SocketHarness;

  beforeAll(async () => {
    by = await SocketHarness.open({ SOCKET_PING: '1m' });
  });
  afterEach(() => by.speech.reset());
  afterAll(() => by.harness.close());

  it('is disconnected when it does not read', async () => {
    const client = await by.caller(by.harness.organization());
    await client.start();
    const { channel } = by.speech.last;
    let isClosed = false;
    void channel.closed.then(() => (isClosed = true));
    client.socket.pause();
    // A little at a time, so that the client is slow and not the gateway.
    for (let sentBytes = 0; sentBytes < floodBytes && !isClosed; sentBytes += frame.length) {
      channel.send(frame);
      await new Promise(setImmediate);
    }
    await channel.closed;
    await eventually('the log says why', () => closedWith(1008) === 1);
    client.socket.terminate();
  });

  it('loses nothing when it sends faster than real time', async () => {
    by.speech.hear = () => undefined;
    const client = await by.caller(by.harness.organization());
    await client.start({ sampleRate: 48_000 });
    const { sounds } = by.speech.last;
    for (let second = 0; second < 4; second += 1) client.sound(Buffer.alloc(96_000, second));
    await eventually('everything has arrived', () => sounds.length === 4);
    expect(sounds.map((sound) => sound[0])).toEqual([0, 1, 2, 3]);
    await client.close();
  });

  function closedWith(code: number): number {
    const closings = by.harness.log.lines.filter(({ message }) => message === 'A socket was closed');
    return closings.filter(({ fields }) => 'code' in fields && fields.code === code).length;
  }
});

describe('a client that sends six seconds of sound at once', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is read again once all but three seconds are over at 1.25 times real time', () => {
    const socket = Object.assign(new EventEmitter(), {
      isPaused: false,
      pause: () => setPaused(true),
      resume: () => setPaused(false),
    });
    const setPaused = (isPaused: boolean): void => void (socket.isPaused = isPaused);
    const client = new ClientSocket(socket as never);
    client.bytesPerSecond = 96_000;
    client.listen({ sound: () => undefined, text: () => undefined });
    client.begin();
    expect(socket.isPaused).toBe(false);
    for (let second = 0; second < 6; second += 1) socket.emit('message', Buffer.alloc(96_000), true);
    jest.advanceTimersByTime(6_000 / 1.25 - 3_000 - 1);
    expect(socket.isPaused).toBe(true);
    jest.advanceTimersByTime(1);
    expect(socket.isPaused).toBe(false);
  });
});

describe('frames to a client', () => {
  it('that come in one turn of the event loop are written at once', async () => {
    const written: string[] = [];
    const stream = { cork: () => void written.push('cork'), uncork: () => void written.push('uncork') };
    const send = (data: string) => void written.push(JSON.parse(data).text);
    const wire = Object.assign(new EventEmitter(), { pause: () => undefined, bufferedAmount: 0, send });
    const client = new ClientSocket(wire as never, stream);
    for (const turn of [1, 2]) {
      for (const word of ['We ', 'open ']) client.tell({ type: 'agent.delta', text: `${word}${turn}` });
      await new Promise(setImmediate);
    }
    expect(written).toEqual(['cork', 'We 1', 'open 1', 'uncork', 'cork', 'We 2', 'open 2', 'uncork']);
  });
});

describe('a session', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is not idle while there is sound, and is once there was none for long enough', () => {
    const wire = Object.assign(new EventEmitter(), { pause: () => undefined, resume: () => undefined, send: () => undefined });
    const closedWith: number[] = [];
    const client = new ClientSocket(Object.assign(wire, { close: (code: number) => closedWith.push(code) }) as never);
    const sounds: Uint8Array[] = [];
    const relay = { begin: async () => ({ type: 'pong' }), sound: (bytes: Uint8Array) => void sounds.push(bytes) };
    const setting = { requestId: 'r', startMs: 1_000, idleMs: 4_000, onReady: () => undefined };
    const session = new SocketSession(client, setting, {} as never, () => relay as never);
    session.begin({ type: 'session.start', sampleRate: 8000, encoding: 'pcm16' });
    for (let atMs = 0; atMs < 20_000; atMs += 3_000) {
      session.receiveSound(new Uint8Array(320));
      jest.advanceTimersByTime(3_000);
    }
    expect(sounds).toHaveLength(7);
    expect(closedWith).toEqual([]);
    jest.advanceTimersByTime(999);
    expect(closedWith).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(closedWith).toEqual([4408]);
  });
});
