import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyKind } from '@parley/contracts';
import { z } from 'zod';

/** An organization's keys by kind, the ids of its records by their names, and the platform they belong to. */
export interface Tenant {
  readonly url: string;
  readonly keys: Readonly<Record<KeyKind, readonly string[]>>;
  readonly ids: Readonly<Record<string, string | number>>;
}

/**
 * A request to a service, how many of it a busy neighbour sends per second, and how many the quiet organization sends: enough for a
 * p99 within a minute where that is possible. Requests that only read are sent as fast as the standard plan allows, the others
 * so that a tenth of two cores stays free.
 */
interface Question {
  readonly service: string;
  /** What is asked, if a service is asked several questions. */
  readonly about?: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** `{number}` becomes a number of its own for each request, `{KBID}` the id of that name. */
  readonly body?: object;
  /** A CSV file with the fields of the body, instead of JSON. */
  readonly file?: { readonly field: string; readonly lines: readonly string[] };
  readonly kind: KeyKind;
  readonly neighbourPerSecond: number;
  readonly quietPerSecond: number;
}

const list = { method: 'POST', body: {}, kind: 'wsk', neighbourPerSecond: 100, quietPerSecond: 70 } as const;
const work = { method: 'POST', kind: 'wsk', neighbourPerSecond: 5, quietPerSecond: 2 } as const;
const csvOf = (line: string): string[] => Array.from({ length: 50 }, (_, n) => line.replaceAll('{line}', String(10 + n)));
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
    body: { question: 'Hello' },
    kind: 'agt',
    neighbourPerSecond: 50,
    quietPerSecond: 40,
  },
  {
    service: 'conversation',
    about: 'a question about its knowledge',
    method: 'POST',
    path: 'ttt',
    body: { question: 'What does the kettle number {number} cost, and can I return it?' },
    kind: 'agt',
    neighbourPerSecond: 30,
    quietPerSecond: 10,
  },
  {
    ...work,
    service: 'knowledge-ingest',
    about: 'a search',
    path: 'external/kb/search',
    body: { KBID: '{KBID}', query: 'may I bring back number {number}?' },
    neighbourPerSecond: 40,
    quietPerSecond: 20,
  },
  {
    ...work,
    service: 'knowledge-ingest',
    about: 'an upload, which is indexed',
    path: 'external/kb-doc/add-update',
    body: { KBID: '{KBID}', DocumentName: 'Prices {number}' },
    file: { field: 'document', lines: ['Product,Price', ...csvOf('Kettle {line} of {number},{line}99')] },
    neighbourPerSecond: 2,
    quietPerSecond: 1,
  },
  {
    ...work,
    service: 'team-sales',
    about: 'an import',
    path: 'external/SalesUser/upload',
    body: { SalesUserKeyID: '{SalesUserKeyID}' },
    file: { field: 'file', lines: ['CustomerName,ContactNumber', ...csvOf('Asha,+9198{line}{number}')] },
  },
  {
    ...work,
    service: 'telephony-bridge',
    about: 'a call to a busy telephone',
    path: 'external/call/place',
    body: { AgentID: '{AgentID}', to: '+9198{number}02' },
    neighbourPerSecond: 3,
  },
  {
    service: 'speech',
    method: 'POST',
    path: 'tts/external',
    // Each sentence is new. 35 a second, of which the neighbour’s plan allows it 25, would leave nothing of two cores.
    body: { text: 'Order {number} is ready.', language: 'english' },
    kind: 'ext',
    neighbourPerSecond: 12,
    quietPerSecond: 4,
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
  readonly about?: string;
  readonly perSecond: { readonly quiet: number; readonly neighbour: number };
  readonly p50: Moved;
  readonly p99: Moved;
  readonly judgedBy: 'p50' | 'p99';
  readonly samples: Readonly<Record<Slice, number>>;
  /** The share of unused core time. If there is none, the organizations compete for the cores themselves. */
  readonly spare: Readonly<Record<Slice, number>>;
  readonly neighbour: { readonly answered: number; readonly refused: number };
}

/** Each load generator is a process of its own, which takes a while to start. */
const startMs = 1_500;
/** For how long the quiet organization is measured in each kind of slice at most, however few its requests are. */
const quietSecondsMax = 60;
/** Of fewer samples, a p99 is that of one or two requests; the median is judged instead. */
const samplesOfP99Min = 500;
/** Warm-up time, not measured. */
const warmUpSeconds = 3;
/** Requests still in progress when a slice ends are not counted. */
const edgeMs = 250;

/**
 * What runs in a slice of time. The kinds alternate, so that all see the same machine, whatever else it does meanwhile. Each is
 * followed by as long a pause without a neighbour, in which its queue drains, and which is not measured.
 */
