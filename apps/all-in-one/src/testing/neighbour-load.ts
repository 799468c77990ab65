import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyKind } from '@parley/contracts';
import { z } from 'zod';

/** An organization's keys by kind, and the platform they belong to. */
export interface Tenant {
  readonly url: string;
  readonly keys: Readonly<Record<KeyKind, readonly string[]>>;
}

/**
 * A request to a service, how many of it the standard plan allows an organization per second, and how many the quiet organization
 * sends: fewer than allowed, and enough for a p99 based on twenty samples within a minute or two.
 */
interface Question {
  readonly service: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly kind: KeyKind;
  readonly allowedPerSecond: number;
  readonly quietPerSecond: number;
}

const list = { method: 'POST', body: {}, kind: 'wsk', allowedPerSecond: 100, quietPerSecond: 70 } as const;
const questions: readonly Question[] = [
  { ...list, service: 'gateway', method: 'GET', path: 'external/integrations/keys' },
  { ...list, service: 'team-sales', path: 'external/team-management/get-InvitedTeamList' },
  { ...list, service: 'agent-config', path: 'external/agent/agent-list' },
  { ...list, service: 'knowledge-ingest', path: 'external/kb/kb-list' },
  { ...list, service: 'telephony-bridge', path: 'external/call/call-list' },
  { ...list, service: 'dashboards', method: 'GET', path: 'external/dashboard-count/get-today-count' },
  {
    service: 'conversation',
    method: 'POST',
    path: 'ttt',
    body: { question: 'When are you open?' },
    kind: 'agt',
    allowedPerSecond: 50,
    quietPerSecond: 40,
  },
  {
    service: 'speech',
    method: 'POST',
    path: 'tts/external',
    // The cache speaks a phrase that it knows, so that no engine is needed.
    body: { text: 'Order {number} is ready.', language: 'english' },
    kind: 'ext',
    allowedPerSecond: 25,
    quietPerSecond: 10,
  },
];

const Load = z.object({
  requests: z.int(),
  failures: z.int(),
  each: z.array(z.object({ atMs: z.number(), tookMs: z.number() })),
});
type Load = z.output<typeof Load>;

/**
 * A latency of the quiet organization in milliseconds: alone, beside a busy organization on another platform that shares only the
 * machine, and beside a busy organization on its own platform. `moved` is the relative increase of the last over the first,
 * `movedElsewhere` that of the second over the first, which any other busy process would cost, and `added` that of the last over
 * the second.
 */
interface Moved {
  readonly aloneMs: number;
  readonly elsewhereMs: number;
  readonly besideMs: number;
  readonly movedElsewhere: number;
  readonly moved: number;
  readonly added: number;
}

const movedMax = 0.2;

/**
 * Whether a busy neighbour adds at most a fifth to the latency of another organization. If even one on another platform adds
 * more, the machine is what they share, and the neighbour on the own platform may add a fifth to that.
 */
export function isBearable({ moved, movedElsewhere, added }: Moved): boolean {
  return moved <= movedMax || (movedElsewhere > movedMax && added <= movedMax);
}

/** How a busy organization affects a quiet one on the same service. */
interface NeighbourRow {
  readonly service: string;
  readonly p50: Moved;
  readonly p99: Moved;
  readonly samples: Readonly<Record<Slice, number>>;
  /** The share of unused core time. If there is none, the organizations compete for the cores themselves. */
  readonly spare: Readonly<Record<Slice, number>>;
  readonly neighbour: { readonly answered: number; readonly refused: number };
}

/** Each load generator is a process of its own, which takes a while to start. */
const startMs = 1_500;
/** Warm-up time, not measured. */
const warmUpSeconds = 3;
/** Requests still in progress when a slice ends are not counted. */
const edgeMs = 250;

/** What runs in a slice of time. The kinds alternate, so that all see the same machine, whatever else it does meanwhile. */
const slices = ['alone', 'elsewhere', 'beside'] as const;
type Slice = (typeof slices)[number];

export interface Neighbourhood {
  readonly mine: Tenant;
  /** A busy organization on the same platform. */
  readonly beside: Tenant;
  /** The same on another platform. */
  readonly elsewhere: Tenant;
}

interface Measuring {
  readonly samples: number;
  readonly seconds: number;
  /** Measures only these services; empty for all. */
  readonly services: readonly string[];
  /** Receives each row when it is known. */
  readonly tell: (row: NeighbourRow) => void;
}

/**
 * Sends the quiet organization's requests to one service after the other, while in some slices of time a neighbour sends as many
 * as its limits allow. Runs until there are `samples` of each kind of slice.
 */
