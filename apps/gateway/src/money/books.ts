import { type CreditKind, creditKinds } from '@parley/contracts';
import { BookChanges, type LedgerEntry } from './book-changes';
import {
  commonHoldOf,
  type CreditAccount,
  type CreditOperation,
  type CreditOutcome,
  type HeldUnits,
  type Hold,
  type Prices,
  type Release,
  type Settlement,
  type TopUp,
} from './operation';

const done: CreditOutcome = { outcome: 'done' };
const repeated: CreditOutcome = { outcome: 'repeated' };
/** The ledger note of a charge that was never settled by its process. */
const unsettled = 'Used under a hold that expired';

/**
 * The rules of credit, without a database: accounts, open holds and known charges as they were locked, changed by one operation
 * after the other. No balance falls below zero, and no id is charged twice.
 */
export class Books {
  readonly changes = new BookChanges();
  private readonly accounts: Map<string, CreditAccount>;
  private readonly holds: Map<string, HeldUnits[]>;
  private readonly charged: Set<string>;
  private readonly prices = new Map<number, Prices>();

  constructor(
    accounts: readonly CreditAccount[],
    holds: readonly HeldUnits[],
    charged: readonly { orgId: number; id: string }[],
  ) {
    this.accounts = new Map(accounts.map((account) => [nameOf(account), account]));
    this.holds = Map.groupBy(holds, chargeOf);
    this.charged = new Set(charged.map(chargeOf));
  }

  /** The current state of every account. */
  get current(): CreditAccount[] {
    return [...this.accounts.values()];
  }

  apply(operation: CreditOperation): CreditOutcome {
    switch (operation.type) {
      case 'hold':
        return this.hold(operation);
      case 'settle':
        return this.settle(operation);
      case 'release':
        return this.release(operation);
      case 'topUp':
        return this.topUp(operation);
    }
  }

  private hold(hold: Hold): CreditOutcome {
    const charge = chargeOf(hold);
    const open = this.holds.get(charge);
    const reference = hold.reference ?? open?.[0]?.reference;
    const admitted = open?.[0] ?? this.commonOf(hold)?.[0];
    const prices = admitted ? admitted.prices : this.pricesOf(hold.orgId);
    if (this.isCharged(hold)) return repeated;
    // A turn whose client left may ask to raise a hold that was already released. A new hold would never be released.
    if (hold.isRaise && !admitted) return repeated;
    const { orgId, id, expiresAtMs, used = {}, timesAvailable = 1, mayLower = false } = hold;
    const parts = new Map((open ?? []).map((part) => [part.kind, { ...part, expiresAtMs }]));
    const raises: { account: CreditAccount; units: number }[] = [];
    for (const [kind, amount] of kindsOf(hold.estimate)) {
      const account = this.accountOf(orgId, kind);
      const before = parts.get(kind);
      const wanted = costOf(amount, account, prices);
      const difference = wanted - (before?.units ?? 0);
      const missing = mayLower ? difference : Math.max(0, difference);
      if (missing * timesAvailable > account.available) {
        const isTemporary = wanted <= account.available + account.held;
        if (isTemporary && hold.isRaise && !hold.keepsHeld) this.lower(hold);
        // What this charge already holds is available to it.
        const available = account.available + (before?.units ?? 0);
        const own = this.holds.get(charge)?.find((part) => part.kind === kind)?.units ?? 0;
        const { held } = this.accountOf(orgId, kind);
        return { outcome: 'exhausted', kind, available, needed: wanted, own, held, isTemporary };
      }
      const noted = Math.max(before?.used ?? 0, costOf(used[kind] ?? 0, account, prices));
      const units = (before?.units ?? 0) + missing;
      parts.set(kind, { orgId, id, kind, units, used: noted, expiresAtMs, reference, prices });
      raises.push({ account, units: missing });
    }
    for (const { account, units } of raises) {
      if (units !== 0 || !open) this.move(account, -units, units);
      else this.changes.expect(account);
    }
    this.keepHolds(charge, [...parts.values()]);
    return done;
  }

