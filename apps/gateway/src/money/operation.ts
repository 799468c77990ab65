import { randomUUID } from 'node:crypto';
import { type CreditKind, creditKinds, Fault, isOurFault } from '@parley/contracts';

/** An amount of one or more kinds: tokens, characters, audio seconds; or credit units where stated. */
export type Amounts = Partial<Record<CreditKind, number>>;

/** The price of a thousand tokens, characters or seconds, by kind. */
export type Prices = Readonly<Record<CreditKind, number>>;

/** The sum over all kinds. */
export function totalOf(amounts: Amounts): number {
  return creditKinds.reduce((sum, kind) => sum + (amounts[kind] ?? 0), 0);
}

/** The last digits of a charge's id. Those of a common hold are zeros; the charges under it have the same digits before. */
const ownDigits = 12;

/** The common hold that a charge was admitted under, if it was: of any other charge, the id of a hold that there is not. */
export function commonHoldOf(id: string): string {
  return id.slice(0, -ownDigits) + '0'.repeat(ownDigits);
}

/**
 * A new id for a charge under a common hold. Nobody can guess it, since a turn has its charge's id: the last digits of an id are
 * random. Node draws the bytes of many ids at once, which costs a tenth of drawing some for each.
 */
export function chargeUnder(id: string): string {
  return id.slice(0, -ownDigits) + randomUUID().slice(-ownDigits);
}

/** The last id that a charge under this common hold can have. */
export function lastChargeUnder(id: string): string {
  return id.slice(0, -ownDigits) + 'f'.repeat(ownDigits);
}

/** On whose behalf credits are spent, as recorded in the ledger. */
export interface Spender {
  readonly keyId?: string | undefined;
  readonly agentId?: number | undefined;
  readonly agentKeyId?: string | undefined;
  readonly requestId?: string | undefined;
}

/** `id` identifies the charge from hold to settlement. Repeating an operation under the same id changes nothing. */
interface ChargeOperation {
  readonly orgId: number;
  readonly id: string;
}

/**
 * Holds credits. Repeated while the id has an open hold, it raises that hold to at least the estimate, and lowers it only if
 * `mayLower`.
 */
export interface Hold extends ChargeOperation {
  readonly type: 'hold';
  readonly estimate: Amounts;
  /** Usage so far: charged if the process dies before it settles. */
  readonly used?: Amounts;
  readonly expiresAtMs: number;
  /** The id was created for this hold: no other attempt, in any gateway, can have used it. */
  readonly isNew?: boolean;
  /** The charge of the Idempotency-Key that this is an attempt of. Once the key has paid, nothing is held for another attempt. */
  readonly reference?: string | undefined;
  /**
   * Raises an open hold, or that of a charge under a common hold, but opens no other. If it must wait for others to release, it
   * first releases what it holds beyond `used`.
   */
  readonly isRaise?: boolean;
  /** Refused unless this many times the estimate is available, so that others can hold as much. */
  readonly timesAvailable?: number | undefined;
  /** While it waits, a raise keeps all that it holds: if it gets no more, its work is done with that. */
  readonly keepsHeld?: boolean;
  readonly mayLower?: boolean;
}

export interface Settlement extends ChargeOperation {
  readonly type: 'settle';
  readonly used: Amounts;
  readonly spender: Spender;
  /** The charge of the Idempotency-Key that this is an attempt of: the reference in the ledger, which is charged once. */
  readonly reference?: string | undefined;
  /** The attempt failed: it is charged under its own id, and the next attempt pays for itself. */
  readonly isFailure?: boolean;
}

export interface Release extends ChargeOperation {
  readonly type: 'release';
  /** Set by the sweeper: ends the hold only if it is still expired once the account is locked; noted usage is charged. */
  readonly onlyExpired: boolean;
  /** Usage in the turn's record, which may exceed what was noted in the hold. */
  readonly produced?: Amounts;
  readonly spender?: Spender;
  /** The charge of the Idempotency-Key that the hold names: nobody pays twice under one key because a gateway died. */
  readonly reference?: string | undefined;
}

export interface TopUp extends ChargeOperation {
  readonly type: 'topUp';
  readonly kind: CreditKind;
  readonly units: number;
  readonly note: string;
  readonly spender: Spender;
}

export type CreditOperation = Hold | Settlement | Release | TopUp;

/** The outcome of an operation. `repeated`: the ledger already had its id, so nothing changed. */
export type CreditOutcome =
  { readonly outcome: 'done' } | { readonly outcome: 'repeated' } | CreditRefusal | { readonly outcome: 'full' };

/** A hold that credits do not cover. */
interface CreditRefusal {
  readonly outcome: 'exhausted';
  readonly kind: CreditKind;
  readonly available: number;
  readonly needed: number;
  /** Of the needed units, those that the charge holds already. */
  readonly own: number;
  /** The units that all open charges of the organization hold, this one included. */
  readonly held: number;
  /** Enough would be left if held credits were released. */
  readonly isTemporary: boolean;
}

/** An organization's credits of one kind. `available` plus `held` is its balance. */
export interface CreditAccount {
  readonly orgId: number;
  readonly kind: CreditKind;
  readonly available: number;
  readonly held: number;
  /** Credit units per thousand tokens, characters or seconds. */
  readonly unitsPerThousand: number;
  /** Falling below one of these thresholds emits `creditsLow`, once per fall. */
  readonly lowAt: readonly number[];
}

/** Units of one kind that an open charge reserves. */
export interface HeldUnits {
  readonly orgId: number;
  readonly id: string;
  readonly kind: CreditKind;
  readonly units: number;
  /** The part that is known to be used: charged if the hold expires unsettled. */
  readonly used: number;
  readonly expiresAtMs: number;
  /** The charge of the Idempotency-Key that this is an attempt of. */
  readonly reference?: string | null | undefined;
  /** The prices when the charge was admitted, which apply to all of it. Older versions wrote none. */
  readonly prices?: Prices | null | undefined;
}

const unitNames: Record<CreditKind, string> = { TTT_API: 'tokens', TTS_API: 'characters', STT_API: 'audio seconds' };

/** Most of what is in progress is over by then. */
const retryAfterSeconds = 8;

/** The refusal of a hold. */
export function exhausted(kind: CreditKind, refusal: Omit<CreditRefusal, 'outcome' | 'kind'>): Fault {
  const { available, needed, own, held, isTemporary } = refusal;
  const others = held - own;
  const setAside = others > 0 ? `, and ${others} more are set aside for what is in progress` : '';
  return new Fault('CREDITS_EXHAUSTED', {
    message: `This needs ${needed} ${kind} credits (${unitNames[kind]}); the organization has ${available} left${setAside}.`,
    ...(isTemporary && { retryAfterSeconds }),
  });
}

/** Whether nobody can have what was produced: we lost it, and without an Idempotency-Key it cannot be asked for again. */
export function isLostForGood(
  error: unknown,
  { payment }: { readonly payment: { readonly isSettledByTurn: boolean } | undefined },
): boolean {
  return isOurFault(error) && payment?.isSettledByTurn === true;
}

/** Whole amounts: what was begun counts. */
export function rounded(used: Amounts): Amounts {
  const amounts: Amounts = {};
  for (const kind of creditKinds) {
    const amount = used[kind];
    if (amount !== undefined) amounts[kind] = Math.ceil(amount);
  }
  return amounts;
}
