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
  | { readonly outcome: 'exhausted'; readonly kind: CreditKind; readonly available: number; readonly needed: number }
  | { readonly outcome: 'full' };
