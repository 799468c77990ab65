// The load generator of a benchmark: a process of its own, so that its CPU time is not counted as a server's.
import { randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Load } from './http-load';

const load: Load = JSON.parse(process.argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
const latenciesMs: number[] = [];
const each: { atMs: number; tookMs: number }[] = [];
let beganAtMs = 0;
let failures = 0;
let begun = 0;

function once(): Promise<void> {
  const startedAtMs = performance.now();
  const key = load.keys?.[begun++ % load.keys.length];
  const headers = { ...load.headers, ...(key !== undefined && { 'x-api-key': key }) };
  return new Promise((resolve) => {
    const outgoing = request(load.url, { method: load.method, headers, agent }, (reply) => {
      reply.resume();
      reply.on('end', () => {
        const tookMs = performance.now() - startedAtMs;
        if (reply.statusCode === 200) {
          latenciesMs.push(tookMs);
          if (load.tellsEach) each.push({ atMs: startedAtMs - beganAtMs, tookMs });
        } else failures += 1;
        resolve();
      });
    });
    outgoing.on('error', () => {
      failures += 1;
      resolve();
    });
    // One number for all of a request, always of six digits.
    const number = String(randomInt(100_000, 1_000_000));
    outgoing.end(load.body?.replaceAll('{number}', number));
  });
}

async function keepAsking(untilMs: number): Promise<void> {
  while (performance.now() < untilMs) await once();
}

/** Slow answers do not slow down the pace. */
async function keepPace(untilMs: number, perSecond: number): Promise<void> {
  const startedAtMs = performance.now();
  const asked: Promise<void>[] = [];
  for (let nowMs = startedAtMs; nowMs < untilMs; nowMs = performance.now()) {
    const due = (loudMsOf(nowMs - startedAtMs) * perSecond) / 1000;
    if (asked.length > due) await delay(1);
    else asked.push(once());
  }
  await Promise.all(asked);
}

/** How much of the elapsed time belongs to its own slices. */
function loudMsOf(sinceMs: number): number {
  if (load.turn === undefined) return sinceMs;
  const { sliceMs, of, mine } = load.turn;
  const roundMs = of * sliceMs;
  const rounds = Math.floor(sinceMs / roundMs);
  return rounds * sliceMs + Math.min(sliceMs, Math.max(0, sinceMs - rounds * roundMs - mine * sliceMs));
}

async function main(): Promise<void> {
  if (load.startAtMs !== undefined) await delay(Math.max(0, load.startAtMs - Date.now()));
  beganAtMs = performance.now();
  const untilMs = performance.now() + load.durationMs;
  const { connections, perSecond } = load;
  if (perSecond) await keepPace(untilMs, perSecond);
  else await Promise.all(Array.from({ length: connections }, () => keepAsking(untilMs)));
  agent.destroy();
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number): number =>
    latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? 0;
  process.stdout.write(
    `${JSON.stringify({ requests: latenciesMs.length, failures, p50Ms: at(0.5), p99Ms: at(0.99), ...(load.tellsEach && { each }) })}\n`,
  );
}

void main();
