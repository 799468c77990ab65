import type {
  Allowance,
  AttemptOutcome,
  CampaignPlan,
  ClaimedAttempt,
  PlannedContact,
  FinalState,
  Instant,
  NextStep,
  OverdueAttempt,
  RetryRule,
  Tally,
} from './campaign';
import { allowance } from './pacer';
import type { CallUpdate, CampaignStore, OrderState, Placing, Telephone } from './ports';
import { callerFor } from './regions';
import { type CallingWindow, hourOf, whyNever, windowOf, windowToPlanBy } from './windows';

interface EngineSettings {
  /** How long placing a claim may take before another replica asks about it. */
  readonly leaseMs: number;
  /** How long there may be no news of a call before the telephone is asked. */
  readonly silenceMs: number;
  /** The longest possible call, including ringing. A call that the telephone does not know by then is over. */
  readonly callMsMax: number;
  readonly campaignsAtOnce: number;
  readonly overdueAtOnce: number;
  readonly givenUpAtOnce: number;
}

/** An agent's longest call takes four hours, plus ringing. */
const usualSettings: EngineSettings = {
  leaseMs: 10_000,
  silenceMs: 120_000,
  callMsMax: 15_000_000,
  campaignsAtOnce: 100,
  overdueAtOnce: 200,
  givenUpAtOnce: 1_000,
};

interface EngineParts {
  readonly store: CampaignStore;
  readonly telephone: Telephone;
  /** The id of this process. */
  readonly owner: string;
  readonly settings?: Partial<EngineSettings>;
  /** Called for failures, which are tried again. */
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** Runs campaigns. Any number of replicas may run it, and each may die at any point, since all state is in the store. */
export class CampaignEngine {
  private readonly settings: EngineSettings;
  private readonly placing = new Set<Promise<void>>();

  constructor(private readonly parts: EngineParts) {
    this.settings = { ...usualSettings, ...parts.settings };
  }

  /**
   * Asks about overdue attempts, then claims and dials what is allowed now. Returns how many attempts it handled; after 0 there is nothing
   * to do for a while. Placing continues in the background; see `placed`.
   */
  async step(): Promise<number> {
    const { store, owner } = this.parts;
    const { leaseMs, overdueAtOnce, campaignsAtOnce } = this.settings;
    const overdue = await store.overdue(owner, leaseMs, overdueAtOnce);
    await Promise.all(overdue.map((attempt) => this.try('settle an attempt', () => this.settle(attempt))));
    let touched = overdue.length;
    for (const campaign of await store.active(campaignsAtOnce)) {
      await this.try('dial for a campaign', async () => {
        touched += await this.dial(campaign);
      });
    }
    return touched;
  }

  /** Resolves when everything claimed so far is placed or failed. */
  async placed(): Promise<void> {
    await Promise.all(this.placing);
  }

  /** Handles news of a call; false if it was known before, or the attempt is over. */
  hear(news: CallUpdate): Promise<boolean> {
    const { store } = this.parts;
    if (news.kind === 'ANSWERED') return store.answered(news.reference);
    return store.end(news.reference, news.ending, stepAfter);
  }

  private async dial(campaign: CampaignPlan): Promise<number> {
    const { store, owner } = this.parts;
    const { leaseMs, givenUpAtOnce } = this.settings;
    const now = await store.now();
    if (campaign.status === 'CANCELLED' || now >= (campaign.endsAt ?? Infinity)) {
      const given = await store.giveUpWaiting(campaign.id, givenUpAtOnce);
      if (given === 0) await store.complete(campaign.id);
      return given;
    }
    const claimed = await store.claim({
      campaignId: campaign.id,
      owner,
      leaseMs,
      // Only regions that stay open for as long as placing a call may take.
      openRegions: ({ regions, calling }, at) =>
        regions.filter((region) => (windowOf(region, calling).openUntil(at) ?? 0) >= at + leaseMs),
      allow: (locked, tally, at) => pauseByHours(locked, tally, at) ?? allowance(locked, tally, at),
    });
    for (const attempt of claimed) this.begin(attempt, campaign);
    if (claimed.length === 0) await store.complete(campaign.id);
    return claimed.length;
  }

  private begin(attempt: ClaimedAttempt, campaign: CampaignPlan): void {
    const placing = this.try('place a call', () => this.place(attempt, campaign)).finally(() => this.placing.delete(placing));
    this.placing.add(placing);
  }

  private async place(attempt: ClaimedAttempt, { callers }: CampaignPlan): Promise<void> {
    const { store, telephone } = this.parts;
    const { contact } = attempt;
    const from = callerFor(callers, contact);
    if (from === undefined) return void (await store.release(attempt, contact.dueAt));
    let placing: Placing;
    try {
      placing = await telephone.place({ claim: attempt, contact, from });
    } catch (error) {
      this.parts.onTrouble('place a call', error);
      // It is unknown whether it dialled, so the telephone is asked before the call may be placed again.
      return void (await store.doubt(attempt, await store.now()));
    }
    await this.note(attempt, placing, from);
  }

  private async note(attempt: ClaimedAttempt, placing: Placing, from: string): Promise<void> {
    const { store } = this.parts;
    switch (placing.kind) {
      case 'PLACED': {
        const { callId, placedAt } = placing;
        return void (await store.placed(attempt, { callId, placedAt, askAt: placedAt + this.settings.silenceMs }));
      }
      case 'ENDED':
        return void (await store.end(attempt.reference, placing.ending, stepAfter));
      case 'CALLER_REFUSED':
        await store.refuseCaller(attempt.campaignId, from);
        return void (await store.release(attempt, attempt.contact.dueAt));
      case 'NOT_PLACED': {
        const { dueAt } = attempt.contact;
        const again = placing.againMs === undefined ? dueAt : Math.max(dueAt, (await store.now()) + placing.againMs);
        return void (await store.release(attempt, again));
      }
    }
  }

