/** @quiet Judged by the clock. */
import { Logger } from '@nestjs/common';
import { examplesOf, usageRecorded } from '@parley/contracts';
import { InProcessBroker, NatsTransport, type Transport, TransportBus } from '@parley/messaging';
import { eventually, passing, testDatabase, type TestDatabase, TestNats } from '@parley/testing';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { agentsSchema } from '../agents.example';
import { connectionOptions } from '../connection-options';
import { migrateSchema } from '../migrate-schema';
import { Outbox } from './outbox';
import { OutboxRelay } from './outbox-relay';

const noisyEvents = 20_000;
const noisy = 1;
const quiet = 2;
/** How long a consumer takes for one event. Eight at a time: a few thousand a second. */
const workMs = 2;
const aMomentMs = 300;
const delayedMsMax = 1_000;
const Envelope = z.object({ orgId: z.int() });

describe.each([
  ['NATS', true],
  ['one process', false],
])('over %s, an organization with twenty thousand events', (_where, isNats) => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let nats: TestNats | undefined;
  let relay: OutboxRelay;
  let outbox: Outbox;
  let transports: Transport[];
  const arrivedAtMs = new Map<number, number[]>();

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await testDatabase();
    await migrateSchema(agentsSchema, database.url);
    dataSource = await new DataSource(connectionOptions(agentsSchema, { url: database.url })).initialize();
    nats = isNats ? await TestNats.start() : undefined;
    const broker = new InProcessBroker();
    const connect = async () => (nats ? NatsTransport.connect({ servers: nats.url, name: 'spec' }) : broker.connect());
    const [consumer, teller] = [await connect(), await connect()];
    transports = [teller, consumer];
    outbox = new Outbox(dataSource);
    relay = new OutboxRelay(dataSource, new TransportBus(teller), outbox);
  }, 60_000);
  afterAll(async () => {
    await relay.beforeApplicationShutdown();
    for (const transport of transports) await transport.close();
    await nats?.stop();
    await dataSource.destroy();
    await database.close();
  }, 60_000);

  const add = async (orgId: number, count: number): Promise<void> => {
    const payload = JSON.stringify(examplesOf(usageRecorded.payload)[0]);
    await dataSource.query(
      `INSERT INTO outbox (id, subject, org_id, payload, bytes)
       SELECT gen_random_uuid(), $1, $2, $3::json, $4 FROM generate_series(1, $5)`,
      [usageRecorded.subject, orgId, payload, payload.length, count],
    );
    outbox.noteCommitted();
  };

  it('does not delay the one of another by more than a second', async () => {
    const consumption = await transports[1]?.events.consume(
      { subject: usageRecorded.subject, group: 'dashboards' },
      async ({ data }) => {
        await passing(workMs, 'how long a consumer takes for one event');
        const { orgId } = Envelope.parse(JSON.parse(Buffer.from(data).toString()));
        arrivedAtMs.set(orgId, [...(arrivedAtMs.get(orgId)?.slice(-9) ?? []), performance.now()]);
        return 'done';
      },
    );
    await add(noisy, noisyEvents);
    relay.onApplicationBootstrap();
    await eventually('the first of them are consumed', () => arrivedAtMs.has(noisy));
    await passing(aMomentMs * 4, 'the broker shall have taken many more than are consumed, had it the chance');
    const took: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      arrivedAtMs.delete(quiet);
      const sinceMs = performance.now();
      await add(quiet, 1);
      await eventually('the quiet one is consumed', () => arrivedAtMs.has(quiet));
      took.push((arrivedAtMs.get(quiet)?.[0] ?? 0) - sinceMs);
      await passing(aMomentMs, 'the next one comes into another state of the queue');
    }
    expect(await relay.pending()).toBeGreaterThan(0);
    expect(Math.min(...took)).toBeLessThan(delayedMsMax);
    await consumption?.stop();
  }, 60_000);
});
