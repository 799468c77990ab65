import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Demo } from './demo-file';

const startWithinMs = 120_000;

/** What a starting platform leaves in its home once it answers; its last words in `log` when it does not come to that. */
export async function awaitedDemo(home: string, platform: ChildProcess, log: string): Promise<Demo> {
  const file = path.join(home, 'demo.json');
  for (const giveUpAtMs = Date.now() + startWithinMs; !existsSync(file); await delay(50)) {
    if (platform.exitCode !== null || Date.now() > giveUpAtMs) {
      throw new Error(`the platform did not start; its last words:\n${readFileSync(path.join(home, log), 'utf8').slice(-2_000)}`);
    }
  }
  return Demo.parse(JSON.parse(readFileSync(file, 'utf8')));
}
