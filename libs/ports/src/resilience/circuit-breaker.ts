import { ProviderFailure } from '../provider-failure';

export interface CircuitBreakerOptions {
  /** Failures in a row that open it. */
  readonly failuresMax?: number;
  /** How long it stays open before one request may try again. */
  readonly restMs?: number;
}

/** Keeps requests away from an engine that keeps failing, and lets one through now and then to see whether it is back. */
export class CircuitBreaker {
  private readonly failuresMax: number;
  private readonly restMs: number;
  private failures = 0;
  private closedAgainAtMs = 0;
  private probing = false;

  constructor({ failuresMax = 3, restMs = 10_000 }: CircuitBreakerOptions = {}) {
    this.failuresMax = failuresMax;
    this.restMs = restMs;
  }

  /** Milliseconds until a request may pass; zero when one may pass now. */
  get waitMs(): number {
    if (this.failures < this.failuresMax) return 0;
    return this.probing ? this.restMs : Math.max(0, this.closedAgainAtMs - Date.now());
  }

  /** Does the work and learns from its outcome. Ask `waitMs` first: an open breaker does not stop who insists. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const isProbe = this.failures >= this.failuresMax;
    if (isProbe) this.probing = true;
    try {
      const outcome = await work();
      this.failures = 0;
      return outcome;
    } catch (failure) {
      this.learnFrom(failure);
      throw failure;
    } finally {
      if (isProbe) this.probing = false;
    }
  }

  /** Counts a failure that came after the work had begun well. A request that is wrong, or one too many, says nothing about the engine. */
  learnFrom(failure: unknown): void {
    if (!(failure instanceof ProviderFailure) || !failure.retryable || failure.isBusy) return;
    this.failures += 1;
    this.closedAgainAtMs = Date.now() + Math.max(this.restMs, failure.retryAfterMs ?? 0);
  }
}
