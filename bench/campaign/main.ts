// `npm run bench -- campaign [contacts]`: the time and memory it takes to load a million contacts, how many calls a minute one
// replica starts with an instant telephone, and what a claim reads among few contacts and among many. Fails if the claim among
// many is not the same index scan, or if fewer than 600 calls a minute are started.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Campaign,
  CampaignContacts,
  CampaignEngine,
  CampaignRecords,
  CampaignTallies,
  duePick,
  type NewContact,
  PostgresCampaignStore,
  StoreClock,
} from '@parley/apps/telephony-bridge/campaigns';
import { telephonyBridge } from '@parley/apps/telephony-bridge';
import { connectionOptions, migrateSchema, Outbox, startEmbeddedPostgres, TenantScope } from '@parley/database';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { memoryPeakOf } from '../measure/memory-peak';
import { type Figures, report } from '../measure/report';

const contactsInAll = Number(process.argv[2] ?? 1_000_000);
const contactsOfFirst = 10_000;
const contactsOfOthers = 100_000;
const dialledForMs = 60_000;
const callsAMinuteLeast = 600;
/** Ten times as many rows add one level to an index. */
const blocksMoreMax = 2;
const orgId = 1;
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const limits = { live: 10_000, waiting: 1_000, reserved: 0 };
/** Whatever the time, it is between nine and eight in the evening in one of these zones, so people there may be called. */
const beginnings = [
  { beginning: '+573', zone: 'America/Bogota' },
  { beginning: '+919', zone: 'Asia/Kolkata' },
  { beginning: '+6799', zone: 'Pacific/Fiji' },
];
const Plan = z.array(
  z.object({ 'QUERY PLAN': z.array(z.object({ 'Execution Time': z.number(), Plan: z.record(z.string(), z.unknown()) })) }),
);
const Node = z.object({
  'Node Type': z.string(),
  'Index Name': z.string().optional(),
  Plans: z.array(z.unknown()).default([]),
});

