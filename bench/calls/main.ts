// `npm run bench -- calls [--calls 1,50,100] [--seconds 20] [--carriers …]`: what a hundred calls cost the bridge, with instant
// services around it, and how soon the answer to a question is sent.
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { saveCarrierAccount, saveNumber } from '@parley/contracts';
import { startEmbeddedPostgres } from '@parley/database';
import { NatsTransport, TransportBus } from '@parley/messaging';
import { carrierPeers } from '@parley/providers/carrier-peers';
import { z } from 'zod';
import { pinned } from '../measure/http-load';
import { cpuMicrosecondsOf, proportionalBytesOf } from '../measure/process-cpu';
import { LoopFigures } from '../measure/loop-watch';
import { type Figures, report } from '../measure/report';
import { benchHome } from '../measure/running-platform';
import { freePort, serverCore } from '../measure/servers';
import { quantile } from '../voice/quantile';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    calls: { type: 'string', default: '1,50,100' },
    seconds: { type: 'string', default: '20' },
    carriers: { type: 'string', default: 'asterisk-audiosocket,sip,twilio' },
  },
});
const seconds = Number(values.seconds);
const callersCore = 1;
/** Each row has a bridge of its own, and all of them read the same accounts. */
const secretKey = randomBytes(32).toString('hex');
const principal = { kind: 'wsk', keyId: 'bench', orgId: 1, memberId: 'bench' } as const;
const Talked = z.object({
  latenciesMs: z.array(z.number()),
  frames: z.number(),
  lateFrames: z.number(),
  unanswered: z.number(),
  /** The number of late frames in each second of the run. */
  lateAt: z.array(z.number().nullable()),
  loop: LoopFigures,
});

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** A process that reports how punctual its event loop has been since it was last asked. */
interface Watched {
  readonly child: Child;
  look(): Promise<LoopFigures>;
}

interface Ports {
  readonly telephony: number;
  readonly audioSocket: number;
  readonly sip: number;
}

/** The processes that are measured. */
interface Measured {
  readonly bridge: Watched;
  readonly engine: Watched;
  readonly natsPid: number;
}

async function main(): Promise<void> {
  const home = benchHome();
  const children: Child[] = [];
  const postgres = await startEmbeddedPostgres({ home: home.directory });
  try {
    const nats = await startNats(children, home.directory);
    const neighbours = await startChild(children, 'neighbours.js', [nats.url]);
    const transport = await NatsTransport.connect({ servers: nats.url, name: 'bench' });
    const bus = new TransportBus(transport);
    const rows: Figures[] = [];
    for (const [index, carrier] of values.carriers.split(',').entries()) {
      for (const calls of values.calls.split(',').map(Number)) {
        const ports = { telephony: await freePort(), audioSocket: await freePort(), sip: await freePort() };
        const bridge = await startBridge(children, { nats: nats.url, databaseUrl: postgres.url, ports });
        const place = await placeFor(bus, { carrier, number: `+9120255${10_000 + index * 100 + rows.length}`, ports });
        const processes = { bridge, engine: neighbours, natsPid: nats.pid };
        rows.push(await measured(children, { carrier, calls, place, processes }));
        process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
        await ended(bridge.child);
      }
    }
    report('calls', rows);
    bus.close();
    await transport.close();
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await postgres.stop();
    home.remove();
  }
}

/** A new bridge per row, so that its memory is that row's alone. */
async function measured(
  children: Child[],
  { carrier, calls, place, processes }: { carrier: string; calls: number; place: object; processes: Measured },
): Promise<Figures> {
  const { bridge, engine, natsPid } = processes;
  const bridgePid = bridge.child.pid ?? 0;
  const pids = new Map([
    ['bridge', bridgePid],
    ['speech engine', engine.child.pid ?? 0],
    ['NATS', natsPid],
  ]);
  const idleBytes = proportionalBytesOf(bridgePid);
  const callers = start(children, callersCore, [
    nodeFile('callers.js'),
    carrier,
    String(calls),
    values.seconds,
    JSON.stringify(place),
  ]);
  const lines = createInterface(callers.stdout);
  await nextLine(lines, callers);
  await Promise.all([bridge.look(), engine.look()]);
  const before = new Map([...pids].map(([name, pid]) => [name, cpuMicrosecondsOf(pid)]));
  const talked = Talked.parse(JSON.parse(await nextLine(lines, callers)));
  const cpuOf = (name: string): number => cpuMicrosecondsOf(pids.get(name) ?? 0) - (before.get(name) ?? 0);
  const perCallSecond = (name: string): string => (cpuOf(name) / 1000 / seconds / calls).toFixed(2);
  const bytes = proportionalBytesOf(bridgePid) - idleBytes;
  const loops = { bridge: await bridge.look(), 'speech engine': await engine.look(), callers: talked.loop };
  const figures = {
    carrier,
    calls,
    turns: talked.latenciesMs.length,
    unanswered: talked.unanswered,
    'late frames': `${((talked.lateFrames / talked.frames) * 100).toFixed(3)} %`,
    'end of turn → first audio p50 ms': quantile(talked.latenciesMs, 0.5).toFixed(1),
    'p99 ms': quantile(talked.latenciesMs, 0.99).toFixed(1),
    'CPU-ms a call and second: bridge': perCallSecond('bridge'),
    'speech engine': perCallSecond('speech engine'),
    NATS: perCallSecond('NATS'),
    'bridge, of a core': `${((cpuOf('bridge') / 1_000_000 / seconds) * 100).toFixed(1)} %`,
    'kB a call in the bridge': (bytes / 1024 / calls).toFixed(0),
    ...Object.fromEntries(Object.entries(loops).map(([name, loop]) => [`loop: ${name}`, inWords(loop)])),
    'late by second': talked.lateAt.map((count) => count ?? 0).join(' '),
    'load of the machine': os.loadavg()[0]?.toFixed(1) ?? '',
  };
  await ended(callers);
  // The end of calls that are cut off must be recorded before the next row begins.
  await delay(3_000);
  return figures;
}

