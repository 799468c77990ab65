import { spawn } from 'node:child_process';
import { chmodSync, createWriteStream, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { entryOf, type RunningPlatform } from './platform';

const startTimeoutMs = 180_000;

declare global {
  var parleyUnderTest: RunningPlatform | undefined;
}

/** Starts the built platform once for all journeys, as a user would. */
export default async function start(): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-journeys-'));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  chmodSync(home, 0o755);
  const log = path.join(home, 'output.log');
  const child = spawn(process.execPath, ['--enable-source-maps', ...entryOf(process.env['PARLEY_JOURNEYS_ON'])], {
    env: { ...process.env, PORT: '0', PARLEY_HOME: home, PARLEY_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const sink = createWriteStream(log);
  child.stdout.pipe(sink, { end: false });
  child.stderr.pipe(sink, { end: false });
  globalThis.parleyUnderTest = { child, home };
  process.env['PARLEY_JOURNEYS_HOME'] = home;

  const giveUpAtMs = Date.now() + startTimeoutMs;
  while (!existsSync(path.join(home, 'demo.json'))) {
    if (child.exitCode !== null || Date.now() > giveUpAtMs) {
      child.kill('SIGKILL');
      throw new Error(`the platform did not start; its last words:\n${readFileSync(log, 'utf8').slice(-4000)}`);
    }
    await delay(50);
  }
}
