import { ProviderFailure } from '../provider-failure';

interface InTimeOptions {
  readonly provider: string;
  readonly timeoutMs: number;
}

export interface RetryOptions {
  readonly attempts?: number;
  /** The longest first wait; it doubles with every try, and the real wait is a random part of it. */
  readonly backoffMs?: number;
  /** A provider that asks for more patience than this is left alone. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Tries again what may work later, a few times, at random moments so that callers do not return in step. */
export async function retrying<T>(attempt: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { attempts = 2, backoffMs = 100, patienceMs = 1000, signal, random = Math.random } = options;
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof ProviderFailure) || !failure.retryable || tried >= attempts) throw failure;
      const waitMs = failure.retryAfterMs ?? random() * backoffMs * 2 ** (tried - 1);
      if (waitMs > patienceMs) throw failure;
      await pause(waitMs, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

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

/** Waits for work, but not longer than so. The work itself is told to stop through its own signal, not from here. */
export async function inTime<T>(work: Promise<T>, { provider, timeoutMs }: InTimeOptions): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ProviderFailure(provider, `nothing came within ${timeoutMs} ms`, { retryable: true, isLate: true }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
