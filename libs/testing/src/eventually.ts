import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
/** A poll that took longer than this did not only wait. */
const pollMsMax = 1_000;
const patienceMsUsual = 20_000;

/**
 * Lets real time pass where no event helps: to see that nothing happens, to simulate a slow peer, or for another process's clock.
 * Each use states its reason; lint refuses any other wait in a test.
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
    // While the machine stood still, so did the awaited work.
    waitedMs += Math.min(nowMs - lookedAtMs, pollMsMax);
    lookedAtMs = nowMs;
  }
}
