import type { Clock } from '../clock';

/** Resolves after this much time of the clock, or at once when the signal aborts. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const forget = clock.wakeAt(clock.now() + ms, () => done());
    const done = (): void => {
      forget();
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
  });
}
