import { eventually, killHard, LongWaits, testDatabase, typeScriptProcess, type TestDatabase } from '@parley/testing';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { agentsSchema } from '../agents.example';
import { connectionOptions } from '../connection-options';
import { migrateSchema } from '../migrate-schema';
import { TenantScope } from '../tenancy/tenant-scope';
import { Outbox, outboxColumns, outboxRow, triesMax } from './outbox';
import { idleLookMs, OutboxPublisher, onceOnly, pruneProcessed } from './outbox-publisher';
import { agentRenamed, agentSaved, RecordingBus } from './publisher-process.fake';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('outbox', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let scope: TenantScope;
  let outbox: Outbox;
  let bus: RecordingBus;
  let publishers: OutboxPublisher[];

  const startPublisher = () => {
    const publisher = new OutboxPublisher(dataSource, bus, outbox);
    publisher.onApplicationBootstrap();
    publishers.push(publisher);
    return publisher;
  };
  const add = (orgId: number, n: number) =>
    scope.run(orgId, (manager) => outbox.add(manager, agentSaved, { orgId, payload: { n } }));
  const stopPublishers = async () => {
    await Promise.all(publishers.map((publisher) => publisher.beforeApplicationShutdown()));
    publishers = [];
  };

  beforeAll(async () => {
    // The refusals below are wanted.
    Logger.overrideLogger(false);
    database = await testDatabase();
    await migrateSchema(agentsSchema, database.url);
    dataSource = await new DataSource(connectionOptions(agentsSchema, { url: database.url })).initialize();
    scope = new TenantScope(dataSource);
  });
  beforeEach(() => {
    outbox = new Outbox(dataSource);
    bus = new RecordingBus();
    publishers = [];
  });
  afterEach(async () => {
    await stopPublishers();
    await dataSource.query('TRUNCATE outbox, processed_events, dead_events');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  it('sends what was committed and forgets it, and never what was rolled back', async () => {
    const publisher = startPublisher();
    const undone = scope.run(1, async (manager) => {
      await outbox.add(manager, agentSaved, { orgId: 1, payload: { n: 1 } });
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    const id = await add(1, 2);
    await bus.until(() => bus.taken.length > 0);
    await publisher.beforeApplicationShutdown();
    expect(bus.taken).toEqual([{ id, orgId: 1, n: 2 }]);
    expect(await publisher.pending()).toBe(0);
  });

  it.each([
    ['57P03', 'the database system is starting up'],
    // PgBouncer, while Postgres is away
    ['08P01', 'server login has been failing, try again later (server_login_retry)'],
  ])('reports once that it cannot be read (%s), and again after it could', async (code, message) => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const connecting = jest.spyOn(PostgresDriver.prototype, 'obtainMasterConnection');
    const connect = connecting.getMockImplementation();
    const outage = async () => {
      const failure = Object.assign(new Error(message), { code });
      connecting.mockClear().mockRejectedValue(failure);
      await eventually('it was tried again and again', () => {
        outbox.noteCommitted();
        return connecting.mock.calls.length > 5;
      });
      connecting.mockImplementation(connect);
    };
    startPublisher();
    try {
      await outage();
      await add(1, 1);
      await bus.until(() => bus.taken.length === 1);
      expect(warn.mock.calls.map(([, said]: unknown[]) => said)).toEqual(['the outbox could not be read']);
      await outage();
      await add(1, 2);
      await bus.until(() => bus.taken.length === 2);
      expect(warn).toHaveBeenCalledTimes(2);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('sends without waiting for the next poll', async () => {
    startPublisher();
    // With a poll each, forty would take more than ten minutes.
    for (const n of numbers(40)) {
      await add(1, n);
      await bus.until(() => bus.taken.length > n);
    }
  });

  it('does not poll while nothing waits, and sends what a statement wrote once it is notified', async () => {
    // Idle connections wait longer.
    using polls = new LongWaits(idleLookMs, idleLookMs);
    startPublisher();
    await add(1, 1);
    await bus.until(() => bus.taken.length > 0);
    await eventually('it found the outbox empty, and rests', () => polls.held === 1);
    const { id, values } = outboxRow(agentSaved, { orgId: 1, payload: { n: 2 } });
    await dataSource.query(`INSERT INTO ${outboxColumns} VALUES ($1, $2, $3, $4, $5)`, values);
    expect([polls.held, bus.taken.length]).toEqual([1, 1]);
    outbox.noteCommitted();
    await bus.until(() => bus.taken.length > 1);
    expect(bus.taken[1]).toEqual({ id, orgId: 1, n: 2 });
  });

  it('keeps the order of each organization and sends once, with two publishers at work', async () => {
    startPublisher();
    startPublisher();
    const organizations = [1, 2, 3, 4];
    await Promise.all(
      organizations.map(async (orgId) => {
        for (const n of numbers(60)) await add(orgId, n);
      }),
    );
    await bus.until(() => bus.taken.length >= 240);
    await stopPublishers();
    for (const orgId of organizations) expect(bus.of(orgId)).toEqual(numbers(60));
  });

  it('loses nothing while the broker is away, and holds back only the organization that fails', async () => {
    const publisher = startPublisher();
    bus.refuses = ({ orgId }) => orgId === 1;
    for (const n of numbers(3)) await add(1, n);
    await bus.until(() => bus.refused > 0);
    await add(2, 0);
    await bus.until(() => bus.of(2).length === 1);
    expect(bus.of(1)).toEqual([]);
    expect(await publisher.pending()).toBeGreaterThanOrEqual(3);
    bus.refuses = () => false;
    await bus.until(() => bus.of(1).length === 3);
    expect(bus.of(1)).toEqual([0, 1, 2]);
  });

  /** As if an event had been refused so often, without the minutes that takes. */
  const refusedBefore = (times: number) => dataSource.query('UPDATE outbox SET attempts = $1', [times]);

  it('puts aside the one event that fails again and again, and lets those behind it pass', async () => {
    bus.refuses = ({ n }) => n === 0;
    for (const n of numbers(3)) await add(1, n);
    await refusedBefore(triesMax - 1);
    const publisher = startPublisher();
    await bus.until(() => bus.of(1).length === 2);
    await stopPublishers();
    expect(bus.of(1)).toEqual([1, 2]);
    expect(await publisher.deadEvents(10)).toMatchObject([
      { subject: agentSaved.subject, orgId: 1, attempts: triesMax, reason: 'the broker is away' },
    ]);
    expect([await publisher.dead(), await publisher.pending()]).toEqual([1, 0]);
  });

  it('sends what was put aside after an operator has put it back', async () => {
    await add(1, 7);
    await refusedBefore(triesMax - 1);
    bus.refuses = ({ n }) => n === 7;
    await add(1, 8);
    const publisher = startPublisher();
    await bus.until(() => bus.of(1).length === 1);
    await stopPublishers();
    expect(await publisher.dead()).toBe(1);
    // As the operator's command does.
    await dataSource.query(
      `WITH back AS (DELETE FROM dead_events RETURNING *)
       INSERT INTO outbox (id, subject, org_id, occurred_at, payload, bytes)
       SELECT id, subject, org_id, occurred_at, payload, octet_length(payload::text) FROM back ORDER BY seq`,
    );
    bus.refuses = () => false;
    const again = startPublisher();
    await bus.until(() => bus.of(1).length === 2);
    await stopPublishers();
    expect([bus.of(1), await again.dead(), await again.pending()]).toEqual([[8, 7], 0, 0]);
  });

  it('puts nothing aside while the broker takes nothing at all, however long that lasts', async () => {
    bus.refuses = () => true;
    for (const n of numbers(3)) await add(1, n);
    await refusedBefore(triesMax + 100);
    const publisher = startPublisher();
    await bus.until(() => bus.refused >= 2);
    await stopPublishers();
    expect([await publisher.dead(), await publisher.pending()]).toEqual([0, 3]);
  });

  const addRenamed = (orgId: number, n: number) =>
    scope.run(orgId, (manager) => outbox.add(manager, agentRenamed, { orgId, payload: { n } }));

  it('lets events of other subjects pass those that the broker refuses, which keep their order', async () => {
    bus.forbids = ({ subject }) => subject === agentSaved.subject;
    for (const n of [0, 1, 2]) await add(1, n);
    for (const n of [10, 11]) await addRenamed(1, n);
    await add(1, 3);
    await addRenamed(1, 12);
    const publisher = startPublisher();
    await bus.until(() => bus.of(1).length === 3);
    expect(bus.of(1)).toEqual([10, 11, 12]);
    await eventually('the refused ones are left', async () => (await publisher.pending()) === 4);
    expect(await publisher.dead()).toBe(0);
    // While it is held back, too.
    await addRenamed(1, 13);
    await bus.until(() => bus.of(1).length === 4);
    bus.forbids = () => false;
    await bus.until(() => bus.of(1).length === 8);
    expect(bus.of(1).slice(4)).toEqual([0, 1, 2, 3]);
  });

  it('holds up nobody by organizations with nothing but refused events, however many there are', async () => {
    bus.forbids = ({ subject }) => subject === agentSaved.subject;
    const held = `now() + interval '1 hour'`;
    await dataSource.query(
      `INSERT INTO outbox (id, subject, org_id, payload, bytes, retry_at, is_refused)
       SELECT gen_random_uuid(), $1, n, '{"n":0}', 7, ${held}, true FROM generate_series(10, 400) AS n`,
      [agentSaved.subject],
    );
    await addRenamed(1, 1);
    startPublisher();
    await bus.until(() => bus.of(1).length === 1);
  });

  it('puts refused events aside one after another, once the broker has stored any other event', async () => {
    bus.forbids = ({ subject }) => subject === agentSaved.subject;
    for (const n of [0, 1]) await add(1, n);
    await refusedBefore(triesMax - 1);
    const publisher = startPublisher();
    await bus.until(() => bus.refused === 1);
    await addRenamed(2, 5);
    await bus.until(() => bus.of(2).length === 1);
    const due = () => dataSource.query('UPDATE outbox SET retry_at = NULL');
    await eventually('both are put aside', async () => {
      await due();
      return (await publisher.dead()) === 2;
    });
    expect(await publisher.deadEvents(2)).toMatchObject([{ subject: agentSaved.subject }, { subject: agentSaved.subject }]);
    expect(await publisher.pending()).toBe(0);
  });

  it('puts nothing aside while the broker refuses whatever it is sent', async () => {
    bus.forbids = () => true;
    await add(1, 0);
    await addRenamed(2, 1);
    await refusedBefore(triesMax + 100);
    const publisher = startPublisher();
    await bus.until(() => bus.refused >= 2);
    await stopPublishers();
    expect([await publisher.dead(), await publisher.pending()]).toEqual([0, 2]);
  });

  it('tells for how long the oldest event has waited', async () => {
    const publisher = new OutboxPublisher(dataSource, bus, outbox);
    expect(await publisher.oldestWaitSeconds()).toBe(0);
    await add(1, 0);
    await add(1, 1);
    await dataSource.query(`UPDATE outbox SET occurred_at = now() - interval '10 minutes' WHERE payload->>'n' = '0'`);
    expect(await publisher.oldestWaitSeconds()).toBeGreaterThanOrEqual(600);
  });

  it('waits longer after every refusal', async () => {
    const triedAtMs: number[] = [];
    bus.refuses = () => triedAtMs.push(performance.now()) > 0;
    startPublisher();
    await add(1, 0);
    await bus.until(() => bus.refused >= 3);
    await stopPublishers();
    const [first = 0, second = 0, third = 0] = triedAtMs;
    // Never sooner; a busy machine may be later.
    expect(second - first).toBeGreaterThan(240);
    expect(third - second).toBeGreaterThan(490);
  });

  it('loses nothing and keeps the order when a publisher is killed at work', async () => {
    await scope.run(1, async (manager) => {
      for (const n of numbers(400)) await outbox.add(manager, agentSaved, { orgId: 1, payload: { n } });
    });
    const child = typeScriptProcess('libs/database/src/outbox/publisher-process.fake.ts', 'publishUntilKilled', database.url);
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += String(text);
      if (said.split('\n').length > 20) break;
    }
    await killHard(child);
    const before = said.split('\n').filter((line) => /^1 \d+$/.test(line)).length;
    expect(before).toBeGreaterThan(0);

    startPublisher();
    await bus.until(() => bus.taken.at(-1)?.n === 399);
    const after = bus.of(1);
    const first = after[0] ?? Number.NaN;
    expect(after).toEqual(numbers(400).slice(first));
    // What the dead publisher had not sent is sent now; what it had sent may come again.
    expect(first).toBeLessThanOrEqual(before);
  });

  it('takes no event without a transaction, none that breaks its contract, none too large for the broker', async () => {
    const event = { orgId: 1, payload: { n: 1 } };
    await expect(outbox.add(dataSource.manager, agentSaved, event)).rejects.toThrow('needs a transaction');
    await expect(add(1, 1.5)).rejects.toThrow('int');
    const wide = { ...agentSaved, payload: agentSaved.payload.loose() };
    const oversized = { orgId: 1, payload: { n: 1, text: 'x'.repeat(1_000_000) } };
    await expect(scope.run(1, (manager) => outbox.add(manager, wide, oversized))).rejects.toThrow('file store');
    expect(await dataSource.query('SELECT id FROM outbox')).toEqual([]);
  });

  it('does the work of a consumer once, however many deliveries come together', async () => {
    const delivery = { eventId: '9f4c1c3e-4b07-4c49-a3f4-0d6a3f1b2c11', consumer: 'counting' };
    let done = 0;
    const deliver = (isFailing: boolean) =>
      scope.run(1, (manager) =>
        onceOnly(manager, delivery, async () => {
          if (isFailing) throw new Error('failed half-way');
          done += 1;
        }),
      );
    await expect(deliver(true)).rejects.toThrow('failed half-way');
    const ran = await Promise.all(numbers(10).map(() => deliver(false)));
    expect(ran.filter(Boolean)).toHaveLength(1);
    expect(done).toBe(1);
  });

  it('forgets deliveries only after two weeks', async () => {
    await dataSource.query(`INSERT INTO processed_events (event_id, consumer, processed_at)
      VALUES (gen_random_uuid(), 'old', now() - interval '15 days'), (gen_random_uuid(), 'young', now() - interval '13 days')`);
    await pruneProcessed(dataSource.manager);
    expect(await dataSource.query('SELECT consumer FROM processed_events')).toEqual([{ consumer: 'young' }]);
  });
});