function inWords({ latestMs, longWaits, collectionMsMax, collectionMs, majorCollections, coreWaitMs }: LoopFigures): string {
  const ms = (value: number): string => value.toFixed(0);
  return [
    `latest ${ms(latestMs)} ms`,
    `${longWaits} over 20 ms`,
    `collections ${ms(collectionMsMax)} ms at most, ${ms(collectionMs)} in all, ${majorCollections} major`,
    coreWaitMs === undefined ? 'waits for a core are known on Linux only' : `waited for a core ${ms(coreWaitMs)} ms`,
  ].join(', ');
}

async function placeFor(
  bus: TransportBus,
  { carrier, number, ports }: { carrier: string; number: string; ports: Ports },
): Promise<object> {
  const peer = carrierPeers.find((each) => each.carrier === carrier);
  // The carrier's API is not used, so its address need not exist.
  const credentials = peer?.credentials('http://127.0.0.1:9') ?? { port: String(ports.sip), trusted: '127.0.0.1' };
  const wish = { carrier, AccountName: number, credentials };
  const { CarrierAccountKeyID, webhookURL } = await bus.ask(saveCarrierAccount, wish, { principal });
  await bus.ask(saveNumber, { CarrierAccountKeyID, number, AgentID: 12, isDefault: 1 }, { principal });
  return { webhookUrl: webhookURL, number, audioSocketPort: ports.audioSocket, sipPort: ports.sip };
}

function startBridge(
  children: Child[],
  { nats, databaseUrl, ports }: { nats: string; databaseUrl: string; ports: Ports },
): Promise<Watched> {
  return startChild(children, 'bridge.js', [nats, databaseUrl], {
    PARLEY_SECRET_KEY: secretKey,
    TELEPHONY_PORT: String(ports.telephony),
    AUDIOSOCKET_PORT: String(ports.audioSocket),
    SIP_PORTS: String(ports.sip),
    CARRIERS_IN_PRIVATE_NETWORKS: 'true',
    CALLS_PER_ORGANIZATION: '1000',
  });
}

async function startNats(children: Child[], store: string): Promise<{ url: string; pid: number }> {
  const script = "process.stdout.write(await (await import('./tools/nats-server.mjs')).findNatsServer())";
  const program = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const port = await freePort();
  const log = path.join(store, 'nats.log');
  const args = [
    '--addr',
    '127.0.0.1',
    '--port',
    String(port),
    '--log',
    log,
    '--jetstream',
    '--store_dir',
    path.join(store, 'nats'),
  ];
  const child = start(children, serverCore, [program, ...args]);
  const url = `nats://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    const transport = await NatsTransport.connect({ servers: url, name: 'probe' }).catch(() => undefined);
    await transport?.close();
    if (transport) return { url, pid: child.pid ?? 0 };
    await delay(100);
  }
  throw new Error('nats-server did not start');
}

async function startChild(
  children: Child[],
  file: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Watched> {
  const child = start(children, serverCore, [nodeFile(file), ...args], environment);
  const lines = createInterface(child.stdout);
  await nextLine(lines, child);
  const asked: ((line: string) => void)[] = [];
  // Everything after the first line is a service's error log.
  lines.on('line', (line) => (line.includes('latestMs') ? asked.shift()?.(line) : process.stderr.write(`${line}\n`)));
  const look = async (): Promise<LoopFigures> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    asked.push(resolve);
    child.stdin.write('\n');
    return LoopFigures.parse(JSON.parse(await promise));
  };
  return { child, look };
}

function nodeFile(file: string): string {
  return path.join(__dirname, file);
}

function start(children: Child[], core: number, command: readonly string[], environment: NodeJS.ProcessEnv = {}): Child {
  const whole = command[0]?.endsWith('.js')
    ? [process.execPath, '--max-semi-space-size=32', '--no-memory-reducer', ...command]
    : command;
  const [program, words] = pinned(core, whole);
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...environment } });
  children.push(child);
  return child;
}

async function nextLine(lines: Interface, child: Child): Promise<string> {
  const died = once(child, 'exit').then(() => Promise.reject(new Error('a process of the benchmark ended')));
  const [line] = await Promise.race([once(lines, 'line'), died]);
  return String(line);
}

async function ended(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

void main();
