// `npm run bench -- calls-by-socket [--calls 1,10,30,60] [--seconds 20] [--forms start,cluster] [--no-noise-filter] [--profile
// folder]`: what live calls cost the platform end to end, over real sockets with real voices, and with a model, recognizer and
// voice that answer instantly.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { LoopFigures } from '../measure/loop-watch';
import { modelEnvironment } from '../measure/model-agent';
import { cpuByThread, cpuMicrosecondsOf, familyOf } from '../measure/process-cpu';
import { type Figures, report } from '../measure/report';
import { benchHome, postmasterOf, type RunningPlatform, startPlatform } from '../measure/running-platform';
import { freePort, startServer } from '../measure/servers';
import { quantile } from '../voice/quantile';

const { values } = parseArgs({
  allowNegative: true,
  args: process.argv.slice(2),
  options: {
    calls: { type: 'string', default: '1,10,30,60' },
    seconds: { type: 'string', default: '20' },
    forms: { type: 'string', default: 'start,cluster' },
    profile: { type: 'string' },
    'noise-filter': { type: 'boolean', default: true },
  },
});
const seconds = Number(values.seconds);
const settlingMs = 5_000;
const idleSeconds = 5;
const titles = { start: 'one process', cluster: 'cluster' } as const;
type Form = keyof typeof titles;
const Forms = z.array(z.enum(['start', 'cluster']));
const Answers = z.array(
  z.object({ question: z.number(), heardMs: z.number(), parts: z.record(z.string(), z.number().nullable()) }),
);
const Talked = z.object({
  answers: Answers,
  latenciesMs: z.array(z.number()),
  frames: z.number(),
  lateFrames: z.number(),
  unanswered: z.number(),
  ended: z.number(),
  loop: LoopFigures,
});

async function main(): Promise<void> {
  const helpers: ChildProcess[] = [];
  const providersPort = await freePort();
  await startServer(helpers, [process.execPath, path.join(__dirname, 'providers.js'), String(providersPort)]);
  const rows: Figures[] = [];
  try {
    for (const form of Forms.parse(values.forms.split(','))) rows.push(...(await rowsOf(form, providersPort)));
    report('calls-by-socket', rows);
  } finally {
    for (const helper of helpers) helper.kill('SIGKILL');
  }
}

async function rowsOf(form: Form, providersPort: number): Promise<Figures[]> {
  const home = benchHome();
  const profiling = values.profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${path.resolve(values.profile)}` };
  const platform = await startPlatform(form, home.directory, [], {
    ...modelEnvironment(providersPort),
    OPENAI_SPEECH_API_KEY: 'stub',
    OPENAI_SPEECH_BASE_URL: `http://127.0.0.1:${providersPort}/v1`,
    ...profiling,
  });
  const processes = { ...platform, members: new Map([...platform.members, ['postgres', postmasterOf(home.directory)]]) };
  await listenByTheStub(platform);
  const rows: Figures[] = [];
  try {
    rows.push(await idle(processes, form));
    for (const calls of values.calls.split(',').map(Number)) {
      rows.push(await measured(processes, { form, calls }));
      process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
    }
    return rows;
  } finally {
    await platform.stop();
    home.remove();
  }
}

/** The demo's agent uses local engines, whose cost is not the platform's. */
async function listenByTheStub({ demo }: RunningPlatform): Promise<void> {
  const chosen = { TranscribeProviderID: 2, TranscribeID: 11, VoiceProviderID: 3, VoiceID: 21 };
  const reply = await fetch(`${demo.baseUrl}/api/v1/external/agent-config/insert-agent-config`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': demo.workspaceKey },
    body: JSON.stringify({ AgentID: demo.AgentID, ...chosen, ...(!values['noise-filter'] && { IsBackgroundNoiceFilter: 0 }) }),
  });
  if (!reply.ok) throw new Error(`the agent was not changed: ${reply.status} ${await reply.text()}`);
}

/** The cost of an idle platform. */
async function idle(platform: RunningPlatform, form: Form): Promise<Figures> {
  await delay(settlingMs);
  const before = cpuByProcess(platform);
  await delay(idleSeconds * 1000);
  const costs = costsSince(before, cpuByProcess(platform), idleSeconds);
  return { form: titles[form], calls: 0, 'CPU-ms a second': inWords(costs) };
}