const slices = ['alone', 'elsewhere', 'beside'] as const;
type Slice = (typeof slices)[number];
const slicesInRound = 2 * slices.length;

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
    const { quietPerSecond, neighbourPerSecond: perSecond } = question;
    for (const tenant of [elsewhere, beside, mine])
      await load(tenant, question, { perSecond: quietPerSecond, durationMs: warmUpSeconds * 1_000, startAtMs: Date.now() });
    const wanted = Math.min(samples, quietPerSecond * quietSecondsMax);
    const rounds = Math.ceil((wanted * 1_000) / (quietPerSecond * (sliceMs - 2 * edgeMs)));
    const timing = { durationMs: slicesInRound * rounds * sliceMs, startAtMs: Date.now() + startMs };
    const turnOf = (slice: Slice) => ({ sliceMs, of: slicesInRound, mine: 2 * slices.indexOf(slice) });
    const [quiet, noise, , spare] = await Promise.all([
      load(mine, question, { ...timing, perSecond: quietPerSecond }),
      load(beside, question, { ...timing, perSecond, turn: turnOf('beside') }),
      load(elsewhere, question, { ...timing, perSecond, turn: turnOf('elsewhere') }),
      spareBySlice({ ...timing, sliceMs }),
    ]);
    if (quiet.failures > 0) throw new Error(`${question.service} refused ${quiet.failures} of a few questions`);
    const row = rowOf(question, { quiet, noise, sliceMs, spare });
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

function rowOf(question: Question, { quiet, noise, sliceMs, spare }: Measured): NeighbourRow {
  const { service, about, quietPerSecond, neighbourPerSecond } = question;
  const inner = quiet.each.filter(({ atMs }) => atMs % sliceMs > edgeMs && atMs % sliceMs < sliceMs - edgeMs);
  const { alone = [], elsewhere = [], beside = [] } = Object.groupBy(inner, ({ atMs }) => sliceAt(atMs / sliceMs) ?? 'pause');
  const moved = (share: number): Moved => {
    const [aloneMs, elsewhereMs, besideMs] = [atShare(alone, share), atShare(elsewhere, share), atShare(beside, share)];
    const more = (ms: number, than = aloneMs): number => Number((ms / than - 1).toFixed(3));
    const beyond = { movedElsewhere: more(elsewhereMs), moved: more(besideMs), added: more(besideMs, elsewhereMs) };
    return { aloneMs, elsewhereMs, besideMs, ...beyond };
  };
  return {
    service,
    ...(about !== undefined && { about }),
    perSecond: { quiet: quietPerSecond, neighbour: neighbourPerSecond },
    p50: moved(0.5),
    p99: moved(0.99),
    judgedBy: Math.min(alone.length, elsewhere.length, beside.length) < samplesOfP99Min ? 'p50' : 'p99',
    samples: { alone: alone.length, elsewhere: elsewhere.length, beside: beside.length },
    spare,
    neighbour: { answered: noise.requests, refused: noise.failures },
  };
}

/** Undefined in a pause. */
const sliceAt = (passed: number): Slice | undefined => {
  const at = Math.floor(passed) % slicesInRound;
  return at % 2 === 0 ? slices[at / 2] : undefined;
};

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
    const slice = sliceAt(passed);
    if (slice) {
      spent[slice].idle += after.idle - before.idle;
      spent[slice].all += after.all - before.all;
    }
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

const boundary = 'part-of-a-form';

/** A form with a file. */
function formOf(fields: object, { field, lines }: NonNullable<Question['file']>): string {
  const part = (head: string, text: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const named = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, String(value)));
  const file = part(`name="${field}"; filename="{number}.csv"\r\nContent-Type: text/csv`, lines.join('\n'));
  return `${named.join('')}${file}--${boundary}--\r\n`;
}

/** What is sent, with the ids of the organization. */
function sentBy({ ids }: Tenant, { body = {}, file }: Question): { readonly type: string; readonly text: string } {
  let text = file ? formOf(body, file) : JSON.stringify(body);
  for (const [name, id] of Object.entries(ids))
    text = text.replaceAll(typeof id === 'number' ? `"{${name}}"` : `{${name}}`, String(id)).replaceAll(`{${name}}`, String(id));
  return { type: file ? `multipart/form-data; boundary=${boundary}` : 'application/json', text };
}

/** Runs in a process of its own, so that its work is not counted as the platform's. */
async function load(tenant: Tenant, question: Question, loading: Loading): Promise<Load> {
  const { url, keys } = tenant;
  const { method, path: route, body, kind } = question;
  const { type, text: sent } = sentBy(tenant, question);
  const asked = {
    ...loading,
    keys: keys[kind],
    url: `${url}/api/v1/${route}`,
    method,
    headers: { ...(body && { 'content-type': type }) },
    ...(method === 'POST' && { body: sent }),
    connections: 64,
    tellsEach: true,
  };
  const worker = path.resolve(__dirname, '../../../../bench/measure/load-worker.ts');
  const child = spawn(process.execPath, ['--no-warnings', worker, JSON.stringify(asked)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return Load.parse(JSON.parse(await text(child.stdout)));
}
