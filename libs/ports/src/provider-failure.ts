import type { ProviderErrorKind } from '@parley/contracts';

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
