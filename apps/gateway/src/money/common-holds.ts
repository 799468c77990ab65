import { randomUUID } from 'node:crypto';
import { chargeUnder, commonHoldOf, type CreditOperation, type CreditOutcome } from './operation';
import type { RememberedAccounts } from './known-books';

/** Part of a common hold, for one turn: the id of its charge, which must end it. */
export interface Share {
  readonly id: string;
  /** `isWritten`: what the turn owes is in the ledger, or held elsewhere; otherwise only its record says so. */
  end(isWritten: boolean): void;
}

interface CommonHold {
  readonly orgId: number;
  readonly id: string;
  /** The tokens that it holds. */
  tokens: number;
  /** Of these, those of turns in progress, and how many these are. */
  shared: number;
  sharing: number;
  /** How many turns it was ever for. */
  given: number;
  expiresAtMs: number;
  usedAtMs: number;
  /** It gives no more shares. */
  isOver: boolean;
  /** Whether what a turn owes may be in its record only. Then the hold must expire, since the sweeper reads records. */
  isOwed: boolean;
  change: Promise<void> | undefined;
}

/** From so many open charges on, an organization is busy enough. */
const busyFrom = 8;
const turnsAtFirst = 16;
/** Tokens that are idle in a common hold must not be missed: the organization has at least ten times as many. */
const shareOfBalanceMax = 0.1;
/** `isPlentiful` asks for a hundred times an estimate. */
const plentifulTimes = 100;
/** When the gateway dies, the sweeper reads the records of all of these turns at once. */
const givenMax = 500;
/** A share is given only while so much of the hold's time is left, so that it lasts as long as a hold of its own. */
const lifeMin = 0.9;
const renewedFrom = 0.95;
const idleMs = 1_000;
const lookEveryMs = 250;
const patienceMs = 20_000;

/**
 * One hold for all turns of a busy organization, instead of a row that is written and deleted for each. A turn's share of it is
 * counted here only; what it owes, its record says, whose id leads to the hold (`commonHoldOf`). Near the end of the balance, and
 * where little happens, every charge has a hold of its own.
 */
export class CommonHolds {
  private readonly current = new Map<number, CommonHold>();
  private readonly opening = new Set<number>();
  private looking: NodeJS.Timeout | undefined;

  constructor(
    private readonly accounts: RememberedAccounts,
    private readonly apply: (operation: CreditOperation, patienceMs: number) => Promise<CreditOutcome>,
    private readonly holdMs: number,
  ) {}

  /** A share of so many tokens, held already; undefined if the turn needs a hold of its own. */
  take(orgId: number, tokens: number): Share | undefined {
    const common = this.current.get(orgId);
    if (!common) {
      if (this.accounts.openCharges(orgId) >= busyFrom) void this.open(orgId, turnsAtFirst * tokens);
      return undefined;
    }
    const state = this.accounts.commonHold(orgId, common.id);
    if (state === 'OUTDATED' || common.given >= givenMax || !this.isSpare(orgId, common.tokens)) {
      void this.retire(common);
      return undefined;
    }
    const isFull = common.shared + tokens > common.tokens;
    const left = (common.expiresAtMs - Date.now()) / this.holdMs;
    if (isFull || left < renewedFrom || state === 'UNKNOWN') this.renew(common, isFull ? 2 * common.tokens : common.tokens);
    return isFull || left < lifeMin || state === 'UNKNOWN' ? undefined : this.shareOf(common, tokens);
  }

  /** Gives back what no turn uses at the moment: a balance that is read now shows it as available. */
  async releaseIdle(orgId: number): Promise<void> {
    const common = this.current.get(orgId);
    if (common?.sharing === 0) await this.retire(common);
  }

  async close(): Promise<void> {
    await Promise.all([...this.current.values()].map((common) => this.retire(common)));
  }

  private isSpare(orgId: number, tokens: number): boolean {
    return this.accounts.isPlentiful(orgId, { TTT_API: tokens / shareOfBalanceMax / plentifulTimes });
  }

  private async open(orgId: number, tokens: number): Promise<void> {
    if (this.opening.has(orgId) || !this.isSpare(orgId, tokens)) return;
    this.opening.add(orgId);
    const [id, expiresAtMs] = [commonHoldOf(randomUUID()), Date.now() + this.holdMs];
    const counts = { tokens, shared: 0, sharing: 0, given: 0, expiresAtMs, usedAtMs: performance.now() };
    const common: CommonHold = { orgId, id, ...counts, isOver: false, isOwed: false, change: undefined };
    const opened = await this.held(common, { tokens, expiresAtMs, isNew: true });
    this.opening.delete(orgId);
    if (!opened) return this.release(common);
    this.current.set(orgId, common);
    this.looking ??= setInterval(() => this.look(), lookEveryMs).unref();
  }

  private renew(common: CommonHold, tokens: number): void {
    if (common.change || !this.isSpare(common.orgId, tokens)) return;
    const expiresAtMs = Date.now() + this.holdMs;
    const changing = async (): Promise<void> => {
      if (await this.held(common, { tokens, expiresAtMs })) Object.assign(common, { tokens, expiresAtMs });
      common.change = undefined;
    };
    common.change = changing();
  }

  /** Returns whether it is certain that the tokens are held. */
  private async held(
    { orgId, id }: CommonHold,
    { tokens, ...terms }: { tokens: number; expiresAtMs: number; isNew?: boolean; mayLower?: boolean },
  ): Promise<boolean> {
    const hold = { type: 'hold', orgId, id, estimate: { TTT_API: tokens }, ...terms } as const;
    const outcome = await this.apply(hold, patienceMs).catch(() => undefined);
    return outcome?.outcome === 'done';
  }

  private shareOf(common: CommonHold, tokens: number): Share {
    const { orgId } = common;
    const id = chargeUnder(common.id);
    common.shared += tokens;
    common.sharing += 1;
    common.given += 1;
    this.accounts.noteShare(orgId, id);
    const end = (isWritten: boolean): void => {
      this.accounts.forgetShare(orgId, id);
      common.sharing -= 1;
      common.usedAtMs = performance.now();
      if (isWritten) common.shared -= tokens;
      else common.isOwed = true;
      if (common.isOver && common.sharing === 0) void this.release(common);
      else if (common.isOwed) void this.retire(common);
    };
    return { id, end };
  }

  /** Gives no more shares, and keeps only what those in progress need. */
  private async retire(common: CommonHold): Promise<void> {
    if (common.isOver) return;
    common.isOver = true;
    this.current.delete(common.orgId);
    if (common.sharing === 0) return this.release(common);
    await common.change;
    if (common.sharing > 0)
      await this.held(common, { tokens: common.shared, expiresAtMs: Date.now() + this.holdMs, mayLower: true });
  }

  private async release(common: CommonHold): Promise<void> {
    const { orgId, id } = common;
    await common.change;
    if (common.isOwed) return;
    await this.apply({ type: 'release', orgId, id, onlyExpired: false }, patienceMs).catch(() => undefined);
  }

  private look(): void {
    for (const common of this.current.values())
      if (common.sharing === 0 && performance.now() - common.usedAtMs > idleMs) void this.retire(common);
    if (this.current.size > 0) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }
}
