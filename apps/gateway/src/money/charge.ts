import { type CreditKind, creditKinds, Fault } from '@parley/contracts';
import type { CreditBook } from './credit-book';
import { type Amounts, type CreditOutcome, type Hold, type Settlement, type Spender, totalOf } from './operation';

/** What a charge is known by, and the terms of its hold. */
interface HoldTerms {
  readonly orgId: number;
  readonly id: string;
  readonly spender: Spender;
  /** How long the hold lasts unless extended. */
  readonly holdMs?: number;
  /** The charge of the Idempotency-Key that this is one attempt of; another attempt may come. */
  readonly reference?: string | undefined;
  /** Whether so much is left beside the hold that it can stay a while before it is released. */
  readonly isPlentiful?: boolean;
  /** Tokens that may be spent before more has to be held; absent where none are counted. */
  readonly tokens?: number;
  /** Hears how much was used of all kinds once the charge ends. Never fails. */
  readonly onEnd?: ((used: number) => Promise<void>) | undefined;
}

/** What a service that spends must know of a charge. */
interface Payment {
  readonly chargeId: string;
  readonly tokens: number;
  readonly isSettledByTurn: boolean;
  readonly isOfAttempt: boolean;
}

const holdMsUsual = 600_000;
const holdPatienceMs = 5_000;
/** The work is done and must be paid: worth waiting for a Postgres restart. */
const settlePatienceMs = 20_000;
/** A failed release is made up for by the sweeper when the hold expires, unless the hold says that something was used. */
const releasePatienceMs = 2_000;

/** Credits held for one request until its usage is known. Ends once: a second end does nothing. */
export class Charge {
  private readonly used: Amounts = {};
  private ended: Promise<void> | undefined;
  private agentId: number | undefined;
  private isNoted = false;

  /**
   * `granted` settles with the hold, which may still be in progress: nothing may be sent before, and a refusal is thrown by it.
   */
  constructor(
    private readonly book: Pick<CreditBook, 'do' | 'doLater' | 'holdInTurn'>,
    private readonly held: HoldTerms,
    readonly granted: Promise<void> = Promise.resolve(),
  ) {
    granted.catch(() => undefined);
  }

  /**
   * What a turn gets to know of its charge. It extends its hold itself, and settles what it produced when its reader is gone; not
   * under an Idempotency-Key: only the gateway knows whether this attempt pays for the key or for itself.
   */
  get payment(): Payment | undefined {
    const { id, tokens, reference } = this.held;
    const isOfAttempt = reference !== undefined;
    return tokens === undefined ? undefined : { chargeId: id, tokens, isSettledByTurn: !isOfAttempt, isOfAttempt };
  }

  /** Adds to what the request used. Zero counts as well: an answer that cost nothing has its line in the ledger. */
  use(kind: CreditKind, amount: number): void {
    if (!Number.isFinite(amount) || amount < 0) throw new RangeError(`${amount} is no amount of ${kind}`);
    this.used[kind] = (this.used[kind] ?? 0) + amount;
  }

  /** The agent that it is booked under, once it is known. */
  ofAgent(agentId: number): void {
    this.agentId = agentId;
  }

  /** Usage so far, of all kinds. */
  get total(): number {
    return totalOf(this.used);
  }

  /** Raises the hold to at least these amounts; CREDITS_EXHAUSTED where there is not so much. */
  async extend(estimate: Amounts): Promise<void> {
    await this.granted;
    const raised = await this.book.holdInTurn({ ...this.holdOf(estimate, this.used), isRaise: true });
    if (raised.outcome === 'exhausted') throw exhausted(raised.kind, raised);
  }

  /** Records what is owed by now in case this process dies before it settles. Not awaited. */
  note(owed: Amounts): void {
    if (this.ended) return;
    this.isNoted = true;
    const all = { ...this.used, ...owed };
    this.granted.then(() => this.book.do(this.holdOf(all, all), holdPatienceMs)).catch(noOutcome);
  }

