import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { processEnvironment } from '@parley/service-kit';
import { z } from 'zod';
import { OwnPlatform } from '../platform/own-platform';
import { request } from '../platform/client';

const environment = processEnvironment();
/** `npm run chaos -- doors` runs at full size, and only there must the figures of a dedicated machine be reached. */
const connections = Number(environment['STRANGERS'] ?? 40);
const seconds = Number(environment['STRANGERS_SECONDS'] ?? 3);
const isFullSize = environment['STRANGERS'] !== undefined;
const lateMsMax = isFullSize ? 20 : Number.POSITIVE_INFINITY;
const grownMegabytesMax = isFullSize ? 50 : 150;
const megabyte = 1024 * 1024;

/** Runs in the measured process, and answers each message with what it has measured since the last one. */
const probe = `
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  const late = monitorEventLoopDelay({ resolution: 1 });
  process.on('message', (word) => {
    late.disable();
    const lateP99Ms = late.percentile(99) / 1e6;
    if (word === 'collect') globalThis.gc();
    if (word === 'collect') late.reset();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send({ lateP99Ms, residentBytes: rss, usedBytes: heapUsed + external });
    late.enable();
  });
  process.channel.unref();`;
const Seen = z.object({ lateP99Ms: z.number(), residentBytes: z.number(), usedBytes: z.number() });

/** An idle thread, which shows how late this machine runs an event loop while others are busy. */
const idle = `
  const { parentPort } = require('node:worker_threads');
  const late = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });
  late.enable();
  parentPort.once('message', () => parentPort.postMessage(late.percentile(99) / 1e6));`;

const platform = OwnPlatform.make();
afterAll(() => platform.remove());

it('strangers without a key neither hold up the loop nor fill the memory of a platform, however many they are', async () => {
  const { child } = await platform.start({}, [], ['--expose-gc', `--import=data:text/javascript,${encodeURIComponent(probe)}`]);
  const { baseUrl, agentKey }: { baseUrl: string; agentKey: string } = JSON.parse(
    readFileSync(path.join(platform.home, 'demo.json'), 'utf8'),
  );
  const ask = (): Promise<{ status: number }> =>
    request('/api/v1/ttt', { method: 'POST', baseUrl, key: agentKey, body: { question: 'When are you open?' } });
  const look = async (word: 'collect' | 'look'): Promise<z.output<typeof Seen>> => {
    child.send(word);
    const [seen]: unknown[] = await once(child, 'message');
    return Seen.parse(seen);
  };
  const floodWithBodies = async (lasting: number): Promise<Record<string, number>> => {
    const program = path.resolve(__dirname, '../../../gateway/src/testing/strangers/strangers.example.ts');
    const paths = '/api/v1/ttt,/api/v1/chat,/api/v1/stt/transcribe,/api/v1/external/kb-doc/add-update,/nowhere';
    const args = ['--no-warnings', program, new URL(baseUrl).port, String(connections), String(lasting), paths];
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
  };
  // First executions compile code and fill caches.
  await floodWithBodies(3);
  for (let asked = 0; asked < 20; asked += 1) await ask();
  const before = await look('collect');
  const thread = new Worker(idle, { eval: true });
  const samples: z.output<typeof Seen>[] = [];
  const watch = setInterval(() => void look('look').then((seen) => samples.push(seen)), 1_000);
  const answered = await floodWithBodies(seconds);
  clearInterval(watch);
  thread.postMessage('end');
  const [idleP99Ms]: unknown[] = await once(thread, 'message');
  const after = await look('collect');
  const grown = (of: 'residentBytes' | 'usedBytes', bytes: number): number => Math.round((bytes - before[of]) / megabyte);
  const figures = {
    connections,
    seconds,
    answered,
    lateP99Ms: samples.at(-1)?.lateP99Ms ?? Number.NaN,
    idleP99Ms: Number(idleP99Ms),
    residentMegabytesBefore: Math.round(before.residentBytes / megabyte),
    residentMegabytesGrown: grown('residentBytes', Math.max(...samples.map(({ residentBytes }) => residentBytes))),
    usedMegabytesKept: grown('usedBytes', after.usedBytes),
  };
  if (isFullSize) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  expect(Object.keys(answered).filter((status) => !status.startsWith('4'))).toEqual([]);
  expect(answered['401']).toBeGreaterThan(0);
  expect(figures.lateP99Ms - figures.idleP99Ms).toBeLessThan(lateMsMax);
  expect(figures.residentMegabytesGrown).toBeLessThan(grownMegabytesMax);
  expect((await ask()).status).toBe(200);
});
