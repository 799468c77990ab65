// `npm run bench -- voice [--sessions 1,25,50,100] [--seconds 20]`: the latency that the live engine adds, compared with livekit
// agents-js, and how soon a caller's real voice silences the agent. `--sessions none` measures only the latter.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { pinned } from '../measure/http-load';
import { type Figures, report } from '../measure/report';
import { serverCore } from '../measure/servers';
import { livekitFolder } from './contestants/livekit-install';
import { realRecognition } from './recognition/real-recognition';
import { quantile } from './quantile';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { sessions: { type: 'string', default: '1,25,50,100' }, seconds: { type: 'string', default: '20' } },
});

/** A contestant that has not finished by then has failed at that number of sessions. */
const roundMsMax = 180_000;

const Result = z.object({
  latenciesMs: z.array(z.number()),
  bargeInsMs: z.array(z.number()),
  cpuShareOfSession: z.number(),
  bytesOfSession: z.number(),
  frames: z.number().optional(),
  lateFrames: z.number().optional(),
  idleLateShare: z.number(),
});
const Idle = z.object({ ticks: z.number(), late: z.number() });

async function main(): Promise<void> {
  if (values.sessions !== 'none') await besidePeers();
  report('voice-real-recognition', await realRecognition());
}

async function besidePeers(): Promise<void> {
  const folder = livekitFolder();
  const rows: Figures[] = [];
  for (const sessions of values.sessions.split(',').map(Number)) {
    rows.push(rowOf('Parley', sessions, await run('parley.js', [String(sessions), values.seconds])));
    if (!folder) continue;
    rows.push(rowOf('livekit agents-js 1.9.0', sessions, await run('livekit.mjs', [String(sessions), values.seconds, folder])));
  }
  report('voice', rows);
}

/** Each round is a process of its own on one core, so that no contestant inherits another's heap. */
async function run(file: string, args: readonly string[]): Promise<z.output<typeof Result> | undefined> {
  const idle = start('idle.js', []);
  const idleOutput = text(idle.stdout);
  const child = start(file, args);
  const timer = setTimeout(() => child.kill('SIGKILL'), roundMsMax);
  const lines = (await text(child.stdout)).trim().split('\n');
  clearTimeout(timer);
  const result = lines.findLast((line) => line.startsWith('{"latenciesMs"'));
  idle.kill();
  const { ticks, late } = Idle.parse(JSON.parse(await idleOutput));
  return result === undefined ? undefined : Result.parse({ ...JSON.parse(result), idleLateShare: late / ticks });
}

function start(file: string, args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  const command = [process.execPath, '--expose-gc', path.join(__dirname, 'contestants', file), ...args];
  return spawn(...pinned(serverCore, command), { stdio: ['ignore', 'pipe', 'inherit'] });
}

function rowOf(contestant: string, sessions: number, result: z.output<typeof Result> | undefined): Figures {
  if (!result) return { contestant, sessions, turns: 'failed' };
  const { latenciesMs, bargeInsMs, frames, lateFrames } = result;
  return {
    contestant,
    sessions,
    turns: latenciesMs.length,
    'end of turn → first audio p50 ms': quantile(latenciesMs, 0.5).toFixed(1),
    'p99 ms': quantile(latenciesMs, 0.99).toFixed(1),
    '% of a core a session': (result.cpuShareOfSession * 100).toFixed(2),
    'KB a session': (result.bytesOfSession / 1024).toFixed(0),
    'barge-in p50 ms': bargeInsMs.length > 0 ? quantile(bargeInsMs, 0.5).toFixed(0) : '–',
    'barge-in p99 ms': bargeInsMs.length > 0 ? quantile(bargeInsMs, 0.99).toFixed(0) : '–',
    'late frames': frames === undefined ? '–' : percent((lateFrames ?? 0) / frames),
    'late ticks of an idle process': percent(result.idleLateShare),
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)} %`;
}

void main();
