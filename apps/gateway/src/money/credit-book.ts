import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type CreditKind, creditsLow } from '@parley/contracts';
import { Coalescer, isTemporaryFailure, Outbox, type Statement, TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import { type BookChanges, writingOf } from './book-changes';
import type { Books } from './books';
import { CommonHolds, type Share } from './common-holds';
import type { Amounts, CreditOperation, CreditOutcome, Hold, Prices } from './operation';
import { type AccountTerms, readBooks, RememberedAccounts } from './known-books';

const laneCount = 4;
const holdPatienceMs = 5_000;
const limits = { batchMax: 100, waitingMax: 5_000 };

/** What a new organization gets, according to the configuration. */
export abstract class CreditTerms implements AccountTerms {
  abstract readonly initialCredits: AccountTerms['initialCredits'];
  abstract readonly lowAt: AccountTerms['lowAt'];
  /** Who may add credits besides the operator's command. */
  abstract readonly topUps: 'owners' | 'operator';
  /** Operators may change these while the gateway runs. */
  abstract prices: Prices;
  abstract organizationPrices: ReadonlyMap<number, Prices>;
  abstract readonly tokensPerTurn: number;
  abstract readonly holdMs: number;
}

/**
 * Applies operations to accounts. Each resolves once Postgres has committed it. Each organization has its own lane, which commits
 * up to a hundred operations at a time, so that a busy organization costs one commit per batch and not one per operation.
 */
@Injectable()
export class CreditBook implements BeforeApplicationShutdown {
  private readonly lanes: Coalescer<CreditOperation, CreditOutcome>[];
  private readonly remembered = new RememberedAccounts();
  private readonly tried = new WeakSet<CreditOperation>();
  private readonly waited = new Map<Promise<unknown>, number>();
  private readonly queue = new HoldQueue((hold) => this.do(hold, holdPatienceMs));
  private readonly common: CommonHolds;

  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly terms: CreditTerms,
  ) {
    this.common = new CommonHolds(this.remembered, (operation, patienceMs) => this.do(operation, patienceMs), terms.holdMs);
    this.lanes = Array.from(
      { length: laneCount },
      () =>
        new Coalescer(
          (operations) => this.flush(operations),
          limits,
          ({ orgId }) => orgId,
        ),
    );
  }

  /**
   * Applies an operation once, however often it is submitted under the same id. SERVICE_UNAVAILABLE if its outcome is not known
   * in time.
   */
  do(operation: CreditOperation, patienceMs: number): Promise<CreditOutcome> {
    return this.thenRetried(operation, this.laneOf(operation).submit(operation, patienceMs));
  }

  /** Tokens for a turn out of a hold that the organization's turns share; undefined if the turn needs its own. */
  takeShare(orgId: number, tokens: number): Share | undefined {
    return this.common.take(orgId, tokens);
  }

  /** Holds credits; if other holds have what is missing, waits some seconds for their release, or until nobody wants them any more. */
  holdInTurn(hold: Hold, signal?: AbortSignal): Promise<CreditOutcome> {
    return this.queue.take(hold, signal);
  }

  /** Holds an amount of one kind in turn, or else as much as is left, if that is enough. Returns the amount, or the refusal. */
  async holdUpTo(
    hold: Hold,
    { kind, amountMin, signal }: { kind: CreditKind; amountMin: number; signal?: AbortSignal },
  ): Promise<number | Refusal> {
    const wanted = hold.estimate[kind] ?? 0;
    const whole = await this.holdInTurn(hold, signal);
    if (whole.outcome !== 'exhausted') return wanted;
    // The price is linear, so this share of the amount costs no more than what is left.
    const affordable = Math.floor((wanted * whole.available) / whole.needed);
    if (whole.kind !== kind || affordable < amountMin) return whole;
    const part = await this.do({ ...hold, estimate: { ...hold.estimate, [kind]: affordable } }, holdPatienceMs);
    return part.outcome === 'exhausted' ? part : affordable;
  }

  /** Like `do`, for callers that do not wait: it joins the next commit, or is committed soon after. */
  doLater(operation: CreditOperation, patienceMs: number): Promise<CreditOutcome> {
    const done = this.thenRetried(operation, this.laneOf(operation).submitLater(operation, patienceMs));
    this.waited.set(done, operation.orgId);
    const forget = (): void => void this.waited.delete(done);
    done.then(forget, forget);
    return done;
  }

  /** Resolves once all operations submitted with `doLater` are done, and nothing is held for an organization without need. */
  async caughtUp(orgId?: number): Promise<void> {
    for (const lane of this.lanes) lane.flushNow();
    const open = [...this.waited].filter(([, owner]) => orgId === undefined || owner === orgId);
    await Promise.allSettled(open.map(([done]) => done));
    if (orgId !== undefined) await this.common.releaseIdle(orgId);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.caughtUp();
    await this.common.close();
  }

  /** When credits are returned, waiting holds try again. */
  private thenRetried({ type, orgId }: CreditOperation, done: Promise<CreditOutcome>): Promise<CreditOutcome> {
    const retry = (): void => this.queue.retry(orgId);
    if (type !== 'hold') done.then(retry, retry);
    return done;
  }

  private laneOf({ orgId }: CreditOperation): Coalescer<CreditOperation, CreditOutcome> {
    const lane = this.lanes[orgId % laneCount];
    if (!lane) throw new TypeError(`organization ${orgId} has no lane`);
    return lane;
  }

  /** Whether a hold of this size is very unlikely to be refused. An estimate: only `do` decides. */
  isPlentiful(orgId: number, estimate: Amounts): boolean {
    return this.remembered.isPlentiful(orgId, estimate);
  }

  private async flush(operations: CreditOperation[]): Promise<CreditOutcome[]> {
    // A retried operation may have been applied already; only the tables know.
    const isFirst = operations.every((operation) => !this.tried.has(operation));
    for (const operation of operations) this.tried.add(operation);
    return (isFirst ? await this.flushByMemory(operations) : undefined) ?? this.flushByTables(operations);
  }

  /**
   * Commits in one round trip if every balance is cached, nothing is refused and Postgres finds the books unchanged; otherwise
   * does nothing.
   */
  private async flushByMemory(operations: CreditOperation[]): Promise<CreditOutcome[] | undefined> {
    const books = this.remembered.booksFor(operations);
    if (!books) return undefined;
    const outcomes = operations.map((operation) => books.apply(operation));
    const isPlain = outcomes.every(({ outcome }) => outcome === 'done');
    if (!isPlain || books.changes.isEmpty || books.changes.thresholdsCrossed.length > 0) return undefined;
    const isWritten = await this.writeGuess(books.changes).catch((error: unknown) => {
      if (!isTemporaryFailure(error)) return false;
      this.remembered.invalidate(operations);
      throw error;
    });
    if (isWritten) this.note(books);
    else this.remembered.invalidate(operations);
    return isWritten ? outcomes : undefined;
  }

  private async writeGuess(changes: BookChanges): Promise<boolean> {
    const [written] = await this.tenants.acrossTenantsOnce<{ isWritten: boolean }>(why, writingOf(changes, { isGuess: true }));
    return written?.isWritten === true;
  }

  private async flushByTables(operations: CreditOperation[]): Promise<CreditOutcome[]> {
    const { outcomes, books } = await this.tenants.acrossTenantsEndingWith(why, async (manager) => {
      const books = await readBooks(manager, operations, this.terms);
      const outcomes = operations.map((operation) => books.apply(operation));
      const { changes } = books;
      const last = changes.isEmpty ? [] : [writingOf(changes, { isGuess: false }), ...(await this.warningsOf(manager, changes))];
      return { result: { outcomes, books }, last };
    });
    this.note(books);
    return outcomes;
  }

  private note(books: Books): void {
    this.remembered.note(books);
    if (books.changes.entries.length > 0) this.outbox.noteCommitted();
  }

  private async warningsOf(manager: EntityManager, { thresholdsCrossed: falls }: BookChanges): Promise<Statement[]> {
    const low = falls.map(({ account: { orgId, kind, available }, threshold }) =>
      this.outbox.addition(manager, creditsLow, { orgId, payload: { kind, available, threshold } }),
    );
    return (await Promise.all(low)).map(({ statement }) => statement);
  }
}

