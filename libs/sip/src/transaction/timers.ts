/** The timers of RFC 3261 in milliseconds: round trip, longest interval of repetitions, lifetime of a message in the network. */
export const T1 = 500;
export const T2 = 4000;
export const T4 = 5000;
/** When a request without any response counts as lost. */
export const lostAfterMs = 64 * T1;

/** The timers of one owner, which do not keep the process alive. */
export class Timers {
  private readonly running = new Set<NodeJS.Timeout>();

  /** Runs once after a time. The returned function cancels it. */
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(() => {
      this.running.delete(timer);
      run();
    }, ms);
    timer.unref();
    this.running.add(timer);
    return () => {
      clearTimeout(timer);
      this.running.delete(timer);
    };
  }

  /** Sends at once, then after T1, 2·T1, 4·T1 …, at most `ceilingMs` apart, until cancelled. */
  repeat(ceilingMs: number, send: () => void): () => void {
    let cancel = (): void => {};
    const next = (pauseMs: number): void => {
      cancel = this.after(pauseMs, () => {
        send();
        next(Math.min(2 * pauseMs, ceilingMs));
      });
    };
    send();
    next(T1);
    return () => cancel();
  }

  clear(): void {
    for (const timer of this.running) clearTimeout(timer);
    this.running.clear();
  }
}
