// `npm run bench -- chat`: what Parley adds to a model that takes 60 ms, beside Portkey's gateway over the same model, and how many
// times the bare chain (Fastify → NATS → subscription) it costs, which is measured as a turn as well: with the model behind it, and with
// a committed row at each end. `--short` leaves out the form of one process, Portkey and 8 in flight.
// `--knowledge` measures instead what knowledge adds to a turn: none, a whole base in the prompt, a base that is searched.
// `--postgres` measures what a turn costs Postgres, at 64 in flight: by role, table and statement.
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { bareChain, bareName, bareTurn } from '../chassis/contestants/bare';
import { portkeyContestant } from '../chassis/contestants/portkey';
import { medianOf, playRound, type Contestant, type Round } from '../chassis/rounds';
import { measureKnowledgeTurns } from './knowledge-turns';
import { reportPostgresShare, startCounted, superuserUrl } from './postgres-share';
import { agentWithoutKnowledge, modelEnvironment } from '../measure/model-agent';
import { report, type Figures } from '../measure/report';
import { benchHome, type RunningPlatform, startPlatform } from '../measure/running-platform';
import { freePort, startServer } from '../measure/servers';

const DemoAgent = z.object({ AgentKeyID: z.string() });
type BenchPlatform = Pick<RunningPlatform, 'demo' | 'members'>;

// Not in the demo's knowledge: the model has to be asked.
const question = 'Please tell me something about whales.';
const modelMs = 60;
const isShort = process.argv.includes('--short');
const inFlight = isShort ? [32, 64] : [8, 32, 64];
/** At half the throughput that this many connections could have: the latency if nothing is saturated. */
const pacedConnections = 32;
const rounds = 3;
const roundMs = isShort ? 2_000 : 3_000;
/**
 * A platform's first minute costs half as much again, most of it for compiling: of ours this is the time for each of three ways to ask,
 * of the others, which have less code, a third of it.
 */
const warmUpMs = isShort ? 30_000 : 60_000;
const warmUpConnections = 64;
/** The demo's ten million tokens pay for fifty thousand questions, and a run asks more. */
const credits = { PARLEY_INITIAL_CREDITS: 'TTT_API=1000000000,TTS_API=0,STT_API=0' };

async function main(): Promise<void> {
  const [home, smallHome] = [benchHome(), benchHome()];
  const helpers: ChildProcess[] = [];
  const modelPort = await freePort();
  await startServer(helpers, [process.execPath, path.join(__dirname, 'slow-model.js'), String(modelPort)]);
  const environment = { ...modelEnvironment(modelPort), ...credits };
  const platform = await startPlatform('cluster', home.directory, [], environment);
  const small = isShort ? undefined : await startPlatform('start', smallHome.directory, [], environment);
  try {
    // Portkey has no knowledge bases, so the agent compared with it has none either.
    const AgentKeyID = await agentWithoutKnowledge(platform);
    const demoAgent = demoAgentOf(home.directory);
    const ours = waysToAsk(platform, { AgentKeyID, demoAgent });
    const others = small && [
      parley(inOneProcess(small), 'Parley in one process', { AgentKeyID: await agentWithoutKnowledge(small) }),
      await portkey(helpers, modelPort),
    ];
    const floors = await floorsOf(helpers, platform, { home: home.directory, modelPort });
    const contestants = [...ours, ...(others ?? []), ...floors].filter((one) => one !== undefined);
    for (const contestant of contestants)
      await playRound(contestant, warmUpConnections, ours.includes(contestant) ? warmUpMs : warmUpMs / 3);
    const rows: Figures[] = [];
    for (const connections of inFlight) rows.push(...(await compare(contestants, connections)));
    report('chat', rows);
    report(
      'chat-paced',
      await compare(
        contestants.map((one) => (one.name === bareName ? one : paced(one, rows))),
        pacedConnections,
      ),
    );
  } finally {
    for (const helper of helpers) helper.kill('SIGKILL');
    await Promise.all([platform.stop(), small?.stop()]);
    for (const each of [home, smallHome]) each.remove();
  }
}

/** What is left of a turn without anything of ours, one step after another. */
async function floorsOf(
  helpers: ChildProcess[],
  platform: RunningPlatform,
  { home, modelPort }: { home: string; modelPort: number },
): Promise<Contestant[]> {
  const modelUrl = `http://127.0.0.1:${modelPort}/v1/chat/completions`;
  const asking = { name: 'bare chain that asks the model', question, modelUrl };
  const storing = { ...asking, name: 'the same with a committed row at each end', postgresUrl: superuserUrl(home) };
  const withRows = await bareTurn(helpers, platform, storing);
  const processes = new Map([...withRows.processes, ...[...platform.members].filter(([name]) => name === 'postgres')]);
  return [await bareChain(helpers, platform), await bareTurn(helpers, platform, asking), { ...withRows, processes }];
}

