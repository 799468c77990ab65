const roundsBefore = 10;

/**
 * The median and 99th percentile of a duration, and the mean CPU time of all threads, in milliseconds. On a busy machine only the
 * last is meaningful.
 */
export async function timed(rounds: number, work: () => Promise<unknown>): Promise<string> {
  for (let round = 0; round < roundsBefore; round += 1) await work();
  const latencies: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now();
    await work();
    latencies.push(performance.now() - startedMs);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return `${percentiles(latencies)} (${((user + system) / 1000 / rounds).toFixed(1)})`;
}

/** The median and 99th percentile: `3.1 / 8.0`. */
export function percentiles(latencies: readonly number[]): string {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  return `${at(0.5)} / ${at(0.99)}`;
}
