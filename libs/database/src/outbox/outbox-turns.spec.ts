import { Logger } from '@nestjs/common';
import { examplesOf, usageRecorded } from '@parley/contracts';
import { InProcessBroker, NatsTransport, type Transport, TransportBus } from '@parley/messaging';
import { eventually, testDatabase, type TestDatabase, TestNats } from '@parley/testing';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { agentsSchema } from '../agents.example';
import { connectionOptions } from '../connection-options';
import { migrateSchema } from '../migrate-schema';
import { Outbox } from './outbox';
import { OutboxPublisher } from './outbox-publisher';

const noisyEvents = 20_000;
const noisy = 1;
const quiet = 2;
/** As many as the broker may have taken that are not consumed yet, and those of a batch. */
const aheadMax = 2_500;
const Envelope = z.object({ orgId: z.int() });

describe.each([
  ['NATS', true],
  ['one process', false],
])('over %s, an organization with twenty thousand events', (_where, isNats) => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let nats: TestNats | undefined;
  let publisher: OutboxPublisher;
  let outbox: Outbox;
  let transports: Transport[];
  /** The organizations of the events consumed, in order. */
  const arrived: number[] = [];

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
    publisher = new OutboxPublisher(dataSource, new TransportBus(teller), outbox);
  });
  afterAll(async () => {
    await publisher.beforeApplicationShutdown();
    for (const transport of transports) await transport.close();
    await nats?.stop();
    await dataSource.destroy();
    await database.close();
  });

  const add = async (orgId: number, count: number): Promise<void> => {
    const payload = JSON.stringify(examplesOf(usageRecorded.payload)[0]);
    await dataSource.query(
      `INSERT INTO outbox (id, subject, org_id, payload, bytes)
       SELECT gen_random_uuid(), $1, $2, $3::json, $4 FROM generate_series(1, $5)`,
      [usageRecorded.subject, orgId, payload, payload.length, count],
    );
    outbox.noteCommitted();
  };

  it('lets the one of another go before most of them', async () => {
    const consumption = await transports[1]?.events.consume(
      { subject: usageRecorded.subject, group: 'dashboards' },
      async ({ data }) => {
        // A consumer takes its time, so that the publisher could run ahead of it.
        for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
        arrived.push(Envelope.parse(JSON.parse(Buffer.from(data).toString())).orgId);
        return 'done';
      },
    );
    await add(noisy, noisyEvents);
    publisher.onApplicationBootstrap();
    const behind: number[] = [];
    // Each comes into another state of the queue.
    for (const consumed of [1, 1_000, 3_000]) {
      await eventually('many of them are consumed', () => arrived.length >= consumed);
      const before = arrived.length;
      await add(quiet, 1);
      await eventually('the quiet one is consumed', () => arrived.includes(quiet, before));
      behind.push(arrived.indexOf(quiet, before) - before);
    }
    expect(await publisher.pending()).toBeGreaterThan(0);
    expect(Math.max(...behind)).toBeLessThan(aheadMax);
    await consumption?.stop();
  });
});
