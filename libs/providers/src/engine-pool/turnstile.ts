import { ProviderFailure } from '@parley/ports';

export interface TurnstileOptions {
  readonly provider: string;
  /** Jobs at a time. */
  readonly places: number;
  /** Jobs that may wait; one more is refused at once. */
  readonly queueMax: number;
}

/** Whether a job begins something, or belongs to what has begun and would break off without it. */
export type Standing = 'new' | 'begun';

interface Waiting {
  enter(): void;
}

/**
 * Lets a few jobs work and a few more wait, first come first served. Of what has begun no job is refused: whoever asks so
 * has a few at a time, and new ones are refused meanwhile.
 */
export class Turnstile {
  private working = 0;
  private readonly queue: Waiting[] = [];

  constructor(private readonly options: TurnstileOptions) {}

  /** Does the work when its turn comes. A caller who goes away leaves the queue. */
  async pass<T>(work: () => Promise<T>, signal?: AbortSignal, standing: Standing = 'new'): Promise<T> {
    signal?.throwIfAborted();
    await this.enter(signal, standing);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(signal: AbortSignal | undefined, standing: Standing): Promise<void> {
    if (this.working < this.options.places) {
      this.working += 1;
      return;
    }
    if (standing === 'new' && this.queue.length >= this.options.queueMax) throw this.full();
    await this.wait(signal);
  }

  private wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        enter: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.queue.push(waiting);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** The place goes straight to whoever waits longest, so nobody can slip in between. */
  private leave(): void {
    const next = this.queue.shift();
    if (next) next.enter();
    else this.working -= 1;
  }

  private full(): ProviderFailure {
    const { provider, queueMax } = this.options;
    return new ProviderFailure(provider, `is busy, and ${queueMax} requests wait already`, { retryable: true, retryAfterMs: 1000, isBusy: true });
  }
}
