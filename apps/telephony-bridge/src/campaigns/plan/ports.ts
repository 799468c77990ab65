import type {
  Allowance,
  AttemptOutcome,
  CampaignPlan,
  AttemptClaim,
  ClaimedAttempt,
  PlannedContact,
  Instant,
  NextStep,
  OverdueAttempt,
  Tally,
} from './campaign';

/** The conditions of one claim. */
export interface ClaimWish {
  readonly campaignId: number;
  /** This replica. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Regions where calls are allowed now, evaluated with the locked campaign; contacts elsewhere are not claimed. */
  openRegions(campaign: CampaignPlan, now: Instant): readonly string[];
  /** How many may be claimed. It is called under the locks of the claim, so its input does not change before the claim is written. */
  allow(campaign: CampaignPlan, tally: Tally, now: Instant): Allowance;
}

/** After how long a number that is in a call is considered again. */
export const busyMs = 60_000;
/** How many contacts a claim skips at most; the next claim continues after them. */
export const passedOverMax = 500;

/** How an attempt ended. */
export interface AttemptEnding {
  readonly outcome: AttemptOutcome;
  readonly cause?: string;
  /** The cost of the call, if known. */
  readonly credits?: number;
}

/** Decides what follows an attempt. `contact.tries` includes it. */
export type AfterAttempt = (campaign: CampaignPlan, contact: PlannedContact, now: Instant) => NextStep;

/**
 * The store of campaigns, contacts and attempts. Every method is one transaction. Those that take a claim do nothing and return false if
 * its fence is outdated or the attempt is over, so late and repeated news has no effect.
 */
export interface CampaignStore {
  /** The time for leases, windows and the pace, the same for all replicas. */
  now(): Promise<Instant>;

  /** RUNNING campaigns, and CANCELLED ones with waiting contacts: up to `limit`, the least recently returned first. */
  active(limit: number): Promise<readonly CampaignPlan[]>;

  /**
   * Claims due contacts, booked calls first, then the longest due. Claims of one organization are serialized. A contact whose number is
   * on the do-not-call list becomes DO_NOT_CALL instead. One whose number has an open attempt in any campaign of the organization, or was
   * claimed as often as allowed that day, is skipped and due again after `busyMs`, or the next day. At most `passedOverMax` are skipped,
   * so fewer may be returned than wanted. Nothing is claimed unless the campaign is RUNNING. If `allow` returns PAUSE, the campaign is
   * PAUSED with its reason.
   */
  claim(wish: ClaimWish): Promise<readonly ClaimedAttempt[]>;

  /**
   * Takes over open attempts whose lease has expired, of campaigns of any status, the longest overdue first. Each gets a higher fence and
   * a new lease, and CLAIMED ones become UNKNOWN. No attempt is returned to two callers within one lease.
   */
  overdue(owner: string, leaseMs: number, limit: number): Promise<readonly OverdueAttempt[]>;

  /** The telephone accepted it at `placedAt`: it is PLACED, and overdue at `askAt` unless it ends before. */
  placed(
    claim: AttemptClaim,
    placing: { readonly callId: string; readonly placedAt: Instant; readonly askAt: Instant },
  ): Promise<boolean>;

  /** It may or may not have been placed: it becomes UNKNOWN, or stays PLACED, and is overdue at `askAt`. */
  doubt(claim: AttemptClaim, askAt: Instant): Promise<boolean>;

  /** It was not dialled and never will be under its reference: the attempt is planned again for `dueAt`. */
  release(claim: AttemptClaim, dueAt: Instant): Promise<boolean>;

  /**
   * An open attempt was answered; true the first time. Its state stays CLAIMED, PLACED or UNKNOWN; unless it is PLACED, it counts for the
   * pace as placed now.
   */
  answered(reference: string): Promise<boolean>;

  /**
   * Ends the attempt; true the first time. Unless it was PLACED, it counts for the pace as placed now. Its contact continues as `after`
   * decides; if its campaign was cancelled meanwhile or is over, AGAIN becomes CANCELLED. Since the cost of a call may be known later, it
   * may be reported again with more credits, which then count as spent.
   */
  end(reference: string, ending: AttemptEnding, after: AfterAttempt): Promise<boolean>;

  /** Books a call that the contact of an open attempt asked for. False if the attempt is over. */
  book(reference: string, at: Instant): Promise<boolean>;

  /** Removes a number from the campaign's caller numbers. */
  refuseCaller(campaignId: number, caller: string): Promise<void>;

  /** Cancels up to `limit` waiting contacts. Returns how many. */
  giveUpWaiting(campaignId: number, limit: number): Promise<number>;

  /** Completes the campaign if no contact is waiting or active. */
  complete(campaignId: number): Promise<boolean>;

  /**
   * Whether a claim may be placed now: its campaign is RUNNING, its attempt is CLAIMED with the same fence, its lease has not expired, and
   * the organization has not narrowed its hours since.
   */
  isCurrent(claim: AttemptClaim): Promise<boolean>;
}

/** An order for one call. */
export interface DialOrder {
  readonly claim: AttemptClaim;
  readonly contact: PlannedContact;
  readonly from: string;
}

/** The outcome of an order. */
export type Placing =
  | { readonly kind: 'PLACED'; readonly callId: string; readonly placedAt: Instant }
  /** Not dialled, and the attempt is over: the number is on the do-not-call list, or does not exist. */
  | { readonly kind: 'ENDED'; readonly ending: AttemptEnding }
  /** Not dialled: the carrier rejected the caller number. */
  | { readonly kind: 'CALLER_REFUSED' }
  /** Not dialled: the claim was no longer current, or no slot or credits were free. It is due again at once, or after `againMs`. */
  | { readonly kind: 'NOT_PLACED'; readonly againMs?: number };

/** What the telephone knows of a reference. */
export type OrderState =
  | { readonly kind: 'LIVE'; readonly callId: string; readonly placedAt: Instant; readonly isAnswered: boolean }
  | { readonly kind: 'ENDED'; readonly ending: AttemptEnding }
  /** Not dialled so far, and after this reply it never will be. */
  | { readonly kind: 'NEVER' }
  | { readonly kind: 'CANNOT_TELL' };

/**
 * Places calls.
 *
 * `place` dials at most once for a reference, and only while `CampaignStore.isCurrent(order.claim)`: that is checked in the transaction
 * that records the call, with the attempt locked, so that a replica that lost its claim cannot dial late. The do-not-call list is
 * checked then too. If `place` throws, it is unknown whether it dialled.
 *
 * A call's events may reach `CampaignEngine.hear` several times, late and in any order.
 */
export interface Telephone {
  place(order: DialOrder): Promise<Placing>;
  /** Throws if the telephone cannot be reached. */
  ask(claim: AttemptClaim): Promise<OrderState>;
}

/** News of a call. */
export type CallUpdate =
  | { readonly kind: 'ANSWERED'; readonly reference: string }
  | { readonly kind: 'ENDED'; readonly reference: string; readonly ending: AttemptEnding };
