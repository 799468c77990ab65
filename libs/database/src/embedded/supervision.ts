import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { StartFailure, type ServerProcess } from './server-process';

const startAttempts = 6;
const retryAfterMs = 300;
const restartPauseMaxMs = 10_000;
/** Another process took the port, or the memory of a killed server is still being given back. */
const passing = /address already in use|could not bind|shared memory block|lock file|could not create any TCP/i;

type Start = (port: number) => Promise<ServerProcess>;

/** A server that is there until it is stopped. */
export interface Supervised {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server on a free port, and again on the same one whenever it ends without being asked to. */
export async function keepRunning(start: Start, onRestart: () => void): Promise<Supervised> {
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
      // A restart may have been under way and have won.
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

async function startOnFreePort(start: Start): Promise<{ server: ServerProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { server: await start(port), port };
    } catch (error) {
      const isPassing = error instanceof StartFailure && passing.test(error.log);
      if (!isPassing || attempt === startAttempts) throw error;
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
