import { ProviderFailure } from '../provider-failure';
import type { CircuitBreaker } from './circuit-breaker';

export interface Candidate<Engine> {
  readonly engine: Engine;
  readonly breaker: CircuitBreaker;
}

/**
 * Tries the engines in order until one answers, passing over those that rest. The next one is asked at once, so a
 * failure costs no waiting. When all fail, the last failure says so, with the shortest rest as its `retryAfterMs`.
 */
export async function firstThatWorks<Engine, T>(
  candidates: readonly Candidate<Engine>[],
  attempt: (engine: Engine, breaker: CircuitBreaker) => Promise<T>,
): Promise<T> {
  let last: ProviderFailure | undefined;
  for (const { engine, breaker } of candidates) {
    if (breaker.waitMs > 0) continue;
    try {
      return await breaker.run(() => attempt(engine, breaker));
    } catch (failure) {
      if (!(failure instanceof ProviderFailure)) throw failure;
      last = failure;
    }
  }
  throw noneWorks(candidates, last);
}

function noneWorks(candidates: readonly Candidate<unknown>[], last: ProviderFailure | undefined): ProviderFailure {
  if (last && !last.retryable) return last;
  const waits = candidates.map(({ breaker }) => breaker.waitMs).filter((ms) => ms > 0);
  const retryAfterMs = last?.retryAfterMs ?? (waits.length > 0 ? Math.min(...waits) : undefined);
  const message = candidates.length === 0 ? 'no engine can take this request' : 'no engine answered';
  return new ProviderFailure(last?.provider ?? 'speech', message, { retryable: candidates.length > 0, retryAfterMs, cause: last });
}
