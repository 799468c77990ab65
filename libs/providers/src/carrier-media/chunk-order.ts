const aheadMax = 5;

/**
 * Puts chunks into the order of their numbers. One that is missing is given up once so many later ones have come, which at 20 ms a
 * chunk costs a tenth of a second where something is lost and nothing where it is not.
 */
export class ChunkOrder<Chunk> {
  private readonly waiting = new Map<number, Chunk>();
  private next: number | undefined;

  /** What may be heard now. A chunk that comes twice, or after it was given up, is dropped. */
  push(number: number, chunk: Chunk): Chunk[] {
    this.next ??= number;
    if (number < this.next) return [];
    this.waiting.set(number, chunk);
    const ready = this.inOrder();
    if (this.waiting.size < aheadMax) return ready;
    this.next = Math.min(...this.waiting.keys());
    return [...ready, ...this.inOrder()];
  }

  /** Everything that still waits, in order. */
  flush(): Chunk[] {
    const rest = [...this.waiting].sort(([one], [other]) => one - other).map(([, chunk]) => chunk);
    this.waiting.clear();
    return rest;
  }

  private inOrder(): Chunk[] {
    const ready: Chunk[] = [];
    for (let number = this.next ?? 0; ; number++) {
      const chunk = this.waiting.get(number);
      if (chunk === undefined) {
        this.next = number;
        return ready;
      }
      this.waiting.delete(number);
      ready.push(chunk);
    }
  }
}
