import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolders } from '@parley/service-kit';
import { OptionProblem } from './config';

/** The directory of one installation on one machine, locked by one running platform at a time. */
export class Home {
  private constructor(
    readonly directory: string,
    private readonly guard: Server,
  ) {}

  /** Locks the directory, creating it if needed; refuses if a running platform uses it. */
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
    makeFolders(directory);
  } catch (cause) {
    throw new OptionProblem(`cannot make the data directory ${directory}. Choose another with PARLEY_HOME.`, { cause });
  }
}

/**
 * The lock is a listening socket, which ends with its process, however that ends: no stale lock after kill -9, and no confusion
 * by a reused process id. It is in the temporary directory because a socket's path is limited to about 100 characters.
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
