const waitingMax = 1000;

/** Events for one reader, in order. A reader who stays away loses the oldest. */
export class EventQueue<Event> implements AsyncIterable<Event> {
  private readonly waiting: Event[] = [];
  private wake: (() => void) | undefined;
  private ended = false;
  private failure: Error | undefined;

  push(event: Event): void {
    if (this.ended) return;
    this.waiting.push(event);
    if (this.waiting.length > waitingMax) this.waiting.shift();
    this.wake?.();
  }

  /** The first end counts. What waits is still read before it. */
  end(failure: Error | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = failure;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    for (;;) {
      const next = this.waiting.shift();
      if (next !== undefined) yield next;
      else if (!this.ended) await new Promise<void>((resolve) => (this.wake = resolve));
      else break;
    }
    if (this.failure) throw this.failure;
  }
}
