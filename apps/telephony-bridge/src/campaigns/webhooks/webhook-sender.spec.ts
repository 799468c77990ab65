import { createHmac, randomUUID } from 'node:crypto';
import { connectionOptions, migrateSchema, TenantScope } from '@parley/database';
import { createLogger, isPublicAddress, Metrics, RegularTasks, SealedSecrets } from '@parley/service-kit';
import { eventually, testDatabase, type TestDatabase } from '@parley/testing';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { DataSource } from 'typeorm';
import { telephonySchema } from '../../database/schema';
import { Campaign, CampaignWebhook, sealPlaceOf } from '../campaign.entity';
import { tellStatus } from '../webhook-events';
import { isSignedBy, WebhookReceiver } from './webhook-receiver.suite';
import { signatureOf, WebhookReach, WebhookSender } from './webhook-sender';

const orgId = 1;
const secret = 'the secret of this receiver';
const anybody = new WebhookReach({ isAllowed: () => true, protocols: ['http:'] });

describe('webhooks of campaigns', () => {
  const receiver = new WebhookReceiver();
  const seals = new SealedSecrets({ secretKey: 'spec'.padEnd(32, '.') });
  const destination = new Writable({ write: (_line, _encoding, done) => done() });
  const log = createLogger({ level: 'error', isReadable: false, writesPii: false, destination });
  const figures = new Metrics().metricsOf('telephony-bridge');
  let database: TestDatabase;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let campaign: Campaign;
  const sender = (reach = anybody, draining = new AbortController().signal): WebhookSender =>
    new WebhookSender(
      tenants,
      seals,
      reach,
      { draining, overdue: draining },
      log,
      new RegularTasks({ draining, overdue: draining }, log, figures),
    );

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(telephonySchema, database.url);
    dataSource = await new DataSource(connectionOptions(telephonySchema, { url: database.url })).initialize();
    tenants = new TenantScope(dataSource);
    await receiver.open();
  });
  beforeEach(async () => {
    receiver.reset();
    await query('DELETE FROM campaign_webhooks');
    campaign = await newCampaign();
  });
  afterAll(async () => {
    receiver.close();
    await dataSource.destroy();
    await database.close();
  });

  const query = <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    tenants.acrossTenants('a test', (manager) => manager.query(sql, values));
  const newCampaign = (of = orgId): Promise<Campaign> =>
    tenants.run(of, (manager) =>
      manager.save(
        Campaign,
        manager.create(Campaign, {
          ...{
            orgId: of,
            name: 'Renewals',
            agentId: 12,
            agentKey: randomUUID(),
            timeZone: 'UTC',
            status: 'RUNNING',
            holidays: [],
          },
          ...{ callerNumber: '+912025501234', moreCallerNumbers: [], startDate: null, endDate: null, callsPerMinute: 1 },
          ...{ callingHours: { days: ['Monday'], from: '09:00', to: '20:00' }, maxConcurrentCalls: 1, ringSeconds: 45 },
          ...{ retry: { maxAttempts: 1, minutesBetween: 60, retryOn: [] }, voicemail: { action: 'TALK', message: '' } },
        }),
      ),
    );
  const listen = (path = '/', base = receiver.url, of = orgId): Promise<CampaignWebhook> =>
    tenants.run(of, (manager) => {
      const keyId = randomUUID();
      const sealed = seals.seal(secret, sealPlaceOf({ orgId: of, keyId }));
      const webhook = { orgId: of, keyId, campaignId: null, url: base + path, sealed, isActive: true };
      return manager.save(CampaignWebhook, manager.create(CampaignWebhook, webhook));
    });
  const tell = (status: Campaign['status'], of = campaign): Promise<void> =>
    tenants.run(of.orgId, (manager) => tellStatus(manager, { ...of, status }, { before: 'RUNNING', counts: { WAITING: 2 } }));
  const types = (): string[] => receiver.received.map(({ event }) => event.type);
  const waiting = () =>
    query<{ type: string; tries: number; last_failure: string | null; given_up_on: Date | null }>(
      'SELECT type, tries, last_failure, given_up_on FROM campaign_webhook_events ORDER BY id',
    );
  const becomeDue = () => query(`UPDATE campaign_webhook_queues SET due_at = now() - interval '1 second'`);

  it('are delivered once, in order, signed, and leave the queue empty', async () => {
    await listen('/hook');
    await tell('PAUSED');
    await tell('COMPLETED');
    expect(await sender().sendDue()).toBe(1);
    expect(types()).toEqual(['campaign.paused', 'campaign.completed']);
    const [first] = receiver.received;
    expect(first?.event).toMatchObject({ CampaignKeyID: campaign.keyId, status: 'PAUSED', progress: { waiting: 2 } });
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'parley-event-id': first?.event.id,
      'parley-event-type': 'campaign.paused',
    });
    expect(receiver.received.every((event) => isSignedBy(secret, event))).toBe(true);
    expect(receiver.received.some((event) => isSignedBy('another secret', event))).toBe(false);
    expect([await sender().sendDue(), await waiting()]).toEqual([0, []]);
  });

  it('are signed over the timestamp and body, which anybody can verify', () => {
    const code = createHmac('sha256', secret).update('1700000000.{"a":1}').digest('hex');
    expect(signatureOf('{"a":1}', secret, 1_700_000_000)).toBe(`t=1700000000,v1=${code}`);
  });

  it.each([
    [500, 'It answered 500.'],
    [404, 'It answered 404.'],
    [302, 'It answered 302.'],
  ])('keep their order and id while one is answered %i', async (status, failure) => {
    await listen();
    await tell('PAUSED');
    await tell('COMPLETED');
    receiver.answer = (_, response) => void response.writeHead(status, { location: 'http://127.0.0.1/elsewhere' }).end();
    await sender().sendDue();
    expect(types()).toEqual(['campaign.paused']);
    expect(await waiting()).toMatchObject([{ tries: 1, last_failure: failure }, { tries: 0 }]);
    expect(await sender().sendDue()).toBe(0);
    receiver.answer = (_, response) => void response.writeHead(200).end();
    await becomeDue();
    await sender().sendDue();
    expect(types()).toEqual(['campaign.paused', 'campaign.paused', 'campaign.completed']);
    expect(receiver.received[1]?.event.id).toBe(receiver.received[0]?.event.id);
    expect(await waiting()).toEqual([]);
  });

  it('that fail do not delay other campaigns, and back off', async () => {
    await listen();
    const other = await newCampaign();
    await tell('PAUSED');
    await tell('PAUSED', other);
    receiver.answer = ({ event }, response) => void response.writeHead(event.CampaignKeyID === campaign.keyId ? 503 : 200).end();
    const clock = async (): Promise<number> =>
      (await query<{ seconds: number }>('SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds'))[0]?.seconds ?? 0;
    for (const pause of [5, 10, 20, 40]) {
      await becomeDue();
      const before = await clock();
      await sender().sendDue();
      const [queue] = await query<{ due: number }>(
        'SELECT extract(epoch FROM due_at)::float8 AS due FROM campaign_webhook_queues WHERE campaign_id = $1',
        [campaign.id],
      );
      // The pause began at some time during the attempt, which may be slow.
      expect(queue?.due).toBeGreaterThanOrEqual(before + pause);
      expect(queue?.due).toBeLessThanOrEqual((await clock()) + pause);
    }
    expect(receiver.received.filter(({ event }) => event.CampaignKeyID === other.keyId)).toHaveLength(1);
  });

  it('are given up after a day of failures, shown as such, and do not block later ones', async () => {
    await listen();
    await tell('PAUSED');
    await query(`UPDATE campaign_webhook_events SET give_up_at = now() - interval '1 second'`);
    await tell('COMPLETED');
    receiver.answer = (_, response) => void response.writeHead(500).end();
    await sender().sendDue();
    expect(await waiting()).toMatchObject([
      { given_up_on: expect.any(Date), last_failure: 'It answered 500.' },
      { given_up_on: null },
    ]);
    receiver.answer = (_, response) => void response.writeHead(200).end();
    await becomeDue();
    await sender().sendDue();
    expect(types()).toEqual(['campaign.paused', 'campaign.completed']);
    expect(await waiting()).toMatchObject([{ type: 'campaign.paused' }]);
  });

  it('are sent by one replica at a time, however slow the receiver', async () => {
    await listen();
    for (const status of ['PAUSED', 'RUNNING', 'COMPLETED'] as const) await tell(status);
    // The first is answered only once the others have looked, so that they could overtake it.
    const held: ServerResponse[] = [];
    receiver.answer = (_, response) => void held.push(response);
    const sending = sender().sendDue();
    await eventually('one is sent', () => held.length === 1);
    expect(await Promise.all([sender().sendDue(), sender().sendDue()])).toEqual([0, 0]);
    receiver.answer = (_, response) => void response.writeHead(200).end();
    held[0]?.writeHead(200).end();
    expect(await sending).toBe(1);
    expect(types()).toEqual(['campaign.paused', 'campaign.resumed', 'campaign.completed']);
  });

  it('of a dead replica are sent with the same id once its lease has expired', async () => {
    await listen();
    await tell('PAUSED');
    const dying = new AbortController();
    receiver.answer = () => dying.abort();
    await sender(anybody, dying.signal).sendDue();
    expect(await waiting()).toMatchObject([{ tries: 0 }]);
    // A replica that dies leaves its lease behind.
    await query(`UPDATE campaign_webhook_queues SET lease = gen_random_uuid(), lease_until = now() + interval '1 minute'`);
    expect(await sender().sendDue()).toBe(0);
    await query(`UPDATE campaign_webhook_queues SET lease_until = now() - interval '1 second'`);
    receiver.answer = (_, response) => void response.writeHead(200).end();
    await sender().sendDue();
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1);
    expect(await waiting()).toEqual([]);
  });

  it('give a hanging server ten seconds', async () => {
    await listen();
    await tell('PAUSED');
    receiver.answer = () => undefined;
    await sender().sendDue();
    expect(await waiting()).toMatchObject([{ tries: 1, last_failure: 'It did not answer within 10 seconds.' }]);
  });

  it('of one organization that hang leave room for those of another', async () => {
    const stranger = 2;
    const busy = await Promise.all(Array.from({ length: 6 }, () => newCampaign()));
    await listen('/slow');
    for (const each of busy) await tell('PAUSED', each);
    const quick = await newCampaign(stranger);
    await listen('/quick', receiver.url, stranger);
    await tell('PAUSED', quick);
    await becomeDue();
    await query(`UPDATE campaign_webhook_queues SET due_at = now() WHERE org_id = $1`, [stranger]);
    const held: ServerResponse[] = [];
    receiver.answer = ({ path }, response) => void (path === '/slow' ? held.push(response) : response.writeHead(200).end());
    const sending = sender().sendDue();
    await eventually('five are told', () => receiver.received.length === 5);
    expect(receiver.received.filter(({ path }) => path === '/quick')).toHaveLength(1);
    expect(held).toHaveLength(4);
    expect(await sender().sendDue()).toBe(0);
    for (const response of held.splice(0)) response.writeHead(200).end();
    expect(await sending).toBe(5);
    receiver.answer = (_, response) => void response.writeHead(200).end();
    expect(await sender().sendDue()).toBe(2);
  });

  it('never reach a private address, by number, name or redirect', async () => {
    const careful = new WebhookReach({ isAllowed: isPublicAddress, protocols: ['http:'] });
    await listen('/');
    await listen('/', receiver.url.replace('127.0.0.1', 'localhost'));
    await tell('PAUSED');
    await sender(careful).sendDue();
    expect((await waiting()).map(({ last_failure }) => last_failure)).toEqual(Array(2).fill('Its address is not public.'));
    expect(receiver.received).toEqual([]);
    await becomeDue();
    receiver.answer = ({ path }, response) =>
      void response.writeHead(path === '/inside' ? 200 : 307, { location: `${receiver.url}/inside` }).end();
    await sender().sendDue();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/']);
  });

  it('saved during a change that is rolled back hear nothing of it', async () => {
    await listen();
    const failing = tenants.run(orgId, async (manager) => {
      await tellStatus(manager, { ...campaign, status: 'PAUSED' }, { before: 'RUNNING', counts: {} });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect([await sender().sendDue(), await waiting()]).toEqual([0, []]);
  });

  it('lose no event added while their queue is found empty', async () => {
    await listen();
    await tell('PAUSED');
    const statuses = Array.from({ length: 15 }, () => ['RUNNING', 'PAUSED'] as const).flat();
    const telling = (async () => {
      for (const status of statuses) await tell(status);
    })();
    let isTold = false;
    void telling.then(() => (isTold = true));
    while (!isTold || (await sender().sendDue()) > 0) await sender().sendDue();
    expect(types()).toEqual(['PAUSED', ...statuses].map((each) => (each === 'PAUSED' ? 'campaign.paused' : 'campaign.resumed')));
    expect(await waiting()).toEqual([]);
  });
});