async function measured(platform: RunningPlatform, { form, calls }: { form: Form; calls: number }): Promise<Figures> {
  const { baseUrl, agentKey } = platform.demo;
  const url = `${baseUrl.replace(/^http/, 'ws')}/ws/sts`;
  const file = path.join(__dirname, 'callers.js');
  const words = [process.execPath, file, url, agentKey, String(calls), values.seconds] as const;
  const callers = spawn(words[0], words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(callers.stdout);
  await nextLine(lines, callers);
  const before = cpuByProcess(platform);
  const threadsBefore = threadsOf(platform);
  const talked = Talked.parse(JSON.parse(await nextLine(lines, callers)));
  const costs = costsSince(before, cpuByProcess(platform), seconds * calls);
  const threads = costsSince(threadsBefore, threadsOf(platform), seconds * calls);
  const ours = costs.filter(({ name }) => name !== 'postgres').reduce((sum, { ms }) => sum + ms, 0);
  callers.kill();
  return {
    form: titles[form],
    calls,
    turns: talked.latenciesMs.length,
    'unanswered, ended': `${talked.unanswered}, ${talked.ended}`,
    '% of a core a call, without Postgres': (ours / 10).toFixed(2),
    'late frames': `${((talked.lateFrames / talked.frames) * 100).toFixed(3)} %`,
    'end of turn → first audio p50 ms': quantile(talked.latenciesMs, 0.5).toFixed(0),
    'p95 ms': quantile(talked.latenciesMs, 0.95).toFixed(0),
    'p95 by question': byQuestion(talked.answers),
    'parts p50 · p95 ms': partsOf(talked.answers),
    'CPU-ms a call and second': inWords(costs),
    'of these by thread': inWords(threads),
    'callers late at most, ms': talked.loop.latestMs.toFixed(0),
    'load of the machine': os.loadavg()[0]?.toFixed(1) ?? '',
  };
}

function byQuestion(answers: z.output<typeof Answers>): string {
  const questions = [...Map.groupBy(answers, ({ question }) => question)].toSorted(([one], [other]) => one - other);
  return questions
    .map(([, asked]) =>
      quantile(
        asked.map(({ heardMs }) => heardMs),
        0.95,
      ).toFixed(0),
    )
    .join(', ');
}

/** How the sessions account for the silence. */
function partsOf(answers: z.output<typeof Answers>): string {
  const names = Object.keys(answers[0]?.parts ?? {});
  const quantiles = (name: string) => {
    const values = answers.flatMap(({ parts }) => parts[name] ?? []);
    return [0.5, 0.95].map((share) => quantile(values, share).toFixed(0)).join(' · ');
  };
  return names.map((name) => `${name} ${quantiles(name)}`).join(', ');
}

interface Cost {
  readonly name: string;
  readonly ms: number;
}

/** Those that have ended meanwhile are left out: their time before would be subtracted from that of the others. */
function costsSince(before: ReadonlyMap<string, Used>, now: ReadonlyMap<string, Used>, shares: number): Cost[] {
  const costs = new Map<string, number>();
  for (const [id, { name, microseconds }] of now) {
    const since = microseconds - (before.get(id)?.microseconds ?? 0);
    costs.set(name, (costs.get(name) ?? 0) + since / 1000 / shares);
  }
  return [...costs].map(([name, ms]) => ({ name, ms }));
}

function inWords(costs: readonly Cost[]): string {
  const most = costs.toSorted((one, other) => other.ms - one.ms).filter(({ ms }) => ms >= 0.05);
  return most.map(({ name, ms }) => `${name} ${ms.toFixed(1)}`).join(', ');
}

/** CPU time so far, and whose. */
interface Used {
  readonly name: string;
  readonly microseconds: number;
}

/** The platform's processes by their ids. */
function cpuByProcess({ pid, members }: RunningPlatform): Map<string, Used> {
  const named = new Map([...members].map(([name, member]) => [member, name]));
  const postgres = new Set(familyOf(members.get('postgres') ?? 0));
  const nameOf = (each: number): string => (postgres.has(each) ? 'postgres' : (named.get(each) ?? 'the platform'));
  return new Map(familyOf(pid).map((each) => [String(each), { name: nameOf(each), microseconds: cpuMicrosecondsOf(each) }]));
}

/** The threads of the one process by their names; in a cluster, of no interest. A recognizer may be installed beside it meanwhile. */
function threadsOf({ pid, members }: RunningPlatform): Map<string, Used> {
  const postgres = new Set(familyOf(members.get('postgres') ?? 0));
  const processes = members.size > 1 ? [] : familyOf(pid).filter((each) => each !== pid && !postgres.has(each));
  const threads = processes.map(cpuByThread).find((byName) => byName.has('silero'));
  return new Map([...(threads ?? [])].map(([name, microseconds]) => [name, { name, microseconds }]));
}

async function nextLine(lines: Interface, child: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  const died = once(child, 'exit').then(() => Promise.reject(new Error('the callers ended')));
  const [line] = await Promise.race([once(lines, 'line'), died]);
  return String(line);
}

void main();
