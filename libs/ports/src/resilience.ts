import { CircuitBreaker, type CircuitBreakerOptions, ProviderFailure } from './provider-failure';

/**
 * The outcome of some work, or what `late` returns or throws once the work takes too long or `stop` aborts. The timer is cleared
 * either way; the work itself continues, and its later failure is ignored.
 */
export async function within<T>(ms: number, work: Promise<T>, late: () => T, stop?: AbortSignal): Promise<T> {
  const passed = Promise.withResolvers<void>();
  const pass = (): void => passed.resolve();
  const timer = setTimeout(pass, ms);
  if (stop?.aborted) pass();
  else stop?.addEventListener('abort', pass, { once: true });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, passed.promise.then(late)]);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', pass);
  }
}

export interface Candidate<Engine> {
  readonly engine: Engine;
  readonly breaker: CircuitBreaker;
}

/** The circuit breakers of a chain of engines. */
export interface BreakerOptions {
  readonly breaker?: CircuitBreakerOptions;
  /** Breakers shared by several chains, by provider; by default each chain has its own. */
  readonly breakerOf?: (provider: string) => CircuitBreaker;
}

/** Engines in order, each with its breaker. */
export function candidatesOf<Engine extends { readonly capabilities: { readonly provider: string } }>(
  engines: readonly Engine[],
  { breaker, breakerOf = () => new CircuitBreaker(breaker) }: BreakerOptions,
): Candidate<Engine>[] {
  return engines.map((engine) => ({ engine, breaker: breakerOf(engine.capabilities.provider) }));
}

/** One attempt with an engine. Its signal aborts if another engine was faster. */
type EngineAttempt<Engine, T> = (engine: Engine, breaker: CircuitBreaker, signal: AbortSignal) => Promise<T>;

interface RaceOptions {
  /** The name in the failure if no engine was asked because all breakers are open. */
  readonly name?: string;
  /**
   * If an engine has not answered after this long, the next is asked in parallel and the first answer is used. If absent, never.
   */
  readonly hedgeMs?: number | undefined;
  /** Called for each engine that fails, even if another one answers. */
  readonly onFailure?: ((failure: ProviderFailure) => void) | undefined;
}

type EngineOutcome<T> = { readonly answer: T } | { readonly failure: unknown };

/**
 * Tries the engines in order until one answers, skipping those with an open breaker. After a failure the next one is asked at
 * once. If all fail, the last failure is thrown, with the shortest wait of a breaker as its `retryAfterMs`.
 */