  /** Reduces the hold of each kind that is to be raised to what is used. */
  private lower(hold: Hold): void {
    const charge = chargeOf(hold);
    const open = this.holds.get(charge);
    if (!open) return;
    const parts = open.map((part) => {
      if (hold.estimate[part.kind] === undefined) return part;
      const account = this.accountOf(part.orgId, part.kind);
      const used = Math.min(part.units, Math.max(part.used, costOf(hold.used?.[part.kind] ?? 0, account, part.prices)));
      this.move(account, part.units - used, used - part.units);
      return { ...part, units: used, used, expiresAtMs: hold.expiresAtMs };
    });
    this.keepHolds(charge, parts);
  }

  /** Charges usage: from the hold, then from the balance, never more. What is not covered is recorded. */
  private settle(settlement: Settlement): CreditOutcome {
    const { orgId, id, used, spender, isFailure = false } = settlement;
    const reference = isFailure ? id : (settlement.reference ?? id);
    const open = this.holds.get(chargeOf(settlement));
    // Even if another attempt under the same Idempotency-Key was charged while this one held credits.
    this.giveBack(chargeOf(settlement));
    // A failed attempt whose hold is gone may come from a gateway presumed dead, in which case its key was charged then.
    if (this.isCharged(isFailure && open ? { orgId, id } : settlement)) return repeated;
    const admitted = open?.[0] ?? this.commonOf({ orgId, id })?.[0];
    for (const [kind, amount] of kindsOf(used)) {
      const account = this.accountOf(orgId, kind);
      const wanted = costOf(amount, account, admitted?.prices);
      this.drawOnCommon({ orgId, id, kind }, wanted - account.available);
      this.charge(this.accountOf(orgId, kind), wanted, { id: reference, note: '', spender });
    }
    if (kindsOf(used).length > 0) this.charged.add(chargeOf({ orgId, id: reference }));
    return done;
  }

  /** The open common hold that a charge was admitted under. */
  private commonOf({ orgId, id }: Pick<Hold, 'orgId' | 'id'>): HeldUnits[] | undefined {
    return this.holds.get(chargeOf({ orgId, id: commonHoldOf(id) }));
  }

  /** Gives units of a charge's common hold back, because the balance has too few to pay the charge without them. */
  private drawOnCommon({ orgId, id, kind }: Pick<HeldUnits, 'orgId' | 'id' | 'kind'>, missing: number): void {
    const common = this.commonOf({ orgId, id }) ?? [];
    const part = common.find((each) => each.kind === kind);
    if (!part || missing <= 0) return;
    const units = Math.min(missing, part.units);
    this.move(this.accountOf(orgId, kind), units, -units);
    this.keepHolds(
      chargeOf(part),
      common.map((each) => (each === part ? { ...part, units: part.units - units } : each)),
    );
  }

  /** Whether the ledger has a line for this charge, or for the Idempotency-Key that it is an attempt of. */
  private isCharged({ orgId, id, reference = id }: { orgId: number; id: string; reference?: string | undefined }): boolean {
    return this.charged.has(chargeOf({ orgId, id })) || this.charged.has(chargeOf({ orgId, id: reference }));
  }

  private charge(account: CreditAccount, wanted: number, line: Pick<LedgerEntry, 'id' | 'note' | 'spender'>): void {
    const taken = Math.min(wanted, account.available);
    const after = this.move(account, -taken, 0);
    this.changes.enter({ account: after, entry: 'CHARGE', units: -taken, unpaid: wanted - taken, ...line });
    this.changes.noteThreshold(account, after);
  }

  private release(release: Release): CreditOutcome {
    const charge = chargeOf(release);
    const open = this.holds.get(charge);
    if (!open) return repeated;
    if (release.onlyExpired && open.some(({ expiresAtMs }) => expiresAtMs > Date.now())) return repeated;
    this.giveBack(charge);
    if (release.onlyExpired && !this.isCharged(release)) this.chargeUnsettled(release, open);
    return done;
  }

