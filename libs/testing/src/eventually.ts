import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
const patienceMs = 20_000;

/** Resolves once something outside of this process has become true; fails, naming it, when it does not. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + patienceMs;
  while (!(await isTrue())) {
    if (Date.now() > until) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await delay(pollMs);
  }
}
