import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { OptionProblem } from './config';

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

/** A port that nobody uses now and that was not given before, for a server of our own. */
export async function freePort(): Promise<number> {
  while (given.size < freePortMax - freePortMin) {
    const port = randomInt(freePortMin, freePortMax);
    if (given.has(port)) continue;
    given.add(port);
    if ((await listenOnce('127.0.0.1', port)) === undefined) return port;
  }
  throw new Error(`no port from ${freePortMin} to ${freePortMax} is free`);
}
