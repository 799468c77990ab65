import { once } from 'node:events';
import { connect } from 'node:net';
import { Metrics } from '../metrics/metrics';
import { AdminServer, ServiceHealth } from './admin-server';

describe('the admin server', () => {
  const metrics = new Metrics();
  let server: AdminServer;
  let address: string;

  beforeEach(async () => {
    server = new AdminServer(metrics);
    address = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
  });
  afterEach(() => server.close());

  const get = async (path: string) => {
    const response = await fetch(address + path);
    return { status: response.status, body: await response.json() };
  };

  it('is live but neither started nor ready before a service has started', async () => {
    server.show(new ServiceHealth('speech', {}));
    expect(await get('/health/live')).toEqual({ status: 200, body: { status: 'live' } });
    expect(await get('/health/startup')).toEqual({ status: 503, body: { status: 'starting', services: { speech: false } } });
    expect((await get('/health/ready')).status).toBe(503);
  });

  it('keeps the connection of a client that asks once a minute', async () => {
    const { headers } = await fetch(`${address}/health/live`);
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  it('answers a probe however many connections are held open, at the cost of the oldest', async () => {
    const held = Array.from({ length: 64 }, () => connect(Number(new URL(address).port), '127.0.0.1'));
    for (const socket of held) socket.on('error', () => undefined);
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    const gone = Promise.race(held.map((socket) => once(socket, 'close')));
    expect((await get('/health/live')).status).toBe(200);
    await gone;
    for (const socket of held) socket.destroy();
  });

  it('is ready once every service is, and names each check', async () => {
    const speech = new ServiceHealth('speech', { messaging: () => true, database: async () => true });
    const gateway = new ServiceHealth('gateway', { messaging: () => true });
    server.show(speech);
    server.show(gateway);
    speech.isStarted = gateway.isStarted = true;
    expect(await get('/health/ready')).toEqual({
      status: 200,
      body: {
        status: 'ready',
        services: {
          speech: { started: true, accepting: true, messaging: true, database: true },
          gateway: { started: true, accepting: true, messaging: true },
        },
      },
    });
    expect((await get('/health/startup')).status).toBe(200);
  });

  it('stops being ready the moment that a service begins to drain', async () => {
    const speech = new ServiceHealth('speech', {});
    speech.isStarted = true;
    server.show(speech);
    expect((await get('/health/ready')).status).toBe(200);
    speech.isDraining = true;
    expect((await get('/health/ready')).status).toBe(503);
  });

  it('counts a check that throws or rejects as failed and stays live', async () => {
    const speech = new ServiceHealth('speech', { database: () => Promise.reject(new Error('gone')) });
    speech.isStarted = true;
    server.show(speech);
    const { status, body } = await get('/health/ready');
    expect(status).toBe(503);
    expect(body).toMatchObject({ services: { speech: { database: false } } });
    expect((await get('/health/live')).status).toBe(200);
  });

  it('answers what it does not know without showing anything', async () => {
    expect((await get('/etc/passwd')).status).toBe(404);
    expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(405);
  });
});

describe('the health of a service', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('runs its checks at most once a second, however often it is asked', async () => {
    const check = jest.fn(() => true);
    const health = new ServiceHealth('speech', { database: check });
    await Promise.all(Array.from({ length: 100 }, () => health.readiness()));
    expect(check).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1_001);
    await health.readiness();
    expect(check).toHaveBeenCalledTimes(2);
  });

  it('counts a check that hangs as failed after two seconds', async () => {
    const health = new ServiceHealth('speech', { database: () => new Promise<boolean>(() => undefined) });
    const answer = health.readiness();
    await jest.advanceTimersByTimeAsync(2_000);
    expect((await answer).checks.database).toBe(false);
  });
});
