import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@parley/contracts';
import { FairQueue, isOfDeletedOrganization } from '@parley/messaging';
import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { isTemporaryFailure } from './queries';

/** The limits of one lane. */
interface LaneLimits {
  /** The most items in one flush. */
  readonly batchMax: number;
  /** The most waiting items. Beyond this, the organization with the most is refused, since Postgres cannot keep up. */
  readonly waitingMax: number;
}

interface WaitingItem<Item, Outcome> {
  readonly item: Item;
  /** By this process's clock. */
  readonly giveUpAtMs: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** How long an item that nobody waits for is held back to share a flush, which costs as much as several of its items. */
const sharedFlushMs = 100;
/**
 * A flush costs as much as several of its items. After a shared flush, the next one begins when enough items wait or enough time
 * has passed; a lane with little to do does not wait.
 */
const sharing = { itemsMin: 4, enough: 12, waitMs: 3 };
const firstPauseMs = 20;
const pauseMsMax = 500;

const beatMs = 500;
/** An event loop that stood still for this long was paused, not busy. */
const stopMs = 2_000;

/**
 * Time during which this process actually ran. A pause of the container or process counts as one beat: on resuming, every driver
 * timeout fires at once, and by the wall clock all waiting items would expire without Postgres ever being asked. Measured only
 * while something waits: otherwise it would wake an idle process twice a second.
 */
class RunningTime {
  private seenMs = performance.now();
  private stoppedMs = 0;
  private lanes = 0;
  private beat: NodeJS.Timeout | undefined;

  /** Called when a lane has items that may expire. */
  begin(): void {
    this.lanes += 1;
    this.beat ??= setInterval(() => this.look(), beatMs).unref();
  }

  end(): void {
    this.lanes -= 1;
  }

  private look(): void {
    this.nowMs();
    if (this.lanes > 0) return;
    clearInterval(this.beat);
    this.beat = undefined;
  }

  nowMs(): number {
    const nowMs = performance.now();
    const passedMs = nowMs - this.seenMs;
    if (passedMs > stopMs) this.stoppedMs += passedMs - beatMs;
    this.seenMs = nowMs;
    return nowMs - this.stoppedMs;
  }
}

const running = new RunningTime();

/**
 * Collects items while the previous flush is in progress and writes them as one batch. An idle lane flushes at once; a busy one
 * waits for the previous commit and a few milliseconds for further items. Organizations take turns if items name one. A refused
 * batch is halved until the bad item is alone, so that no others fail with it; temporary failures are retried until the item
 * expires.
 */
export class Coalescer<Item, Outcome> {
  private readonly waiting: FairQueue<WaitingItem<Item, Outcome>>;
  /** Items that nobody waits for: they fill up other batches, and get one of their own when due. */
  private unawaited: WaitingItem<Item, Outcome>[] = [];
  private due: NodeJS.Timeout | undefined;
  /** The items of a failed batch, retried before all others. */
  private retried: WaitingItem<Item, Outcome>[] = [];
  /** How many of these belong to a refused batch, and how many are retried together. */
  private refusedLeft = 0;
  private retriedTogether = 1;
  private isRunning = false;
  private shared: (() => void) | undefined;
  /** The earliest time at which a waiting item expires. */
  private firstGivesUpAtMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly flush: (items: Item[]) => Promise<Outcome[]>,
    private readonly limits: LaneLimits,
    private readonly organizationOf: (item: Item) => unknown = () => undefined,
  ) {
    this.waiting = new FairQueue(limits.waitingMax);
  }

