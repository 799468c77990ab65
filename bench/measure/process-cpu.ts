import { existsSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** CPU time that a process has used so far, user and system together, from the kernel's own books (Linux). */
export function cpuMicrosecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
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
  if (!existsSync(`/proc/${pid}`)) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(familyOf)];
}
