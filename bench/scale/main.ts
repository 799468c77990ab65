// `npm run bench -- scale [--replicas 1,2,4] [--seconds 8] [--connections 32]`: the same load on different numbers of replicas of
// the gateway, conversation and speech: throughput, cost per request by process, and whether the machine or a process was
// saturated.
import type { ChildProcess } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { applyLoad, type Load, type LoadResult } from '../measure/http-load';
import { agentWithoutKnowledge, modelEnvironment } from '../measure/model-agent';
import { cpuMicrosecondsOf } from '../measure/process-cpu';
import { type Figures, report } from '../measure/report';
import { benchHome, type RunningPlatform, startPlatform } from '../measure/running-platform';
import { freePort, startServer } from '../measure/servers';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    replicas: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '32' },
  },
});
const durationMs = Number(values.seconds) * 1_000;
const connections = Number(values.connections);
const warmUpMs = 5_000;
const scaled = ['gateway', 'conversation', 'speech'];
/** The gateways of one machine listen on consecutive ports, so a whole range must be free. */
const replicasMax = 16;
/** The share of a core above which a process counts as saturated. */
const fullShare = 0.9;

async function main(): Promise<void> {
  const helpers: ChildProcess[] = [];
  const modelPort = await freePort();
  await startServer(helpers, [process.execPath, path.join(__dirname, '../chat/slow-model.js'), String(modelPort)]);
  const rows: Figures[] = [];
  try {
    for (const replicas of values.replicas.split(',').map(Number)) {
      rows.push(...(await rowsOf(replicas, modelPort)));
      process.stderr.write(
        `${rows
          .slice(-2)
          .map((row) => JSON.stringify(row))
          .join('\n')}\n`,
      );
    }
    report('scale', rows);
  } finally {
    for (const helper of helpers) helper.kill('SIGKILL');
  }
}

async function rowsOf(replicas: number, modelPort: number): Promise<Figures[]> {
  const home = benchHome();
  const port = 20_000 + Math.floor(Math.random() * 1_000) * replicasMax;
  const asked = scaled.map((service) => `${service}=${replicas}`).join(',');
  const environment = { ...modelEnvironment(modelPort), PORT: String(port) };
  const platform = await startPlatform('cluster', home.directory, ['--replicas', asked], environment);
  try {
    const doors = Array.from({ length: replicas }, (_, at) => `http://127.0.0.1:${port + at}`);
    const AgentKeyID = await agentWithoutKnowledge(platform);
    const question = JSON.stringify({ question: 'Please tell me something about whales.', AgentKeyID });
    const text = JSON.stringify({ text: 'We are open from nine to six.', language: 'english' });
    const { workspaceKey, speechKey } = platform.demo;
    const loads = {
      questions: { path: '/api/v1/external/chat', key: workspaceKey, body: question },
      speech: { path: '/api/v1/tts/external', key: speechKey, body: text },
    };
    const rows: Figures[] = [];
    for (const [what, { path: route, key, body }] of Object.entries(loads)) {
      const at = (door: string, ms: number): Load => ({
        url: `${door}${route}`,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body,
        connections: Math.ceil(connections / replicas),
        durationMs: ms,
      });
      await Promise.all(doors.map((door) => applyLoad(at(door, warmUpMs))));
      rows.push({
        replicas,
        what,
        ...(await measured(platform, () => Promise.all(doors.map((door) => applyLoad(at(door, durationMs)))))),
      });
    }
    return rows;
  } finally {
    await platform.stop();
    home.remove();
  }
}

async function measured({ members }: RunningPlatform, load: () => Promise<LoadResult[]>): Promise<Figures> {
  const before = new Map([...members].map(([name, pid]) => [name, cpuMicrosecondsOf(pid)]));
  const startedAt = performance.now();
  const results = await load();
  const seconds = (performance.now() - startedAt) / 1_000;
  const used = new Map([...members].map(([name, pid]) => [name, cpuMicrosecondsOf(pid) - (before.get(name) ?? 0)]));
  const answered = sum(results.map(({ requests, failures }) => requests - failures));
  const ofService = (service: string): number =>
    sum([...used].filter(([name]) => name === service || name.startsWith(`${service}.`)).map(([, us]) => us));
  const each = (us: number): number => Math.round(us / Math.max(1, answered));
  const full = [...used].filter(([, us]) => us / 1e6 / seconds > fullShare).map(([name]) => name);
  const named = [...scaled, 'nats'];
  return {
    'answered/s': (answered / seconds).toFixed(0),
    failed: sum(results.map(({ failures }) => failures)),
    'p50 ms': Math.max(...results.map(({ p50Ms }) => p50Ms)).toFixed(0),
    'p99 ms': Math.max(...results.map(({ p99Ms }) => p99Ms)).toFixed(0),
    ...Object.fromEntries(named.map((name) => [`CPU-µs a request: ${name}`, each(ofService(name))])),
    others: each(sum([...used.values()]) - sum(named.map(ofService))),
    'cores in use': (sum([...used.values()]) / 1e6 / seconds).toFixed(2),
    'at its end': full.join(' ') || `none: the machine has ${os.availableParallelism()} cores`,
    'load of the machine': os.loadavg()[0]?.toFixed(1) ?? '',
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
