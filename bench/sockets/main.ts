// `npm run bench -- sockets [--sessions 100] [--seconds 60]`: many callers at once, whose lines drop, move and dawdle.
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { soak, type Soaked } from '@parley/apps/gateway/soak';
import { NatsTransport } from '@parley/messaging';
import { TestNats } from '@parley/testing';
import { report } from '../measure/report';

const { values } = parseArgs({
  options: { sessions: { type: 'string', default: '100' }, seconds: { type: 'string', default: '60' } },
});
const framesPerSecond = 50;
/** The first seconds warm caches and code up. */
const warmUpMs = 10_000;

async function main(): Promise<void> {
  const [sessions, seconds] = [Number(values.sessions), Number(values.seconds)];
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const usedBytes = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const nats = await TestNats.start();
  const before = process.cpuUsage();
  try {
    const connect = () => NatsTransport.connect({ servers: nats.url, name: 'soak' });
    const soaked = await soak({ sessions, framesPerSecond, seconds }, connect, usedBytes);
    const cpu = process.cpuUsage(before);
    report('sockets', [figuresOf(soaked, { sessions, seconds, cpuMicroseconds: cpu.user + cpu.system })]);
  } finally {
    await nats.stop();
  }
}

interface Run {
  readonly sessions: number;
  readonly seconds: number;
  readonly cpuMicroseconds: number;
}

function figuresOf({ echoMs, heapBytes, sent, echoed, outOfOrder, lost, moves, reconnects, closes }: Soaked, run: Run) {
  const sorted = [...echoMs].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  return {
    sessions: run.sessions,
    seconds: run.seconds,
    sent,
    echoed,
    'out of order or twice': outOfOrder,
    lost,
    moves,
    reconnects,
    closes: JSON.stringify(closes),
    'echo p50 ms': at(0.5),
    'p99 ms': at(0.99),
    'MB/min': slope(heapBytes).toFixed(2),
    'CPU-µs a frame, callers and speech included': (run.cpuMicroseconds / Math.max(1, echoed)).toFixed(0),
  };
}

/** How fast memory grew after the first seconds: the least-squares line through what was in use after each collection. */
function slope(heapBytes: Soaked['heapBytes']): number {
  const steady = heapBytes.filter(({ atMs }) => atMs >= warmUpMs);
  if (steady.length < 2) return Number.NaN;
  const mean = (of: (each: Soaked['heapBytes'][number]) => number): number =>
    steady.reduce((sum, each) => sum + of(each), 0) / steady.length;
  const [meanMs, meanBytes] = [mean(({ atMs }) => atMs), mean(({ bytes }) => bytes)];
  const rise = mean(({ atMs, bytes }) => (atMs - meanMs) * (bytes - meanBytes));
  const run = mean(({ atMs }) => (atMs - meanMs) ** 2);
  return ((rise / run) * 60_000) / 1_048_576;
}

void main();
