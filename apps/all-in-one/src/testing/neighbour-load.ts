import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyKind } from '@parley/contracts';
import { z } from 'zod';

/** The keys of an organization, by kind. */
export type Tenant = Readonly<Record<KeyKind, readonly string[]>>;

/**
 * What one service is asked, how much of it the standard plan allows an organization in a second, and how much the quiet one asks:
 * less than it may, and enough for a p99 that rests on twenty samples in a minute or two.
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
    body: { text: 'We are open.', language: 'english' },
    kind: 'ext',
    allowedPerSecond: 25,
    quietPerSecond: 20,
  },
];

const Load = z.object({
  requests: z.int(),
  failures: z.int(),
  each: z.array(z.object({ atMs: z.number(), tookMs: z.number() })),
});
type Load = z.output<typeof Load>;

/** Two numbers of the quiet organization, in milliseconds, and by which part the neighbour moves them. */
interface Moved {
  readonly aloneMs: number;
  readonly besideMs: number;
  readonly moved: number;
}

/** What the quiet organization of one service felt of a neighbour at its limits. */
interface NeighbourRow {
  readonly service: string;
  readonly p50: Moved;
  readonly p99: Moved;
  readonly samples: { readonly alone: number; readonly beside: number };
  /** The share of the cores that no one used while the neighbour asked. Where there is none, it is the cores that are shared. */
  readonly spare: number;
  readonly neighbour: { readonly answered: number; readonly refused: number };
}

/** A load is a process of its own, which takes a while to begin. */
const startMs = 1_500;
/** What the first of a process needs to warm up; nothing of it counts. */
const warmUpSeconds = 3;
/** What is still in progress when a slice ends belongs to none. */
const edgeMs = 250;

/**
 * Asks one service after the other quietly, while a neighbour asks as much as its limits admit in every other slice of time: both
 * kinds of slices see the same machine, whatever else it does meanwhile. There are as many slices as `samples` a side take. `tell`
 * hears each row as it is known.
 */
export async function measureNeighbour(
  url: string,
  { theirs, mine }: { theirs: Tenant; mine: Tenant },
  { samples, seconds, tell }: { samples: number; seconds: number; tell: (row: NeighbourRow) => void },
): Promise<NeighbourRow[]> {
  const rows: NeighbourRow[] = [];
  const sliceMs = seconds * 1_000;
  for (const question of questions) {
    const quietly = { keys: mine[question.kind], perSecond: question.quietPerSecond };
    const loudly = { keys: theirs[question.kind], perSecond: question.allowedPerSecond };
    await load(url, question, { ...quietly, durationMs: warmUpSeconds * 1_000, startAtMs: Date.now() });
    const rounds = Math.ceil((samples * 1_000) / (question.quietPerSecond * (sliceMs - 2 * edgeMs)));
    const timing = { durationMs: 2 * rounds * sliceMs, startAtMs: Date.now() + startMs };
    const [quiet, noise, spare] = await Promise.all([
      load(url, question, { ...quietly, ...timing }),
      load(url, question, { ...loudly, ...timing, everyOtherMs: sliceMs }),
      spareWhileLoud({ ...timing, sliceMs }),
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
  readonly spare: number;
}

function rowOf(service: string, { quiet, noise, sliceMs, spare }: Measured): NeighbourRow {
  const inner = quiet.each.filter(({ atMs }) => atMs % sliceMs > edgeMs && atMs % sliceMs < sliceMs - edgeMs);
  const isLoud = ({ atMs }: { readonly atMs: number }): boolean => Math.floor(atMs / sliceMs) % 2 === 1;
  const { true: beside = [], false: alone = [] } = Object.groupBy(inner, (each) => (isLoud(each) ? 'true' : 'false'));
  const moved = (share: number): Moved => {
    const [aloneMs, besideMs] = [atShare(alone, share), atShare(beside, share)];
    return { aloneMs, besideMs, moved: Number((besideMs / aloneMs - 1).toFixed(3)) };
  };
  return {
    service,
    p50: moved(0.5),
    p99: moved(0.99),
    samples: { alone: alone.length, beside: beside.length },
    spare,
    neighbour: { answered: noise.requests, refused: noise.failures },
  };
}

function atShare(all: readonly { readonly tookMs: number }[], share: number): number {
  const sorted = all.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(2));
}

/** The share of the cores' time that no one used in the slices in which the neighbour asks. */
async function spareWhileLoud(timing: { startAtMs: number; durationMs: number; sliceMs: number }): Promise<number> {
  const { startAtMs, durationMs, sliceMs } = timing;
  const spent = { idle: 0, all: 0 };
  for (let fromMs = startAtMs + sliceMs; fromMs < startAtMs + durationMs; fromMs += 2 * sliceMs) {
    await delay(Math.max(0, fromMs - Date.now()));
    const before = coreTimes();
    await delay(sliceMs);
    const after = coreTimes();
    spent.idle += after.idle - before.idle;
    spent.all += after.all - before.all;
  }
  return Number((spent.idle / spent.all).toFixed(2));
}

/** What all cores have done since the machine started. */
function coreTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, core) => sum + core.idle, 0);
  return { idle, all: times.reduce((sum, core) => sum + core.idle + core.user + core.sys + core.nice + core.irq, 0) };
}

interface Loading {
  readonly keys: readonly string[];
  readonly perSecond: number;
  readonly durationMs: number;
  readonly startAtMs: number;
  readonly everyOtherMs?: number;
}

/** From a process of its own, whose work is none of the platform's. */
async function load(url: string, { method, path: route, body }: Question, loading: Loading): Promise<Load> {
  const asked = {
    ...loading,
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
