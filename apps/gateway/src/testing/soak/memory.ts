import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Soaked } from './soak';

/** The first seconds warm up caches and code. */
const warmUpMs = 10_000;

/** Memory in use after garbage collection. */
export function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Memory growth after the first seconds: the least-squares line through the samples. NaN for a short run. */
export function megabytesPerMinute(heapBytes: Soaked['heapBytes']): number {
  const steady = heapBytes.filter(({ atMs }) => atMs >= warmUpMs);
  const mean = (of: (each: Soaked['heapBytes'][number]) => number) =>
    steady.reduce((sum, each) => sum + of(each), 0) / steady.length;
  const [meanMs, meanBytes] = [mean(({ atMs }) => atMs), mean(({ bytes }) => bytes)];
  const rise = mean(({ atMs, bytes }) => (atMs - meanMs) * (bytes - meanBytes));
  return ((rise / mean(({ atMs }) => (atMs - meanMs) ** 2)) * 60_000) / (1024 * 1024);
}
