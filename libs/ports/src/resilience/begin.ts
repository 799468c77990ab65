/**
 * Waits for the first item of a stream. Until then nothing has left, so whoever asked may still turn elsewhere;
 * the stream that comes back yields that first item again.
 */
export async function begin<Item>(items: AsyncIterable<Item>): Promise<AsyncIterable<Item>> {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  return continued(first, iterator);
}

async function* continued<Item>(first: IteratorResult<Item>, iterator: AsyncIterator<Item>): AsyncGenerator<Item> {
  let finished = false;
  try {
    let next = first;
    for (; !next.done; next = await iterator.next()) yield next.value;
    finished = true;
  } finally {
    if (!finished) await iterator.return?.();
  }
}
