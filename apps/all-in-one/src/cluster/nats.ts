import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../door-port';
import { OptionProblem } from '../options';
import type { Ground } from '../platform';
import { SupervisedProcess } from './supervised-process';

const startTimeoutMs = 10_000;

export interface Nats {
  readonly url: string;
  /** Absent when the NATS is the operator's own. */
  readonly server: SupervisedProcess | undefined;
  onRestart(tell: () => void): void;
}

/** The NATS of a cluster on this machine: yours when NATS_URL is given, else one of our own with JetStream, kept alive. */
export async function openNats({ environment, home }: Ground, log: Writable): Promise<Nats> {
  const given = environment['NATS_URL'];
  if (given) return { url: given, server: undefined, onRestart: () => undefined };
  const command = environment['NATS_SERVER'];
  if (!command) throw new OptionProblem('no nats-server: set NATS_SERVER to its path, or NATS_URL to a running one, or start with `npm run cluster`.');
  const port = await freePort();
  const store = home.path('nats');
  mkdirSync(store, { recursive: true });
  const pidFile = home.path('nats', 'server.pid');
  await stopOrphan(pidFile, store);
  const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', store, '--pid', pidFile];
  const server = new SupervisedProcess({ name: 'nats', command, args, environment }, log, () => undefined);
  let told = (): void => undefined;
  server.start(() => told());
  await listening(port);
  return { url: `nats://127.0.0.1:${port}`, server, onRestart: (tell) => (told = tell) };
}

/** A server that outlived a supervisor killed with -9 still writes to our store: two would spoil it. */
async function stopOrphan(pidFile: string, store: string): Promise<void> {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
  const isOurs = (): boolean => pid > 0 && spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(store);
  if (!isOurs()) return;
  process.kill(pid, 'SIGTERM');
  for (let waitedMs = 0; waitedMs < startTimeoutMs && isOurs(); waitedMs += 50) await delay(50);
}

async function listening(port: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += 20) {
    if (await accepts(port)) return;
    await delay(20);
  }
  throw new OptionProblem('nats-server did not start; its own words stand above.');
}

function accepts(port: number): Promise<boolean> {
  const probe = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    const tell = (isOpen: boolean): void => {
      probe.destroy();
      resolve(isOpen);
    };
    probe.once('connect', () => tell(true));
    probe.once('error', () => tell(false));
  });
}