export async function measureNeighbour(
  { mine, beside, elsewhere }: Neighbourhood,
  { samples, seconds, services, tell }: Measuring,
): Promise<NeighbourRow[]> {
  const rows: NeighbourRow[] = [];
  const sliceMs = seconds * 1_000;
  for (const question of questions.filter(({ service }) => services.length === 0 || services.includes(service))) {
    const { quietPerSecond, allowedPerSecond: perSecond } = question;
    for (const tenant of [elsewhere, beside, mine])
      await load(tenant, question, { perSecond: quietPerSecond, durationMs: warmUpSeconds * 1_000, startAtMs: Date.now() });
    const rounds = Math.ceil((samples * 1_000) / (quietPerSecond * (sliceMs - 2 * edgeMs)));
    const timing = { durationMs: slices.length * rounds * sliceMs, startAtMs: Date.now() + startMs };
    const turnOf = (slice: Slice) => ({ sliceMs, of: slices.length, mine: slices.indexOf(slice) });
    const [quiet, noise, , spare] = await Promise.all([
      load(mine, question, { ...timing, perSecond: quietPerSecond }),
      load(beside, question, { ...timing, perSecond, turn: turnOf('beside') }),
      load(elsewhere, question, { ...timing, perSecond, turn: turnOf('elsewhere') }),
      spareBySlice({ ...timing, sliceMs }),
    ]);
    if (quiet.failures > 0) throw new Error(`${question.service} refused ${quiet.failures} of a few questions`);
    const row = rowOf(question.service, { quiet, noise, sliceMs, spare });
    rows.push(row);
    tell(row);
  }
  return rows;
}

interface Measured {
  readonly quiet: Load;
  readonly noise: Load;
  readonly sliceMs: number;
  readonly spare: Record<Slice, number>;
}

function rowOf(service: string, { quiet, noise, sliceMs, spare }: Measured): NeighbourRow {
  const inner = quiet.each.filter(({ atMs }) => atMs % sliceMs > edgeMs && atMs % sliceMs < sliceMs - edgeMs);
  const { alone = [], elsewhere = [], beside = [] } = Object.groupBy(inner, ({ atMs }) => sliceAt(atMs / sliceMs));
  const moved = (share: number): Moved => {
    const [aloneMs, elsewhereMs, besideMs] = [atShare(alone, share), atShare(elsewhere, share), atShare(beside, share)];
    const more = (ms: number, than = aloneMs): number => Number((ms / than - 1).toFixed(3));
    const beyond = { movedElsewhere: more(elsewhereMs), moved: more(besideMs), added: more(besideMs, elsewhereMs) };
    return { aloneMs, elsewhereMs, besideMs, ...beyond };
  };
  return {
    service,
    p50: moved(0.5),
    p99: moved(0.99),
    samples: { alone: alone.length, elsewhere: elsewhere.length, beside: beside.length },
    spare,
    neighbour: { answered: noise.requests, refused: noise.failures },
  };
}

const sliceAt = (passed: number): Slice => slices[Math.floor(passed) % slices.length] ?? 'alone';

function atShare(all: readonly { readonly tookMs: number }[], share: number): number {
  const sorted = all.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(2));
}

/** The share of unused core time, by slice. */
async function spareBySlice(timing: { startAtMs: number; durationMs: number; sliceMs: number }): Promise<Record<Slice, number>> {
  const { startAtMs, durationMs, sliceMs } = timing;
  const spent = { alone: { idle: 0, all: 0 }, elsewhere: { idle: 0, all: 0 }, beside: { idle: 0, all: 0 } };
  await delay(Math.max(0, startAtMs - Date.now()));
  let before = coreTimes();
  for (let passed = 0; passed < durationMs / sliceMs; passed += 1) {
    await delay(Math.max(0, startAtMs + (passed + 1) * sliceMs - Date.now()));
    const after = coreTimes();
    const of = spent[sliceAt(passed)];
    of.idle += after.idle - before.idle;
    of.all += after.all - before.all;
    before = after;
  }
  const share = ({ idle, all }: { idle: number; all: number }): number => Number((idle / all).toFixed(2));
  return { alone: share(spent.alone), elsewhere: share(spent.elsewhere), beside: share(spent.beside) };
}

/** Core times since the machine started. */
function coreTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, core) => sum + core.idle, 0);
  return { idle, all: times.reduce((sum, core) => sum + core.idle + core.user + core.sys + core.nice + core.irq, 0) };
}

interface Loading {
  readonly perSecond: number;
  readonly durationMs: number;
  readonly startAtMs: number;
  readonly turn?: { readonly sliceMs: number; readonly of: number; readonly mine: number };
}

/** Runs in a process of its own, so that its work is not counted as the platform's. */
async function load({ url, keys }: Tenant, { method, path: route, body, kind }: Question, loading: Loading): Promise<Load> {
  const asked = {
    ...loading,
    keys: keys[kind],
    url: `${url}/api/v1/${route}`,
    method,
    headers: { ...(body && { 'content-type': 'application/json' }) },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
    connections: 64,
    tellsEach: true,
  };
  const worker = path.resolve(__dirname, '../../../../bench/measure/load-worker.ts');
  const child = spawn(process.execPath, ['--no-warnings', worker, JSON.stringify(asked)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return Load.parse(JSON.parse(await text(child.stdout)));
}
