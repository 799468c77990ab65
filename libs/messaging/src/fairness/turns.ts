import { AsyncLocalStorage } from 'node:async_hooks';
import { FairQueue } from './fair-queue';

/** What begins when its turn has come, or is told that there is no room to wait in. Neither may throw. */
interface Beginning {
  begin(): void;
  refuse(): void;
}

/** Begun in one turn of the event loop. The next ones wait until it has looked at everything else once. */
const atOnceMax = 8;
/** Where what begins is large, fewer begin. */
const atOnceMsMax = 10;

/**
 * Begins work by turns of the organizations that it is for, a little in each turn of the event loop: a thousand requests of one
 * that came together let another's next one go second, not last. As long as little comes, all of it begins where it stands. What
 * has begun is not counted: it waits for others most of its time.
 */
export class Turns {
  private readonly queue: FairQueue<Beginning>;
  private begun = 0;

  constructor(waitingMax: number) {
    this.queue = new FairQueue(waitingMax);
  }

  /** How many wait. */
  get waiting(): number {
    return this.queue.size;
  }

  take(organization: unknown, { begin, refuse }: Beginning): void {
    if (this.begun < atOnceMax && this.queue.size === 0) this.begin(begin);
    // Whoever begins later does so in a context of its own, not in that of the one before.
    else this.queue.push(organization, { begin: AsyncLocalStorage.bind(begin), refuse })?.refuse();
  }

  private begin(begin: () => void): void {
    if (this.begun === 0) setImmediate(() => this.goOn());
    this.begun += 1;
    begin();
  }

  private goOn(): void {
    this.begun = 0;
    const endMs = performance.now() + atOnceMsMax;
    while (this.begun < atOnceMax && (this.begun === 0 || performance.now() < endMs)) {
      const next = this.queue.shift();
      if (!next) return;
      this.begin(next.begin);
    }
  }
}