  submit(item: Item, patienceMs: number): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.enqueue({ item, giveUpAtMs: running.nowMs() + patienceMs, resolve, reject });
    if (!this.isRunning) void this.run();
    return promise;
  }

  /** The same for an item that nobody waits for: it joins the next flush, or causes one together with others. */
  submitLater(item: Item, patienceMs: number): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.unawaited.push({ item, giveUpAtMs: running.nowMs() + patienceMs, resolve, reject });
    this.due ??= setTimeout(() => this.flushNow(), sharedFlushMs);
    return promise;
  }

  /** Writes items that nobody waited for until now. */
  flushNow(): void {
    clearTimeout(this.due);
    this.due = undefined;
    for (const waiting of this.unawaited.splice(0)) this.enqueue(waiting);
    if (!this.isRunning && this.waiting.size > 0) void this.run();
  }

  private enqueue(waiting: WaitingItem<Item, Outcome>): void {
    this.firstGivesUpAtMs = Math.min(this.firstGivesUpAtMs, waiting.giveUpAtMs);
    this.waiting
      .push(this.organizationOf(waiting.item), waiting)
      ?.reject(new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }));
    if (this.waiting.size >= sharing.enough) this.shared?.();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    running.begin();
    let pauseMs = firstPauseMs;
    // Lets items from the same turn of the event loop share the flush.
    await Promise.resolve();
    while (this.retried.length + this.waiting.size > 0) {
      const batch = this.next();
      if (await this.attempt(batch)) {
        pauseMs = firstPauseMs;
        if (batch.length >= sharing.itemsMin) await this.gather();
        continue;
      }
      await delay(pauseMs);
      pauseMs = Math.min(pauseMs * 2, pauseMsMax);
    }
    running.end();
    this.isRunning = false;
  }

  private async gather(): Promise<void> {
    if (this.retried.length > 0 || this.waiting.size >= sharing.enough) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, sharing.waitMs);
    this.shared = resolve;
    await promise;
    clearTimeout(timer);
    this.shared = undefined;
  }

  private next(): WaitingItem<Item, Outcome>[] {
    const batch = this.retried.splice(
      0,
      this.refusedLeft > 0 ? Math.min(this.refusedLeft, this.retriedTogether) : this.limits.batchMax,
    );
    while (this.refusedLeft === 0 && batch.length < this.limits.batchMax) {
      const waiting = this.waiting.shift();
      if (!waiting) break;
      batch.push(waiting);
    }
    if (this.refusedLeft === 0) batch.push(...this.unawaited.splice(0, this.limits.batchMax - batch.length));
    this.refusedLeft = Math.max(0, this.refusedLeft - batch.length);
    return batch;
  }

  /** Returns whether the next batch may be sent at once. */
  private async attempt(batch: WaitingItem<Item, Outcome>[]): Promise<boolean> {
    try {
      const outcomes = await this.flush(batch.map(({ item }) => item));
      outcomes.forEach((outcome, index) => batch[index]?.resolve(outcome));
      this.retriedTogether = Math.min(this.retriedTogether * 2, this.limits.batchMax);
      return true;
    } catch (error) {
      this.takeBack(batch, error);
      return isRefusal(error);
    }
  }

  private takeBack(batch: WaitingItem<Item, Outcome>[], error: unknown): void {
    const isHopeless = batch.length === 1 && isRefusal(error);
    const nowMs = running.nowMs();
    const again = batch.filter(({ giveUpAtMs }) => !isHopeless && giveUpAtMs > nowMs);
    const reason = isHopeless ? error : unavailable(error);
    for (const waiting of batch) if (isHopeless || waiting.giveUpAtMs <= nowMs) waiting.reject(reason);
    this.retried.unshift(...again);
    this.expireWaiting(nowMs, error);
    if (isTemporaryFailure(error)) return;
    this.refusedLeft += again.length;
    this.retriedTogether = Math.ceil(batch.length / 2);
  }

  /** While Postgres is unavailable, items behind the batch must expire too. They are only searched if one may have expired. */
  private expireWaiting(nowMs: number, cause: unknown): void {
    if (nowMs < this.firstGivesUpAtMs) return;
    this.firstGivesUpAtMs = Number.POSITIVE_INFINITY;
    const outwaited: WaitingItem<Item, Outcome>[] = [];
    for (const waiting of this.waiting.values()) {
      if (waiting.giveUpAtMs <= nowMs) outwaited.push(waiting);
      else this.firstGivesUpAtMs = Math.min(this.firstGivesUpAtMs, waiting.giveUpAtMs);
    }
    for (const waiting of outwaited) {
      this.waiting.remove(waiting);
      waiting.reject(unavailable(cause));
    }
  }
}

const transientStates = new Set(['40P01', '40001', '55P03', '57014']);

/** Whether Postgres understood the statement and would refuse it again. */
function isRefusal(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (isTemporaryFailure(error)) return false;
  return (
    isOfDeletedOrganization(error) ||
    !(cause instanceof Error) ||
    cause instanceof TypeError ||
    (cause instanceof DatabaseError && !transientStates.has(cause.code ?? ''))
  );
}

function unavailable(cause: unknown): Fault {
  return new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, dependency: 'postgres', cause });
}
