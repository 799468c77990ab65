import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import type { KeyKind } from '@parley/contracts';
import { z } from 'zod';

/** The keys of an organization, by kind. */
export type Tenant = Readonly<Record<KeyKind, readonly string[]>>;

/** What one service is asked, and how much of it the standard plan allows an organization in a second. */
interface Question {
  readonly service: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly kind: KeyKind;
  readonly allowedPerSecond: number;
}

const list = { method: 'POST', body: {}, kind: 'wsk', allowedPerSecond: 100 } as const;
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
  },
  {
    service: 'speech',
    method: 'POST',
    path: 'tts/external',
    body: { text: 'We are open.', language: 'english' },
    kind: 'ext',
    allowedPerSecond: 25,
  },
];

/** A little more than is allowed: the rest is refused, which is work too. */
const beyondLimit = 1.1;
const quietPerSecond = 10;
const Load = z.object({ requests: z.int(), failures: z.int(), latenciesMs: z.array(z.number()) });
type Load = z.output<typeof Load>;

/** The p99 of the quiet organization, in milliseconds, and by how much the neighbour moves it. */
interface Moved {
  readonly service: string;
  readonly alone: number;
  readonly beside: number;
  readonly moved: number;
  readonly samples: number;
  /** The share of the cores that nobody used while both asked. Where there is none, it is the cores that are shared. */
  readonly spare: number;
  readonly neighbour: { readonly answered: number; readonly refused: number };
}

/** Asks every service quietly, with a neighbour at its limits and without one in turn. */
export async function measureNeighbour(
  url: string,
  { theirs, mine }: { theirs: Tenant; mine: Tenant },
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Moved[]> {
  const rows: Moved[] = [];
  for (const question of questions) {
    const ask = (keys: readonly string[], perSecond: number) => load(url, question, { keys, perSecond, seconds });
    const quiet = async (): Promise<Load> => {
      const answered = await ask(mine[question.kind], quietPerSecond);
      if (answered.failures > 0) throw new Error(`${question.service} refused ${answered.failures} of a few questions`);
      return answered;
    };
    await quiet();
    const [alone, beside, noise]: [Load[], Load[], Load[]] = [[], [], []];
    const spent = { idle: 0, all: 0 };
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await quiet());
      const before = coreTimes();
      const busy = ask(theirs[question.kind], question.allowedPerSecond * beyondLimit);
      beside.push(await quiet());
      noise.push(await busy);
      const after = coreTimes();
      spent.idle += after.idle - before.idle;
      spent.all += after.all - before.all;
    }
    rows.push({ ...rowOf(question.service, alone, beside, noise), spare: Number((spent.idle / spent.all).toFixed(2)) });
  }
  return rows;
}

/** What all cores have done since the machine started. */
function coreTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, core) => sum + core.idle, 0);
  return { idle, all: times.reduce((sum, core) => sum + core.idle + core.user + core.sys + core.nice + core.irq, 0) };
}

function rowOf(service: string, alone: readonly Load[], beside: readonly Load[], noise: readonly Load[]): Omit<Moved, 'spare'> {
  const [before, after] = [p99Of(alone), p99Of(beside)];
  const sum = (loads: readonly Load[], of: (load: Load) => number) => loads.reduce((total, load) => total + of(load), 0);
  return {
    service,
    alone: Number(before.toFixed(2)),
    beside: Number(after.toFixed(2)),
    moved: Number((after / before - 1).toFixed(3)),
    samples: sum(beside, ({ requests }) => requests),
    neighbour: { answered: sum(noise, ({ requests }) => requests), refused: sum(noise, ({ failures }) => failures) },
  };
}

function p99Of(loads: readonly Load[]): number {
  const all = loads.flatMap(({ latenciesMs }) => latenciesMs).toSorted((one, other) => one - other);
  return all[Math.min(all.length - 1, Math.floor(all.length * 0.99))] ?? Number.POSITIVE_INFINITY;
}

/** From a process of its own, whose work is none of the platform's. */
async function load(
  url: string,
  { method, path: route, body }: Question,
  { keys, perSecond, seconds }: { keys: readonly string[]; perSecond: number; seconds: number },
): Promise<Load> {
  const asked = {
    url: `${url}/api/v1/${route}`,
    method,
    headers: { ...(body && { 'content-type': 'application/json' }) },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
    connections: 64,
    durationMs: seconds * 1_000,
    perSecond,
    keys,
    tellsEach: true,
  };
  const worker = path.resolve(__dirname, '../../../../bench/measure/load-worker.ts');
  const child = spawn(process.execPath, [worker, JSON.stringify(asked)], { stdio: ['ignore', 'pipe', 'inherit'] });
  return Load.parse(JSON.parse(await text(child.stdout)));
}
