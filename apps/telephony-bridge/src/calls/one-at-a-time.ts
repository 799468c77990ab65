/** Work that is done one piece at a time, in the order in which it came, for each key. */
export class OneAtATime<Key> {
  private readonly latest = new Map<Key, Promise<unknown>>();

  /** Does work when whatever came before it under this key is done, well or not. */
  take<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.latest.get(key);
    const next = before ? before.then(work, work) : work();
    this.latest.set(key, next);
    const forget = (): void => {
      if (this.latest.get(key) === next) this.latest.delete(key);
    };
    next.then(forget, forget);
    return next;
  }

  /** Resolves when nothing is under way or waiting any more. */
  async idle(): Promise<void> {
    while (this.latest.size > 0) await Promise.allSettled(this.latest.values());
  }
}
