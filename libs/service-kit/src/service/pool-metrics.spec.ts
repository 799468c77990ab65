import { InProcessBroker } from '@parley/messaging';
import { eventually, FaultyLink, testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { askForGreeting, doorService, greetingService } from '../example/greeting.example';
import { createLogger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { type RunningService, startService } from './start-service';

const poolMax = 3;
const callers = 8;

describe('parley_pool_waiting', () => {
  const metrics = new Metrics();
  let database: TestDatabase;
  let link: FaultyLink;
  let running: RunningService[] = [];
  let door = '';

  beforeAll(async () => {
    database = await testDatabase();
    link = await FaultyLink.to(database.url);
    const transport = new InProcessBroker().connect();
    const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });
    const environment = { DATABASE_POOL_MAX: String(poolMax) };
    const host = { transport, databaseUrl: link.url, logger, metrics };
    const speech = await startService(greetingService, { ...host, environment });
    const gateway = await startService(doorService, { ...host, environment: {} });
    running = [gateway, speech];
    door = `http://127.0.0.1:${gateway.httpPort}`;
  });
  afterAll(async () => {
    for (const service of running) await service.stop();
    await link.close();
    await database.close();
  });

  const waiting = async () => Number(/^parley_pool_waiting\{service="speech"\} (\d+)$/m.exec(await metrics.exposition())?.[1]);
  const askTogether = () => Array.from({ length: callers }, async () => (await askForGreeting(door)).status);

  it('is 0 at every scrape of an idle service, whose own questions are not callers', async () => {
    expect((await askForGreeting(door)).status).toBe(200);
    for (let scrape = 0; scrape < 5; scrape += 1) expect(await waiting()).toBe(0);
    const [first, second] = await Promise.all([waiting(), waiting()]);
    expect([first, second]).toEqual([0, 0]);
  });

  it('counts the callers beyond the connections, all of which are busy, and is 0 once they are served', async () => {
    const owner = new Client({ connectionString: database.adminUrl });
    await owner.connect();
    await owner.query('BEGIN; LOCK TABLE greeting_example.greetings');
    const asked = askTogether();
    const locked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually('all connections are busy', async () => (await owner.query(locked)).rowCount === poolMax);
    await eventually('callers wait', async () => (await waiting()) >= callers - poolMax);
    await owner.query('COMMIT');
    await owner.end();
    expect(await Promise.all(asked)).toEqual(Array.from({ length: callers }, () => 200));
    expect(await waiting()).toBe(0);
  });

  it('counts them too while Postgres hangs', async () => {
    link.suffer('black hole');
    const asked = askTogether();
    await eventually('callers wait', async () => (await waiting()) > 0);
    link.heal();
    await Promise.all(asked);
    await eventually('nobody waits', async () => (await waiting()) === 0);
  });
});
