import { applyLoad, type Load, type LoadResult } from '../measure/http-load';
import { cpuMicrosecondsOf, familyOf } from '../measure/process-cpu';

/** Something that answers HTTP, and the processes whose CPU time it costs, together with their children. */
export interface Contestant {
  readonly name: string;
  readonly load: Omit<Load, 'connections' | 'durationMs'>;
  readonly processes: ReadonlyMap<string, number>;
}

export interface Round extends LoadResult {
  readonly cpuPerRequest: ReadonlyMap<string, number>;
}

const warmUpRequests = 60_000;
const warmUpRoundMs = 4_000;
const warmUpMsMax = 60_000;

/**
 * Warms a contestant up until V8 has compiled its code, which earlier figures would include. A fixed time of four seconds was too
 * short for slow contestants, so requests are counted, for a minute at most.
 */
export async function warmUp(contestant: Contestant, connections: number): Promise<void> {
  const untilMs = performance.now() + warmUpMsMax;
  let requests = 0;
  while (requests < warmUpRequests && performance.now() < untilMs) {
    const round = await playRound(contestant, connections, warmUpRoundMs);
    requests += round.requests;
  }
}

/** One round of load on one contestant: what it served, and the CPU time of each of its processes. */
export async function playRound({ load, processes }: Contestant, connections: number, durationMs: number): Promise<Round> {
  const before = cpuOf(processes);
  const result = await applyLoad({ ...load, connections, durationMs });
  const after = cpuOf(processes);
  const served = Math.max(1, result.requests);
  const cpuPerRequest = new Map([...after].map(([name, used]) => [name, (used - (before.get(name) ?? 0)) / served]));
  return { ...result, cpuPerRequest };
}

function cpuOf(processes: ReadonlyMap<string, number>): Map<string, number> {
  const ofFamily = (pid: number): number => familyOf(pid).reduce((total, each) => total + cpuMicrosecondsOf(each), 0);
  return new Map([...processes].map(([name, pid]) => [name, ofFamily(pid)]));
}

/** The median of several rounds, which a single disturbed round does not affect. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
