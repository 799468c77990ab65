import { connectionOptions, migrateSchema, Outbox, TenantScope } from '@parley/database';
import { testDatabase } from '@parley/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { telephonySchema } from '../database/schema';
import { CampaignRecords, CampaignTallies } from './campaign-records';
import { contactOf, type ContactRow, StoreClock } from './claim-queries';
import { describeCampaignStore, type StoreHarness } from './plan/campaign-store.suite';
import { lastWordsMs } from './after-attempt';
import { PostgresCampaignStore } from './postgres-campaign-store';

/** A clock that stands still until it is moved. */
class StoppedClock extends StoreClock {
  at = Date.parse('2026-03-02T12:00:00Z');

  override get now(): string {
    return `to_timestamp(${this.at} / 1000.0)`;
  }
}

const orgId = 1;
/** Makes numbers unique per campaign. */
const numbersOfCampaign = 10_000;
const caller = '+912025501234';

interface OpenedStore extends StoreHarness {
  readonly store: PostgresCampaignStore;
  /** Gives contacts, by their id, other numbers. */
  renumber(numbers: Readonly<Record<number, string>>): Promise<void>;
}

async function open(): Promise<OpenedStore> {
  const database = await testDatabase();
  await migrateSchema(telephonySchema, database.url);
  const dataSource = await new DataSource(connectionOptions(telephonySchema, { url: database.url })).initialize();
  const rows = new Client({ connectionString: database.adminUrl, options: '-c search_path=telephony' });
  await rows.connect();
  const clock = new StoppedClock();
  const tenants = new TenantScope(dataSource);
  const tallies = new CampaignTallies({ live: 500, waiting: 500, reserved: 0 });
  const store = new PostgresCampaignStore(tenants, new CampaignRecords(new Outbox(dataSource)), tallies, clock);
  let numbers = 1_000_000;
  return {
    store,
    advance: (ms) => (clock.at += ms),
    campaign: async (contacts, { callers = [caller], credits } = {}) => {
      const [first, ...more] = callers;
      const made = await rows.query<{ id: number }>(campaignOf, [orgId, first, more, credits?.budget ?? null]);
      const id = made.rows[0]?.id ?? 0;
      await rows.query(contactsOf, [orgId, id, contacts, new Date(clock.at), (numbers += numbersOfCampaign)]);
      return id;
    },
    setStatus: async (id, status) => {
      const needsClearing = status === 'CANCELLED';
      await rows.query('UPDATE campaigns SET status = $2, needs_clearing = $3 WHERE id = $1', [id, status, needsClearing]);
    },
    list: async (number) => {
      await rows.query(`INSERT INTO do_not_call (org_id, number, reason) VALUES ($1, $2, '')`, [orgId, number]);
    },
    renumber: async (numbers) => {
      for (const [id, number] of Object.entries(numbers))
        await rows.query('UPDATE campaign_contacts SET number = $2 WHERE id = $1', [id, number]);
    },
    setLegalHours: async (legalHours) => {
      await rows.query('DELETE FROM legal_hours WHERE org_id = $1', [orgId]);
      for (const [country, { fromMinute, toMinute, weekdays }] of Object.entries(legalHours))
        await rows.query('INSERT INTO legal_hours VALUES ($1, $2, $3, $4, $5, $6)', [
          ...[orgId, country, fromMinute, toMinute, weekdays],
          new Date(clock.at),
        ]);
    },
    contacts: async (id) => {
      const found = await rows.query<ContactRow>('SELECT * FROM campaign_contacts WHERE campaign_id = $1 ORDER BY id', [id]);
      return found.rows.map(contactOf);
    },
    status: async (id) => (await rows.query('SELECT status FROM campaigns WHERE id = $1', [id])).rows[0].status,
    close: async () => {
      await rows.end();
      await dataSource.destroy();
      await database.close();
    },
  };
}

const campaignOf = `
  INSERT INTO campaigns (org_id, name, agent_id, agent_key, caller_number, more_caller_numbers, calling_hours, retry, calls_per_minute,
    max_concurrent_calls, voicemail, ring_seconds, holidays, credit_budget, status, regions, time_zone)
  VALUES ($1, 'Renewals', 12, gen_random_uuid(), $2, $3, '{"days": ["Monday"], "from": "09:00", "to": "20:00"}',
    '{"maxAttempts": 3, "minutesBetween": 30, "retryOn": []}', 60, 20, '{}', 45, '{}', $4, 'RUNNING', '{IN Asia/Kolkata}', 'Asia/Kolkata')
  RETURNING id`;
const contactsOf = `
  INSERT INTO campaign_contacts (org_id, campaign_id, name, number, variables, region, due_at)
  SELECT $1, $2, '', '+9198' || ($5::int + place), '{}', 'IN Asia/Kolkata', $4 FROM generate_series(1, $3::int) AS place`;

describeCampaignStore('the store in Postgres', open);

describe('a contact whose number is listed with another prefix', () => {
  it('is not claimed', async () => {
    const harness = await open();
    const { store } = harness;
    const campaignId = await harness.campaign(3);
    const [first, second] = await harness.contacts(campaignId);
    await harness.renumber({ [first?.id ?? 0]: '+5491123456789', [second?.id ?? 0]: '+551181234567' });
    for (const listed of ['+541123456789', '+5511981234567']) await harness.list(listed);
    const openRegions = () => ['IN Asia/Kolkata'];
    const allow = () => ({ kind: 'DIAL', count: 3 }) as const;
    const claims = await store.claim({ campaignId, owner: 'one', leaseMs: 10_000, openRegions, allow });
    expect(claims).toHaveLength(1);
    expect((await harness.contacts(campaignId)).map(({ state }) => state)).toEqual(['DO_NOT_CALL', 'DO_NOT_CALL', 'ACTIVE']);
    await harness.close();
  });
});

describe('a call whose replica died before it reported the cost', () => {
  it('is looked up as soon as its last report would be due, not only after the usual silence', async () => {
    const harness = await open();
    const { store } = harness;
    const campaignId = await harness.campaign(1);
    const openRegions = () => ['IN Asia/Kolkata'];
    const allow = () => ({ kind: 'DIAL', count: 1 }) as const;
    const [claim] = await store.claim({ campaignId, owner: 'one', leaseMs: 10_000, openRegions, allow });
    if (!claim) throw new Error('nobody was due');
    const now = await store.now();
    await store.placed(claim, { callId: 'call', placedAt: now, askAt: now + 120_000 });
    await store.askSoon(claim.reference, now + lastWordsMs);
    // A later report does not delay it.
    await store.askSoon(claim.reference, now + 2 * lastWordsMs);
    harness.advance(lastWordsMs - 1);
    expect(await store.overdue('two', 10_000, 10)).toEqual([]);
    harness.advance(1);
    expect(await store.overdue('two', 10_000, 10)).toMatchObject([{ reference: claim.reference, state: 'PLACED' }]);
    await harness.close();
  });

  it('is work to do although its campaign rests', async () => {
    const harness = await open();
    const { store } = harness;
    const campaignId = await harness.campaign(1);
    expect(await store.isIdle()).toBe(false);
    const openRegions = () => ['IN Asia/Kolkata'];
    const allow = () => ({ kind: 'DIAL', count: 1 }) as const;
    await store.claim({ campaignId, owner: 'one', leaseMs: 10_000, openRegions, allow });
    await harness.setStatus(campaignId, 'PAUSED');
    expect(await store.isIdle()).toBe(true);
    harness.advance(10_000);
    expect(await store.isIdle()).toBe(false);
    await harness.close();
  });
});
