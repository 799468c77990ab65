import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { verifyAudit } from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { DiskFiles } from '@parley/providers/disk-files';
import { type RegularTasks, SealedSecrets } from '@parley/service-kit';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Archive } from '../../archive/archive';
import { gatewaySchema } from '../../database/schema';
import { Harness, type TestOrganization } from '../../testing/harness';
import { RecordedLog } from '../../testing/recorded-log';
import { testSecret } from '../../testing/running-gateway';
import { AuditTrail } from './audit-trail';
import { ChainKey } from './chain';
import { ChainNotes } from './chain-notes';

describe('audit chain ends noted outside Postgres', () => {
  let folder: string;
  let harness: Harness;
  let admin: Client;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let log: RecordedLog;
  let trail: AuditTrail;
  let notes: ChainNotes;
  let mine: TestOrganization;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-audit-ends-'));
    harness = await Harness.open();
    await harness.startGateway({ FILES_DIR: folder });
    admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
    await admin.query('SET search_path = gateway');
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: harness.database.url })).initialize();
    tenants = new TenantScope(dataSource);
  });
  beforeEach(() => {
    mine = harness.organization();
    log = new RecordedLog();
    const chainKey = new ChainKey(tenants, new SealedSecrets({ secretKey: testSecret }), log);
    notes = new ChainNotes(tenants, new DiskFiles(folder), chainKey, log);
    trail = new AuditTrail(tenants, chainKey, notes);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await admin.end();
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  });

  const act = async (count: number): Promise<void> => {
    const { orgId } = mine;
    const common = { orgId, memberId: null, integrationKeyId: null, subject: 'AgentID 12', request: null, before: null };
    for (let n = 0; n < count; n += 1) {
      const attempt = { ...common, action: 'agent-config.agent.save', requestId: randomUUID() };
      await trail.finish(orgId, await trail.begin(attempt), { outcome: 'OK' });
    }
  };
  const verify = () => harness.bus.ask(verifyAudit, {}, { principal: mine.owner });
  const broken = (reason: string) => ({ isIntact: false, firstBroken: { reason: expect.stringContaining(reason) } });
  /** What a superuser of Postgres can do, past every trigger. */
  const tamper = async (...statements: string[]) => {
    await admin.query('SET session_replication_role = replica');
    for (const statement of statements) await admin.query(statement, statement.includes('$1') ? [mine.orgId] : []);
    await admin.query('SET session_replication_role = DEFAULT');
  };
  const deleted = ['DELETE FROM audit_entries WHERE org_id = $1', 'DELETE FROM audit_heads WHERE org_id = $1'];
  const fileOf = () => path.join(folder, 'audit-ends', `${mine.orgId}.json`);

  it('reveal that a whole log was deleted, even after new lines were noted', async () => {
    await act(3);
    await notes.noteAll();
    expect(await verify()).toEqual({ isIntact: true, checkedCount: 3, firstBroken: null });
    await tamper(...deleted);
    expect(await verify()).toMatchObject({ ...broken('3 lines are missing at the end'), checkedCount: 0 });
    await act(1);
    await notes.noteAll();
    expect(await verify()).toMatchObject({ ...broken('2 lines are missing at the end'), checkedCount: 1 });
    await act(4);
    await notes.noteAll();
    expect(await verify()).toMatchObject({ ...broken('is not the line that was there'), checkedCount: 2 });
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('reveal that a log was replaced by an earlier copy, whatever followed', async () => {
    await act(2);
    await tamper(
      'DROP TABLE IF EXISTS copied_heads, copied_entries',
      'CREATE TEMP TABLE copied_heads AS TABLE audit_heads',
      'CREATE TEMP TABLE copied_entries AS TABLE audit_entries',
    );
    await act(2);
    await notes.noteAll();
    await tamper(
      ...deleted,
      'INSERT INTO audit_heads SELECT * FROM copied_heads WHERE org_id = $1',
      'INSERT INTO audit_entries OVERRIDING SYSTEM VALUE SELECT * FROM copied_entries WHERE org_id = $1',
    );
    expect(await verify()).toMatchObject(broken('2 lines are missing at the end'));
    await act(3);
    await notes.noteAll();
    expect(await verify()).toMatchObject({ ...broken('is not the line that was there'), checkedCount: 3 });
  });

  it('are sealed: with the files alone nobody can note anything else', async () => {
    await act(2);
    await notes.noteAll();
    const note = await readFile(fileOf(), 'utf8');
    for (const forged of [note.replace('"entries":2', '"entries":1'), note.padEnd(2_000), 'nothing', '{}', '']) {
      await writeFile(fileOf(), forged);
      expect(await verify()).toMatchObject(broken('in the file store was changed'));
    }
    await act(1);
    await expect(notes.noteAll()).rejects.toThrow('could not be noted');
    await writeFile(fileOf(), note);
    await notes.noteAll();
    expect(await verify()).toMatchObject({ isIntact: true, checkedCount: 3 });
    expect(JSON.parse(await readFile(fileOf(), 'utf8'))).toMatchObject({ entries: 3 });
  });

  it('continue when the noted line is archived, and across gateways', async () => {
    await act(2);
    await notes.noteAll();
    const book = { name: 'audit', table: 'audit_entries', id: 'id', time: 'created_on', months: 3 } as const;
    const tasks = { of: () => ({ start: () => undefined }) } as unknown as RegularTasks;
    const life = { log: harness.log, lifetime: { draining: new AbortController().signal }, tasks };
    const now = new Date();
    const later = new Date(Date.UTC(now.getUTCFullYear() + 1, now.getUTCMonth(), 1));
    await new Archive(book, tenants, new DiskFiles(folder), life).sweep(later);
    await act(1);
    await notes.noteAll();
    expect(JSON.parse(await readFile(fileOf(), 'utf8'))).toMatchObject({ entries: 3 });
    expect(await verify()).toEqual({ isIntact: true, checkedCount: 3, firstBroken: null });
    expect(log.lines).toEqual([]);
  });

  it('are noted by the gateway itself', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const gateway = await harness.startGateway({ FILES_DIR: folder });
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const init = { method: 'POST', headers, body: JSON.stringify({ name: 'Shop', kind: 'ext' }) };
    expect((await fetch(`${gateway.url}/api/v1/external/integrations/keys`, init)).status).toBe(200);
    await gateway.service.stop();
    expect(JSON.parse(await readFile(fileOf(), 'utf8'))).toMatchObject({ entries: 1 });
  });
});
