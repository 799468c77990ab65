import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
const patienceMs = { SIGINT: 15_000, SIGQUIT: 5_000, SIGKILL: 5_000 } as const;

/** Notes which process a data directory belongs to, for the next one that wants it. */
export async function claimData(dataDirectory: string): Promise<void> {
  await writeFile(ownerFile(dataDirectory), `${process.pid} ${processIdentity(process.pid) ?? ''}`, { mode: 0o600 });
}

/**
 * Clears what a killed predecessor left: stops its Postgres, or removes the lock file of one that is dead.
 * Refuses when the predecessor is alive.
 */
export async function stopOrphan(dataDirectory: string): Promise<void> {
  const lockFile = path.join(dataDirectory, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  if (!Number.isInteger(pid)) return;
  const isOurs = commandLine(pid).includes(dataDirectory);
  if (!isOurs) return await rm(lockFile, { force: true });
  const owner = await livingOwner(dataDirectory);
  if (owner) throw new Error(`the database in ${dataDirectory} is in use by another Parley (process ${owner})`);
  await endProcess(pid);
}

/** Ends a Postgres: politely (fast shutdown), then firmly, then by force. */
export async function endProcess(pid: number): Promise<void> {
  const identity = processIdentity(pid);
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (processIdentity(pid) !== identity || !identity) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const until = Date.now() + patienceMs[signal];
    while (Date.now() < until && processIdentity(pid) === identity) await delay(pollMs);
  }
}

async function livingOwner(dataDirectory: string): Promise<number | undefined> {
  const [pid = '', identity = ''] = (await readFile(ownerFile(dataDirectory), 'utf8').catch(() => '')).split(' ');
  const owner = Number.parseInt(pid, 10);
  const isAlive = owner !== process.pid && identity !== '' && processIdentity(owner) === identity;
  return isAlive ? owner : undefined;
}

function ownerFile(dataDirectory: string): string {
  return path.join(path.dirname(dataDirectory), 'owner');
}

/** What tells a process from a later one with the same number: when it started. Undefined when it is gone. */
export function processIdentity(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return ps(pid, 'lstart=') || undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may hold anything, so count from its end.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : rest[18];
  } catch {
    return undefined;
  }
}

/** The command line of a process; empty when it is gone. */
export function commandLine(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : ps(pid, 'command=');
  } catch {
    return '';
  }
}

function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim();
}