async function main(): Promise<void> {
  const { database: schema } = telephonyBridge;
  if (!schema) throw new TypeError('the telephony bridge keeps nothing');
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const database = await startEmbeddedPostgres({ home: folder });
  await migrateSchema(schema, database.url);
  const dataSource = await new DataSource(connectionOptions(schema, { url: database.url })).initialize();
  try {
    report('campaign', await measure(dataSource));
  } finally {
    await dataSource.destroy();
    await database.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measure(dataSource: DataSource): Promise<Figures[]> {
  const tenants = new TenantScope(dataSource);
  const records = new CampaignRecords(new Outbox(dataSource));
  const store = new PostgresCampaignStore(tenants, records, new CampaignTallies(limits), new StoreClock());
  const contacts = new CampaignContacts(tenants, records);
  const add = async (count: number) => contacts.add(await newCampaign(tenants), numbersOf(count));
  const first = await newCampaign(tenants);
  await contacts.add(first, numbersOf(contactsOfFirst));
  const among = [await claimAmong(tenants, first, contactsOfFirst)];
  const startedMs = performance.now();
  const { overIdleBytes } = await memoryPeakOf(async () => {
    for (let left = contactsInAll - contactsOfFirst; left > 0; left -= contactsOfOthers)
      await add(Math.min(left, contactsOfOthers));
  });
  const seconds = (performance.now() - startedMs) / 1000;
  const loaded = {
    what: `${contactsInAll} contacts loaded`,
    seconds: seconds.toFixed(1),
    'MiB over idle': Math.round(overIdleBytes / 2 ** 20),
  };
  await dataSource.query('ANALYZE');
  among.push(await claimAmong(tenants, first, contactsInAll));
  const dialled = await dial(store, tenants, first);
  require(isFlat(among), 'a claim among many is another than among few');
  require(dialled.calls >= callsAMinuteLeast, `only ${dialled.calls} calls a minute were begun`);
  return [loaded, ...among.map(({ plan: _plan, ...figures }) => figures), dialled];
}

/** Whether it is the same index scan, reading no more than a deeper index requires. */
function isFlat(among: readonly Claimed[]): boolean {
  const [few, many] = among;
  if (!few || !many) return false;
  const isSame = few.plan === many.plan && many['by index'] === 'true';
  return isSame && many['blocks read'] <= few['blocks read'] * blocksMoreMax;
}

function require(holds: boolean, says: string): void {
  if (holds) return;
  process.stdout.write(`${says}\n`);
  process.exitCode = 1;
}

function numbersOf(count: number): NewContact[] {
  const hourIn = (timeZone: string) =>
    Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format());
  const { beginning } = beginnings.find(({ zone }) => hourIn(zone) >= 9 && hourIn(zone) < 20) ??
    beginnings[0] ?? { beginning: '+919' };
  return Array.from({ length: count }, (_, index) => ({
    name: `Customer ${index}`,
    number: beginning + String(10_000_000 + index).padEnd(beginning === '+6799' ? 6 : 9, '0'),
    variables: { due_amount: index },
  }));
}

async function newCampaign(tenants: TenantScope): Promise<Campaign> {
  return tenants.run(orgId, (manager) =>
    manager.save(
      Campaign,
      manager.create(Campaign, {
        ...{ orgId, name: 'Renewals', agentId: 12, agentKey: '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11', timeZone: 'UTC' },
        ...{ callerNumber: '+912025501234', moreCallerNumbers: [], holidays: [], startDate: null, endDate: null },
        callingHours: { days: [...weekdays], from: '00:00', to: '23:59' },
        retry: { maxAttempts: 1, minutesBetween: 60, retryOn: [] },
        ...{ callsPerMinute: 1_000_000, maxConcurrentCalls: 100, ringSeconds: 45, voicemail: { action: 'TALK', message: '' } },
        status: 'DRAFT',
      }),
    ),
  );
}

interface Claimed extends Figures {
  readonly 'blocks read': number;
  readonly 'by index': string;
  /** The plan's nodes, without their costs and times. */
  readonly plan: string;
}

/** What a claim of ten contacts costs, and what it reads. */
async function claimAmong(tenants: TenantScope, { id }: Campaign, count: number): Promise<Claimed> {
  return tenants.acrossTenants('a benchmark', async (manager) => {
    const regions: { region: string }[] = await manager.query('SELECT unnest(regions) AS region FROM campaigns WHERE id = $1', [
      id,
    ]);
    const values = [id, regions.map(({ region }) => region), Date.now(), 10];
    const rows: unknown = await manager.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${duePick}`, values);
    const [plan] = Plan.parse(rows)[0]?.['QUERY PLAN'] ?? [];
    const read = Number(plan?.Plan['Shared Hit Blocks'] ?? 0) + Number(plan?.Plan['Shared Read Blocks'] ?? 0);
    const isByIndex = JSON.stringify(plan).includes('campaign_contacts_due');
    return {
      ...{ what: `10 due of ${count}`, ms: plan?.['Execution Time'] ?? 0, 'blocks read': read, 'by index': String(isByIndex) },
      plan: nodesOf(plan?.Plan).join(' > '),
    };
  });
}

function nodesOf(node: unknown): string[] {
  const { data } = Node.safeParse(node);
  if (!data) return [];
  const name = [data['Node Type'], data['Index Name']].filter((part) => part !== undefined).join(' ');
  return [name, ...data.Plans.flatMap(nodesOf)];
}

interface Dialled extends Figures {
  readonly calls: number;
}

async function dial(store: PostgresCampaignStore, tenants: TenantScope, first: Campaign): Promise<Dialled> {
  await tenants.run(orgId, (manager) => manager.query(`UPDATE campaigns SET status = 'RUNNING' WHERE id >= $1`, [first.id]));
  let dialled = 0;
  const troubles = new Map<string, number>();
  const note = (error: unknown): void => {
    const says = error instanceof Error ? error.message : String(error);
    troubles.set(says, (troubles.get(says) ?? 0) + 1);
  };
  const engine = new CampaignEngine({
    store,
    owner: 'bench',
    onTrouble: (_doing, error) => note(error),
    telephone: {
      place: async ({ claim: { reference } }) => {
        dialled += 1;
        setTimeout(() => void engine.hear({ kind: 'ENDED', reference, ending: { outcome: 'ANSWERED' } }).catch(note), 200);
        return { kind: 'PLACED', callId: reference, placedAt: Date.now() };
      },
      ask: async () => ({ kind: 'CANNOT_TELL' }),
    },
  });
  const startedMs = performance.now();
  while (performance.now() - startedMs < dialledForMs) {
    await engine.step();
    await engine.placed();
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  // Pending reports must be handled before Postgres is stopped.
  await delay(2_000);
  return {
    what: 'calls begun a minute',
    calls: Math.round(dialled / minutes),
    troubles: [...troubles].map(([says, count]) => `${count} ${says}`).join('; '),
  };
}

void main();