async function measurePostgres(): Promise<void> {
  const home = benchHome();
  const helpers: ChildProcess[] = [];
  const modelPort = await freePort();
  await startServer(helpers, [process.execPath, path.join(__dirname, 'slow-model.js'), String(modelPort)]);
  const platform = await startCounted(home.directory, { ...modelEnvironment(modelPort), ...credits });
  try {
    const AgentKeyID = await agentWithoutKnowledge(platform);
    const ways = waysToAsk(platform, { AgentKeyID, demoAgent: demoAgentOf(home.directory) });
    for (const way of ways) await playRound(way, warmUpConnections, warmUpMs / 2);
    for (const { name, load } of ways) await reportPostgresShare(home.directory, name, load);
  } finally {
    for (const helper of helpers) helper.kill('SIGKILL');
    await platform.stop();
    home.remove();
  }
}

function demoAgentOf(home: string): string {
  return DemoAgent.parse(JSON.parse(readFileSync(path.join(home, 'demo.json'), 'utf8'))).AgentKeyID;
}

function waysToAsk(platform: BenchPlatform, { AgentKeyID, demoAgent }: { AgentKeyID: string; demoAgent: string }): Contestant[] {
  return [
    parley(platform, 'Parley', { AgentKeyID }),
    parley(platform, 'Parley, streamed', { AgentKeyID, responseMode: 'stream' }),
    parley(platform, 'Parley with retrieval', { AgentKeyID: demoAgent }),
  ];
}

/** As started by `npm start`, without NATS; Postgres is a child of that process and counted with it. */
function inOneProcess({ demo, pid }: RunningPlatform): BenchPlatform {
  return { demo, members: new Map([['all of it', pid]]) };
}

/** Alternates between the contestants, so that a noisy minute affects all of them. */
async function compare(contestants: readonly Contestant[], connections: number): Promise<Figures[]> {
  const played = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
  for (const contestant of contestants) await playRound(contestant, connections, roundMs / 2);
  for (let round = 0; round < rounds; round += 1) {
    for (const [contestant, results] of played) results.push(await playRound(contestant, connections, roundMs));
  }
  return timesBare([...played].map(([contestant, results]) => figuresOf(contestant, connections, results)));
}

const cost = 'CPU-µs/request';

/** Machines differ twofold in microseconds, but far less in the ratio between two contestants. */
function timesBare(rows: readonly Figures[]): Figures[] {
  const bare = Number(rows.find(({ contestant }) => contestant === bareName)?.[cost]);
  return rows.map((row) => ({ ...row, 'times the bare chain': (Number(row[cost]) / bare).toFixed(1) }));
}

function paced(contestant: Contestant, rows: readonly Figures[]): Contestant {
  const row = rows.find((each) => each.contestant === contestant.name && each['in flight'] === pacedConnections);
  const perSecond = Math.round(Number(row?.['requests/s'] ?? 0) / 2);
  return { ...contestant, name: `${contestant.name}, ${perSecond} a second`, load: { ...contestant.load, perSecond } };
}

function parley({ demo, members }: BenchPlatform, name: string, fields: object): Contestant {
  const body = JSON.stringify({ question, ...fields });
  const headers = { 'content-type': 'application/json', 'x-api-key': demo.workspaceKey };
  const load = { url: `${demo.baseUrl}/api/v1/external/chat`, method: 'POST', headers, body } as const;
  return { name, load, processes: members };
}

function portkey(helpers: ChildProcess[], modelPort: number): Promise<Contestant | undefined> {
  return portkeyContestant(helpers, { name: 'Portkey gateway, sync', modelPort, model: 'slow', question });
}

function figuresOf({ name }: Contestant, connections: number, results: readonly Round[]): Figures {
  const waitedMs = name === bareName ? 0 : modelMs;
  const cpu = ({ cpuPerRequest }: Round): number => [...cpuPerRequest.values()].reduce((total, value) => total + value, 0);
  return {
    'in flight': connections,
    contestant: name,
    'added p50 ms': (medianOf(results.map(({ p50Ms }) => p50Ms)) - waitedMs).toFixed(1),
    'added p99 ms': (medianOf(results.map(({ p99Ms }) => p99Ms)) - waitedMs).toFixed(1),
    [cost]: medianOf(results.map(cpu)).toFixed(0),
    'most of it': mostExpensive(results),
    'requests/s': medianOf(results.map(({ requests }) => (requests * 1000) / roundMs)).toFixed(0),
    failures: results.reduce((total, { failures }) => total + failures, 0),
  };
}

/** The four most expensive services, in CPU-µs per request. */
function mostExpensive(results: readonly Round[]): string {
  const names = [...(results[0]?.cpuPerRequest.keys() ?? [])];
  const costs = names.map((name) => ({ name, cost: medianOf(results.map(({ cpuPerRequest }) => cpuPerRequest.get(name) ?? 0)) }));
  const first = costs.toSorted((one, other) => other.cost - one.cost).slice(0, 4);
  return first.map(({ name, cost }) => `${name} ${cost.toFixed(0)}`).join(' + ');
}

const ways = new Map([
  ['--knowledge', measureKnowledgeTurns],
  ['--postgres', measurePostgres],
]);
void ([...ways].find(([flag]) => process.argv.includes(flag))?.[1] ?? main)();
