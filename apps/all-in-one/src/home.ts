import { createHash, randomInt } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OptionProblem } from './config';

/** The directory of one installation on one machine, locked by one running platform at a time. */
export class Home {
  private constructor(
    readonly directory: string,
    private readonly guard: Server,
  ) {}

  /** Takes the directory, making it if need be; refuses when a running platform has it. */
  static async take(directory: string): Promise<Home> {
    makeDirectory(directory);
    const socket = guardSocketOf(realpathSync(directory));
    if (await answers(socket))
      throw new OptionProblem(`${directory} is in use by a running Parley. Stop it, or choose another PARLEY_HOME.`);
    return new Home(directory, await listen(socket));
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  release(): Promise<void> {
    return new Promise((resolve) => this.guard.close(() => resolve()));
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw new OptionProblem(`cannot make the data directory ${directory}. Choose another with PARLEY_HOME.`, { cause });
  }
}

/**
 * A listening socket dies with its process, however that ends: no stale lock after kill -9, no reused pid. It is in the temporary
 * directory because a socket's path is limited to about 100 characters.
 */
function guardSocketOf(directory: string): string {
  const name = `parley-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), `${name}.sock`);
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

function listen(socket: string): Promise<Server> {
  if (process.platform !== 'win32') rmSync(socket, { force: true });
  return new Promise((resolve, reject) => {
    const guard = createServer((visitor) => visitor.destroy());
    guard.once('error', reject);
    guard.listen(socket, () => resolve(guard.unref()));
  });
}

/** Refuses a taken port in one line, before a database and eight services have been started for nothing. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const code = await listenOnce(host, port);
  if (code === undefined) return;
  if (code === 'EADDRINUSE')
    throw new OptionProblem(`port ${port} is taken. Stop what uses it, or choose another: PORT=${port + 1} npm start`);
  if (code === 'EACCES')
    throw new OptionProblem(`port ${port} needs more rights than you have. Choose one above 1023: PORT=8080 npm start`);
  throw new OptionProblem(`cannot listen on ${host}:${port} (${code}). Choose another HOST or PORT.`);
}

function listenOnce(host: string, port: number): Promise<string | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}

/** The usual port, or a free one where that is taken. */
export async function usualOrFreePort(host: string, usual: number): Promise<number> {
  return (await listenOnce(host, usual)) === undefined ? usual : freePort();
}

// Below the range from which systems give ports to outgoing connections: one of those may sit on a port before its server starts.
const freePortMin = 20_000;
const freePortMax = 32_000;
const given = new Set<number>();

/** An unused port that was not returned before, for a server of our own. */
export async function freePort(): Promise<number> {
  while (given.size < freePortMax - freePortMin) {
    const port = randomInt(freePortMin, freePortMax);
    if (given.has(port)) continue;
    given.add(port);
    if ((await listenOnce('127.0.0.1', port)) === undefined) return port;
  }
  throw new Error(`no port from ${freePortMin} to ${freePortMax} is free`);
}
