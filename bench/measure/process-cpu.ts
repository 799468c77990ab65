import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** CPU time that a process has used so far, user and system together, from the kernel's own books (Linux). */
export function cpuMicrosecondsOf(pid: number): number {
  const stat = ofProcess(`/proc/${pid}/stat`);
  if (stat === undefined) return 0;
  // The command's name may hold spaces: fields are counted from behind its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000_000;
}

/** Memory that a process holds now, in bytes; a page shared by several counts for each by its share, so sums are true. */
export function proportionalBytesOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** A process and all below it. */
export function familyOf(pid: number): number[] {
  const children = ofProcess(`/proc/${pid}/task/${pid}/children`);
  if (children === undefined) return [];
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(familyOf)];
}

/** What the kernel says of a process; undefined when it has ended, which it may do while we read. */
function ofProcess(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
