/** Instants are milliseconds since 1970 by the store's clock. */
export type Instant = number;

export type CampaignStatus = 'DRAFT' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED';

/** Hours of the day, in minutes since local midnight: `from` is in, `to` is out. */
export interface DayHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** Hours by which an organization narrows the law. */
interface LegalHours extends DayHours {
  /** 0 is Sunday; every day where it is left out. */
  readonly weekdays?: readonly number[];
}

/** Stands for all countries. */
export const everyCountry = '*';

/** When people may be called, by their own clocks. */
export interface CallingRules extends DayHours {
  /** 0 is Sunday. */
  readonly weekdays: readonly number[];
  /** Days without calls, as `YYYY-MM-DD`. */
  readonly holidays: readonly string[];
  /** The organization's own legal hours by country, `*` for all of them; they narrow the law's, and never widen them. */
  readonly legalHours: Readonly<Record<string, LegalHours>>;
}

/** What an attempt came to. */
export const attemptOutcomes = [
  'ANSWERED',
  'VOICEMAIL',
  'NO_ANSWER',
  'BUSY',
  'FAILED',
  /** Answered while no one was free to speak. */
  'ABANDONED',
  /** The telephone could not tell its outcome. */
  'UNKNOWN',
  'DO_NOT_CALL',
  'CANCELLED',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** No attempt that is over yet. */
export const noOutcomes: Readonly<Record<AttemptOutcome, number>> = {
  ANSWERED: 0,
  VOICEMAIL: 0,
  NO_ANSWER: 0,
  BUSY: 0,
  FAILED: 0,
  ABANDONED: 0,
  UNKNOWN: 0,
  DO_NOT_CALL: 0,
  CANCELLED: 0,
};

/** How often an outcome is tried again, and after how long: the first wait, times `factor` for each further one. */
export interface RetryRule {
  readonly times: number;
  readonly afterMs: number;
  readonly factor: number;
}

export interface RetryPolicy {
  /** Attempts of one contact in all; booked calls come on top. */
  readonly attemptsMax: number;
  readonly on: Partial<Record<AttemptOutcome, RetryRule>>;
}

/** How fast a campaign dials. */
interface PacingRules {
  readonly callsPerMinute: number;
  /** Calls at once, ringing ones included. */
  readonly linesMax: number;
  /** Conversations at once. A call answered beyond them is abandoned. */
  readonly conversationsMax: number;
  /** The share of answered calls that may be abandoned. 0 is progressive dialling: never more calls than conversations are free. */
  readonly abandonedShareMax: number;
}

/** When failures pause a campaign: this many among its latest attempts. */
interface BreakerRule {
  readonly failures: number;
  readonly among: number;
}

interface CreditRule {
  readonly budget: number;
  /** Set aside for each open call: the most that one may cost. What its calls cost so far where it is left out. */
  readonly perCall?: number;
}

/** Everything about a campaign that decides when it dials which contact. */
export interface CampaignPlan {
  readonly id: number;
  readonly orgId: number;
  readonly status: CampaignStatus;
  readonly calling: CallingRules;
  readonly retry: RetryPolicy;
  readonly pacing: PacingRules;
  readonly breaker: BreakerRule;
  readonly credits?: CreditRule;
  /** Calls of all campaigns of the organization at once: its limit less the slots reserved for incoming calls. */
  readonly organizationLinesMax: number;
  /** Calls of all campaigns of the organization to one number in a day of its own clocks; calls that were asked for come on top. */
  readonly callsPerNumberMax: number;
  /** Numbers to call from that the carrier has not refused. */
  readonly callers: readonly string[];
  readonly startsAt?: Instant;
  /** From then on no one is dialled, and waiting contacts are CANCELLED. */
  readonly endsAt?: Instant;
  /** Where its contacts are: see `regionKey`. */
  readonly regions: readonly string[];
}

/** WAITING for an attempt, ACTIVE in one, or in a final state. */
export const contactStates = ['WAITING', 'ACTIVE', 'COMPLETED', 'MISSED', 'FAILED', 'DO_NOT_CALL', 'CANCELLED'] as const;
export type ContactState = (typeof contactStates)[number];
/** No contacts. */
export const noContacts: Readonly<Record<ContactState, number>> = {
  WAITING: 0,
  ACTIVE: 0,
  COMPLETED: 0,
  MISSED: 0,
  FAILED: 0,
  DO_NOT_CALL: 0,
  CANCELLED: 0,
};
export type FinalState = Exclude<ContactState, 'WAITING' | 'ACTIVE'>;
export const finalStates = contactStates.filter((state): state is FinalState => state !== 'WAITING' && state !== 'ACTIVE');

/** An attempt that is over. */
export interface Try {
  readonly at: Instant;
  readonly outcome: AttemptOutcome;
}

/** A contact of a campaign. While it waits, its planned attempt is its due time: no row exists before it is claimed. */
export interface PlannedContact {
  readonly id: number;
  readonly campaignId: number;
  /** E.164. */
  readonly number: string;
  readonly region: string;
  readonly state: ContactState;
  /** The attempt that is planned or open; the first is 1. */
  readonly attempt: number;
  readonly dueAt: Instant;
  /** The contact requested the planned attempt: it goes before the others. */
  readonly isBooked: boolean;
  /** A call that the contact asked for during the open attempt. */
  readonly bookedFor?: Instant;
  readonly bookings: number;
  readonly tries: readonly Try[];
}

/** What comes after an attempt. */
export type NextStep =
  | { readonly kind: 'FINAL'; readonly state: FinalState }
  | { readonly kind: 'AGAIN'; readonly dueAt: Instant; readonly isBooked: boolean };

/**
 * CLAIMED by a replica that is about to place it; PLACED: accepted by the telephone; UNKNOWN: its claimer is late, and it may or
 * may not have been placed. Any other attempt is over.
 */
export type OpenAttemptState = 'CLAIMED' | 'PLACED' | 'UNKNOWN';

/** The right to continue an attempt. Each time it changes hands `fence` grows, and a lower one has no effect. */
export interface AttemptClaim {
  readonly campaignId: number;
  readonly contactId: number;
  readonly attempt: number;
  /** What the telephone knows the attempt by: unique for each claim of a planned attempt, kept when the claim is taken over. */
  readonly reference: string;
  readonly fence: number;
  /** Until then the attempt may be placed; afterwards any replica may take it over. */
  readonly leaseUntil: Instant;
}

/** An attempt that was claimed to be placed now. */
export interface ClaimedAttempt extends AttemptClaim {
  readonly contact: PlannedContact;
}

/** An attempt without news in time, leased by the replica that will ask the telephone about it. */
export interface OverdueAttempt extends AttemptClaim {
  /** CLAIMED ones come as UNKNOWN. */
  readonly state: Exclude<OpenAttemptState, 'CLAIMED'>;
  readonly claimedAt: Instant;
}

/** The figures of a campaign by which it is decided how much it may dial. */
export interface Tally {
  readonly contacts: Readonly<Record<ContactState, number>>;
  /** Where those are who wait. */
  readonly waitingRegions: readonly string[];
  /** Open attempts that are CLAIMED or UNKNOWN, and not answered. */
  readonly pending: number;
  /** PLACED, and not answered yet. */
  readonly ringing: number;
  /** Open and answered. */
  readonly talking: number;
  /** Calls that were placed in the last 60 s, ended ones too. */
  readonly placedLastMinute: number;
  /** Attempts that are over, since the campaign began. */
  readonly outcomes: Readonly<Record<AttemptOutcome, number>>;
  readonly creditsSpent: number;
  /** Outcomes of the newest attempts since the campaign last started or resumed, at most `recentMax`, newest first. */
  readonly recent: readonly AttemptOutcome[];
  /** Open attempts of all campaigns of the organization, this one's included. */
  readonly organizationOpen: number;
  /** Lines that its other calls leave to the organization's campaigns, as far as the store knows; Infinity where it does not. */
  readonly freeLines: number;
}

export const recentMax = 50;

/** Why a campaign paused by itself. */
type PauseCause = 'FAILURES' | 'BUDGET' | 'CALLER_NUMBERS' | 'HOURS';

/** What a campaign may do now. */
export type Allowance =
  | { readonly kind: 'DIAL'; readonly count: number }
  | { readonly kind: 'PAUSE'; readonly cause: PauseCause; readonly says: string };
