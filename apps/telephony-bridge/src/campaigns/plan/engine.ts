import type { Allowance, Campaign, ClaimedAttempt, Instant, OverdueAttempt, Tally } from './campaign';
import { allowance } from './pacer';
import type { CallNews, CampaignStore, Fate, Placing, Telephone } from './ports';
import { callerFor } from './regions';
import { stepAfter } from './retries';
import { whyNever, windowOf } from './windows';

export interface EngineSettings {
  /** How long a claim may take to be placed before another replica asks what became of it. */
  readonly leaseMs: number;
  /** How long the telephone may be silent about a call before it is asked. */
  readonly silenceMs: number;
  /** The longest that a call can take, ringing included. What the telephone cannot tell of by then is over, whatever it was. */
  readonly callMsMax: number;
  readonly campaignsAtOnce: number;
  readonly overdueAtOnce: number;
  readonly givenUpAtOnce: number;
}

/** Four hours is the longest call of an agent, and ringing comes on top. */
export const usualSettings: EngineSettings = {
  leaseMs: 10_000,
  silenceMs: 120_000,
  callMsMax: 15_000_000,
  campaignsAtOnce: 100,
  overdueAtOnce: 200,
  givenUpAtOnce: 1_000,
};

export interface EngineParts {
  readonly store: CampaignStore;
  readonly telephone: Telephone;
  /** This replica, and this start of it. */
  readonly owner: string;
  readonly settings?: Partial<EngineSettings>;
  /** What could not be done and will be tried again. */
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** Runs campaigns. Any number of replicas may run at once, and each may die anywhere: what is true stands in the store. */
export class CampaignEngine {
  private readonly settings: EngineSettings;
  private readonly placing = new Set<Promise<void>>();

  constructor(private readonly parts: EngineParts) {
    this.settings = { ...usualSettings, ...parts.settings };
  }

  /**
   * Asks about attempts that nobody heard of, then dials what may be dialled now. Answers how many attempts it touched: after 0 there
   * is nothing to do for a while. Placing goes on after it; see `placed`.
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

  /** When what was claimed so far is placed, or not. */
  async placed(): Promise<void> {
    await Promise.all(this.placing);
  }

  /** Takes in what is told of a call; false where it was known, or is about an attempt that is over. */
  hear(news: CallNews): Promise<boolean> {
    const { store } = this.parts;
    if (news.kind === 'ANSWERED') return store.answered(news.reference);
    return store.end(news.reference, news.ending, stepAfter);
  }

  private async dial(campaign: Campaign): Promise<number> {
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
      // Those that stay open for as long as a claim may take to be placed.
      openRegions: ({ regions, calling }, at) =>
        regions.filter((region) => (windowOf(region, calling).openUntil(at) ?? 0) >= at + leaseMs),
      allow: (locked, tally, at) => pauseByHours(locked, tally, at) ?? allowance(locked, tally, at),
    });
    for (const attempt of claimed) this.begin(attempt, campaign);
    if (claimed.length === 0) await store.complete(campaign.id);
    return claimed.length;
  }

  private begin(attempt: ClaimedAttempt, campaign: Campaign): void {
    const placing = this.try('place a call', () => this.place(attempt, campaign)).finally(() => this.placing.delete(placing));
    this.placing.add(placing);
  }

  private async place(attempt: ClaimedAttempt, { callers }: Campaign): Promise<void> {
    const { store, telephone } = this.parts;
    const { contact } = attempt;
    const from = callerFor(callers, contact);
    if (from === undefined) return void (await store.release(attempt, contact.dueAt));
    let placing: Placing;
    try {
      placing = await telephone.place({ claim: attempt, contact, from });
    } catch (error) {
      this.parts.onTrouble('place a call', error);
      // Nobody knows whether it dialled: it is asked about, and never placed again before the answer.
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
      case 'NOT_PLACED':
        return void (await store.release(attempt, attempt.contact.dueAt));
    }
  }

  /** Asks the telephone what became of an attempt, and writes that down. */
  private async settle(attempt: OverdueAttempt): Promise<void> {
    const { store, telephone } = this.parts;
    const fate = await telephone.ask(attempt).catch((error: unknown): Fate => {
      this.parts.onTrouble('ask about a call', error);
      return { kind: 'CANNOT_TELL' };
    });
    const now = await store.now();
    const askAt = now + this.settings.silenceMs;
    switch (fate.kind) {
      case 'LIVE':
        await store.placed(attempt, { callId: fate.callId, placedAt: fate.placedAt, askAt });
        if (fate.isAnswered) await store.answered(attempt.reference);
        return;
      case 'ENDED':
        return void (await store.end(attempt.reference, fate.ending, stepAfter));
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

/** Nobody is given up for want of hours: it pauses once nobody is left who can be called, nor is in a call that may come to another. */
function pauseByHours({ calling }: Campaign, { contacts, waitingRegions }: Tally, now: Instant): Allowance | undefined {
  if (contacts.ACTIVE > 0) return undefined;
  const says = whyNever(waitingRegions, calling, now);
  return says === undefined ? undefined : { kind: 'PAUSE', cause: 'HOURS', says };
}
