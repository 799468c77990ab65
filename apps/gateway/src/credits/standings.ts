import { type Account, unitsOf } from './account';
import { kindsOf, nameOf } from './books';
import type { Amounts } from './operation';

const timesMin = 100;
const knownMs = 10_000;
const accountsMax = 10_000;

/**
 * What accounts had when this gateway last moved them. Others move them as well, so it is good for a guess and never for a promise:
 * the hold decides.
 */
export class Standings {
  private readonly known = new Map<string, { readonly account: Account; readonly asOfMs: number }>();

  note(accounts: readonly Account[]): void {
    for (const account of accounts) {
      this.known.delete(nameOf(account));
      this.known.set(nameOf(account), { account, asOfMs: Date.now() });
    }
    for (const oldest of this.known.keys()) {
      if (this.known.size <= accountsMax) return;
      this.known.delete(oldest);
    }
  }

  /** Whether an organization had, a moment ago, so much more than the estimate that its hold will hardly be refused. */
  isPlentiful(orgId: number, estimate: Amounts): boolean {
    return kindsOf(estimate).every(([kind, amount]) => {
      const standing = this.known.get(nameOf({ orgId, kind }));
      if (!standing || Date.now() - standing.asOfMs > knownMs) return false;
      return standing.account.available >= timesMin * unitsOf(amount, standing.account);
    });
  }
}
