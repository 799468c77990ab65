// `npm run bench -- broker [--lines 100,250,500,1000] [--seconds 10] [--block 20,40]`: what the sound of live lines costs three
// NATS servers. A line is modelled on a live call: 74 messages and 51 kB a second. Gateways connect to one server, speech
// processes to the other two.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect } from '@nats-io/transport-node';
import { z } from 'zod';
import { cpuMicrosecondsOf } from '../measure/process-cpu';
import { type Figures, report } from '../measure/report';
import { freePort } from '../measure/servers';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    lines: { type: 'string', default: '100,250,500,1000' },
    seconds: { type: 'string', default: '10' },
    block: { type: 'string', default: '20' },
  },
});
const seconds = Number(values.seconds);
const startMs = 20_000;
const settlingMs = 2_000;

/** What each side reports at the end of a row. */
const Heard = z.object({
  messages: z.int(),
  bytes: z.int(),
  late: z.int(),
  veryLate: z.int(),
  p50Ms: z.number(),
  p99Ms: z.number(),
});

interface Server {
  readonly url: string;
  readonly pid: number;
}

async function main(): Promise<void> {
  const children: ChildProcess[] = [];
  try {
    const servers = await startServers(children);
    const rows: Figures[] = [];
    for (const block of values.block.split(',').map(Number))
      for (const lines of values.lines.split(',').map(Number)) {
        rows.push(await measured(servers, lines, block));
        process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
      }
    report('broker', rows);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Half of the lines go to each of two speech processes, each with a gateway process at the other end. */
async function measured(servers: readonly Server[], lines: number, block: number): Promise<Figures> {
  const [first, ...others] = servers;
  if (!first) throw new TypeError('no server');
  const sides = others.flatMap((server, half) => [
    { role: 'speech', url: server.url, half },
    { role: 'gateway', url: first.url, half },
  ]);
  const running = sides.map(({ role, url, half }) =>
    fork(path.join(__dirname, 'lines.js'), [role, url, String(half), String(lines / others.length), String(block)]),
  );
  try {
    await Promise.all(running.map((child) => once(child, 'message')));
    for (const child of running) child.send('begin');
    await delay(settlingMs);
    const pids = [...servers, ...running].map(({ pid }) => pid ?? 0);
    const before = pids.map(cpuMicrosecondsOf);
    for (const child of running) child.send('count');
    await delay(seconds * 1_000);
    const heard = await Promise.all(
      running.map(async (child) => {
        child.send('tell');
        return Heard.parse((await once(child, 'message'))[0]);
      }),
    );
    const used = pids.map((pid, at) => cpuMicrosecondsOf(pid) - (before[at] ?? 0));
    return figuresOf({
      lines,
      block,
      heard,
      natsUs: sum(used.slice(0, servers.length)),
      sidesUs: sum(used.slice(servers.length)),
    });
  } finally {
    for (const child of running) child.kill('SIGKILL');
  }
}

interface Measured {
  readonly lines: number;
  readonly block: number;
  readonly heard: readonly z.output<typeof Heard>[];
  readonly natsUs: number;
  readonly sidesUs: number;
}

function figuresOf({ lines, block, heard, natsUs, sidesUs }: Measured): Figures {
  const messages = sum(heard.map((side) => side.messages));
  const share = (count: number): string => `${((count / messages) * 100).toFixed(2)} %`;
  return {
    lines,
    'block ms': block,
    'messages/s': Math.round(messages / seconds),
    'MB/s': (sum(heard.map(({ bytes }) => bytes)) / seconds / 1e6).toFixed(1),
    'NATS, cores': (natsUs / seconds / 1e6).toFixed(2),
    'NATS CPU-µs a message': (natsUs / messages).toFixed(1),
    'NATS, cores for 1,000 lines': ((natsUs / seconds / 1e6 / lines) * 1_000).toFixed(2),
    'both ends, CPU-µs a message': (sidesUs / messages).toFixed(1),
    'p50 ms': Math.max(...heard.map(({ p50Ms }) => p50Ms)).toFixed(1),
    'p99 ms': Math.max(...heard.map(({ p99Ms }) => p99Ms)).toFixed(1),
    'over 20 ms': share(sum(heard.map(({ late }) => late))),
    'over 60 ms': share(sum(heard.map(({ veryLate }) => veryLate))),
    'load of the machine': os.loadavg()[0]?.toFixed(1) ?? '',
  };
}

async function startServers(children: ChildProcess[]): Promise<Server[]> {
  const script = "process.stdout.write(await (await import('./tools/nats-server.mjs')).findNatsServer())";
  const program = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const ports = await Promise.all([0, 1, 2].map(async () => ({ client: await freePort(), route: await freePort() })));
  const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`).join(',');
  const servers = ports.map(({ client, route }, at) => {
    const cluster = ['--cluster_name', 'bench', '--cluster', `nats://127.0.0.1:${route}`, '--routes', routes];
    const words = ['--addr', '127.0.0.1', '--port', String(client), '--name', `bench-${at}`, ...cluster];
    const child = spawn(program, words, { stdio: 'ignore' });
    children.push(child);
    return { url: `nats://127.0.0.1:${client}`, pid: child.pid ?? 0 };
  });
  for (const { url } of servers) await untilItAnswers(url);
  // Routes are established within a second of the start.
  await delay(settlingMs);
  return servers;
}

async function untilItAnswers(servers: string): Promise<void> {
  for (const giveUpAt = performance.now() + startMs; ; await delay(50)) {
    const connection = await connect({ servers, reconnect: false }).catch(() => undefined);
    if (connection) return connection.close();
    if (performance.now() > giveUpAt) throw new Error(`${servers} does not answer`);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
