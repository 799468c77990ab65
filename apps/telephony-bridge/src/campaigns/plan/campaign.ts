/** Instants are milliseconds since 1970 by the store's clock. */
export type Instant = number;

export type CampaignStatus = 'DRAFT' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED';

/** Hours of the day, in minutes since local midnight, including `from` and excluding `to`. */
export interface DayHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** An organization's hours, which narrow the legal ones. */
interface LegalHours extends DayHours {
  /** 0 is Sunday. Absent: every day. */
  readonly weekdays?: readonly number[];
}

/** Stands for all countries. */
export const everyCountry = '*';

/** When people may be called, in their local time. */
export interface CallingRules extends DayHours {
  /** 0 is Sunday. */
  readonly weekdays: readonly number[];
  /** Days without calls, as `YYYY-MM-DD`. */
  readonly holidays: readonly string[];
  /** The organization's hours by country, `*` for all; they narrow the legal hours and never widen them. */
  readonly legalHours: Readonly<Record<string, LegalHours>>;
}

/** The outcomes of an attempt. */
export const attemptOutcomes = [
  'ANSWERED',
  'VOICEMAIL',
  'NO_ANSWER',
  'BUSY',
  'FAILED',
  /** Answered while no one was free to speak. */
  'ABANDONED',
  /** The telephone does not know the outcome. */
  'UNKNOWN',
  'DO_NOT_CALL',
  'CANCELLED',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** Counts without any finished attempt. */
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

/** How often an attempt with some outcome is repeated, and after how long: the first wait, multiplied by `factor` for each further one. */
export interface RetryRule {
  readonly times: number;
  readonly afterMs: number;
  readonly factor: number;
}

export interface RetryPolicy {
  /** The total number of attempts for a contact, not counting booked calls. */
  readonly attemptsMax: number;
  readonly on: Partial<Record<AttemptOutcome, RetryRule>>;
}

/** How fast a campaign dials. */
interface PacingRules {
  readonly callsPerMinute: number;
  /** Simultaneous calls, including ringing ones. */
  readonly linesMax: number;
  /** Simultaneous conversations. A call answered beyond these is abandoned. */
  readonly conversationsMax: number;
  /** The share of answered calls that may be abandoned. 0 means progressive dialling: never more calls than free conversations. */
  readonly abandonedShareMax: number;
}

/** When failures pause a campaign: this many among its latest attempts. */
interface BreakerRule {
  readonly failures: number;
  readonly among: number;
}

interface CreditRule {
  readonly budget: number;
  /** The amount set aside for each open call. Absent: the average cost so far. */
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
  /** Simultaneous calls of all campaigns of the organization: its limit minus the slots reserved for incoming calls. */
  readonly organizationLinesMax: number;
  /** Calls by all campaigns of the organization to one number in a day of its local time, not counting booked calls. */
  readonly callsPerNumberMax: number;
  /** Caller numbers that the carrier has not rejected. */
  readonly callers: readonly string[];
  readonly startsAt?: Instant;
  /** From then on nobody is dialled, and waiting contacts become CANCELLED. */
  readonly endsAt?: Instant;
  /** Where its contacts are: see `regionKey`. */
  readonly regions: readonly string[];
}

/** WAITING for an attempt, ACTIVE in one, or in a final state. */
export const contactStates = ['WAITING', 'ACTIVE', 'COMPLETED', 'MISSED', 'FAILED', 'DO_NOT_CALL', 'CANCELLED'] as const;
export type ContactState = (typeof contactStates)[number];
/** Counts without any contact. */
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

/** A finished attempt. */
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
  /** The number of the planned or open attempt, from 1. */
  readonly attempt: number;
  readonly dueAt: Instant;
  /** Whether the contact requested the planned attempt, which then takes precedence. */
  readonly isBooked: boolean;
  /** When the contact asked to be called again, during the open attempt. */
  readonly bookedFor?: Instant;
  readonly bookings: number;
  readonly tries: readonly Try[];
}

/** What follows an attempt. */
export type NextStep =
  | { readonly kind: 'FINAL'; readonly state: FinalState }
  | { readonly kind: 'AGAIN'; readonly dueAt: Instant; readonly isBooked: boolean };

/**
 * CLAIMED: a replica is about to place it. PLACED: accepted by the telephone. UNKNOWN: the claimer is late, and it may or may not have
 * been placed. Any other attempt is finished.
 */
export type OpenAttemptState = 'CLAIMED' | 'PLACED' | 'UNKNOWN';

/** The right to continue an attempt. `fence` increases each time it changes hands, and a claim with a lower one has no effect. */
export interface AttemptClaim {
  readonly campaignId: number;
  readonly contactId: number;
  readonly attempt: number;
  /** The attempt's id at the telephone: unique for each claim of a planned attempt, kept when the claim is taken over. */
  readonly reference: string;
  readonly fence: number;
  /** Until then its replica may place the attempt; afterwards any replica may take it over. */
  readonly leaseUntil: Instant;
}

/** An attempt claimed to be placed now. */
export interface ClaimedAttempt extends AttemptClaim {
  readonly contact: PlannedContact;
}

/** An attempt without news in time, leased by the replica that will ask the telephone about it. */
export interface OverdueAttempt extends AttemptClaim {
  /** CLAIMED attempts are returned as UNKNOWN. */
  readonly state: Exclude<OpenAttemptState, 'CLAIMED'>;
  readonly claimedAt: Instant;
}

/** The figures that determine how much a campaign may dial. */
export interface Tally {
  readonly contacts: Readonly<Record<ContactState, number>>;
  /** The regions of waiting contacts. */
  readonly waitingRegions: readonly string[];
  /** Open attempts that are CLAIMED or UNKNOWN, and not answered. */
  readonly pending: number;
  /** PLACED, and not answered yet. */
  readonly ringing: number;
  /** Open and answered. */
  readonly talking: number;
  /** Calls placed in the last 60 s, including ended ones. */
  readonly placedLastMinute: number;
  /** Finished attempts since the campaign began. */
  readonly outcomes: Readonly<Record<AttemptOutcome, number>>;
  readonly creditsSpent: number;
  /** Outcomes of the newest attempts since the campaign last started or resumed, at most `recentMax`, newest first. */
  readonly recent: readonly AttemptOutcome[];
  /** Open attempts of all campaigns of the organization, including this one. */
  readonly organizationOpen: number;
  /** Slots that other calls leave to the organization's campaigns; Infinity if the store does not know. */
  readonly freeLines: number;
}

export const recentMax = 50;

/** Why a campaign paused by itself. */
type PauseCause = 'FAILURES' | 'BUDGET' | 'CALLER_NUMBERS' | 'HOURS';

/** What a campaign may do now. */
export type Allowance =
  | { readonly kind: 'DIAL'; readonly count: number }
  | { readonly kind: 'PAUSE'; readonly cause: PauseCause; readonly says: string };
