import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Heartbeats } from '../wire/heartbeats';
import { NatsTransport } from './nats';

const info = `INFO ${JSON.stringify({ server_id: 'S', version: '2.9.10', proto: 1, headers: true, max_payload: 1_048_576 })}\r\n`;

describe('pings of a connection to NATS', () => {
  let server: PingCounter;
  let transport: NatsTransport;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    server = await PingCounter.start();
    transport = await NatsTransport.connect({ servers: server.url, name: 'pings' });
    await server.pingsIn(60_000, transport);
  });
  afterEach(async () => {
    await transport.close();
    await server.stop();
    jest.useRealTimers();
  });

  it('are rare at rest', async () => {
    // Six of ours, and one of the client library's own.
    expect(await server.pingsIn(60_000, transport)).toBeLessThanOrEqual(7);
  });

  it('follow a message that is sent at rest once', async () => {
    transport.publish('a.message', Buffer.from('x'));
    expect(await server.pingsIn(2_000, transport)).toBe(1);
  });

  it('go on three times a second while messages are sent, and while an answer is awaited', async () => {
    const sending = setInterval(() => transport.publish('a.message', Buffer.from('x')), 20);
    expect(await server.pingsIn(6_000, transport)).toBeGreaterThanOrEqual(18);
    clearInterval(sending);
    await server.pingsIn(60_000, transport);
    const heartbeats = new Heartbeats(() => transport.checkSoon());
    heartbeats.watch({ beat: () => undefined });
    expect(await server.pingsIn(6_000, transport)).toBeGreaterThanOrEqual(14);
    heartbeats.close();
  });
});

/** As much of a NATS server as a client needs to stay connected. */
class PingCounter {
  private pings = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.serve(socket));
  }

  static async start(): Promise<PingCounter> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new PingCounter(server);
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** How many pings arrive while this time passes, except those of `settled`, with which each step waits for the answers. */
  async pingsIn(ms: number, transport: NatsTransport): Promise<number> {
    const before = this.pings;
    const stepMs = 20;
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      jest.advanceTimersByTime(stepMs);
      await transport.settled();
    }
    return this.pings - before - ms / stepMs;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.setEncoding('utf8').on('error', () => undefined);
    socket.write(info);
    socket.on('data', (text: string) => {
      const pings = text.split('PING\r\n').length - 1;
      this.pings += pings;
      socket.write('PONG\r\n'.repeat(pings));
    });
  }
}
