import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Elsewhere the figures are NaN: 0 would read as a measurement. */
const isKnown = (): boolean => process.platform === 'linux';

/** CPU time that a process has used so far, user and system together, from the kernel's own books (Linux). */
export function cpuMicrosecondsOf(pid: number): number {
  const [user = 0, system = 0] = ticksOf(pid);
  return ((user + system) / ticksPerSecond) * 1_000_000;
}

/** The same for all processes below one, including ended ones: a figure that only grows. */
export function cpuMicrosecondsBelow(pid: number): number {
  const [, , ...ended] = ticksOf(pid);
  const [endedUser = 0, endedSystem = 0] = ended;
  const running = childrenOf(pid).reduce((sum, child) => sum + cpuMicrosecondsOf(child) + cpuMicrosecondsBelow(child), 0);
  return running + ((endedUser + endedSystem) / ticksPerSecond) * 1_000_000;
}

/** Time in the program and in the system, of the process itself and of those below it that have ended. */
function ticksOf(pid: number): number[] {
  if (!isKnown()) return [NaN, NaN, NaN, NaN];
  const stat = ofProcess(`/proc/${pid}/stat`) ?? '';
  // The command's name may hold spaces: fields are counted from behind its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}

/** Memory that a process holds now, in bytes; a page shared by several counts for each by its share, so sums are true. */
export function proportionalBytesOf(pid: number): number {
  if (!isKnown()) return NaN;
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** A process and all below it; where those are not known, the process alone. */
export function familyOf(pid: number): number[] {
  if (!isKnown()) return [pid];
  if (ofProcess(`/proc/${pid}/stat`) === undefined) return [];
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

function childrenOf(pid: number): number[] {
  const children = ofProcess(`/proc/${pid}/task/${pid}/children`) ?? '';
  return children.split(' ').filter(Boolean).map(Number);
}

/** What the kernel says of a process; undefined when it has ended, which it may do while we read. */
function ofProcess(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
