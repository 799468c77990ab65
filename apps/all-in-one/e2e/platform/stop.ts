import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Stops the platform like Ctrl-C. An unclean stop fails the run by its exit code, since after a throw jest writes no test report.
 */
export default async function stop(): Promise<void> {
  const running = globalThis.parleyUnderTest;
  if (!running) return;
  const { child, home } = running;
  if (child.exitCode === null) {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  const lastWords = readFileSync(path.join(home, 'output.log'), 'utf8').slice(-4000);
  rmSync(home, { recursive: true, force: true });
  if (child.exitCode === 0) return;
  process.stderr.write(`the platform stopped with ${child.exitCode ?? child.signalCode}:\n${lastWords}\n`);
  process.exitCode = 1;
}
