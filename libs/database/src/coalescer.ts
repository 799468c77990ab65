import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@parley/contracts';
import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { isPassingFailure } from './sql-failure';

/** Bounds of one lane. */
export interface LaneLimits {
  /** Most items in one flush. */
  readonly batchMax: number;
  /** Most items that wait. The next one is told to come back: Postgres is slower than what comes in. */
  readonly waitingMax: number;
}

interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly giveUpAtMs: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

const firstPauseMs = 20;
const pauseMsMax = 500;

/**
 * Gathers what arrives while the flush before is under way and hands it over as one batch: an idle lane flushes at
 * once, a busy one waits for a commit, which takes a few milliseconds. A batch that is refused is halved until the bad
 * item is alone, so that it takes no others with it and costs them little time; passing failures are tried again until the
 * item's patience ends.
 */
export class Coalescer<Item, Outcome> {
  private waiting: Waiting<Item, Outcome>[] = [];
  /** How many of those that wait were part of a refused batch, and how many of them go together now. */
  private doubtful = 0;
  private together = 1;
  private isRunning = false;

  constructor(
    private readonly flush: (items: Item[]) => Promise<Outcome[]>,
    private readonly limits: LaneLimits,
  ) {}

  submit(item: Item, patienceMs: number): Promise<Outcome> {
    if (this.waiting.length >= this.limits.waitingMax) {
      return Promise.reject(new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.waiting.push({ item, giveUpAtMs: Date.now() + patienceMs, resolve, reject });
    if (!this.isRunning) void this.run();
    return promise;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    let pauseMs = firstPauseMs;
    // What the same turn of the event loop brings may come along.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.doubtful > 0 ? Math.min(this.doubtful, this.together) : this.limits.batchMax);
      this.doubtful = Math.max(0, this.doubtful - batch.length);
      if (await this.attempt(batch)) {
        pauseMs = firstPauseMs;
        continue;
      }
      await delay(pauseMs);
      pauseMs = Math.min(pauseMs * 2, pauseMsMax);
    }
    this.isRunning = false;
  }

  /** Answers whether the next batch may go at once. */
  private async attempt(batch: Waiting<Item, Outcome>[]): Promise<boolean> {
    try {
      const outcomes = await this.flush(batch.map(({ item }) => item));
      outcomes.forEach((outcome, index) => batch[index]?.resolve(outcome));
      this.together = Math.min(this.together * 2, this.limits.batchMax);
      return true;
    } catch (error) {
      this.takeBack(batch, error);
      return isRefusal(error);
    }
  }

  private takeBack(batch: Waiting<Item, Outcome>[], error: unknown): void {
    const isHopeless = batch.length === 1 && isRefusal(error);
    const again = batch.filter(({ giveUpAtMs }) => !isHopeless && giveUpAtMs > Date.now());
    const reason = isHopeless ? error : unavailable(error);
    for (const waiting of batch) if (!again.includes(waiting)) waiting.reject(reason);
    this.waiting.unshift(...again);
    // While Postgres is away, whoever waits behind must not wait for ever.
    const late = this.waiting.filter(({ giveUpAtMs }) => giveUpAtMs <= Date.now());
    for (const waiting of late) waiting.reject(unavailable(error));
    if (late.length > 0) this.waiting = this.waiting.filter((waiting) => !late.includes(waiting));
    if (isPassingFailure(error)) return;
    this.doubtful += again.length;
    this.together = Math.ceil(batch.length / 2);
  }
}

const transientStates = new Set(['40P01', '40001', '55P03', '57014']);

/** Postgres understood the statement and will say no again. */
function isRefusal(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (isPassingFailure(error)) return false;
  return !(cause instanceof Error) || cause instanceof TypeError || (cause instanceof DatabaseError && !transientStates.has(cause.code ?? ''));
}

function unavailable(cause: unknown): Fault {
  return new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause });
}
