import { setTimeout as delay } from 'node:timers/promises';

/** A poll that took longer than this was suspended rather than waiting, so the rest is not counted. */
const pollMsMax = 1_000;
const pollMsUsual = 20;
/** A limit for what hangs, not a measure of speed. */
const patienceMsUsual = 120_000;

/**
 * Resolves once a condition outside this process is true; fails, with a description of the current state, if it never is. The interval
 * may be increased if checking is costly or limited.
 */
export async function eventually(
  what: string | (() => string),
  isTrue: () => boolean | Promise<boolean>,
  patienceMs = patienceMsUsual,
  everyMs = pollMsUsual,
): Promise<void> {
  let waitedMs = 0;
  for (let lookedAtMs = performance.now(); !(await isTrue());) {
    if (waitedMs > patienceMs) throw new Error(`not within ${patienceMs} ms: ${typeof what === 'string' ? what : what()}`);
    await delay(everyMs);
    const nowMs = performance.now();
    // If the machine was suspended, so was the awaited work.
    waitedMs += Math.min(nowMs - lookedAtMs, pollMsMax);
    lookedAtMs = nowMs;
  }
}

/** Asks until an answer is as expected, and resolves with it; fails with the last one. */
export async function eventualAnswer<Answer>(
  ask: () => Promise<Answer>,
  isWished: (answer: Answer) => boolean,
  everyMs = pollMsUsual,
  patienceMs = patienceMsUsual,
): Promise<Answer> {
  const last: Answer[] = [];
  const isThere = async (): Promise<boolean> => {
    const answer = await ask();
    last.splice(0, 1, answer);
    return isWished(answer);
  };
  await eventually(() => `an answer other than ${JSON.stringify(last[0])?.slice(0, 400)}`, isThere, patienceMs, everyMs);
  return last[0] as Answer;
}

const restingLooks = 10;

/** Resolves with a figure once ten consecutive readings are equal. */
export async function atRest(what: string, figure: () => number): Promise<number> {
  let [seen, times] = [Number.NaN, 0];
  await eventually(`${what} is at rest`, () => {
    const now = figure();
    times = now === seen ? times + 1 : 0;
    seen = now;
    return times >= restingLooks;
  });
  return seen;
}
