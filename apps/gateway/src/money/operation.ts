import { type CreditKind, creditKinds, Fault } from '@parley/contracts';

/** An amount of one or more kinds: tokens, characters, audio seconds; or credit units, where stated. */
export type Amounts = Partial<Record<CreditKind, number>>;

/** What a thousand tokens, characters or seconds cost, by kind. */
export type Prices = Readonly<Record<CreditKind, number>>;

/** All kinds added up. */
export function totalOf(amounts: Amounts): number {
  return creditKinds.reduce((sum, kind) => sum + (amounts[kind] ?? 0), 0);
}

/** On whose behalf credits move, as recorded in the ledger. */
export interface Spender {
  readonly keyId?: string | undefined;
  readonly agentId?: number | undefined;
  readonly agentKeyId?: string | undefined;
  readonly requestId?: string | undefined;
}

/** `id` names the charge from its hold to its settlement. Doing an operation again under the same id changes nothing. */
interface ChargeOperation {
  readonly orgId: number;
  readonly id: string;
}

/** Holds credits. Repeated under an open id, it raises the hold to at least the estimate, and never lowers it. */
export interface Hold extends ChargeOperation {
  readonly type: 'hold';
  readonly estimate: Amounts;
  /** Usage so far: charged if the process dies before it settles. */
  readonly used?: Amounts;
  readonly expiresAtMs: number;
  /** The id was made for this hold: no other attempt, here or elsewhere, can have used it. */
  readonly isNew?: boolean;
  /** The charge of the Idempotency-Key that this is an attempt of. If the key has paid, nothing is held for another attempt. */
  readonly reference?: string | undefined;
  /** Raises an open hold, and opens none. If others have to release first, what it holds beyond `used` is released, and it waits with nothing. */
  readonly isRaise?: boolean;
}

export interface Settlement extends ChargeOperation {
  readonly type: 'settle';
  readonly used: Amounts;
  readonly spender: Spender;
  /** The charge of the Idempotency-Key that this is an attempt of: the ledger's reference, which is charged once. */
  readonly reference?: string | undefined;
  /** The attempt failed: it is charged under its own id, and the next one pays as well. */
  readonly isFailure?: boolean;
}

export interface Release extends ChargeOperation {
  readonly type: 'release';
  /** The sweeper ends only holds that are still expired once the account is locked; recorded usage is charged. */
  readonly onlyExpired: boolean;
  /** Usage in the turn's record, which may be more than was noted in the hold. */
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

/** The outcome of an operation. `repeated`: the ledger knew its id already, so nothing changed. */
export type CreditOutcome =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'repeated' }
  | {
      readonly outcome: 'exhausted';
      readonly kind: CreditKind;
      readonly available: number;
      readonly needed: number;
      /** There would be enough if held credits were released. */
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
  /** Falling below one of these emits `creditsLow`, once for each fall. */
  readonly lowAt: readonly number[];
}

/** Units of one kind that an open charge has set aside. */
export interface HeldUnits {
  readonly orgId: number;
  readonly id: string;
  readonly kind: CreditKind;
  readonly units: number;
  /** Of these, usage already known: charged if the hold expires unsettled. */
  readonly used: number;
  readonly expiresAtMs: number;
  /** The charge of the Idempotency-Key that this is an attempt of. */
  readonly reference?: string | null | undefined;
  /** The prices when the charge was admitted, by which all of it is charged. Older versions wrote none. */
  readonly prices?: Prices | null | undefined;
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
