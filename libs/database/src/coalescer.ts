import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@parley/contracts';
import { FairQueue } from '@parley/messaging';
import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { isPassingFailure } from './queries';

/** Bounds of one lane. */
interface LaneLimits {
  /** Most items in one flush. */
  readonly batchMax: number;
  /** Most items that wait. One of the organization with most of them is told to come back: Postgres is slower than what comes in. */
  readonly waitingMax: number;
}

interface Waiting<Item, Outcome> {
  readonly item: Item;
  /** By the clock of this process. */
  readonly giveUpAtMs: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** So long does what nobody waits for stay for company. */
const companyMs = 25;
const firstPauseMs = 20;
const pauseMsMax = 500;

const beatMs = 500;
/** A loop that did not turn for so long was not merely busy. */
const stopMs = 2_000;

/**
 * Time during which this process ran. A pause of the container or a stopped process counts as one beat: on waking, every timeout of the
 * driver is over at once, and by the wall clock so would be the patience of all who wait, with Postgres there and never asked.
 */
class RunningTime {
  private seenMs = performance.now();
  private stoppedMs = 0;
  private beat: NodeJS.Timeout | undefined;

  nowMs(): number {
    this.beat ??= setInterval(() => this.nowMs(), beatMs).unref();
    const nowMs = performance.now();
    const passedMs = nowMs - this.seenMs;
    if (passedMs > stopMs) this.stoppedMs += passedMs - beatMs;
    this.seenMs = nowMs;
    return nowMs - this.stoppedMs;
  }
}

const running = new RunningTime();

/**
 * Gathers what arrives while the flush before is under way and hands it over as one batch: an idle lane flushes at
 * once, a busy one waits for a commit, which takes a few milliseconds. Organizations take turns in what waits, where the lane is told
 * of them. A batch that is refused is halved until the bad item is alone, so that it takes no others with it and costs them little
 * time; passing failures are tried again until the item's patience ends.
 */
export class Coalescer<Item, Outcome> {
  private readonly waiting: FairQueue<Waiting<Item, Outcome>>;
  /** What nobody waits for: it fills up batches, and makes one of its own when it is due. */
  private patient: Waiting<Item, Outcome>[] = [];
  private due: NodeJS.Timeout | undefined;
  /** What was in a batch that failed, and goes before everything that waits. */
  private again: Waiting<Item, Outcome>[] = [];
  /** How many of those were part of a refused batch, and how many of them go together now. */
  private doubtful = 0;
  private together = 1;
  private isRunning = false;
  /** Nobody who waits gives up before this. */
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

  /** The same for what nobody waits for: it comes along with the next flush, or makes one with what else has come by then. */
  submitLater(item: Item, patienceMs: number): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.patient.push({ item, giveUpAtMs: running.nowMs() + patienceMs, resolve, reject });
    this.due ??= setTimeout(() => this.hurry(), companyMs);
    return promise;
  }

  private hurry(): void {
    this.due = undefined;
    for (const waiting of this.patient.splice(0)) this.enqueue(waiting);
    if (!this.isRunning && this.waiting.size > 0) void this.run();
  }

  private enqueue(waiting: Waiting<Item, Outcome>): void {
    this.firstGivesUpAtMs = Math.min(this.firstGivesUpAtMs, waiting.giveUpAtMs);
    this.waiting
      .push(this.organizationOf(waiting.item), waiting)
      ?.reject(new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }));
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    let pauseMs = firstPauseMs;
    // What the same turn of the event loop brings may come along.
    await Promise.resolve();
    while (this.again.length + this.waiting.size > 0) {
      const batch = this.next();
      if (await this.attempt(batch)) {
        pauseMs = firstPauseMs;
        continue;
      }
      await delay(pauseMs);
      pauseMs = Math.min(pauseMs * 2, pauseMsMax);
    }
    this.isRunning = false;
  }

  private next(): Waiting<Item, Outcome>[] {
    const batch = this.again.splice(0, this.doubtful > 0 ? Math.min(this.doubtful, this.together) : this.limits.batchMax);
    while (this.doubtful === 0 && batch.length < this.limits.batchMax) {
      const waiting = this.waiting.shift();
      if (!waiting) break;
      batch.push(waiting);
    }
    if (this.doubtful === 0) batch.push(...this.patient.splice(0, this.limits.batchMax - batch.length));
    this.doubtful = Math.max(0, this.doubtful - batch.length);
    return batch;
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
    const nowMs = running.nowMs();
    const again = batch.filter(({ giveUpAtMs }) => !isHopeless && giveUpAtMs > nowMs);
    const reason = isHopeless ? error : unavailable(error);
    for (const waiting of batch) if (isHopeless || waiting.giveUpAtMs <= nowMs) waiting.reject(reason);
    this.again.unshift(...again);
    this.dismissOutwaited(nowMs, error);
    if (isPassingFailure(error)) return;
    this.doubtful += again.length;
    this.together = Math.ceil(batch.length / 2);
  }

  /** While Postgres is away, whoever waits behind must not wait for ever. They are looked through only when somebody may give up. */
  private dismissOutwaited(nowMs: number, cause: unknown): void {
    if (nowMs < this.firstGivesUpAtMs) return;
    this.firstGivesUpAtMs = Number.POSITIVE_INFINITY;
    const outwaited: Waiting<Item, Outcome>[] = [];
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

/** Postgres understood the statement and will say no again. */
function isRefusal(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (isPassingFailure(error)) return false;
  return (
    !(cause instanceof Error) ||
    cause instanceof TypeError ||
    (cause instanceof DatabaseError && !transientStates.has(cause.code ?? ''))
  );
}

function unavailable(cause: unknown): Fault {
  return new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, dependency: 'postgres', cause });
}
