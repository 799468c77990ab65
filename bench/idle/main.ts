// `npm run bench -- idle [--settled]`: the cost of an idle cluster by process, and how often each process wakes up; with
// `--settled`, after five minutes.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { familyOf } from '../measure/process-cpu';
import { report, type Figures } from '../measure/report';
import { benchHome, startPlatform } from '../measure/running-platform';

/** A start leaves work behind: compilation, the demo's documents, and connections that close after half a minute. */
const settleMs = 45_000;
/**
 * By then V8 has also returned the memory used during the start, which happens once or twice per process, 100 and 200 s after its
 * last collection.
 */
const settledMs = 300_000;
const watchedMs = 60_000;

interface Use {
  readonly cpuMs: number;
  readonly wakeUps: number;
}

async function main(): Promise<void> {
  const home = benchHome();
  const platform = await startPlatform('cluster', home.directory);
  try {
    await delay(process.argv.includes('--settled') ? settledMs : settleMs);
    const before = useOf(platform.members);
    await delay(watchedMs);
    const after = useOf(platform.members);
    report('idle', figuresOf(before, after));
  } finally {
    await platform.stop();
    home.remove();
  }
}

/** The usage of each process so far; for Postgres, by user and kind of process. */
function useOf(members: ReadonlyMap<string, number>): Map<string, Use> {
  const uses = new Map<string, Use>();
  for (const [name, pid] of members) {
    for (const each of name === 'postgres' ? familyOf(pid) : [pid]) {
      const key = name === 'postgres' ? `postgres: ${titleOf(each)}` : name;
      const so = uses.get(key) ?? { cpuMs: 0, wakeUps: 0 };
      const { cpuMs, wakeUps } = useOfThreads(each);
      uses.set(key, { cpuMs: so.cpuMs + cpuMs, wakeUps: so.wakeUps + wakeUps });
    }
  }
  return uses;
}

/** Postgres puts into its process title what a process does: a backend's user, or a name such as `walwriter`. */
function titleOf(pid: number): string {
  const title = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  return /^postgres: (\S+)/.exec(title)?.[1] ?? 'postmaster';
}

/** For all threads: CPU time by the scheduler's own accounting, and how often one stopped because it had nothing to do. */
function useOfThreads(pid: number): Use {
  const threads = threadsOf(pid).map((thread) => `/proc/${pid}/task/${thread}`);
  const nanoseconds = threads.map((thread) => Number(textOf(`${thread}/schedstat`).split(' ')[0]));
  const pauses = threads.map((thread) => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(textOf(`${thread}/status`))?.[1] ?? 0));
  return { cpuMs: sum(nanoseconds) / 1e6, wakeUps: sum(pauses) };
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty if the process has ended, which may happen while we read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function figuresOf(before: ReadonlyMap<string, Use>, after: ReadonlyMap<string, Use>): Figures[] {
  const seconds = watchedMs / 1000;
  const uses = [...after].map(([process, { cpuMs, wakeUps }]) => {
    const { cpuMs: cpuBefore = 0, wakeUps: wakesBefore = 0 } = before.get(process) ?? {};
    // The usage of a closed connection's process is lost.
    return { process, cpuMs: Math.max(0, cpuMs - cpuBefore), wakeUps: Math.max(0, wakeUps - wakesBefore) };
  });
  const all = {
    process: 'all of it',
    cpuMs: sum(uses.map(({ cpuMs }) => cpuMs)),
    wakeUps: sum(uses.map(({ wakeUps }) => wakeUps)),
  };
  return [...uses.toSorted((one, other) => other.cpuMs - one.cpuMs), all].map(({ process, cpuMs, wakeUps }) => ({
    process,
    '% of a core': (cpuMs / seconds / 10).toFixed(2),
    'wake-ups/s': (wakeUps / seconds).toFixed(1),
  }));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

void main();