const why = 'one commit settles the charges of many organizations';

type Try = (hold: Hold) => Promise<CreditOutcome>;

type Refusal = Extract<CreditOutcome, { outcome: 'exhausted' }>;

interface WaitingHold {
  readonly hold: Hold;
  readonly giveUpAtMs: number;
  /** Why it waits. Unknown for a new hold that waits behind others without having been tried. */
  readonly refusal: Refusal | undefined;
  readonly signal: AbortSignal | undefined;
  resolve(outcome: CreditOutcome): void;
  reject(error: unknown): void;
}

/** One organization's waiting holds. Those that extend a charge in progress go first, in the order of `beforeOther`. */
interface OrganizationHolds {
  readonly begun: WaitingHold[];
  readonly fresh: WaitingHold[];
  isTrying: boolean;
  isToBeTriedAgain: boolean;
}

/** A question is answered in a second or two; a hold that waits longer fails for lack of credits. */
const waitMs = 8_000;
const waitingMax = 1_000;
/** Releases in other gateways are not announced, so retry regularly. */
const retryEveryMs = 200;

/**
 * Holds that would fit if others were released wait in turn for that: a hold covers the longest possible answer and most are much
 * shorter, so held credits are no reason to refuse. A hold larger than the whole balance is refused at once. If everyone who holds
 * credits waits for more, nobody would release any: one of them is refused, ends with what it has, and the others go on.
 */