export async function firstThatWorks<Engine, T>(
  candidates: readonly Candidate<Engine>[],
  attempt: EngineAttempt<Engine, T>,
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

/** How often to try an engine: once while another can take over, and with retries only if none is left. */
export function patienceWith<Engine>(
  engine: Engine,
  candidates: readonly Candidate<Engine>[],
  retry: RetryOptions = {},
): RetryOptions {
  const later = candidates.slice(candidates.findIndex((candidate) => candidate.engine === engine) + 1);
  return later.some(({ breaker }) => breaker.waitMs === 0) ? { ...retry, attempts: 1 } : retry;
}

/** Never runs more than two engines at a time. */
class Race<Engine, T> {
  private readonly running = new Map<Promise<EngineOutcome<T>>, AbortController>();
  private started = 0;

  constructor(
    private readonly candidates: readonly Candidate<Engine>[],
    private readonly attempt: EngineAttempt<Engine, T>,
  ) {}

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** Returns false if no engine with a closed breaker is left. */
  startNext(): boolean {
    for (let candidate = this.candidates[this.started]; candidate; candidate = this.candidates[this.started]) {
      this.started += 1;
      if (candidate.breaker.waitMs > 0) continue;
      this.start(candidate);
      return true;
    }
    return false;
  }

  /** The first outcome among the running attempts, or `slow` if a single one takes too long and another could be asked. */
  async next(hedgeMs: number | undefined): Promise<EngineOutcome<T> | 'slow'> {
    const mayHedge = hedgeMs !== undefined && this.running.size === 1 && this.started < this.candidates.length;
    const first = Promise.race(this.running.keys());
    return mayHedge ? within<EngineOutcome<T> | 'slow'>(hedgeMs, first, () => 'slow') : first;
  }

  stop(): void {
    for (const loser of this.running.values()) loser.abort(nobodyWaits);
  }

  private start({ engine, breaker }: Candidate<Engine>): void {
    const leave = new AbortController();
    const outcome: Promise<EngineOutcome<T>> = breaker
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
  const unasked =
    waits.length > 0 ? 'is not asked for some seconds, since it failed several times' : 'no engine can take this request';
  return new ProviderFailure(last?.provider ?? name, last ? 'no engine answered' : unasked, {
    retryable: candidates.length > 0,
    retryAfterMs,
    kind: last?.kind ?? candidates.find(({ breaker }) => breaker.waitMs > 0)?.breaker.kind ?? 'REFUSED',
    cause: last,
  });
}

interface InTimeOptions {
  readonly provider: string;
  readonly timeoutMs: number;
}

export interface RetryOptions {
  readonly attempts?: number;
  /** The longest first wait; it doubles with each attempt, and the actual wait is a random part of it. */
  readonly backoffMs?: number;
  /** If the provider asks to wait longer than this, no retry is made. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Retries what may work later, a few times, at random intervals so that callers do not retry in step. */
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
 * Waits for a stream's first item. Nothing has been emitted until then, so the caller may still switch to another engine; the
 * returned stream yields that item again.
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

/** Waits for work for a limited time. The work itself is cancelled through its own signal, not here. */
export function inTime<T>(work: Promise<T>, limit: InTimeOptions): Promise<T> {
  return within(limit.timeoutMs, work, () => {
    throw lateness(limit);
  });
}

/** Waits a limited time for each of many items. They share a timer, because a timer per word costs more than the word. */
export class TimelyItems<Item> {
  private fail: (failure: ProviderFailure) => void = () => undefined;
  private readonly timer: NodeJS.Timeout;
  private areHeldUp = false;
  private haveEnded = false;

  constructor(
    private readonly items: AsyncIterator<Item>,
    limit: InTimeOptions,
  ) {
    this.timer = setTimeout(() => {
      if (!this.areHeldUp) this.fail(lateness(limit));
    }, limit.timeoutMs);
  }

  next(): Promise<IteratorResult<Item>> {
    this.timer.refresh();
    return new Promise((resolve, reject) => {
      this.fail = reject;
      this.items.next().then(resolve, reject);
    });
  }

  /** The item that is awaited gets its full time again. */
  extend(): void {
    this.timer.refresh();
  }

  /** What comes next waits for something that is no fault of its source, which then has its full time. */
  async heldUpBy<T>(wait: Promise<T>): Promise<T> {
    this.areHeldUp = true;
    try {
      return await wait;
    } finally {
      this.areHeldUp = false;
      if (!this.haveEnded) this.timer.refresh();
    }
  }

  /** No more items are wanted. */
  end(): void {
    this.haveEnded = true;
    clearTimeout(this.timer);
  }
}

/** The failure of an engine of which nothing came in time. */
export function lateness({ provider, timeoutMs }: InTimeOptions): ProviderFailure {
  return new ProviderFailure(provider, `nothing came within ${timeoutMs} ms`, { retryable: true, isLate: true });
}

/**
 * Reports only the first failure of an outage, and that of the next one after a recovery: what is retried may be unavailable for
 * hours.
 */
export class FirstFailure {
  private isFailing = false;

  constructor(private readonly report: (error: unknown) => void) {}

  failed(error: unknown): void {
    if (!this.isFailing) this.report(error);
    this.isFailing = true;
  }

  recovered(): void {
    this.isFailing = false;
  }
}

/**
 * Why something is stopped that is over, or that nobody waits for. For an abort without a reason Node makes such an error each time, with
 * its stack.
 */
export const nobodyWaits = new DOMException('Nobody waits for this any more', 'AbortError');

/** Aborts with the caller's signal, if there is one, or with ours. */
export function eitherSignal(asked: AbortSignal | undefined, own: AbortSignal): AbortSignal {
  return asked ? AbortSignal.any([asked, own]) : own;
}
