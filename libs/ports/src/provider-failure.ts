import type { ProviderErrorKind } from '@parley/contracts';
import { LRUCache } from 'lru-cache';

interface FailureOptions {
  retryable: boolean;
  /** How long the provider asks us to wait. */
  retryAfterMs?: number;
  /** The engine works, but has no capacity for this request now. */
  isBusy?: boolean;
  /** Nothing arrived in time. */
  isLate?: boolean;
  /** The carrier does not let this account call from the requested number. */
  refusesCaller?: boolean;
  /** What it was, if the rest does not tell. */
  kind?: ProviderErrorKind;
  /** The provider's own error code. */
  code?: string;
  cause?: unknown;
}

/** An engine behind a port failed. `retryable` says whether the same request may succeed later. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly provider: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly isBusy: boolean;
  readonly refusesCaller: boolean;
  readonly code: string | undefined;
  readonly kind: ProviderErrorKind;

  constructor(provider: string, message: string, options: FailureOptions) {
    super(`${provider}: ${message}`, { cause: options.cause });
    this.provider = provider;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.isBusy = options.isBusy ?? false;
    this.refusesCaller = options.refusesCaller ?? false;
    this.code = options.code;
    this.kind = options.kind ?? kindOf(options);
  }
}

function kindOf({ isLate, isBusy, retryAfterMs, retryable }: FailureOptions): ProviderErrorKind {
  if (isLate) return 'TIMEOUT';
  if (isBusy || retryAfterMs !== undefined) return 'BUSY';
  return retryable ? 'UNAVAILABLE' : 'REFUSED';
}

export interface CircuitBreakerOptions {
  /** The number of consecutive failures that opens it. */
  readonly failuresMax?: number;
  /** How long it stays open before one request may try again. */
  readonly restMs?: number;
}

/** How long an engine is left alone, and why. */
class Rest {
  endsAtMs = 0;
  isProbed = false;
  kind: ProviderErrorKind = 'UNAVAILABLE';
}

/** What the breakers of one engine know together. */
class Outage {
  successes = 0;
  readonly rest = new Rest();
  /** Those whose requests failed since the last success of anybody. */
  readonly failing = new Set<CircuitBreaker>();
}

/** Blocks requests to an engine that keeps failing, and occasionally lets one through as a test. */
export class CircuitBreaker {
  private readonly failuresMax: number;
  private readonly restMs: number;
  private readonly own = new Rest();
  private failures = 0;

  constructor(
    { failuresMax = 3, restMs = 10_000 }: CircuitBreakerOptions = {},
    private readonly outage = new Outage(),
  ) {
    this.failuresMax = failuresMax;
    this.restMs = restMs;
  }

  /** Milliseconds until a request may pass; 0 if one may pass now. */
  get waitMs(): number {
    const { rest } = this;
    if (!rest) return 0;
    return rest.isProbed ? this.restMs : Math.max(0, rest.endsAtMs - performance.now());
  }

  /** What the latest failure was that counted: why it is open, if it is. */
  get kind(): ProviderErrorKind {
    return (this.rest ?? this.own).kind;
  }

  /** Runs the work and records its outcome. Check `waitMs` first: an open breaker does not block callers that skip it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { rest: probed, outage } = this;
    const { successes } = outage;
    if (probed) probed.isProbed = true;
    try {
      const outcome = await work();
      this.failures = 0;
      outage.successes += 1;
      outage.failing.clear();
      return outcome;
    } catch (failure) {
      // Who has answered others meanwhile is not away: some requests are too much for it, and must not keep the others from it.
      if (outage.successes === successes) this.learnFrom(failure);
      throw failure;
    } finally {
      if (probed) probed.isProbed = false;
    }
  }

  /** Opens it at once, for an engine that accepts work and does not do it: its next requests would begin as well as this one. */
  open(): void {
    this.failures = this.failuresMax;
    this.begin('TIMEOUT', this.restMs);
  }

  /**
   * Counts a failure that occurred after the work had begun well. An invalid request, or one too many, says nothing about the
   * engine.
   */
  learnFrom(failure: unknown): void {
    if (!(failure instanceof ProviderFailure) || !failure.retryable || failure.isBusy) return;
    this.failures += 1;
    this.begin(failure.kind, Math.max(this.restMs, failure.retryAfterMs ?? 0));
  }

  private begin(kind: ProviderErrorKind, restMs: number): void {
    this.outage.failing.add(this);
    for (const rest of [this.own, this.outage.rest]) [rest.kind, rest.endsAtMs] = [kind, performance.now() + restMs];
  }

  /** The rest that keeps it open, if it is: that of everybody, or its own. */
  private get rest(): Rest | undefined {
    if (this.outage.failing.size >= this.failuresMax) return this.outage.rest;
    return this.failures >= this.failuresMax ? this.own : undefined;
  }
}

/** More tenants than use an engine at the same time. */
const tenantsMax = 1000;

/**
 * The breakers of an engine that tenants share. Each has its own, since what one of them asks may be too much for the engine, and must not
 * keep the others from it. All are open once as many tenants failed in a row as failures open one.
 */
export class SharedBreakers {
  private readonly outage = new Outage();
  private readonly each = new LRUCache<number, CircuitBreaker>({ max: tenantsMax });

  of(tenant: number): CircuitBreaker {
    const known = this.each.get(tenant);
    if (known) return known;
    const breaker = new CircuitBreaker({}, this.outage);
    this.each.set(tenant, breaker);
    return breaker;
  }
}