class HoldQueue {
  private readonly waiting = new Map<number, OrganizationHolds>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly attempt: Try) {}

  /** The outcome of a hold; `exhausted` if its turn did not come in time. */
  async take(hold: Hold, signal?: AbortSignal): Promise<CreditOutcome> {
    const queue = this.waiting.get(hold.orgId);
    if (queue && !hold.isRaise) return this.wait(queue, { hold, signal, refusal: undefined });
    // A charge that already holds credits tries at once, and releases them if it must wait, which avoids deadlock.
    const outcome = await this.attempt(hold);
    if (outcome.outcome !== 'exhausted' || !outcome.isTemporary) return outcome;
    const waiting = this.wait(this.waiting.get(hold.orgId) ?? this.openQueue(hold.orgId), { hold, signal, refusal: outcome });
    this.retry(hold.orgId);
    return waiting;
  }

  /** Credits of an organization were released, so waiting holds may fit now. */
  retry(orgId: number): void {
    const queue = this.waiting.get(orgId);
    if (!queue) return;
    queue.isToBeTriedAgain = true;
    if (!queue.isTrying) void this.tryWaiting(orgId, queue);
  }

  private openQueue(orgId: number): OrganizationHolds {
    const queue: OrganizationHolds = { begun: [], fresh: [], isTrying: false, isToBeTriedAgain: false };
    this.waiting.set(orgId, queue);
    this.timer ??= setInterval(() => this.retryAll(), retryEveryMs).unref();
    return queue;
  }

  private wait(queue: OrganizationHolds, wanted: Pick<WaitingHold, 'hold' | 'refusal' | 'signal'>): Promise<CreditOutcome> {
    const { hold } = wanted;
    if (queue.begun.length + queue.fresh.length >= waitingMax) return this.attempt(hold);
    const { promise, resolve, reject } = Promise.withResolvers<CreditOutcome>();
    const waiting = { ...wanted, giveUpAtMs: performance.now() + waitMs, resolve, reject };
    if (hold.isRaise) queue.begun.splice(queue.begun.findLastIndex((other) => !beforeOther(waiting, other)) + 1, 0, waiting);
    else queue.fresh.push(waiting);
    return promise;
  }

  private retryAll(): void {
    for (const orgId of this.waiting.keys()) this.retry(orgId);
    if (this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async tryWaiting(orgId: number, queue: OrganizationHolds): Promise<void> {
    queue.isTrying = true;
    while (queue.isToBeTriedAgain) {
      queue.isToBeTriedAgain = false;
      while (await this.tryFirst(queue));
    }
    queue.isTrying = false;
    if (queue.begun.length + queue.fresh.length === 0) this.waiting.delete(orgId);
  }

  /** Returns whether the next hold may be tried. */
  private async tryFirst(queue: OrganizationHolds): Promise<boolean> {
    const [oldest] = queue.fresh;
    const isOverdue = oldest !== undefined && performance.now() >= oldest.giveUpAtMs;
    const next = queue.begun.length > 0 && !isOverdue ? queue.begun : queue.fresh;
    const [first] = next;
    if (!first) return false;
    try {
      first.signal?.throwIfAborted();
      const outcome = await this.attempt(first.hold);
      if (outcome.outcome === 'exhausted' && outcome.isTemporary && performance.now() < first.giveUpAtMs) {
        if (first.hold.isRaise) refuseIfStuck(queue.begun, outcome);
        return false;
      }
      first.resolve(outcome);
    } catch (error) {
      first.reject(error);
    }
    next.splice(next.indexOf(first), 1);
    return true;
  }
}

/** Smaller extensions go first, since more of them fit; of equal ones that of the charge with the most work done. */
function beforeOther({ refusal: mine }: WaitingHold, { refusal: theirs }: WaitingHold): boolean {
  if (!mine || !theirs) return false;
  const [missing, theirMissing] = [mine.needed - mine.own, theirs.needed - theirs.own];
  return missing === theirMissing ? mine.own > theirs.own : missing < theirMissing;
}

/** Refuses the last of the charges that hold credits, if all of these wait. Its end releases what it does not use. */
function refuseIfStuck(begun: WaitingHold[], { kind, held }: Refusal): void {
  const holding = begun.filter(({ refusal }) => refusal?.kind === kind && refusal.own > 0);
  const last = holding.at(-1);
  if (!last?.refusal || holding.reduce((sum, { refusal }) => sum + (refusal?.own ?? 0), 0) < held) return;
  begun.splice(begun.indexOf(last), 1);
  last.resolve(last.refusal);
}
