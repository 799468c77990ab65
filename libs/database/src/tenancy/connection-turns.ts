import { FairQueue } from '@parley/messaging';
import type { DataSourceOptions } from 'typeorm';

/** Connections that one organization leaves to the others, however much it asks. */
const leftToOthers = 2;
const waitingMax = 2_000;
const usual = { places: 10, waitMs: 5_000 };

interface Waiting {
  enter(): void;
  refuse(): void;
}

/**
 * Who gets the next connection of a pool. Organizations take turns, so that a hundred requests of one hold up another's by one, and
 * none of them has all connections at a time: a long statement of its own would still be waited for.
 */
export class ConnectionTurns {
  private readonly working = new Map<number, number>();
  private taken = 0;
  private readonly queue = new FairQueue<Waiting>(waitingMax);
  private readonly ofOneMax: number;

  constructor(
    private readonly places: number,
    private readonly waitMs: number,
  ) {
    this.ofOneMax = Math.max(1, places - leftToOthers);
  }

  /** For the pool that a DataSource has. */
  static of(options: DataSourceOptions): ConnectionTurns {
    const waitMs = options.type === 'postgres' ? options.connectTimeoutMS : undefined;
    return new ConnectionTurns(options.poolSize ?? usual.places, waitMs ?? usual.waitMs);
  }

  /** Works when it is the organization's turn. Whoever waits too long fails as it would for a connection. */
  async pass<T>(orgId: number, work: () => Promise<T>): Promise<T> {
    if (this.taken < this.places && this.mayWork(orgId)) this.count(orgId, 1);
    else await this.wait(orgId);
    try {
      return await work();
    } finally {
      this.count(orgId, -1);
      this.letIn();
    }
  }

  private wait(orgId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        clearTimeout(patience);
        reject(new Error('timeout exceeded when trying to connect'));
      };
      const enter = (): void => {
        clearTimeout(patience);
        this.count(orgId, 1);
        resolve();
      };
      const waiting: Waiting = { enter, refuse };
      const patience = setTimeout(() => {
        this.queue.remove(waiting);
        refuse();
      }, this.waitMs);
      this.queue.push(orgId, waiting)?.refuse();
    });
  }

  private letIn(): void {
    while (this.taken < this.places) {
      const next = this.queue.shift((organization) => typeof organization === 'number' && this.mayWork(organization));
      if (!next) return;
      next.enter();
    }
  }

  private mayWork(orgId: number): boolean {
    return (this.working.get(orgId) ?? 0) < this.ofOneMax;
  }

  private count(orgId: number, change: 1 | -1): void {
    this.taken += change;
    const working = (this.working.get(orgId) ?? 0) + change;
    if (working > 0) this.working.set(orgId, working);
    else this.working.delete(orgId);
  }
}
