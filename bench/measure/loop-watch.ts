import { constants, PerformanceObserver } from 'node:perf_hooks';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const resolutionMs = 5;
const longMs = 20;
const Collection = z.object({ detail: z.object({ kind: z.number() }) });

/** What delayed work that was due in a process's event loop. */
export const LoopFigures = z.object({
  /** The longest delay of a timer. */
  latestMs: z.number(),
  /** Timers of 5 ms that fired more than a frame late. */
  longWaits: z.number(),
  /** The longest pause for garbage collection, and their total. */
  collectionMsMax: z.number(),
  collectionMs: z.number(),
  majorCollections: z.number(),
  /** How long this thread was runnable while another had the core; absent except on Linux. */
  coreWaitMs: z.number().optional(),
});
export type LoopFigures = z.output<typeof LoopFigures>;

/** Watches this process's event loop; each call returns the figures since the previous one. */
export function watchLoop(): () => LoopFigures {
  let collections: { ms: number; isMajor: boolean }[] = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = Collection.safeParse(entry).data?.detail.kind;
      collections.push({ ms: entry.duration, isMajor: kind === constants.NODE_PERFORMANCE_GC_MAJOR });
    }
  }).observe({ entryTypes: ['gc'] });
  let late: number[] = [];
  let dueMs = performance.now() + resolutionMs;
  setInterval(() => {
    const nowMs = performance.now();
    late.push(nowMs - dueMs);
    dueMs = nowMs + resolutionMs;
  }, resolutionMs).unref();
  let coreWaitedMs = coreWaitMs();
  return () => {
    const waited = coreWaitMs();
    const figures = {
      latestMs: late.reduce((most, ms) => Math.max(most, ms), 0),
      longWaits: late.filter((ms) => ms > longMs).length,
      collectionMsMax: collections.reduce((most, { ms }) => Math.max(most, ms), 0),
      collectionMs: collections.reduce((sum, { ms }) => sum + ms, 0),
      majorCollections: collections.filter(({ isMajor }) => isMajor).length,
      ...(waited !== undefined && coreWaitedMs !== undefined && { coreWaitMs: waited - coreWaitedMs }),
    };
    late = [];
    collections = [];
    coreWaitedMs = waited;
    return figures;
  };
}

/** From the kernel's accounting, for the main thread only. */
function coreWaitMs(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
}
