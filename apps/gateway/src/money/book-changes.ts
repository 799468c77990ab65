import type { Account, HeldUnits } from './account';
import type { Spender } from './operation';

/** One line for the ledger, with the account as it stands after it. */
export interface Entry {
  readonly account: Account;
  readonly id: string;
  readonly entry: 'CHARGE' | 'TOP_UP';
  readonly units: number;
  /** What was used beyond the hold when nothing was left to pay it. */
  readonly unpaid: number;
  readonly note: string;
  readonly spender: Spender;
}

/** A balance that fell through a threshold. */
export interface Fall {
  readonly account: Account;
  readonly threshold: number;
}

/** What a batch of operations changed, netted: each account and hold once. */
export class BookChanges {
  readonly entries: Entry[] = [];
  readonly falls: Fall[] = [];
  private readonly standing = new Map<string, Account>();
  private readonly before = new Map<string, Account>();
  private readonly kept = new Map<string, HeldUnits>();
  private readonly dropped = new Map<string, HeldUnits>();

  get accounts(): Account[] {
    return [...this.standing.values()];
  }

  /** The same accounts as they stood before, in the same order. */
  get accountsBefore(): Account[] {
    return [...this.before.values()];
  }

  get keptHolds(): HeldUnits[] {
    return [...this.kept.values()];
  }

  get droppedHolds(): HeldUnits[] {
    return [...this.dropped.values()];
  }

  get isEmpty(): boolean {
    return this.standing.size + this.kept.size + this.dropped.size + this.entries.length === 0;
  }

  enter(entry: Entry): void {
    this.entries.push(entry);
  }

  stand(after: Account, before: Account): void {
    const name = `${after.orgId} ${after.kind}`;
    this.standing.set(name, after);
    if (!this.before.has(name)) this.before.set(name, before);
  }

  keep(parts: readonly HeldUnits[]): void {
    for (const part of parts) this.kept.set(partOf(part), part);
  }

  /** A hold of this very batch may be dropped with it: removing what is not there does no harm. */
  drop(parts: readonly HeldUnits[]): void {
    for (const part of parts) {
      this.kept.delete(partOf(part));
      this.dropped.set(partOf(part), part);
    }
  }

  /** Notes the lowest threshold that lies between two states of an account. Holds do not count: only spending falls. */
  watchFall(before: Account, after: Account): void {
    const from = before.available + before.held;
    const to = after.available + after.held;
    const crossed = after.lowAt.filter((threshold) => from >= threshold && to < threshold);
    if (crossed.length > 0) this.falls.push({ account: after, threshold: Math.min(...crossed) });
  }
}

const partOf = ({ orgId, id, kind }: HeldUnits): string => `${orgId} ${id} ${kind}`;
