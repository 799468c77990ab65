// `npm run bench -- streams`: how fast a model's first word reaches the client, and how much memory a thousand open streams take.
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { agentWithoutKnowledge, modelEnvironment } from '../measure/model-agent';
import { proportionalBytesOf } from '../measure/process-cpu';
import { type Figures, report } from '../measure/report';
import { benchHome, type RunningPlatform, startPlatform } from '../measure/running-platform';
import { freePort, startServer } from '../measure/servers';
import { openStream, type OpenStream } from './open-stream';

const inFlight = [1, 8, 32];
const warmUps = 200;
const streamsPerRow = 600;
const held = 1000;
const heldAtOnce = 50;
const settlingMs = 3000;

type Open = (question: string) => Promise<OpenStream>;

async function main(): Promise<void> {
  const home = benchHome();
  const helpers: ChildProcess[] = [];
  const modelPort = await freePort();
  await startServer(helpers, [process.execPath, path.join(__dirname, 'stamping-model.js'), String(modelPort)]);
  const platform = await startPlatform('cluster', home.directory, [], modelEnvironment(modelPort));
  try {
    const AgentKeyID = await agentWithoutKnowledge(platform);
    const headers = { 'content-type': 'application/json', 'x-api-key': platform.demo.workspaceKey };
    const open: Open = (question) => {
      const body = JSON.stringify({ question, AgentKeyID, responseMode: 'stream' });
      return openStream(`${platform.demo.baseUrl}/api/v1/external/chat`, headers, body);
    };
    await firstWords(open, 8, warmUps);
    const passed: Figures[] = [];
    for (const width of inFlight) passed.push(await passedOn(open, width));
    report('streams-first-word', passed);
    report('streams-memory', await heldOpen(open, platform));
  } finally {
    for (const helper of helpers) helper.kill('SIGKILL');
    await platform.stop();
    home.remove();
  }
}

async function passedOn(open: Open, width: number): Promise<Figures> {
  const times = (await firstWords(open, width, streamsPerRow)).toSorted((one, other) => one - other);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  return { 'in flight': width, streams: times.length, 'passed on p50 ms': at(0.5), 'p90 ms': at(0.9), 'p99 ms': at(0.99) };
}

async function firstWords(open: Open, width: number, count: number): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      const stream = await open('Please tell me something about whales.');
      times.push(stream.firstWordMs);
      await stream.end();
    }
  };
  await Promise.all(Array.from({ length: width }, one));
  return times;
}

/** Memory with the streams open, beyond what the same processes used before. */
async function heldOpen(open: Open, { members }: RunningPlatform): Promise<Figures[]> {
  const memory = (): Map<string, number> => new Map([...members].map(([name, pid]) => [name, proportionalBytesOf(pid)]));
  const before = memory();
  const streams: OpenStream[] = [];
  while (streams.length < held) {
    streams.push(...(await Promise.all(Array.from({ length: heldAtOnce }, () => open('Please hold on.')))));
  }
  await delay(settlingMs);
  const during = memory();
  for (const stream of streams) stream.leave();
  await delay(settlingMs);
  const after = memory();
  return [...during]
    .filter(([name]) => /gateway|conversation|nats/.test(name))
    .map(([name, bytes]) => {
      const added = bytes - (before.get(name) ?? 0);
      return {
        process: name,
        streams: streams.length,
        'before MB': mega(before.get(name)),
        'open MB': mega(bytes),
        'kB a stream': (added / 1024 / streams.length).toFixed(1),
        'after they left MB': mega(after.get(name)),
      };
    });
}

function mega(bytes = 0): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

void main();
