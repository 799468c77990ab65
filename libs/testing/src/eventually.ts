import { setTimeout as delay } from 'node:timers/promises';

/** A poll that took longer than this did not only wait. */
const pollMsMax = 1_000;
const pollMsUsual = 20;
/** A limit for what hangs, not a judgement of speed. */
const patienceMsUsual = 120_000;

/**
 * Resolves once something outside of this process has become true; fails, naming it as it is then, when it does not. Asking
 * costs something, or is limited: then it asks less often.
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
    // While the machine stood still, so did the awaited work.
    waitedMs += Math.min(nowMs - lookedAtMs, pollMsMax);
    lookedAtMs = nowMs;
  }
}

/** Asks until an answer is as wished, and resolves with that one; fails, showing the last, when none is. */
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

/** Resolves with a figure once ten looks in a row have found the same: nobody says that something has come to rest. */
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
