import { applyLoad, type Load, type LoadResult } from '../measure/http-load';
import { cpuMicrosecondsOf, familyOf } from '../measure/process-cpu';

/** Something that answers HTTP, and the processes whose CPU time, with that of those below them, it costs. */
export interface Contestant {
  readonly name: string;
  readonly load: Omit<Load, 'connections' | 'durationMs'>;
  readonly processes: ReadonlyMap<string, number>;
}

export interface Round extends LoadResult {
  readonly cpuPerRequest: ReadonlyMap<string, number>;
}

/** One round of load on one contestant: what it served and what that cost each of its processes. */
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

/** The middle of several rounds: one disturbed round does not move it. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
