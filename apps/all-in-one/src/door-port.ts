import { createServer } from 'node:net';
import { OptionProblem } from './options';

/** Refuses a taken port in one line, before a database and eight services have been started for nothing. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const code = await listenOnce(host, port);
  if (code === undefined) return;
  if (code === 'EADDRINUSE') throw new OptionProblem(`port ${port} is taken. Stop what uses it, or choose another: PORT=${port + 1} npm start`);
  if (code === 'EACCES') throw new OptionProblem(`port ${port} needs more rights than you have. Choose one above 1023: PORT=8080 npm start`);
  throw new OptionProblem(`cannot listen on ${host}:${port} (${code}). Choose another HOST or PORT.`);
}

function listenOnce(host: string, port: number): Promise<string | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}

/** A port that nobody uses now, for a server of our own. */
export function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('the system gave no port'))));
    });
  });
}
