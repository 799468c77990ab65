import { randomUUID } from 'node:crypto';
import {
  addCampaignContacts,
  addDoNotCall,
  cancelCampaign,
  contactDeleted,
  deleteCampaign,
  getCampaign,
  listCampaignContacts,
  pauseCampaign,
  resumeCampaign,
  retryCampaignContacts,
  saveCampaign,
  saveCampaignWebhook,
  startCampaign,
} from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { eventually } from '@parley/testing';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { telephonySchema } from '../database/schema';
import { OldRows } from '../recovery/old-calls';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { anyHour, openNumbers } from '../testing/open-numbers';

describe('a campaign whose contacts change after it started', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  let database: Client;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
    database = await harness.sql();
  });
  beforeEach(async () => {
    shop = await harness.shop();
    harness.network.placed.splice(0);
    harness.network.onPlace = () => undefined;
  });
  afterEach(() => harness.scripted.reset());
  afterAll(async () => {
    await harness.close();
  });

  const numbers = openNumbers(6);
  async function made(change: object = {}): Promise<string> {
    harness.scripted.contacts = numbers.slice(0, 3).map((ContactNumber, index) => ({ ContactID: index + 1, ContactNumber }));
    const fields = { CampaignName: 'Renewals', AgentID: 12, CallerNumber: shop.number.number, ContactIDs: [1, 2, 3] };
    const pace = { CallingHours: anyHour, CallsPerMinute: 600, MaxConcurrentCalls: 50, Retry: { maxAttempts: 3 } };
    return (await shop.ask(saveCampaign, { ...fields, ...pace, ...change })).CampaignKeyID;
  }
  const read = (CampaignKeyID: string) => shop.ask(getCampaign, { CampaignKeyID });
  const contacts = async (CampaignKeyID: string) =>
    (await shop.ask(listCampaignContacts, { CampaignKeyID, sortOrder: 'ASC', sortColumn: 'ContactNumber' })).rows;
  const erasedRows = (rows: Awaited<ReturnType<typeof contacts>>) =>
    rows.map(({ CustomerName, ContactNumber, variables, result }) => {
      return CustomerName === '' && !ContactNumber.includes('+') && Object.keys(variables).length === 0 && result === null;
    });
  const reaches = (key: string, status: string) => eventually(`it is ${status}`, async () => (await read(key)).status === status);
  async function tellDeleted(ContactID: number): Promise<void> {
    const payload = { ContactKeyID: randomUUID(), ContactID };
    const meta = { id: randomUUID(), orgId: shop.principal.orgId, occurredAt: new Date().toISOString() };
    await harness.bus.emit(contactDeleted, { ...meta, payload });
  }
  /** A webhook that is never reached, so that its events stay. */
  const listen = () =>
    shop.ask(saveCampaignWebhook, { CampaignKeyID: null, url: 'https://crm.invalid/hook', secret: 'a secret of sixteen' });
  /** What waits to be told of contacts. */
  async function toldContacts(): Promise<{ CustomerName: string }[]> {
    const { rows } = await database.query(
      `SELECT body::jsonb -> 'contact' AS contact FROM campaign_webhook_events WHERE org_id = $1 AND type = 'campaign.contact.finished'`,
      [shop.principal.orgId],
    );
    return rows.map(({ contact }) => contact);
  }
  const unnamed = { CustomerName: '', ContactNumber: expect.stringMatching(/^deleted-\d+$/), variables: {}, result: null };
  /** Ends every call as busy at once. */
  function everybodyIsBusy(): void {
    harness.network.onPlace = (_, { callId }) => {
      const tell = () => harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'busy' }]);
      void harness.noted(callId).then(tell);
    };
  }
  async function completed(change: object = {}): Promise<string> {
    everybodyIsBusy();
    const key = await made({ Retry: { maxAttempts: 1 }, ...change });
    await shop.ask(startCampaign, { CampaignKeyID: key });
    await reaches(key, 'COMPLETED');
    return key;
  }

  it('does not call a contact deleted from the organization, whether told once or twice', async () => {
    const [key, other] = [await made(), await made()];
    await tellDeleted(2);
    await tellDeleted(2);
    await eventually('nobody of them waits', async () => (await read(other)).progress.cancelled === 1);
    expect((await contacts(key)).map(({ state, cause }) => [state, cause])).toEqual([
      ['WAITING', null],
      ['WAITING', null],
      ['CANCELLED', 'The contact was deleted.'],
    ]);
    expect(erasedRows(await contacts(key))).toEqual([false, false, true]);
    expect(await shop.ask(retryCampaignContacts, { CampaignKeyID: key, outcomes: ['CANCELLED'] })).toEqual({
      retriedCount: 0,
      notice: null,
    });
    const back = await shop.ask(addCampaignContacts, { CampaignKeyID: key, Contacts: [{ ContactNumber: numbers[1] ?? '' }] });
    expect(back).toMatchObject({ addedCount: 1, repeatedCount: 0, contactCount: 4 });
    expect((await contacts(key))[1]).toMatchObject({ state: 'WAITING', ContactID: null, cause: null });
    expect((await read(key)).progress).toMatchObject({ waiting: 3, cancelled: 1 });
  });

  it('does not retry a contact deleted while the telephone rang', async () => {
    const ends: (() => Promise<unknown>)[] = [];
    harness.network.onPlace = (_, { callId }) => {
      ends.push(() => harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'busy' }]));
    };
    await listen();
    const key = await made({ ContactIDs: [1] });
    await shop.ask(startCampaign, { CampaignKeyID: key });
    await eventually('it rings', () => ends.length === 1);
    await tellDeleted(1);
    await eventually('it is known', async () => {
      const { rows } = await database.query('SELECT is_withdrawn FROM campaign_contacts WHERE is_withdrawn AND state = $1', [
        'ACTIVE',
      ]);
      return rows.length === 1;
    });
    await eventually('it is over', async () => {
      await ends[0]?.();
      return (await read(key)).status === 'COMPLETED';
    });
    expect((await contacts(key))[0]).toMatchObject({ state: 'CANCELLED', disposition: 'BUSY', attempts: 1 });
    expect(await toldContacts()).toEqual([expect.objectContaining(unnamed)]);
    await database.query(`UPDATE campaign_contacts SET updated_on = now() - interval '2 hours'`);
    const source = await new DataSource(connectionOptions(telephonySchema, { url: harness.database.url })).initialize();
    await new OldRows(new TenantScope(source)).sweep();
    await source.destroy();
    expect(erasedRows(await contacts(key))).toEqual([true]);
  });

  it('keeps nothing that identifies a deleted contact who was called before', async () => {
    await listen();
    const key = await completed();
    expect(await toldContacts()).not.toContainEqual(expect.objectContaining(unnamed));
    await database.query(`UPDATE campaign_contacts SET result = '{"wish":"call me at home"}' WHERE contact_id = 2`);
    await tellDeleted(2);
    await eventually('it is erased', async () => erasedRows(await contacts(key))[2] === true);
    expect((await toldContacts()).filter(({ CustomerName }) => CustomerName === '')).toEqual([expect.objectContaining(unnamed)]);
    expect((await contacts(key))[2]).toMatchObject({ state: 'MISSED', disposition: 'BUSY', attempts: 1 });
    expect(erasedRows(await contacts(key))).toEqual([false, false, true]);
  });

  it('accepts contacts once COMPLETED, says that it must be restarted, and then calls only those', async () => {
    const key = await completed();
    await expect(shop.ask(startCampaign, { CampaignKeyID: key })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The campaign has no one to call: add contacts first.',
    });
    const added = await shop.ask(addCampaignContacts, { CampaignKeyID: key, Contacts: [{ ContactNumber: numbers[4] ?? '' }] });
    expect(added).toMatchObject({ addedCount: 1, notice: 'The campaign is COMPLETED: start it again to have them called.' });
    expect(await read(key)).toMatchObject({ status: 'COMPLETED', progress: { waiting: 1 } });
    expect((await shop.ask(resumeCampaign, { CampaignKeyID: key })).status).toBe('RUNNING');
    await reaches(key, 'COMPLETED');
    expect(harness.network.placed.map(({ to }) => to).toSorted()).toEqual([...numbers.slice(0, 3), numbers[4]]);
  });

  it('retries contacts by outcome, except those on the do-not-call list', async () => {
    const key = await completed();
    await shop.ask(addDoNotCall, { ContactNumbers: [numbers[1] ?? ''] });
    const again = (outcomes: ('BUSY' | 'NO_ANSWER')[]) => shop.ask(retryCampaignContacts, { CampaignKeyID: key, outcomes });
    expect(await again(['NO_ANSWER'])).toEqual({ retriedCount: 0, notice: null });
    expect(await again(['BUSY'])).toMatchObject({ retriedCount: 2, notice: expect.stringContaining('start it again') });
    expect((await read(key)).progress).toMatchObject({ waiting: 2, missed: 1 });
    await shop.ask(startCampaign, { CampaignKeyID: key });
    await reaches(key, 'COMPLETED');
    expect(
      harness.network.placed
        .slice(3)
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual([numbers[0], numbers[2]]);
    expect((await contacts(key)).map(({ attempts, disposition }) => [attempts, disposition])).toEqual([
      [2, 'BUSY'],
      [1, 'BUSY'],
      [2, 'BUSY'],
    ]);
    const cancelled = await made();
    await shop.ask(cancelCampaign, { CampaignKeyID: cancelled });
    const refused = shop.ask(retryCampaignContacts, { CampaignKeyID: cancelled, outcomes: ['CANCELLED'] });
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is deleted with everything about its contacts, but not while it runs', async () => {
    const key = await completed();
    const listen = (url: string) => shop.ask(saveCampaignWebhook, { CampaignKeyID: key, url, secret: 'x'.repeat(16) });
    await listen('https://crm.example/parley');
    for (const url of ['https://localhost/hook', 'https://10.0.0.7/hook', 'https://[::1]/hook'])
      await expect(listen(url)).rejects.toMatchObject({
        details: [{ field: 'url', message: 'url cannot be called: the address is not public' }],
      });
    const draft = await made({ endDate: '2099-12-31' });
    expect(await shop.ask(deleteCampaign, { CampaignKeyID: draft })).toMatchObject({ CampaignKeyID: draft, contactCount: 3 });
    const stranger = await harness.shop();
    await expect(stranger.ask(deleteCampaign, { CampaignKeyID: key })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { CampaignID } = await shop.ask(deleteCampaign, { CampaignKeyID: key });
    await expect(read(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const table of ['campaign_contacts', 'campaign_attempts', 'campaign_counts', 'campaign_webhooks']) {
      const { rows } = await database.query(`SELECT 1 FROM ${table} WHERE campaign_id = $1`, [CampaignID]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
    harness.network.onPlace = () => undefined;
    const running = await made();
    await shop.ask(startCampaign, { CampaignKeyID: running });
    await eventually('they ring', () => harness.network.placed.length === 6);
    for (const how of [pauseCampaign, cancelCampaign]) {
      await expect(shop.ask(deleteCampaign, { CampaignKeyID: running })).rejects.toMatchObject({ code: 'CONFLICT' });
      await shop.ask(how, { CampaignKeyID: running });
    }
    await expect(shop.ask(deleteCampaign, { CampaignKeyID: running })).rejects.toMatchObject({
      message: '3 of its calls go on: delete it once they are over.',
    });
  });
});
