import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { listAudit, verifyAudit } from '@parley/contracts';
import { connectionOptions, migrateSchema, TenantScope } from '@parley/database';
import { ProviderFailure, ScriptedFileStore } from '@parley/ports';
import { DiskFiles } from '@parley/providers/disk-files';
import type { RegularTasks } from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { gatewaySchema } from '../database/schema';
import { differenceOf, readEquation } from '../money';
import { ledgerBook } from '../money/credits.module';
import { Harness, type TestOrganization } from '../testing/harness';
import { RecordedLog } from '../testing/recorded-log';
import { Archive } from './archive';

const months = 3;
/** Regular work is off here; these call it directly. */
const runs: (() => Promise<unknown>)[] = [];
const idleTasks = {
  of: ({ run }: { readonly run: () => Promise<unknown> }) => {
    runs.push(run);
    return { start: () => undefined };
  },
} as unknown as RegularTasks;
const now = new Date('2026-11-25T12:00:00Z');

interface Entry {
  readonly at: string;
  readonly units: number;
  readonly kind?: string;
  readonly note?: string;
}

describe('the archive of the ledger', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let files: ScriptedFileStore;
  let log: RecordedLog;
  let orgId = 0;

  const anArchive = (store = files) => {
    const draining = new AbortController().signal;
    const book = { ...ledgerBook(months), partLines: 3_000 };
    return new Archive(book, tenants, store, { log, lifetime: { draining }, tasks: idleTasks });
  };
  const rows = <Row extends object>(sql: string): Promise<Row[]> => tenants.read(orgId, (manager) => manager.query<Row[]>(sql));
  const equation = () => tenants.acrossTenants('the books of the whole test are proven', readEquation);
  const left = async () => (await rows<{ seq: string }>('SELECT seq FROM credit_ledger ORDER BY seq')).length;
  const monthsOf = () =>
    rows(`SELECT to_char(month, 'YYYY-MM') AS month, kind, granted::int, charged::int, lines::int, balance_after::int AS balance
          FROM credit_months ORDER BY month, kind`);
  const archived = async (): Promise<unknown[]> => {
    const lines: unknown[] = [];
    for await (const line of anArchive().archived(orgId)) lines.push(line);
    return lines;
  };

  /** Lines as charges would have left them, with consistent balances. */
  const write = async (entries: readonly Entry[]): Promise<void> => {
    const balances = new Map<string, number>();
    const values = entries.map(({ at, units, kind = 'TTT_API', note = '' }) => {
      const balance = (balances.get(kind) ?? 0) + units;
      balances.set(kind, balance);
      return { at, units, kind, note, balance, reference: randomUUID() };
    });
    await tenants.run(orgId, async (manager) => {
      await manager.query(
        `INSERT INTO credit_ledger (org_id, kind, entry, units, balance_after, reference, note, created_at)
         SELECT $1, kind, CASE WHEN units > 0 THEN 'GRANT' ELSE 'CHARGE' END, units, balance, reference, note, at
         FROM jsonb_to_recordset($2) AS v (at timestamptz, units bigint, kind text, note text, balance bigint, reference uuid)`,
        [orgId, JSON.stringify(values)],
      );
      for (const [kind, available] of balances)
        await manager.query('INSERT INTO credit_accounts (org_id, kind, available) VALUES ($1, $2, $3)', [
          orgId,
          kind,
          available,
        ]);
    });
  };
  const charges = (at: string, count: number): Entry[] => Array.from({ length: count }, () => ({ at, units: -1 }));

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(gatewaySchema, database.url);
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: database.url })).initialize();
    tenants = new TenantScope(dataSource);
  });
  beforeEach(() => {
    orgId += 1;
    files = new ScriptedFileStore();
    log = new RecordedLog();
  });
  afterEach(async () => {
    const books = await equation();
    expect({ difference: differenceOf(books), breaks: books.breaks }).toEqual({ difference: 0, breaks: 0 });
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  it('moves whole old months to files, keeps their sums, and the books still balance', async () => {
    await write([
      { at: '2026-06-30T23:59:59.999Z', units: 500, note: 'June, with a line end \u2028 of its own\n' },
      { at: '2026-07-01T00:00:00Z', units: -20 },
      { at: '2026-07-31T23:59:59Z', units: -30 },
      { at: '2026-07-31T23:59:59Z', units: 90, kind: 'TTS_API' },
      { at: '2026-08-01T00:00:00Z', units: -50 },
      { at: '2026-11-01T00:00:00Z', units: -1 },
    ]);
    const before = await rows<{ seq: string }>('SELECT seq, note FROM credit_ledger ORDER BY seq');
    expect(await anArchive().sweep(now)).toEqual({ lines: 4, troubled: 0 });
    expect(await monthsOf()).toEqual([
      { month: '2026-06', kind: 'TTT_API', granted: 500, charged: 0, lines: 1, balance: 500 },
      { month: '2026-07', kind: 'TTS_API', granted: 90, charged: 0, lines: 1, balance: 90 },
      { month: '2026-07', kind: 'TTT_API', granted: 0, charged: 50, lines: 2, balance: 450 },
    ]);
    expect(await left()).toBe(2);
    expect(await archived()).toEqual(
      before.slice(0, 4).map((line) => expect.objectContaining({ ...line, seq: Number(line.seq), org_id: orgId })),
    );
    const [key = ''] = [...files.files.keys()].sort();
    expect(key).toMatch(new RegExp(`^archive/ledger/${orgId}/2026-06/`));
    expect(gunzipSync(files.files.get(key) ?? '').toString()).toContain('"units":500');
    expect(await anArchive().sweep(now)).toEqual({ lines: 0, troubled: 0 });
  });

  it('continues with the next month, or with one half done', async () => {
    await write([
      { at: '2026-07-10T00:00:00Z', units: 10 },
      { at: '2026-08-10T00:00:00Z', units: -4 },
      { at: '2026-08-10T00:00:01Z', units: -1 },
    ]);
    await anArchive().sweep(now);
    expect(await left()).toBe(2);
    await anArchive().sweep(new Date('2026-12-01T00:00:00Z'));
    expect(await left()).toBe(0);
    expect((await monthsOf()).at(-1)).toEqual({
      month: '2026-08',
      kind: 'TTT_API',
      granted: 0,
      charged: 5,
      lines: 2,
      balance: 5,
    });
  });

  it('files a line whose clock went back under the month of the line before', async () => {
    await write([
      { at: '2026-07-01T00:00:00.001Z', units: 10 },
      { at: '2026-06-30T23:59:59.999Z', units: -1 },
      { at: '2026-07-02T00:00:00Z', units: -2 },
    ]);
    expect(await anArchive().sweep(now)).toMatchObject({ lines: 3 });
    expect(await monthsOf()).toEqual([{ month: '2026-07', kind: 'TTT_API', granted: 10, charged: 3, lines: 3, balance: 7 }]);
  });

  it('splits a large month into parts, none archived twice by three replicas at once', async () => {
    const many = 3_500;
    await write([{ at: '2026-05-01T00:00:00Z', units: many }, ...charges('2026-05-02T00:00:00Z', many - 1)]);
    const moved = await Promise.all([anArchive(), anArchive(), anArchive()].map((archive) => archive.sweep(now)));
    const again = await anArchive().sweep(now);
    expect([...moved, again].reduce((sum, { lines }) => sum + lines, 0)).toBe(many);
    expect(await left()).toBe(0);
    expect((await archived()).length).toBe(many);
    expect(files.files.size).toBe(2);
  });

  it('reads lines by the ordered index, even without planner statistics', async () => {
    await write(charges('2026-05-01T00:00:00Z', 3_000).map((charge, at) => (at === 0 ? { ...charge, units: 3_000 } : charge)));
    const plans: string[] = [];
    const read = tenants.read.bind(tenants);
    const explaining = jest.spyOn(tenants, 'read').mockImplementation((org, work) =>
      read(org, (manager) => {
        const query = manager.query.bind(manager);
        manager.query = async <T>(sql: string, values?: unknown[]): Promise<T> => {
          if (sql.includes('FROM credit_ledger')) plans.push(JSON.stringify(await query(`EXPLAIN ${sql}`, values)));
          return query<T>(sql, values);
        };
        return work(manager);
      }),
    );
    await anArchive().sweep(now);
    explaining.mockRestore();
    expect(plans.length).toBeGreaterThan(3);
    expect(plans.filter((plan) => plan.includes('Sort'))).toEqual([]);
  });

  it.each([
    ['rejects them', (store: ScriptedFileStore) => store.failNext(new ProviderFailure('scripted', 'away', { retryable: true }))],
    [
      'returns different ones',
      (store: ScriptedFileStore) => {
        const put = store.put.bind(store);
        store.put = async (key, body, options) => {
          const stored = await put(key, body, options);
          store.files.set(key, store.files.get(key)?.subarray(0, -12) ?? Buffer.alloc(0));
          return stored;
        };
      },
    ],
  ])('keeps lines in Postgres while the store %s, and reports it', async (_what, breakStore) => {
    await write([{ at: '2026-05-01T00:00:00Z', units: 5 }]);
    breakStore(files);
    expect(await anArchive().sweep(now)).toEqual({ lines: 0, troubled: 1 });
    expect([await left(), await monthsOf(), files.files.size]).toEqual([1, [], 0]);
    expect(log.lines).toContainEqual(expect.objectContaining({ message: 'Old lines stay for now' }));
    breakStore(files);
    await expect(runs.at(-1)?.()).rejects.toThrow('old lines stay for 1 organization');
    files = new ScriptedFileStore();
    await anArchive().sweep(now);
    expect([await left(), files.files.size]).toEqual([0, 1]);
  });

  it('keeps the file of a commit that was not acknowledged', async () => {
    await write([{ at: '2026-05-01T00:00:00Z', units: 5 }]);
    const run = tenants.run.bind(tenants);
    const lost = jest.spyOn(tenants, 'run').mockImplementationOnce(async (org, work) => {
      await run(org, work);
      throw Object.assign(new Error('the connection is gone'), { code: '57P01' });
    });
    await anArchive().sweep(now);
    lost.mockRestore();
    expect([await left(), (await archived()).length]).toEqual([0, 1]);
  });

  it('notices a changed or missing file', async () => {
    await write([{ at: '2026-05-01T00:00:00Z', units: 5 }]);
    await anArchive().sweep(now);
    const [key = ''] = files.files.keys();
    const other = new ScriptedFileStore();
    await other.put(key, (async function* () {})(), { bytesMax: 1 });
    for (const store of [other, new ScriptedFileStore()]) {
      const read = async () => {
        for await (const line of anArchive(store).archived(orgId)) expect(line).toBeDefined();
      };
      await expect(read()).rejects.toThrow(key);
    }
    const text = gunzipSync(files.files.get(key) ?? '')
      .toString()
      .trimEnd();
    expect(await rows('SELECT sha256 FROM archived_parts')).toEqual([
      { sha256: createHash('sha256').update(text).digest('hex') },
    ]);
  });

  it('closes the file when its reader stops', async () => {
    await write([
      { at: '2026-05-01T00:00:00Z', units: 5 },
      { at: '2026-05-01T00:00:01Z', units: 5 },
    ]);
    await anArchive().sweep(now);
    const opened: Readable[] = [];
    const [content] = files.files.values();
    // A file with more to read, as a large one has.
    async function* endless() {
      yield content;
      await new Promise(() => undefined);
    }
    jest.spyOn(files, 'open').mockImplementation(async () => {
      const file = Readable.from(endless());
      opened.push(file);
      return file;
    });
    for await (const line of anArchive().archived(orgId)) {
      expect(line).toMatchObject({ units: 5 });
      break;
    }
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('is the only way to delete a line', async () => {
    await write([
      { at: '2026-05-01T00:00:00Z', units: 5 },
      { at: '2026-09-01T00:00:00Z', units: 5 },
    ]);
    await anArchive().sweep(now);
    const remove = (sql: string) => tenants.run(orgId, (manager) => manager.query(sql));
    for (const sql of ['DELETE FROM credit_ledger', 'UPDATE credit_ledger SET units = 1'])
      await expect(remove(sql)).rejects.toThrow('append-only');
  });
});

describe('the archive of the audit log', () => {
  const later = new Date('2096-01-01T00:00:00Z');
  let harness: Harness;
  let mine: TestOrganization;
  let admin: Client;
  let folder: string;
  let url: string;
  let dataSource: DataSource;
  let archive: Archive;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-archive-'));
    harness = await Harness.open();
    ({ url } = await harness.startGateway({ FILES_DIR: folder }));
    admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: harness.database.url })).initialize();
    const book = { name: 'audit', table: 'audit_entries', id: 'id', time: 'created_on', months } as const;
    const life = { log: harness.log, lifetime: { draining: new AbortController().signal }, tasks: idleTasks };
    archive = new Archive(book, new TenantScope(dataSource), new DiskFiles(folder), life);
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

  const tamper = (statement: string) =>
    admin.query(`SET session_replication_role = replica; ${statement}; SET session_replication_role = DEFAULT`);
  const verify = () => harness.bus.ask(verifyAudit, {}, { principal: mine.owner });
  const listed = async () => (await harness.bus.ask(listAudit, {}, { principal: mine.owner })).totalCount;
  const act = async (count: number) => {
    const { key } = await harness.key(mine, 'wsk');
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    for (let n = 0; n < count; n += 1) {
      const body = JSON.stringify({ name: `Key “${n}”`, kind: 'ext' });
      const { status } = await fetch(`${url}/api/v1/external/integrations/keys`, { method: 'POST', headers, body });
      expect(status).toBe(200);
    }
  };
  const fileOf = async () => {
    const { rows } = await admin.query<{ key: string }>('SELECT file_key AS key FROM gateway.archived_parts WHERE org_id = $1', [
      mine.orgId,
    ]);
    return path.join(folder, rows[0]?.key ?? '');
  };

  it('keeps the chain verifiable, and new lines continue it', async () => {
    await act(5);
    await archive.sweep(later);
    expect(await listed()).toBe(0);
    await act(2);
    expect(await verify()).toEqual({ isIntact: true, checkedCount: 7, firstBroken: null });
  });

  it('works while lines are added', async () => {
    await act(3);
    const atWork = Promise.all([archive.sweep(later), act(3)]);
    const [, ...verdicts] = await Promise.all([atWork, ...Array.from({ length: 10 }, verify)]);
    expect(verdicts.map(({ isIntact }) => isIntact)).toEqual(Array(10).fill(true));
  });

  it('detects a changed line in a file, a missing file, and lines cut off at its end', async () => {
    await act(3);
    await archive.sweep(later);
    const file = await fileOf();
    const packed = await readFile(file);
    const lines = gunzipSync(packed).toString().trimEnd().split('\n');
    const forge = async (forged: readonly string[]) => {
      const text = forged.join('');
      const sha256 = createHash('sha256').update(text).digest('hex');
      await tamper(`UPDATE gateway.archived_parts SET sha256 = '${sha256}' WHERE org_id = ${mine.orgId}`);
      await writeFile(file, gzipSync(forged.map((line) => `${line}\n`).join('')));
    };
    await forge(lines.map((line, at) => (at === 1 ? line.replace('"OK"', '"FAILED"') : line)));
    expect(await verify()).toMatchObject({
      isIntact: false,
      checkedCount: 1,
      firstBroken: { reason: expect.stringContaining('changed') },
    });
    await forge(lines.slice(0, 2));
    expect(await verify()).toMatchObject({
      isIntact: false,
      firstBroken: { reason: expect.stringContaining('missing at the end') },
    });
    await rm(file);
    expect(await verify()).toMatchObject({ isIntact: false, firstBroken: { reason: expect.stringContaining('are missing') } });
    await writeFile(file, packed);
    await forge(lines);
    expect(await verify()).toMatchObject({ isIntact: true, checkedCount: 3 });
  });
});
