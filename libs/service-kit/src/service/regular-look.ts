import type { Lifetime } from './start-service';

/** Looks for work again and again, one look after the other, until the service drains. A look says how long to wait for the next. */
export class RegularLook {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isWanted = false;

  constructor(
    private readonly lifetime: Pick<Lifetime, 'draining'>,
    private readonly work: {
      /** When the next look comes after one that failed, in milliseconds. */
      readonly everyMs: number;
      look(): Promise<number>;
      onTrouble(error: unknown): void;
    },
  ) {}

  start(inMs = 0): void {
    this.lookIn(inMs);
  }

  /** Looks soon, because there is something to find; during a look, once more after it. */
  wake(): void {
    if (this.looking) this.isWanted = true;
    else this.lookIn(0);
  }

  /** Resolves when no look is under way, and none will be. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.looking;
    clearTimeout(this.timer);
  }

  private lookIn(ms: number): void {
    clearTimeout(this.timer);
    if (this.lifetime.draining.aborted) return;
    this.timer = setTimeout(() => (this.looking = this.look()), ms).unref();
  }

  private async look(): Promise<void> {
    this.isWanted = false;
    let nextMs = this.work.everyMs;
    try {
      nextMs = await this.work.look();
    } catch (error) {
      this.work.onTrouble(error);
    }
    this.looking = undefined;
    this.lookIn(this.isWanted ? 0 : nextMs);
  }
}
