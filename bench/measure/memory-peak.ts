const sampleMs = 10;

interface MemoryPeak<Result> {
  readonly result: Result;
  readonly idleBytes: number;
  readonly overIdleBytes: number;
}

/** Does the work; returns how far the memory of this process rose above its previous level. */
export async function memoryPeakOf<Result>(work: () => Promise<Result>): Promise<MemoryPeak<Result>> {
  const idleBytes = process.memoryUsage.rss();
  let peakBytes = idleBytes;
  const look = (): void => void (peakBytes = Math.max(peakBytes, process.memoryUsage.rss()));
  const sampling = setInterval(look, sampleMs);
  try {
    const result = await work();
    look();
    return { result, idleBytes, overIdleBytes: peakBytes - idleBytes };
  } finally {
    clearInterval(sampling);
  }
}
