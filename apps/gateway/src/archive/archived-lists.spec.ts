import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportCreditUsage, listAudit, listCreditUsage, topUpCredits } from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { DiskFiles } from '@parley/providers/disk-files';
import type { RegularTasks } from '@parley/service-kit';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { gatewaySchema } from '../database/schema';
import { ledgerBook } from '../money/credits.module';
import { Harness, type TestOrganization } from '../testing/harness';
import { Archive, type Book } from './archive';

const later = new Date('2096-01-01T00:00:00Z');

describe('the archive', () => {
  let harness: Harness;
  let mine: TestOrganization;
  let admin: Client;
  let folder: string;
  let url: string;
  let dataSource: DataSource;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-archive-'));
    harness = await Harness.open();
    ({ url } = await harness.startGateway({ FILES_DIR: folder }));
    admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: harness.database.url })).initialize();
  });
  beforeEach(() => {
    mine = harness.organization();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await admin.end();
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  });

  const sweep = (book: Book) => {
    const tasks = { of: () => ({ start: () => undefined }) } as unknown as RegularTasks;
    const life = { log: harness.log, lifetime: { draining: new AbortController().signal }, tasks };
    return new Archive(book, new TenantScope(dataSource), new DiskFiles(folder), life).sweep(later);
  };

  it('is shown by a list that reaches so far back, and by no other', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const route = `${url}/api/v1/external/integrations/keys`;
    const { status } = await fetch(route, { method: 'POST', headers, body: '{"name":"Shop","kind":"ext"}' });
    expect(status).toBe(200);
    const before = async (body = {}) => (await harness.bus.ask(listAudit, body, { principal: mine.owner })).archivedBefore;
    expect(await before()).toBeNull();
    await sweep({ name: 'audit', table: 'audit_entries', id: 'id', time: 'created_on', months: 1 });
    const begin = await before();
    expect(Date.parse(begin ?? '')).toBeGreaterThan(Date.now());
    expect(await before({ startDate: begin })).toBeNull();
  });

  it('is read by exports of the ledger, with the same filters as the table', async () => {
    const key = mine.agent.AgentKeyID;
    await admin.query(
      `INSERT INTO gateway.credit_ledger (org_id, kind, entry, units, balance_after, reference, note, created_at, agent_key)
       SELECT $1, kind, 'CHARGE', -1, 0, gen_random_uuid(), note, at::timestamptz, agent::uuid FROM (VALUES
         ('TTT_API', 'March', '2026-03-31T23:59:59Z', $2), ('TTT_API', 'April', '2026-04-01T00:00:00Z', NULL),
         ('STT_API', 'other kind', '2026-04-02T00:00:00Z', $2), ('TTT_API', 'clock went back', '2026-04-01T23:59:59Z', $2),
         ('TTT_API', 'May', '2026-05-01T00:00:00Z', $2)) AS v (kind, note, at, agent)`,
      [mine.orgId, key],
    );
    await harness.bus.ask(topUpCredits, { kind: 'STT_API', units: 7, note: 'today' }, { principal: mine.owner });
    const exported = async (body = {}) => {
      let csv = '';
      for await (const part of harness.bus.stream(exportCreditUsage, body, { principal: mine.owner })) csv += part.csv;
      const [head = '', ...lines] = csv.trimEnd().split('\r\n');
      const notes = lines.map((line) => line.split(',').at(-1));
      return { columns: head.split(',').length, notes };
    };
    const whole = await exported();
    await sweep(ledgerBook(1));
    await harness.bus.ask(topUpCredits, { kind: 'STT_API', units: 7, note: 'later' }, { principal: mine.owner });
    expect(await exported()).toEqual({ ...whole, notes: [...whole.notes, 'later'] });
    const list = await harness.bus.ask(listCreditUsage, {}, { principal: mine.owner });
    expect([list.totalCount, Date.parse(list.archivedBefore ?? '') > Date.now()]).toEqual([1, true]);
    const some = [
      exported({ kind: 'STT_API', endDate: '2026-04-30T00:00:00Z' }),
      exported({ kind: 'TTT_API', AgentKeyID: key }),
      exported({ kind: 'TTT_API', startDate: '2026-04-01T00:00:00Z', endDate: '2026-04-30T00:00:00Z' }),
    ];
    expect((await Promise.all(some)).map(({ notes }) => notes)).toEqual([
      ['other kind'],
      ['March', 'clock went back', 'May'],
      ['April', 'clock went back'],
    ]);
  });
});
