import type { CreditKind } from '@parley/contracts';
import { Books, kindsOf, unitsOf } from './books';
import type { Account, Amounts, CreditOperation, HeldUnits } from './operation';

const timesMin = 100;
const knownMs = 10_000;
const doubtMs = 1_000;
const organizationsMax = 3_000;
/** Open charges of one organization that are remembered; beyond that their ends are looked up. */
const chargesMax = 5_000;

interface Remembered {
  readonly accounts: Map<CreditKind, Account>;
  /** Holds of charges that this gateway opened. */
  readonly charges: Map<string, HeldUnits[]>;
  readonly asOfMs: number;
  readonly doubtedUntilMs: number;
}

/**
 * What books were when this gateway last wrote them. Others write them as well, so it is good for a guess and never for a promise:
 * only what Postgres finds unchanged may be built upon.
 */
export class RememberedAccounts {
  private readonly known = new Map<number, Remembered>();

  /** Takes books as they were committed. */
  note(books: Books): void {
    const asOfMs = Date.now();
    for (const [orgId, accounts] of Map.groupBy(books.current, (account) => account.orgId)) {
      const { charges = new Map<string, HeldUnits[]>(), doubtedUntilMs = 0 } = this.known.get(orgId) ?? {};
      this.known.delete(orgId);
      this.known.set(orgId, {
        accounts: new Map(accounts.map((account) => [account.kind, account])),
        charges,
        asOfMs,
        doubtedUntilMs,
      });
    }
    this.noteHolds(books);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= organizationsMax) return;
      this.known.delete(oldest);
    }
  }

  /** The books that some operations are about, when all that they need is remembered. */
  booksFor(operations: readonly CreditOperation[]): Books | undefined {
    const accounts = new Map<number, Account[]>();
    const holds: HeldUnits[] = [];
    for (const operation of operations) {
      const remembered = this.known.get(operation.orgId);
      const open = remembered?.charges.get(operation.id);
      if (!remembered || remembered.doubtedUntilMs > Date.now() || !isDecidedBy(operation, open)) return undefined;
      holds.push(...(open ?? []));
      accounts.set(operation.orgId, [...remembered.accounts.values()]);
    }
    return new Books([...accounts.values()].flat(), holds, []);
  }

  /** Other gateways changed these accounts, or a change's outcome is unknown: the next changes read them again. */
  doubt(operations: readonly CreditOperation[]): void {
    const doubtedUntilMs = Date.now() + doubtMs;
    for (const { orgId } of operations) {
      const remembered = this.known.get(orgId);
      if (remembered) this.known.set(orgId, { ...remembered, charges: new Map(), doubtedUntilMs });
    }
  }

  /** Whether an organization had, a moment ago, so much more than the estimate that its hold will hardly be refused. */
  isPlentiful(orgId: number, estimate: Amounts): boolean {
    const remembered = this.known.get(orgId);
    if (!remembered || Date.now() - remembered.asOfMs > knownMs) return false;
    return kindsOf(estimate).every(([kind, amount]) => {
      const account = remembered.accounts.get(kind);
      return account !== undefined && account.available >= timesMin * unitsOf(amount, account);
    });
  }

  private noteHolds({ changes }: Books): void {
    for (const { orgId, id } of changes.droppedHolds) this.known.get(orgId)?.charges.delete(id);
    for (const [id, parts] of Map.groupBy(changes.keptHolds, (part) => part.id)) {
      const charges = this.known.get(parts[0]?.orgId ?? 0)?.charges;
      if (charges && charges.size < chargesMax) charges.set(id, parts);
    }
  }
}

/** A new charge needs no look-up, and a remembered one is fully known, unless another attempt may have been charged for its key. */
function isDecidedBy(operation: CreditOperation, open: readonly HeldUnits[] | undefined): boolean {
  if (operation.type === 'hold') return operation.isNew === true && !open;
  if (operation.type === 'settle' && operation.reference !== undefined) return false;
  return open !== undefined && (operation.type === 'settle' || (operation.type === 'release' && !operation.onlyExpired));
}
