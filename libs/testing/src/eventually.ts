import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
const patienceMsUsual = 20_000;

/** Resolves once something outside of this process has become true; fails, naming it as it is then, when it does not. */
export async function eventually(
  what: string | (() => string),
  isTrue: () => boolean | Promise<boolean>,
  patienceMs = patienceMsUsual,
): Promise<void> {
  const until = Date.now() + patienceMs;
  while (!(await isTrue())) {
    if (Date.now() > until) throw new Error(`not within ${patienceMs} ms: ${typeof what === 'string' ? what : what()}`);
    await delay(pollMs);
  }
}
