import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
/** A poll that took longer than this did not only wait. */
const pollMsMax = 1_000;
const patienceMsUsual = 20_000;

/**
 * Lets real time pass, for what no event tells of: that nothing happens, that someone else is slow, or what another process's
 * clock does. Whoever waits here says why; lint refuses every other wait in a test.
 */
export async function passing(ms: number, _why: string): Promise<void> {
  await delay(ms);
}

/** Resolves once something outside of this process has become true; fails, naming it as it is then, when it does not. */
export async function eventually(
  what: string | (() => string),
  isTrue: () => boolean | Promise<boolean>,
  patienceMs = patienceMsUsual,
): Promise<void> {
  let waitedMs = 0;
  for (let lookedAtMs = performance.now(); !(await isTrue());) {
    if (waitedMs > patienceMs) throw new Error(`not within ${patienceMs} ms: ${typeof what === 'string' ? what : what()}`);
    await delay(pollMs);
    const nowMs = performance.now();
    // While the machine stood still, what is waited for stood still as well.
    waitedMs += Math.min(nowMs - lookedAtMs, pollMsMax);
    lookedAtMs = nowMs;
  }
}
