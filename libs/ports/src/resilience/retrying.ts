import { ProviderFailure } from '../provider-failure';

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
