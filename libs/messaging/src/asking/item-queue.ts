/** Items that arrived and were not read yet. Whoever fills it bounds it. */
export class ItemQueue<T> {
  private readonly items: T[] = [];
  private ending: { error?: unknown } | undefined;
  private wake: (() => void) | undefined;

  push(item: T): void {
    this.items.push(item);
    this.wake?.();
  }

  /** What arrived before is still read. */
  end(): void {
    this.ending ??= {};
    this.wake?.();
  }

  /** What arrived before is still read, then the error is thrown. */
  fail(error: unknown): void {
    this.ending ??= { error };
    this.wake?.();
  }

  /** The next item, or undefined after the last. */
  async next(): Promise<{ item: T } | undefined> {
    for (;;) {
      if (this.items.length > 0) return { item: this.items.shift() as T };
      if (this.ending) break;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    if ('error' in this.ending) throw this.ending.error;
    return undefined;
  }
}
