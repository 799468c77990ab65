import { ProviderFailure } from '../provider-failure';

export interface InTimeOptions {
  readonly provider: string;
  readonly timeoutMs: number;
}

/** Waits for work, but not longer than so. The work itself is told to stop through its own signal, not from here. */
export async function inTime<T>(work: Promise<T>, { provider, timeoutMs }: InTimeOptions): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ProviderFailure(provider, `nothing came within ${timeoutMs} ms`, { retryable: true }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
