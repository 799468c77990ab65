import type { CreditKind } from '@parley/contracts';

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
