/** @quiet Judged by CPU time. */
import { InProcessBroker, NatsTransport } from '@parley/messaging';
import { TestNats } from '@parley/testing';
import { megabytesPerMinute, usedBytes } from '../../testing/soak/memory';
import { soak, type Soaked } from '../../testing/soak/soak';

const framesPerSecond = 50;
/** `npm run chaos -- sockets` is the long run over NATS; only its memory figures mean something. */
const sessions = Number(process.env.SOAK_SESSIONS ?? 30);
const seconds = Number(process.env.SOAK_SECONDS ?? 5);
const isLong = process.env.SOAK_SECONDS !== undefined;
const growthMax = 1;

function expectSound({ sent, echoed, outOfOrder, lost, cutOff, moves, reconnects, closes }: Soaked): void {
  expect(sent).toBeGreaterThan(sessions * framesPerSecond);
  expect(echoed).toBeGreaterThan(sent * 0.8);
  expect({ outOfOrder, lost, cutOff }).toEqual({ outOfOrder: 0, lost: 0, cutOff: 0 });
  expect(moves).toBeGreaterThan(0);
  expect(reconnects).toBeGreaterThan(0);
  // Clients that left, or whose network dropped: none was thrown out.
  expect(Object.keys(closes).filter((code) => !['1005', '1006'].includes(code))).toEqual([]);
}

function tell({ echoMs, heapBytes, ...counts }: Soaked, cpu: NodeJS.CpuUsage): void {
  const sorted = [...echoMs].sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => sorted[Math.floor(sorted.length * share)]?.toFixed(1));
  const cpuPerFrame = Math.round((cpu.user + cpu.system) / Math.max(1, counts.echoed));
  const growth = megabytesPerMinute(heapBytes).toFixed(2);
  const figures = { sessions, seconds, ...counts, echoP50Ms: p50, echoP99Ms: p99, megabytesPerMinute: growth, cpuPerFrame };
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
}

it(
  'many callers whose lines drop, move and stall hear everything once and in order',
  async () => {
    const nats = isLong ? await TestNats.start() : undefined;
    const broker = new InProcessBroker();
    const connect = async () => (nats ? NatsTransport.connect({ servers: nats.url, name: 'soak' }) : broker.connect());
    const before = process.cpuUsage();
    const soaked = await soak({ sessions, framesPerSecond, seconds }, connect, isLong ? usedBytes : () => 0);
    await nats?.stop();
    if (isLong) tell(soaked, process.cpuUsage(before));
    expectSound(soaked);
    if (isLong) expect(megabytesPerMinute(soaked.heapBytes)).toBeLessThan(growthMax);
  },
  120_000 + seconds * 2_000,
);