  /** Asks the telephone for the state of an attempt, and records it. */
  private async settle(attempt: OverdueAttempt): Promise<void> {
    const { store, telephone } = this.parts;
    const state = await telephone.ask(attempt).catch((error: unknown): OrderState => {
      this.parts.onTrouble('ask about a call', error);
      return { kind: 'CANNOT_TELL' };
    });
    const now = await store.now();
    const askAt = now + this.settings.silenceMs;
    switch (state.kind) {
      case 'LIVE':
        await store.placed(attempt, { callId: state.callId, placedAt: state.placedAt, askAt });
        if (state.isAnswered) await store.answered(attempt.reference);
        return;
      case 'ENDED':
        return void (await store.end(attempt.reference, state.ending, stepAfter));
      case 'NEVER':
        if (attempt.state === 'UNKNOWN') return void (await store.release(attempt, now));
        return void (await store.end(attempt.reference, { outcome: 'UNKNOWN', cause: 'The call was lost.' }, stepAfter));
      case 'CANNOT_TELL': {
        if (now < attempt.claimedAt + this.settings.callMsMax) return void (await store.doubt(attempt, askAt));
        const cause = 'Whether this call was dialled could not be found out.';
        return void (await store.end(attempt.reference, { outcome: 'UNKNOWN', cause }, stepAfter));
      }
    }
  }

  private async try(doing: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.parts.onTrouble(doing, error);
    }
  }
}

/**
 * Pauses a campaign once no contact can ever be called within its hours and none is in a call, rather than giving the contacts up.
 */
function pauseByHours({ calling }: CampaignPlan, { contacts, waitingRegions }: Tally, now: Instant): Allowance | undefined {
  if (contacts.ACTIVE > 0) return undefined;
  const says = whyNever(waitingRegions, calling, now);
  return says === undefined ? undefined : { kind: 'PAUSE', cause: 'HOURS', says };
}

/** How many calls a contact may book in a campaign. */
export const bookingsMax = 3;
const hourMs = 3_600_000;
/** Outcomes for which another hour of the day is tried; a busy line or a failure does not depend on the hour. */
const retriedAtAnotherHour: ReadonlySet<AttemptOutcome> = new Set(['NO_ANSWER', 'VOICEMAIL']);

const finals: Record<AttemptOutcome, FinalState> = {
  ANSWERED: 'COMPLETED',
  VOICEMAIL: 'MISSED',
  NO_ANSWER: 'MISSED',
  BUSY: 'MISSED',
  ABANDONED: 'MISSED',
  FAILED: 'FAILED',
  UNKNOWN: 'FAILED',
  DO_NOT_CALL: 'DO_NOT_CALL',
  CANCELLED: 'CANCELLED',
};

/** What follows an attempt: a booked call, another attempt, or nothing. The last of `contact.tries` is the attempt. */
export function stepAfter(campaign: CampaignPlan, contact: PlannedContact, now: Instant): NextStep {
  const outcome = contact.tries.at(-1)?.outcome ?? 'UNKNOWN';
  const final: NextStep = { kind: 'FINAL', state: finals[outcome] };
  if (outcome === 'DO_NOT_CALL' || outcome === 'CANCELLED') return final;
  const window = windowToPlanBy(contact.region, campaign.calling, now);
  const booked = contact.bookedFor !== undefined && contact.bookings <= bookingsMax ? contact.bookedFor : undefined;
  const dueAt =
    booked === undefined
      ? retryAt(window, campaign.retry.on[outcome], { campaign, contact, now })
      : window.nextOpening(Math.max(booked, now));
  if (dueAt === undefined || dueAt >= (campaign.endsAt ?? Number.POSITIVE_INFINITY)) return final;
  return { kind: 'AGAIN', dueAt, isBooked: booked !== undefined };
}

interface Tried {
  readonly campaign: CampaignPlan;
  readonly contact: PlannedContact;
  readonly now: Instant;
}

function retryAt(window: CallingWindow, rule: RetryRule | undefined, { campaign, contact, now }: Tried): Instant | undefined {
  const outcome = contact.tries.at(-1)?.outcome;
  const times = contact.tries.filter((each) => each.outcome === outcome).length;
  if (!rule || outcome === undefined || times > rule.times) return undefined;
  if (contact.tries.length - contact.bookings >= campaign.retry.attemptsMax) return undefined;
  const earliest = window.nextOpening(now + rule.afterMs * rule.factor ** (times - 1));
  if (earliest === undefined || !retriedAtAnotherHour.has(outcome)) return earliest;
  return atAnotherHour(
    window,
    earliest,
    contact.tries.map(({ at }) => at),
  );
}

/** The first time within a day whose hour has been tried least often. */
function atAnotherHour(window: CallingWindow, earliest: Instant, tried: readonly Instant[]): Instant {
  const triedHours = tried.map((at) => hourOf(at, window.hourZone));
  let best = { at: earliest, count: Number.POSITIVE_INFINITY };
  for (
    let at: Instant | undefined = earliest;
    at !== undefined && at < earliest + 24 * hourMs;
    at = window.nextOpening(at + hourMs)
  ) {
    const hour = hourOf(at, window.hourZone);
    const count = triedHours.filter((each) => each === hour).length;
    if (count < best.count) best = { at, count };
    if (count === 0) break;
  }
  return best.at;
}
