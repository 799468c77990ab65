// `npm run bench -- sip`: what a hundred calls over SIP and RTP cost one process, and how many of its frames are late.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type CallListener, FrameClock, type OutboundCall, SipEndpoint } from '@parley/sip';
import { z } from 'zod';
import { pinned } from '../measure/http-load';
import { cpuMicrosecondsOf, proportionalBytesOf } from '../measure/process-cpu';
import { type Figures, report } from '../measure/report';
import { serverCore } from '../measure/servers';

const widths = [1, 50, 100, 200];
const seconds = 30;
const settlingMs = 3000;
const speech = new Uint8Array(160).fill(0x55);
const Told = z.object({ ticks: z.number(), late: z.number(), skipped: z.number(), latestMs: z.number(), heardBytes: z.number() });

type Server = ChildProcessByStdio<Writable, Readable, null>;

async function main(): Promise<void> {
  const rows: Figures[] = [];
  for (const calls of widths) rows.push(await measured(calls));
  report('sip', rows);
}

/** A new process per number of calls, so that its counts are that number's alone. */
async function measured(width: number): Promise<Figures> {
  const [program, words] = pinned(serverCore, [process.execPath, path.join(__dirname, 'answering.js')]);
  const server = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(server.stdout);
  const port = Number((await once(lines, 'line'))[0]);
  const pid = server.pid ?? 0;
  const idleBytes = proportionalBytesOf(pid);
  const caller = await openCaller();
  try {
    const calls = await Promise.all(Array.from({ length: width }, () => call(caller, port)));
    await delay(settlingMs);
    const before = { told: await told(server, lines), cpu: cpuMicrosecondsOf(pid) };
    await delay(seconds * 1000);
    const cpu = cpuMicrosecondsOf(pid) - before.cpu;
    const after = await told(server, lines);
    return figures(width, { cpu, before: before.told, after, calls, bytes: proportionalBytesOf(pid) - idleBytes });
  } finally {
    await caller.close();
    server.kill('SIGKILL');
  }
}

function figures(
  width: number,
  measured: {
    cpu: number;
    bytes: number;
    before: z.output<typeof Told>;
    after: z.output<typeof Told>;
    calls: readonly OutboundCall[];
  },
): Figures {
  const { cpu, before, after, calls, bytes } = measured;
  const ticks = after.ticks - before.ticks;
  const statistics = calls.map(({ sound }) => sound.statistics);
  const lost = statistics.reduce((sum, { packetsLost }) => sum + packetsLost, 0);
  const received = statistics.reduce((sum, { packetsReceived }) => sum + packetsReceived, 0);
  const jitter = statistics.reduce((sum, { jitterMs }) => sum + jitterMs, 0) / calls.length;
  return {
    calls: width,
    'CPU-ms a call and second': (cpu / 1000 / seconds / width).toFixed(2),
    'of a core': `${((cpu / 1_000_000 / seconds) * 100).toFixed(1)} %`,
    'late beats of 20 ms': `${(((after.late - before.late) / ticks) * 100).toFixed(3)} %`,
    skipped: after.skipped - before.skipped,
    'latest ms': after.latestMs.toFixed(1),
    'lost of what was received': `${lost} of ${received}`,
    'jitter ms': jitter.toFixed(2),
    'heard of what was said': `${(((after.heardBytes - before.heardBytes) / (8000 * seconds * width)) * 100).toFixed(1)} %`,
    'kB a call': (bytes / 1024 / width).toFixed(0),
  };
}

async function openCaller(): Promise<SipEndpoint> {
  return SipEndpoint.open({
    host: '127.0.0.1',
    port: 0,
    media: { host: '127.0.0.1', from: 42_000, to: 43_999 },
    admission: { trusted: ['127.0.0.1'] },
    callsMax: 1000,
    clock: new FrameClock(),
    incoming: (call) => call.refuse(480),
  });
}

async function call(caller: SipEndpoint, port: number): Promise<OutboundCall> {
  const to = { user: 'agent', host: '127.0.0.1', port, parameters: new Map<string, string>() };
  let answered = (): void => {};
  const up = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const ended: CallListener['ended'] = ({ kind, words }) => {
    if (kind !== 'hung-up-by-us') process.stderr.write(`a call ended: ${words}\n`);
  };
  const listener: CallListener = { answered: () => answered(), ended };
  const made = await caller.place({ to, from: { user: 'bench' }, ringMs: 30_000, listener });
  if (typeof made === 'string') throw new Error(`a call could not be placed: ${made}`);
  await up;
  made.sound.send(speech);
  return made;
}

async function told(server: Server, lines: Interface): Promise<z.output<typeof Told>> {
  const line = once(lines, 'line');
  server.stdin.write('tell\n');
  return Told.parse(JSON.parse(String((await line)[0])));
}

void main();
