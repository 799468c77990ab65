import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Socket } from 'node:net';
import { within } from '@parley/ports';
import type { PostgresAccount } from './postgres-binaries';

const startTimeoutMs = 60_000;
const logLinesKept = 20;

/** Postgres did not start; contains its last log lines. */
class StartFailure extends Error {
  constructor(readonly log: string) {
    super(`Postgres did not start: ${log.split('\n').findLast((line) => /FATAL|PANIC/.test(line)) ?? log}`);
  }
}

/** A running Postgres, watched by a guardian process. */
interface ServerProcess {
  readonly pid: number;
  /** Resolves when the server has ended, for whatever reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the server; resolves when it accepts connections, after a recovery if needed. */
export async function startServer(program: string, args: string[], account?: PostgresAccount): Promise<ServerProcess> {
  const server = spawn(program, args, {
    cwd: '/',
    env: { LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // In its own process group: Ctrl-C in the terminal must reach the services first and the database last.
    detached: true,
    uid: account?.uid,
    gid: account?.gid,
  });
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()).once('error', () => resolve()));
  const pid = server.pid;
  if (pid === undefined) throw new StartFailure(`FATAL: cannot run ${program}`);
  const guardian = watchOver(pid);
  void exited.then(() => guardian.kill('SIGKILL'));
  try {
    await untilReady(server, exited);
  } catch (error) {
    await endProcess(pid);
    throw error;
  }
  server.unref();
  return {
    pid,
    exited,
    stop: async () => {
      // Referenced again while stopping: otherwise an idle event loop would end before the server does.
      server.ref();
      await endProcess(pid);
      await exited;
    },
  };
}

async function untilReady(server: ChildProcess, exited: Promise<void>): Promise<void> {
  const lines: string[] = [];
  const ready = new Promise<void>((resolve) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.trimEnd().split('\n'));
      lines.splice(0, Math.max(0, lines.length - logLinesKept));
      if (text.includes('ready to accept')) resolve();
    });
  });
  const ended = exited.then(() => Promise.reject(new StartFailure(lines.join('\n'))));
  // If the server became ready first, its later exit must not be an unhandled rejection.
  ended.catch(() => undefined);
  await within(startTimeoutMs, Promise.race([ready, ended]), () => {
    throw new StartFailure(`FATAL: not ready within ${startTimeoutMs} ms`);
  });
  unreferenced(server.stderr);
}

/**
 * A shell that waits on a pipe from us. However this process ends, even by kill -9, the system closes the pipe, and the shell
 * asks Postgres for a fast shutdown, so the server never outlives its owner.
 */
function watchOver(pid: number): ChildProcess {
  const guardian = spawn('/bin/sh', ['-c', 'read _; kill -INT "$0"', String(pid)], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guardian.on('error', () => undefined);
  guardian.stdin.on('error', () => undefined);
  guardian.unref();
  unreferenced(guardian.stdin);
  return guardian;
}

const startAttempts = 6;
const retryAfterMs = 300;
const restartPauseMaxMs = 10_000;
/** Another process took the port, or the memory of a killed server has not been released yet. */
const passing = /address already in use|could not bind|shared memory block|lock file|could not create any TCP/i;

type StartServer = (port: number) => Promise<ServerProcess>;

/** A server that is kept running until it is stopped. */
interface Supervised {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server on a free port, and restarts it on the same port whenever it ends unexpectedly. */
export async function keepRunning(start: StartServer, onRestart: () => void): Promise<Supervised> {
  const first = await startOnFreePort(start);
  const { port } = first;
  let server = first.server;
  const stopping = new AbortController();
  const watching = watch();

  async function watch(): Promise<void> {
    for (;;) {
      await server.exited;
      if (stopping.signal.aborted) return;
      onRestart();
      const next = await startAgain(() => start(port), stopping.signal);
      if (!next) return;
      server = next;
    }
  }

  return {
    port,
    stop: async () => {
      stopping.abort();
      await server.stop();
      await watching;
      // A restart may have been in progress and completed meanwhile.
      await server.stop();
    },
  };
}

async function startAgain(start: () => Promise<ServerProcess>, signal: AbortSignal): Promise<ServerProcess | undefined> {
  for (let pauseMs = retryAfterMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, restartPauseMaxMs)) {
    const server = await start().catch(() => undefined);
    if (server) return server;
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return undefined;
}

async function startOnFreePort(start: StartServer): Promise<{ server: ServerProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { server: await start(port), port };
    } catch (error) {
      const isTemporary = error instanceof StartFailure && passing.test(error.log);
      if (!isTemporary || attempt === startAttempts) throw error;
      await delay(retryAfterMs * attempt);
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

const pollMs = 20;
const patienceMs = { SIGINT: 15_000, SIGQUIT: 5_000, SIGKILL: 5_000 } as const;

/** Records which process a data directory belongs to, for the next process that opens it. */
export async function claimData(dataDirectory: string): Promise<void> {
  await writeFile(ownerFile(dataDirectory), `${process.pid} ${processIdentity(process.pid) ?? ''}`, { mode: 0o600 });
}

/**
 * Cleans up after a killed predecessor: stops its Postgres, or removes a stale lock file. Refuses if the predecessor is still
 * alive.
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

/** Ends a Postgres: first by a fast shutdown, then by an immediate one, then by kill. */
async function endProcess(pid: number): Promise<void> {
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

/** A process's start time, which distinguishes it from a later one with the same id. Undefined if it has ended. */
export function processIdentity(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      const [state = '', ...start] = ps(pid, 'stat=', 'lstart=').split(/\s+/);
      return state.startsWith('Z') ? undefined : start.join(' ') || undefined;
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may contain anything, so fields are counted from its end.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : rest[18];
  } catch {
    return undefined;
  }
}

/** The command line of a process; empty if it has ended. */
export function commandLine(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : ps(pid, 'command=');
  } catch {
    return '';
  }
}

function ps(pid: number, ...columns: string[]): string {
  return execFileSync('ps', [...columns.flatMap((column) => ['-o', column]), '-p', String(pid)], { encoding: 'utf8' }).trim();
}

/** Pipes are sockets; once unreferenced, they no longer keep the process alive. */
function unreferenced(pipe: unknown): void {
  if (pipe instanceof Socket) pipe.unref();
}
