// `npm run bench -- chassis`: what a start and a request cost, compared with raw Fastify and Portkey's gateway.
import { spawnSync, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { familyOf, proportionalBytesOf } from '../measure/process-cpu';
import { report, type Figures } from '../measure/report';
import { freePort, serverCore, startServer } from '../measure/servers';
import { benchHome, startPlatform, type RunningPlatform } from '../measure/running-platform';
import { bareChain } from './contestants/bare';
import { portkeyContestant } from './contestants/portkey';
import { medianOf, playRound, type Contestant, type Round, warmUp } from './rounds';

const rounds = 5;
const roundMs = 4_000;
const connections = 16;
const unlimited = { read: { limit: 10_000_000, windowSeconds: 1 } };
/** The limiter stays on, but with a limit out of reach. */
const unlimitedReading = {
  RATE_LIMIT_PLANS: JSON.stringify({ bench: { key: unlimited, organization: unlimited } }),
  ORGANIZATION_PLANS: '1=bench',
};

async function main(): Promise<void> {
  report('chassis-start', await measureStarts());
  report('chassis-requests', await measureRequests());
}

async function measureStarts(): Promise<Figures[]> {
  const home = benchHome();
  const rows: Figures[] = [];
  for (const start of ['first', 'second', 'third']) {
    const platform = await startPlatform('start', home.directory);
    const bytes = familyOf(platform.pid).map(proportionalBytesOf);
    rows.push({
      start,
      'first answer s': (platform.firstAnswerMs / 1000).toFixed(2),
      'resident MB': mebibytes(sum(bytes)),
      'of it Node MB': mebibytes(Math.max(...bytes)),
    });
    await platform.stop();
  }
  home.remove();
  return rows;
}

async function measureRequests(): Promise<Figures[]> {
  const home = benchHome();
  const helpers: ChildProcess[] = [];
  // Everything started from now on is pinned to the servers' core: Go would otherwise assume two cores and spin on this one.
  spawnSync('taskset', ['-a', '-p', '-c', String(serverCore), String(process.pid)], { stdio: 'ignore' });
  const platform = await startPlatform('cluster', home.directory, [], unlimitedReading);
  try {
    const own = [await fastify(helpers), await bareChain(helpers, platform), parley(platform)];
    const contestants = [...own, await portkey(helpers)].filter((one) => one !== undefined);
    const played = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
    for (const contestant of contestants) await warmUp(contestant, connections);
    for (let round = 0; round < rounds; round += 1) {
      for (const [contestant, results] of played) results.push(await playRound(contestant, connections, roundMs));
    }
    return comparedToPortkey([...played].map(([contestant, results]) => figuresOf(contestant, results)));
  } finally {
    for (const helper of helpers) helper.kill('SIGKILL');
    await platform.stop();
    home.remove();
  }
}

async function fastify(helpers: ChildProcess[]): Promise<Contestant> {
  const port = await freePort();
  const pid = await startServer(helpers, [process.execPath, contestantFile('fastify-echo.js'), String(port)]);
  return {
    name: 'raw Fastify',
    load: { url: `http://127.0.0.1:${port}/`, method: 'GET', headers: {} },
    processes: new Map([['fastify', pid]]),
  };
}

function parley({ demo, members }: RunningPlatform): Contestant {
  const asked = ['gateway.1', 'nats', 'agent-config.1'];
  const processes = new Map([...members].filter(([name]) => asked.includes(name)));
  const url = `${demo.baseUrl}/api/v1/external/lookup/languages`;
  return {
    name: 'Parley: gateway → NATS → service',
    load: { url, method: 'GET', headers: { 'x-api-key': demo.workspaceKey } },
    processes,
  };
}

async function portkey(helpers: ChildProcess[]): Promise<Contestant | undefined> {
  const modelPort = await freePort();
  await startServer(helpers, [process.execPath, contestantFile('instant-model.js'), String(modelPort)]);
  return portkeyContestant(helpers, {
    name: 'Portkey gateway (non-streaming)',
    modelPort,
    model: 'instant',
    question: 'When do you deliver?',
  });
}

/** Requests per second of CPU relative to Portkey's, also for Parley's gateway without the services behind it. */
function comparedToPortkey(rows: readonly Figures[]): Figures[] {
  const ofPortkey = Number(rows.find(({ contestant }) => String(contestant).startsWith('Portkey'))?.[cost]);
  return rows.map((row) => {
    const alone = /gateway\.1 (\d+)/.exec(String(row['parts']))?.[1];
    const times = (micros: unknown): string => (ofPortkey / Number(micros)).toFixed(1);
    return {
      ...row,
      'times Portkey per CPU-s': alone ? `${times(row[cost])} (gateway alone ${times(alone)})` : times(row[cost]),
    };
  });
}

const cost = 'CPU-µs/request';
const contestantFile = (name: string): string => path.join(__dirname, 'contestants', name);

function figuresOf({ name }: Contestant, results: Round[]): Figures {
  const total = (round: Round): number => sum([...round.cpuPerRequest.values()]);
  const parts = [...(results[0]?.cpuPerRequest.keys() ?? [])].map(
    (part) => `${part} ${medianOf(results.map((round) => round.cpuPerRequest.get(part) ?? 0)).toFixed(0)}`,
  );
  return {
    contestant: name,
    [cost]: medianOf(results.map(total)).toFixed(0),
    parts: parts.join(' + '),
    'requests/s': medianOf(results.map((round) => (round.requests * 1000) / roundMs)).toFixed(0),
    'p50 ms': medianOf(results.map((round) => round.p50Ms)).toFixed(2),
    'p99 ms': medianOf(results.map((round) => round.p99Ms)).toFixed(2),
    failures: sum(results.map((round) => round.failures)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0);

void main();
