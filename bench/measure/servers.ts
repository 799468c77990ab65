import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { pinned } from './http-load';

/** The core for servers; the load generator uses the other. */
export const serverCore = 0;

/** Starts a server on the servers' core and waits for its first output. The owner of `helpers` ends it. */
export async function startServer(helpers: ChildProcess[], command: readonly string[]): Promise<number> {
  const child = spawn(...pinned(serverCore, command), { stdio: ['ignore', 'pipe', 'inherit'] });
  helpers.push(child);
  await once(createInterface(child.stdout), 'line');
  child.stdout.resume();
  return child.pid ?? 0;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (!address || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}
