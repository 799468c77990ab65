interface FailureOptions {
  retryable: boolean;
  /** How long the provider asked us to wait. */
  retryAfterMs?: number;
  cause?: unknown;
}

/** An engine behind a port did not do its work. `retryable` says whether the same request may succeed later. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly provider: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(provider: string, message: string, options: FailureOptions) {
    super(`${provider}: ${message}`, { cause: options.cause });
    this.provider = provider;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}