  /**
   * Charges usage under a hold whose process died, from the notes in the hold and from its turn's record, which has exact tokens
   * instead of estimates.
   */
  private chargeUnsettled(release: Release, open: readonly HeldUnits[]): void {
    const { orgId, id, produced = {}, spender = {}, reference = id } = release;
    for (const kind of creditKinds) {
      const account = this.accountOf(orgId, kind);
      const isRecorded = kind === 'TTT_API' && produced[kind] !== undefined;
      const noted = isRecorded ? 0 : (open.find((part) => part.kind === kind)?.used ?? 0);
      const wanted = Math.max(noted, costOf(produced[kind] ?? 0, account, open[0]?.prices));
      if (wanted === 0 && produced[kind] === undefined) continue;
      this.charge(account, wanted, { id: reference, note: unsettled, spender });
      this.charged.add(chargeOf({ orgId, id: reference }));
    }
  }

  private topUp({ orgId, id, kind, units, note, spender }: TopUp): CreditOutcome {
    if (this.charged.has(chargeOf({ orgId, id }))) return repeated;
    const account = this.accountOf(orgId, kind);
    if (account.available + account.held + units > balanceMax) return { outcome: 'full' };
    const after = this.move(account, units, 0);
    this.changes.enter({ account: after, id, entry: 'TOP_UP', units, unpaid: 0, note, spender });
    this.charged.add(chargeOf({ orgId, id }));
    return done;
  }

  private giveBack(charge: string): void {
    for (const { orgId, kind, units } of this.holds.get(charge) ?? []) this.move(this.accountOf(orgId, kind), units, -units);
    this.changes.drop(this.holds.get(charge) ?? []);
    this.holds.delete(charge);
  }

  private keepHolds(charge: string, parts: HeldUnits[]): void {
    this.changes.keep(parts, this.holds.get(charge) ?? []);
    this.holds.set(charge, parts);
  }

  private accountOf(orgId: number, kind: CreditKind): CreditAccount {
    const account = this.accounts.get(nameOf({ orgId, kind }));
    if (!account) throw new TypeError(`organization ${orgId} has no account for ${kind}`);
    return account;
  }

  /** Prices do not change within a batch, so that all its holds share them. */
  private pricesOf(orgId: number): Prices {
    const known = this.prices.get(orgId);
    if (known) return known;
    const price = (kind: CreditKind): number => this.accountOf(orgId, kind).unitsPerThousand;
    const prices = { TTT_API: price('TTT_API'), TTS_API: price('TTS_API'), STT_API: price('STT_API') };
    this.prices.set(orgId, prices);
    return prices;
  }

  private move(account: CreditAccount, toAvailable: number, toHeld: number): CreditAccount {
    const after = { ...account, available: account.available + toAvailable, held: account.held + toHeld };
    this.accounts.set(nameOf(account), after);
    this.changes.setBalance(after, account);
    return after;
  }
}

/** The largest balance allowed: far below the limit of exact integers in a double. */
export const balanceMax = 1_000_000_000_000;

/** The price of an amount, rounded up. */
export function unitsOf(amount: number, { unitsPerThousand }: Pick<CreditAccount, 'unitsPerThousand'>): number {
  return Math.min(balanceMax, Math.ceil((Math.ceil(amount) * unitsPerThousand) / 1000));
}

/** The price of an amount by the prices at which the hold was admitted, or else by the current ones. */
function costOf(amount: number, account: CreditAccount, prices: Prices | null | undefined): number {
  return unitsOf(amount, prices ? { unitsPerThousand: prices[account.kind] } : account);
}

/** The kinds in an amount, in a fixed order. */
export function kindsOf(amounts: Hold['estimate']): [CreditKind, number][] {
  const kinds: [CreditKind, number][] = [];
  for (const kind of creditKinds) {
    const amount = amounts[kind];
    if (amount !== undefined) kinds.push([kind, amount]);
  }
  return kinds;
}

/** The key of an organization's account of one kind. */
const nameOf = ({ orgId, kind }: Pick<CreditAccount, 'orgId' | 'kind'>): string => `${orgId} ${kind}`;
const chargeOf = ({ orgId, id }: { orgId: number; id: string }): string => `${orgId} ${id}`;
