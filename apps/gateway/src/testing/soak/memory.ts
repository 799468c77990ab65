import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Soaked } from './soak';

/** The first seconds warm caches and code up. */
const warmUpMs = 10_000;

/** What is in use once garbage is collected. */
export function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** How fast memory grows after the first seconds: the least-squares line through what was in use. NaN for a short run. */
export function megabytesPerMinute(heapBytes: Soaked['heapBytes']): number {
  const steady = heapBytes.filter(({ atMs }) => atMs >= warmUpMs);
  const mean = (of: (each: Soaked['heapBytes'][number]) => number) =>
    steady.reduce((sum, each) => sum + of(each), 0) / steady.length;
  const [meanMs, meanBytes] = [mean(({ atMs }) => atMs), mean(({ bytes }) => bytes)];
  const rise = mean(({ atMs, bytes }) => (atMs - meanMs) * (bytes - meanBytes));
  return ((rise / mean(({ atMs }) => (atMs - meanMs) ** 2)) * 60_000) / (1024 * 1024);
}
