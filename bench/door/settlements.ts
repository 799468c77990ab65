import { randomUUID } from 'node:crypto';
import { CreditBook, differenceOf, gatewaySchema, readEquation } from '@parley/apps/gateway/credits';
import { connectionOptions, migrateSchema, Outbox, startEmbeddedPostgres, TenantScope } from '@parley/database';
import { DataSource } from 'typeorm';
import { medianOf } from '../chassis/rounds';
import { cpuMicrosecondsOf, familyOf } from '../measure/process-cpu';
import { report, type Figures } from '../measure/report';
import { benchHome } from '../measure/running-platform';
import { NaiveAccount } from './naive-account';

const rounds = 3;
const roundMs = 4_000;
const warmUpMs = 1_500;
const callers = 128;
const patienceMs = 30_000;
const initialCredits = { TTT_API: 1_000_000_000, TTS_API: 0, STT_API: 0 };

interface Contestant {
  readonly name: string;
  readonly workspaces: number;
  /** One call: a hold, then its settlement. */
  call(orgId: number): Promise<void>;
}

interface Round {
  readonly nodeMicroseconds: number;
  readonly postgresMicroseconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Settled calls a second compared with a naive statement, alternating on one Postgres that syncs its log. */
export async function measureSettlements(): Promise<void> {
  const home = benchHome();
  const postgres = await startEmbeddedPostgres({ home: home.directory });
  try {
    await migrateSchema(gatewaySchema, postgres.url);
    const connect = (): Promise<DataSource> =>
      new DataSource(connectionOptions(gatewaySchema, { url: postgres.url, poolMax: 16, acquireTimeoutMs: 60_000 })).initialize();
    const [dataSource, another] = [await connect(), await connect()];
    const naive = await NaiveAccount.open(dataSource);
    const contestants = [...booksOf(dataSource, another), ...naive];
    const played = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
    for (const contestant of contestants) await play(contestant, warmUpMs);
    for (let round = 0; round < rounds; round += 1)
      for (const [contestant, results] of played) results.push(await play(contestant, roundMs));
    const tenants = new TenantScope(dataSource);
    const equation = await tenants.acrossTenants('the books of the benchmark are proven', readEquation);
    report(
      'door-settlements',
      [...played].map(([contestant, results]) => figuresOf(contestant, results)),
    );
    process.stdout.write(`after it: ${JSON.stringify({ ...equation, difference: differenceOf(equation) })}\n`);
    await Promise.all([dataSource.destroy(), another.destroy()]);
  } finally {
    await postgres.stop();
    home.remove();
  }
}

/** For one gateway, and for two that share only Postgres. */
function booksOf(dataSource: DataSource, another: DataSource): Contestant[] {
  const [first, second] = [bookOf(dataSource), bookOf(another)];
  const call = (orgId: number): Promise<void> => callOn(first, orgId);
  let turn = 0;
  // These use other workspaces, so that those of the single gateway are not affected.
  const eitherCall = (orgId: number): Promise<void> => callOn((turn += 1) % 2 === 0 ? first : second, orgId + sharedFrom);
  return [
    { name: 'Parley: hold + settle, one workspace', workspaces: 1, call },
    { name: 'Parley: hold + settle, 1,000 workspaces', workspaces: 1_000, call },
    { name: 'two gateways: hold + settle, one workspace', workspaces: 1, call: eitherCall },
    { name: 'two gateways: hold + settle, 1,000 workspaces', workspaces: 1_000, call: eitherCall },
  ];
}

const sharedFrom = 100_000;

function bookOf(dataSource: DataSource): CreditBook {
  return new CreditBook(new TenantScope(dataSource), new Outbox(dataSource), {
    initialCredits,
    prices: { TTT_API: 1000, TTS_API: 1000, STT_API: 1000 },
    organizationPrices: new Map(),
    lowAt: [],
    topUps: 'owners',
    tokensPerTurn: 1,
    holdMs: 60_000,
  });
}

async function callOn(book: CreditBook, orgId: number): Promise<void> {
  const id = randomUUID();
  const expiresAtMs = Date.now() + 60_000;
  await book.do({ type: 'hold', orgId, id, estimate: { TTT_API: 10 }, expiresAtMs, isNew: true }, patienceMs);
  const spender = { keyId: 'bench', agentId: 1, requestId: id };
  await book.do({ type: 'settle', orgId, id, used: { TTT_API: 7 }, spender }, patienceMs);
}

async function play({ workspaces, call }: Contestant, durationMs: number): Promise<Round> {
  const latenciesMs: number[] = [];
  const before = cpuNow();
  const startedAtMs = performance.now();
  const caller = async (first: number): Promise<void> => {
    for (let n = first; performance.now() - startedAtMs < durationMs; n += callers) {
      const calledAtMs = performance.now();
      await call((n % workspaces) + 1);
      latenciesMs.push(performance.now() - calledAtMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, n) => caller(n)));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number): number => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0;
  const used = cpuNow();
  const each = (which: 'node' | 'postgres'): number => (used[which] - before[which]) / Math.max(1, latenciesMs.length);
  return {
    nodeMicroseconds: each('node'),
    postgresMicroseconds: each('postgres'),
    perSecond: latenciesMs.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function figuresOf({ name }: Contestant, results: Round[]): Figures {
  const of = (figure: (round: Round) => number): number => medianOf(results.map(figure));
  return {
    contestant: name,
    callers,
    'settled/s': of(({ perSecond }) => perSecond).toFixed(0),
    'Node µs/call': of(({ nodeMicroseconds }) => nodeMicroseconds).toFixed(0),
    'Postgres µs/call': of(({ postgresMicroseconds }) => postgresMicroseconds).toFixed(0),
    'whole call p50 ms': of(({ p50Ms }) => p50Ms).toFixed(1),
    'p99 ms': of(({ p99Ms }) => p99Ms).toFixed(1),
  };
}

/** CPU time of this process and of its Postgres, in microseconds. */
function cpuNow(): { node: number; postgres: number } {
  const [own = process.pid, ...below] = familyOf(process.pid);
  return { node: cpuMicrosecondsOf(own), postgres: below.map(cpuMicrosecondsOf).reduce((sum, each) => sum + each, 0) };
}