  /** Charges the usage and releases the rest of the hold. Resolves when that is durable. */
  settle(): Promise<void> {
    this.ended ??= this.ending(this.granted.then(() => this.settled()));
    return this.ended;
  }

  /**
   * Settles a turn that is in the record. The record has its usage under this charge's id, and the hold stays until the ledger
   * has its line: if this process dies, the sweeper enters it. So the answer does not wait for a second commit, unless the
   * workspace is short of credits or another attempt under the same Idempotency-Key may come.
   */
  async settleRecorded(): Promise<void> {
    if (this.held.reference !== undefined || !this.held.isPlentiful || this.ended) return this.settle();
    const settled = this.granted.then(() => this.book.doLater(this.settlement(), settlePatienceMs));
    this.ended = this.ending(settled).catch(noOutcome);
  }

  /**
   * Ends a request that failed or was abandoned: charges what it produced, or releases everything if that is nothing. The same
   * Idempotency-Key may be retried and then pays for that attempt, unless a part of ours was lost: a client told to retry because
   * of us pays once.
   */
  end({ isLost = false }: { isLost?: boolean } = {}): Promise<void> {
    if (creditKinds.every((kind) => !this.used[kind])) return this.release();
    this.ended ??= this.ending(this.granted.then(() => this.settled(!isLost)));
    return this.ended;
  }

  /** Leaves the hold to expire, where nobody knows yet what was used: by then the record of the turn says it to the sweeper. */
  leave(): void {
    this.ended ??= Promise.resolve();
  }

  /** Gives the whole hold back. Never fails: at worst the hold expires. */
  release(): Promise<void> {
    const { orgId, id } = this.held;
    const patienceMs = this.isNoted ? settlePatienceMs : releasePatienceMs;
    const released = (): Promise<CreditOutcome> => this.book.do({ type: 'release', orgId, id, onlyExpired: false }, patienceMs);
    this.ended ??= this.ending(this.granted.then(released)).catch(noOutcome);
    return this.ended;
  }

  private async ending(outcome: Promise<CreditOutcome>): Promise<void> {
    await Promise.all([outcome, this.held.onEnd?.(this.total)]);
  }

  private holdOf(estimate: Amounts, used: Amounts): Hold {
    const { orgId, id, holdMs = holdMsUsual, reference } = this.held;
    return { type: 'hold', orgId, id, estimate, used, expiresAtMs: Date.now() + holdMs, ...(reference && { reference }) };
  }

  private settled(isFailure = false): Promise<CreditOutcome> {
    return this.book.do(this.settlement(isFailure), settlePatienceMs);
  }

  private settlement(isFailure = false): Settlement {
    const { orgId, id, spender, reference } = this.held;
    const { agentId = spender.agentId } = this;
    const named = reference === undefined ? {} : { reference, isFailure };
    return { type: 'settle', orgId, id, used: rounded(this.used), spender: { ...spender, agentId }, ...named };
  }
}

const noOutcome = (): void => undefined;

function rounded(used: Amounts): Amounts {
  const amounts: Amounts = {};
  for (const kind of creditKinds) {
    const amount = used[kind];
    if (amount !== undefined) amounts[kind] = Math.ceil(amount);
  }
  return amounts;
}

const unitNames: Record<CreditKind, string> = { TTT_API: 'tokens', TTS_API: 'characters', STT_API: 'audio seconds' };

/** The refusal of a hold. */
export function exhausted(kind: CreditKind, { available, needed }: { available: number; needed: number }): Fault {
  return new Fault('CREDITS_EXHAUSTED', {
    message: `This needs ${needed} ${kind} credits (${unitNames[kind]}); the workspace has ${available} left.`,
  });
}

/** Whether work failed because a part of ours was lost, and not by anything that the caller or a provider did. */
export function isLost(error: unknown): boolean {
  return error instanceof Fault && error.code === 'SERVICE_UNAVAILABLE';
}
