import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** On other systems the figures are NaN, because 0 would look like a measurement. */
const isKnown = (): boolean => process.platform === 'linux';

/** CPU time of a process so far, user and system together, from the kernel's accounting (Linux). */
export function cpuMicrosecondsOf(pid: number): number {
  const [user = 0, system = 0] = ticksOf(pid);
  return ((user + system) / ticksPerSecond) * 1_000_000;
}

/** The same for all its descendants, including ended ones, so that the figure only grows. */
export function cpuMicrosecondsBelow(pid: number): number {
  const [, , ...ended] = ticksOf(pid);
  const [endedUser = 0, endedSystem = 0] = ended;
  const running = childrenOf(pid).reduce((sum, child) => sum + cpuMicrosecondsOf(child) + cpuMicrosecondsBelow(child), 0);
  return running + ((endedUser + endedSystem) / ticksPerSecond) * 1_000_000;
}

/** User and system time, of the process itself and of its descendants that have ended. */
function ticksOf(pid: number): number[] {
  if (!isKnown()) return [NaN, NaN, NaN, NaN];
  const stat = ofProcess(`/proc/${pid}/stat`) ?? '';
  // The command's name may contain spaces, so fields are counted after its closing parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}

/** CPU time of a process so far, in microseconds, by the name of its threads: those of V8 share one. */
export function cpuByThread(pid: number): Map<string, number> {
  const used = new Map<string, number>();
  if (!isKnown()) return used;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const name = ofProcess(`/proc/${pid}/task/${thread}/comm`)?.trim();
    const [nanoseconds] = (ofProcess(`/proc/${pid}/task/${thread}/schedstat`) ?? '').split(' ');
    if (name) used.set(name, (used.get(name) ?? 0) + Number(nanoseconds) / 1000);
  }
  return used;
}

/** Memory of a process, in bytes; a shared page counts proportionally for each process, so that sums are correct. */
export function proportionalBytesOf(pid: number): number {
  if (!isKnown()) return NaN;
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** A process and its descendants; if those are unknown, the process alone. */
export function familyOf(pid: number): number[] {
  if (!isKnown()) return [pid];
  if (ofProcess(`/proc/${pid}/stat`) === undefined) return [];
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

function childrenOf(pid: number): number[] {
  const children = ofProcess(`/proc/${pid}/task/${pid}/children`) ?? '';
  return children.split(' ').filter(Boolean).map(Number);
}

/** What the kernel reports about a process; undefined if it has ended, which may happen while we read. */
function ofProcess(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
