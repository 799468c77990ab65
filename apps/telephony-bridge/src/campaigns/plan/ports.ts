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
  /** How many may be claimed, judged under the locks of the claim: nothing that it reads changes before the claim is written. */
  allow(campaign: CampaignPlan, tally: Tally, now: Instant): Allowance;
}

/** A number that is being called is looked at again after this. */
export const busyMs = 60_000;
/** Per claim; the next one continues after them. */
export const passedOverMax = 500;

/** How an attempt ended. */
export interface AttemptEnding {
  readonly outcome: AttemptOutcome;
  readonly cause?: string;
  /** The call's cost, as far as it is known. */
  readonly credits?: number;
}

/** Decides what comes after an attempt. `contact` has its tries up to this one, which is among them. */
export type AfterAttempt = (campaign: CampaignPlan, contact: PlannedContact, now: Instant) => NextStep;

/**
 * The store of campaigns, contacts and attempts. Every method is one transaction. Those that take a `Claim` do nothing and return
 * false if its fence is outdated or the attempt is over; so late and repeated news change nothing.
 */
export interface CampaignStore {
  /** The clock by which leases, windows and the pace are judged, the same for all replicas. */
  now(): Promise<Instant>;

  /** RUNNING campaigns, and CANCELLED ones with waiting contacts. At most this many, least recently returned first. */
  active(limit: number): Promise<readonly CampaignPlan[]>;

  /**
   * Claims due contacts, booked calls first, then the longest due. Claims of one organization are serialized. A contact whose
   * number is on the do-not-call list becomes DO_NOT_CALL instead. One whose number is in an open attempt of any campaign of the
   * organization, or was claimed as often as allowed on its day, is skipped: it is due `busyMs` later, or the next day. At most
   * `passedOverMax` are skipped, so the result may be shorter. Nothing is claimed unless the campaign is RUNNING. If `allow` says
   * PAUSE, the campaign is PAUSED with its reason.
   */
  claim(wish: ClaimWish): Promise<readonly ClaimedAttempt[]>;

  /**
   * Takes open attempts whose `leaseUntil` has passed, of campaigns of any status, the longest overdue first: each with a higher
   * fence and a new lease, CLAIMED ones as UNKNOWN. No attempt is handed to two callers within one lease.
   */
  overdue(owner: string, leaseMs: number, limit: number): Promise<readonly OverdueAttempt[]>;

  /** The telephone took it, at `placedAt`: it is PLACED. Unless it ends before `askAt`, it is overdue then. */
  placed(
    claim: AttemptClaim,
    placing: { readonly callId: string; readonly placedAt: Instant; readonly askAt: Instant },
  ): Promise<boolean>;

  /** It may have been placed or not: it is UNKNOWN, or stays PLACED, and is overdue at `askAt`. */
  doubt(claim: AttemptClaim, askAt: Instant): Promise<boolean>;

  /** It was certainly not dialled and never will be under its reference: the same attempt is planned again for `dueAt`. */
  release(claim: AttemptClaim, dueAt: Instant): Promise<boolean>;

  /**
   * An open attempt was answered: true the first time. Its state, CLAIMED, PLACED or UNKNOWN, stays; if it was not PLACED before,
   * it counts for the pace as placed now.
   */
  answered(reference: string): Promise<boolean>;

  /**
   * Ends the attempt: true the first time. If it was not PLACED before, it counts for the pace as placed now. Its contact
   * continues as `after` says; if its campaign was cancelled meanwhile, or is over, only a final state comes of it: AGAIN becomes
   * CANCELLED. A call's cost may be known later: reported again with more credits, these are what the campaign has spent.
   */
  end(reference: string, ending: AttemptEnding, after: AfterAttempt): Promise<boolean>;

  /** Books a call that the contact of an open attempt asked for. False where the attempt is over. */
  book(reference: string, at: Instant): Promise<boolean>;

  /** Removes a number from those that the campaign calls from. */
  refuseCaller(campaignId: number, caller: string): Promise<void>;

  /** CANCELLED are at most `limit` contacts that wait. Answers how many there were. */
  giveUpWaiting(campaignId: number, limit: number): Promise<number>;

  /** COMPLETED, if no contact waits or is active. */
  complete(campaignId: number): Promise<boolean>;

  /**
   * Whether a claim may be placed now: its campaign is RUNNING, its fence the attempt's, its attempt CLAIMED, its lease not over, and
   * the organization has not narrowed its legal hours since.
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
  /** Certainly not dialled, and the attempt is over: a number on the do-not-call list, or one that does not exist. */
  | { readonly kind: 'ENDED'; readonly ending: AttemptEnding }
  /** Certainly not dialled: this caller number is not ours to use. */
  | { readonly kind: 'CALLER_REFUSED' }
  /** Certainly not dialled: the claim was not current any more, or there was no room in time. */
  | { readonly kind: 'NOT_PLACED' };

/** What the telephone knows of a reference. */
export type OrderState =
  | { readonly kind: 'LIVE'; readonly callId: string; readonly placedAt: Instant; readonly isAnswered: boolean }
  | { readonly kind: 'ENDED'; readonly ending: AttemptEnding }
  /** Never dialled, and from this answer on it never will be. */
  | { readonly kind: 'NEVER' }
  | { readonly kind: 'CANNOT_TELL' };

/**
 * Places calls.
 *
 * `place` dials at most once for a reference, and only while `CampaignStore.isCurrent(order.claim)`: the platform's call book
 * checks that in the transaction that writes the call, with the attempt locked, so that no replica that lost its claim dials
 * late. It also checks the do-not-call list then. If it throws, it is unknown whether it dialled.
 *
 * A call's events reach `Campaigns.hear` any number of times, late and in any order.
 */
export interface Telephone {
  place(order: DialOrder): Promise<Placing>;
  /** Throws where it cannot be reached. */
  ask(claim: AttemptClaim): Promise<OrderState>;
}

/** News of a call. */
export type CallUpdate =
  | { readonly kind: 'ANSWERED'; readonly reference: string }
  | { readonly kind: 'ENDED'; readonly reference: string; readonly ending: AttemptEnding };
