import { eventually } from '@parley/testing';
import { SocketHarness } from './socket-harness.suite';

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

  it('is throttled by its network when it sends faster than real time, without loss', async () => {
    by.speech.hear = () => undefined;
    const client = await by.caller(by.harness.organization());
    await client.start({ sampleRate: 48_000 });
    const { sounds } = by.speech.last;
    const sinceMs = performance.now();
    for (let second = 0; second < 6; second += 1) client.sound(Buffer.alloc(96_000, second));
    await eventually('everything has arrived', () => sounds.length === 6);
    // Three seconds at once, the rest at no more than 1.25 times real time; longer on a slow machine.
    expect(performance.now() - sinceMs).toBeGreaterThan(1_000);
    expect(sounds.map((sound) => sound[0])).toEqual([0, 1, 2, 3, 4, 5]);
    await client.close();
  });

  function closedWith(code: number): number {
    const closings = by.harness.log.lines.filter(({ message }) => message === 'A socket was closed');
    return closings.filter(({ fields }) => 'code' in fields && fields.code === code).length;
  }
});
