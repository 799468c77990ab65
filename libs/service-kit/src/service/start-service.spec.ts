import { on, once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { InProcessBroker } from '@parley/messaging';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { AdminServer } from '../admin/admin-server';
import { askForGreeting, doorService, greetingService } from '../example/greeting.example';
import { createLogger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { type Host, type RunningService, startService } from './start-service';

describe('a service beside others in one process', () => {
  const broker = new InProcessBroker();
  const metrics = new Metrics();
  const adminServer = new AdminServer(metrics);
  const lines = new PassThrough({ encoding: 'utf8' });
  const logger = createLogger({ level: 'info', isReadable: false, writesPii: false, destination: lines });
  let database: TestDatabase;
  let adminPort: number;
  let running: RunningService[] = [];

  const host = (environment: Host['environment'] = {}): Host => {
    return { environment, transport: broker.connect(), databaseUrl: database.url, logger, metrics, adminServer };
  };
  const start = async (environment: Host['environment'] = {}): Promise<string> => {
    const speech = await startService(greetingService, host(environment));
    const gateway = await startService(doorService, host());
    running = [gateway, speech];
    return `http://127.0.0.1:${gateway.httpPort}`;
  };
  const readiness = async () => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/health/ready`);
    return { status: response.status, body: await response.json() };
  };

  const lineWith = async (words: string): Promise<void> => {
    for await (const [line] of on(lines, 'data')) if (String(line).includes(words)) return;
  };

  beforeAll(async () => {
    database = await testDatabase();
    adminPort = await adminServer.listen('127.0.0.1', 0);
  });
  afterEach(async () => {
    for (const service of running) await service.stop();
    running = [];
  });
  afterAll(async () => {
    await adminServer.close();
    await database.close();
  });

  it('answers through the door, the bus and its own schema, and is ready', async () => {
    const door = await start();
    const response = await askForGreeting(door);
    expect(await response.json()).toEqual({ greeting: 'Good morning, Asha' });
    expect(await readiness()).toMatchObject({ status: 200, body: { services: { speech: { messaging: true, database: true } } } });
  });

  it('reads from a standby where its definition names one, as a role that is bound there too', async () => {
    const withStandby = { ...greetingService, standbyUrl: () => database.adminUrl };
    await expect(startService(withStandby, host())).rejects.toThrow('DATABASE_READ_URL connects as');
  });

  it('counts what it answered, by contract and by route', async () => {
    await askForGreeting(await start());
    const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
    const text = await response.text();
    expect(text).toMatch(/parley_requests_total{service="speech",subject="speech.greet",code="OK"} \d/);
    expect(text).toMatch(/parley_requests_total{service="gateway",subject="POST \/greet",code="200"} \d/);
    expect(text).toContain('parley_outbox_pending{service="speech"} 0');
    expect(text).toContain('parley_outbox_dead{service="speech"} 0');
    expect(text).toMatch(/parley_pool_connections{service="speech"} [1-9]/);
  });

  it('leaves nothing open when it cannot start', async () => {
    const door = await start();
    const taken = startService(doorService, host({ PORT: new URL(door).port }));
    await expect(taken).rejects.toThrow('EADDRINUSE');
    expect((await askForGreeting(door)).status).toBe(200);
  });

  it('finishes a request in flight before it stops, and is not ready meanwhile', async () => {
    const door = await start({ THINKING: '300ms' });
    const thinking = lineWith('Thinking of a greeting');
    const answer = askForGreeting(door);
    await thinking;
    for (const service of running) service.announceStop();
    expect((await readiness()).status).toBe(503);
    for (const service of running) await service.stop();
    expect((await answer).status).toBe(200);
  });

  it('does not wait for a connection that was never used', async () => {
    const silent = connect(Number(new URL(await start()).port), '127.0.0.1');
    await once(silent, 'connect');
    // Node keeps one for a minute and more; it is closed by us.
    await Promise.all([once(silent, 'close'), ...running.map((service) => service.stop())]);
  });
});
