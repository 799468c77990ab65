import { ProviderFailure } from '../provider-failure';
import type { CircuitBreaker } from './circuit-breaker';
import type { RetryOptions } from './retrying';

export interface Candidate<Engine> {
  readonly engine: Engine;
  readonly breaker: CircuitBreaker;
}

/** One engine's try. Its signal aborts when another engine was quicker. */
export type Attempt<Engine, T> = (engine: Engine, breaker: CircuitBreaker, signal: AbortSignal) => Promise<T>;

export interface RaceOptions {
  /** What failed where no engine was asked, because all of them rest. */
  readonly name?: string;
  /** When one engine has not answered after so long, the next is asked beside it and the first answer counts. Absent: never. */
  readonly hedgeMs?: number | undefined;
  /** Told of each engine that fails, also when another one answers. */
  readonly onFailure?: ((failure: ProviderFailure) => void) | undefined;
}

type Outcome<T> = { readonly answer: T } | { readonly failure: unknown };

/**
 * Tries the engines in order until one answers, passing over those that rest. The next one is asked at once, so a
 * failure costs no waiting. When all fail, the last failure says so, with the shortest rest as its `retryAfterMs`.
 */
export async function firstThatWorks<Engine, T>(
  candidates: readonly Candidate<Engine>[],
  attempt: Attempt<Engine, T>,
  { name = 'speech', hedgeMs, onFailure }: RaceOptions = {},
): Promise<T> {
  const race = new Race(candidates, attempt);
  let last: ProviderFailure | undefined;
  try {
    while (race.isRunning || race.startNext()) {
      const outcome = await race.next(hedgeMs);
      if (outcome === 'slow') race.startNext();
      else if ('answer' in outcome) return outcome.answer;
      else {
        if (!(outcome.failure instanceof ProviderFailure)) throw outcome.failure;
        last = outcome.failure;
        onFailure?.(last);
      }
    }
  } finally {
    race.stop();
  }
  throw noneWorks(name, candidates, last);
}

/** How often an engine is asked: once while another could take over at once, and again only where none is left. */
export function patienceWith<Engine>(
  engine: Engine,
  candidates: readonly Candidate<Engine>[],
  retry: RetryOptions = {},
): RetryOptions {
  const later = candidates.slice(candidates.findIndex((candidate) => candidate.engine === engine) + 1);
  return later.some(({ breaker }) => breaker.waitMs === 0) ? { ...retry, attempts: 1 } : retry;
}

/** Never more than two engines at a time. */
class Race<Engine, T> {
  private readonly running = new Map<Promise<Outcome<T>>, AbortController>();
  private started = 0;

  constructor(
    private readonly candidates: readonly Candidate<Engine>[],
    private readonly attempt: Attempt<Engine, T>,
  ) {}

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** False when no engine is left that does not rest. */
  startNext(): boolean {
    for (let candidate = this.candidates[this.started]; candidate; candidate = this.candidates[this.started]) {
      this.started += 1;
      if (candidate.breaker.waitMs > 0) continue;
      this.start(candidate);
      return true;
    }
    return false;
  }

  /** How the first of those running ended, or `slow` when one alone is still at it after so long and another could be asked. */
  async next(hedgeMs: number | undefined): Promise<Outcome<T> | 'slow'> {
    const mayHedge = hedgeMs !== undefined && this.running.size === 1 && this.started < this.candidates.length;
    let timer: NodeJS.Timeout | undefined;
    const slow = new Promise<'slow'>((resolve) => {
      if (mayHedge) timer = setTimeout(() => resolve('slow'), hedgeMs);
    });
    try {
      return await Promise.race([...this.running.keys(), slow]);
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): void {
    for (const loser of this.running.values()) loser.abort();
  }

  private start({ engine, breaker }: Candidate<Engine>): void {
    const leave = new AbortController();
    const outcome: Promise<Outcome<T>> = breaker
      .run(() => this.attempt(engine, breaker, leave.signal))
      .then(
        (answer) => ({ answer }),
        (failure: unknown) => ({ failure }),
      )
      .finally(() => this.running.delete(outcome));
    this.running.set(outcome, leave);
  }
}

function noneWorks(name: string, candidates: readonly Candidate<unknown>[], last: ProviderFailure | undefined): ProviderFailure {
  if (last && !last.retryable) return last;
  const waits = candidates.map(({ breaker }) => breaker.waitMs).filter((ms) => ms > 0);
  const retryAfterMs = last?.retryAfterMs ?? (waits.length > 0 ? Math.min(...waits) : undefined);
  const message = candidates.length === 0 ? 'no engine can take this request' : 'no engine answered';
  return new ProviderFailure(last?.provider ?? name, message, {
    retryable: candidates.length > 0,
    retryAfterMs,
    cause: last,
  });
}
