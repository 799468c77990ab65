import { type CreditKind, creditKinds } from '@parley/contracts';
import type { CreditBook } from './credit-book';
import type { Amounts, CreditOutcome, Spender } from './operation';

interface Held {
  readonly orgId: number;
  readonly id: string;
  readonly spender: Spender;
}

/** The work is done and must be paid: worth waiting for a Postgres that restarts. */
const settlePatienceMs = 20_000;
/** A release that does not get through is done by the sweeper when the hold expires. */
const releasePatienceMs = 2_000;

/** Credits set aside for one request until it is known what it used. Ends once: a second end does nothing. */
export class Charge {
  private readonly used: Amounts = {};
  private ended: Promise<void> | undefined;

  /** `granted` settles with the hold, which may still be under way: nothing may leave before, and a refusal is thrown by it. */
  constructor(
    private readonly book: Pick<CreditBook, 'do'>,
    private readonly held: Held,
    readonly granted: Promise<void> = Promise.resolve(),
  ) {
    granted.catch(() => undefined);
  }

  /** Adds to what the request used. Zero counts as well: an answer that cost nothing has its line in the ledger. */
  use(kind: CreditKind, amount: number): void {
    if (!Number.isFinite(amount) || amount < 0) throw new RangeError(`${amount} is no amount of ${kind}`);
    this.used[kind] = (this.used[kind] ?? 0) + amount;
  }

  /** Charges what was used and gives the rest of the hold back. Resolves when that is durable. */
  settle(): Promise<void> {
    const { orgId, id, spender } = this.held;
    const settlement = (): Promise<CreditOutcome> =>
      this.book.do({ type: 'settle', orgId, id, used: rounded(this.used), spender }, settlePatienceMs);
    this.ended ??= this.granted.then(settlement).then(noOutcome);
    return this.ended;
  }

  /** Gives the whole hold back. Never fails: at worst the hold expires. */
  release(): Promise<void> {
    const { orgId, id } = this.held;
    const ending = (): Promise<CreditOutcome> => this.book.do({ type: 'release', orgId, id, onlyExpired: false }, releasePatienceMs);
    this.ended ??= this.granted.then(ending).then(noOutcome, noOutcome);
    return this.ended;
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
