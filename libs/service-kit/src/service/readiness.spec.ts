import { once } from 'node:events';
import { createServer, type Server, type Socket, connect } from 'node:net';
import { NatsTransport } from '@parley/messaging';
import { eventually, testDatabase, type TestDatabase, TestNats } from '@parley/testing';
import { askForGreeting, doorService, greetingService } from '../example/greeting.example';
import { createLogger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { type RunningService, startService } from './start-service';

/** A way to Postgres that can be cut and mended. */
class Wire {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly target: URL) {}

  async mend(): Promise<void> {
    this.server = createServer((near) => this.join(near, connect(Number(this.target.port), this.target.hostname)));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    this.port = typeof address === 'object' && address ? address.port : 0;
  }

  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  cut(): void {
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(near: Socket, far: Socket): void {
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => this.sockets.delete(one));
    }
  }
}

describe('the readiness of a running service', () => {
  let nats: TestNats;
  let database: TestDatabase;
  let wire: Wire;
  let transport: NatsTransport;
  let speech: RunningService;
  let gateway: RunningService;
  const metrics = new Metrics();

  beforeAll(async () => {
    [nats, database] = await Promise.all([TestNats.start(), testDatabase()]);
    wire = new Wire(new URL(database.url));
    await wire.mend();
    transport = await NatsTransport.connect({ servers: nats.url, name: 'spec' });
    const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });
    const host = { environment: {}, transport, databaseUrl: wire.url, logger, metrics };
    speech = await startService(greetingService, host);
    gateway = await startService(doorService, host);
  });
  afterAll(async () => {
    await gateway.stop();
    await speech.stop();
    await transport.close();
    wire.cut();
    await Promise.all([nats.stop(), database.close()]);
  });

  const until = async (wanted: Record<string, boolean>): Promise<void> => {
    const matches = async () => {
      const { checks } = await speech.health.readiness();
      return Object.entries(wanted).every(([name, value]) => checks[name] === value);
    };
    // The answer is a second old at most.
    await eventually(JSON.stringify(wanted), matches);
  };
  const shows = async (...samples: string[]): Promise<void> => {
    const lines = (await metrics.exposition()).split('\n');
    expect(lines).toEqual(expect.arrayContaining(samples));
  };
  const greets = async () => (await askForGreeting(`http://127.0.0.1:${gateway.httpPort}`)).status;

  it('drops while Postgres is gone, and comes back with it', async () => {
    await until({ database: true, messaging: true });
    wire.cut();
    await until({ database: false, messaging: true });
    await shows('parley_database_reachable{service="speech"} 0', 'parley_messaging_reachable{service="speech"} 1');
    await wire.mend();
    await until({ database: true, messaging: true });
    expect(await greets()).toBe(200);
  });

  it('drops while NATS refuses a subscription, whose reason is logged, and comes back with the right', async () => {
    const user = (more: string) => `authorization { users: [{ user: "ada", password: "secret", permissions: { ${more} } }] }`;
    const guarded = await TestNats.start(user('subscribe: { deny: "speech.greet" }'));
    const logged: string[] = [];
    const note = (_fields: object, message: string) => void logged.push(message);
    const deaf = await NatsTransport.connect({
      servers: guarded.url,
      name: 'deaf',
      credentials: { user: 'ada', password: 'secret' },
      log: { error: note, warn: note, info: note },
    });
    const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });
    const host = { environment: {}, transport: deaf, databaseUrl: database.url, logger, metrics: new Metrics() };
    const service = await startService(greetingService, host);
    const isReady = async () => (await service.health.readiness()).checks.messaging === true;
    try {
      await eventually('it is not ready', async () => !(await isReady()));
      expect(logged.join()).toMatch(/NATS_NKEY.*nats-users\.conf/);
      await guarded.crash();
      await guarded.restart(user(''));
      await eventually('it is ready', isReady);
    } finally {
      await service.stop();
      await deaf.close();
      await guarded.stop();
    }
  });

  it('drops while NATS is gone, and comes back with it', async () => {
    await nats.crash();
    await until({ database: true, messaging: false });
    await shows('parley_database_reachable{service="speech"} 1', 'parley_messaging_reachable{service="speech"} 0');
    // It has no database.
    expect(await metrics.exposition()).not.toContain('parley_database_reachable{service="gateway"}');
    await nats.restart();
    await until({ database: true, messaging: true });
    expect(await greets()).toBe(200);
  });
});
