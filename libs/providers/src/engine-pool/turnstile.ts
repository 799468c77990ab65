import { currentCall, FairQueue } from '@parley/messaging';
import { ProviderFailure } from '@parley/ports';

export interface TurnstileOptions {
  readonly provider: string;
  /** Jobs at a time. */
  readonly places: number;
  /** Jobs that may wait; for one more, one of the organization that has most waiting is refused. */
  readonly queueMax: number;
}

/** Whether a job begins something, or belongs to what has begun and would break off without it. */
export type Standing = 'new' | 'begun';

interface Waiting {
  enter(): void;
  refuse(): void;
}

/**
 * Lets a few jobs work and a few more wait. The organizations of those who ask take turns, so that one with a hundred jobs holds
 * up another by one. Of what has begun no job is refused: whoever asks so has a few at a time, and new ones are refused meanwhile.
 */
export class Turnstile {
  private working = 0;
  private readonly queue: FairQueue<Waiting>;

  constructor(private readonly options: TurnstileOptions) {
    this.queue = new FairQueue(options.queueMax);
  }

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
    await this.wait(signal, standing);
  }

  private wait(signal: AbortSignal | undefined, standing: Standing): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.queue.remove(waiting);
        reject(signal?.reason);
      };
      const settled = (): void => signal?.removeEventListener('abort', onAbort);
      const waiting: Waiting = {
        enter: () => {
          settled();
          resolve();
        },
        refuse: () => {
          settled();
          reject(this.full());
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const organization = currentCall()?.principal?.orgId;
      if (standing === 'begun') this.queue.keep(organization, waiting);
      else this.queue.push(organization, waiting)?.refuse();
    });
  }

  /** The place goes straight to whoever's turn it is, so nobody can slip in between. */
  private leave(): void {
    const next = this.queue.shift();
    if (next) next.enter();
    else this.working -= 1;
  }

  private full(): ProviderFailure {
    const { provider, queueMax } = this.options;
    return new ProviderFailure(provider, `is busy, and ${queueMax} requests wait already`, {
      retryable: true,
      retryAfterMs: 1000,
      isBusy: true,
    });
  }
}
