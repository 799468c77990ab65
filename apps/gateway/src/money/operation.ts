import type { CreditKind } from '@parley/contracts';

/** An amount of one or more kinds: tokens, characters, audio seconds; or units of credit, where it says so. */
export type Amounts = Partial<Record<CreditKind, number>>;

/** On whose behalf credits move, as the ledger keeps it. */
export interface Spender {
  readonly keyId?: string | undefined;
  readonly agentId?: number | undefined;
  readonly agentKeyId?: string | undefined;
  readonly requestId?: string | undefined;
}

/** `id` names the charge from its hold to its settlement. Doing an operation again under the same id changes nothing. */
interface Operation {
  readonly orgId: number;
  readonly id: string;
}

/** Sets credits aside. Asked again under an open id, it raises what is held to at least the estimate, and never lowers it. */
export interface Hold extends Operation {
  readonly type: 'hold';
  readonly estimate: Amounts;
  /** What has been used so far: charged, should nobody live to settle it. */
  readonly used?: Amounts;
  readonly expiresAtMs: number;
  /** The id was made for this hold: no other attempt, here or elsewhere, can have used it. */
  readonly isNew?: boolean;
  /** Raises an open hold. Where others have to give back first, what it holds beyond `used` goes back, and it waits with nothing. */
  readonly isRaise?: boolean;
}

export interface Settlement extends Operation {
  readonly type: 'settle';
  readonly used: Amounts;
  readonly spender: Spender;
  /** The ledger's name for it, where that is not the id: the id stays free for another attempt, which pays for itself. */
  readonly reference?: string;
}

export interface Release extends Operation {
  readonly type: 'release';
  /** The sweeper ends only what is expired when the account is locked; what was noted as used is charged. */
  readonly onlyExpired: boolean;
  /** What the record of the turn says that was used, where it is more than was noted. */
  readonly produced?: Amounts;
  readonly spender?: Spender;
}

export interface TopUp extends Operation {
  readonly type: 'topUp';
  readonly kind: CreditKind;
  readonly units: number;
  readonly note: string;
  readonly spender: Spender;
}

export type CreditOperation = Hold | Settlement | Release | TopUp;

/** What became of an operation. `repeated`: the ledger knew its id already, so nothing changed. */
export type CreditOutcome =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'repeated' }
  | {
      readonly outcome: 'exhausted';
      readonly kind: CreditKind;
      readonly available: number;
      readonly needed: number;
      /** There is so much, if what is held were given back. */
      readonly isPassing: boolean;
    }
  | { readonly outcome: 'full' };

/** What an organization has of one kind. `available` and `held` together are its balance. */
export interface Account {
  readonly orgId: number;
  readonly kind: CreditKind;
  readonly available: number;
  readonly held: number;
  /** Units of credit for a thousand tokens, characters or seconds. */
  readonly unitsPerThousand: number;
  /** Falling below one of these tells `creditsLow`, once for each fall. */
  readonly lowAt: readonly number[];
}

/** Units of one kind that an open charge has set aside. */
export interface HeldUnits {
  readonly orgId: number;
  readonly id: string;
  readonly kind: CreditKind;
  readonly units: number;
  /** Of these, what is known to be used already: charged when the hold expires and nobody has settled it. */
  readonly used: number;
  readonly expiresAtMs: number;
}

/** The most units that a balance may reach: far below what a double counts exactly. */
export const balanceMax = 1_000_000_000_000;

/** What an amount costs, rounded up: a client never pays less than the price. */
export function unitsOf(amount: number, { unitsPerThousand }: Account): number {
  return Math.min(balanceMax, Math.ceil((Math.ceil(amount) * unitsPerThousand) / 1000));
}
