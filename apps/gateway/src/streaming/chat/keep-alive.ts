/** Stands between items when none came for so long. */
export const silence = Symbol('silence');

/** The items of a source, with `silence` whenever the next one takes longer than the interval. */
export async function* withSilences<Item>(
  source: AsyncIterable<Item>,
  intervalMs: number,
): AsyncGenerator<Item | typeof silence> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  try {
    for (;;) {
      const winner = await within(next, intervalMs);
      if (winner === silence) yield silence;
      else if (winner.done) return;
      else {
        yield winner.value;
        next = items.next();
      }
    }
  } finally {
    // Nobody waits for an item that is still on its way; its failure must not become an unhandled one.
    next.catch(() => undefined);
    await items.return?.();
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | typeof silence> {
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Promise<typeof silence>((resolve) => {
    timer = setTimeout(() => resolve(silence), ms);
  });
  return Promise.race([work, waiting]).finally(() => clearTimeout(timer));
}
