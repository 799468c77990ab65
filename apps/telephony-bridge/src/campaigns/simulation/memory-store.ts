import {
  type CallingRules,
  type CampaignPlan,
  type CampaignStatus,
  type AttemptClaim,
  type ClaimedAttempt,
  type PlannedContact,
  type Instant,
  noContacts,
  noOutcomes,
  type OverdueAttempt,
  recentMax,
  type Tally,
} from '../plan/campaign';
import { type AfterAttempt, busyMs, type CampaignStore, type ClaimWish, type AttemptEnding, passedOverMax } from '../plan/ports';
import { dayIn } from '../plan/regions';
import { Heap } from './virtual-time';
import {
  contactOf,
  count,
  enqueue,
  notePlaced,
  type OpenAttempt,
  phaseOf,
  type StoredCampaign,
  takeDue,
} from './stored-campaign';

const minuteMs = 60_000;

/** Campaigns in memory: for the simulator, and as the reference for the store in Postgres. */
export class MemoryCampaignStore implements CampaignStore {
  private readonly storedCampaigns = new Map<number, StoredCampaign>();
  private readonly open = new Map<string, OpenAttempt>();
  private readonly leases = new Heap<{ readonly reference: string; readonly leaseUntil: Instant }>(
    (one, other) => one.leaseUntil < other.leaseUntil,
  );
  /** The known cost of ended attempts. */
  private readonly spent = new Map<string, { readonly campaignId: number; readonly before: number }>();
  private readonly organizationOpen = new Map<number, number>();
  private readonly narrowings = new Map<number, number>();
  /** The claims of each number that were not released, by reference: their time, and whether they are open. */
  private readonly numbers = new Map<string, Map<string, { readonly at: Instant; isOpen: boolean }>>();
  private references = 0;

  constructor(
    private readonly clock: () => Instant,
    private readonly isListed: (number: string) => boolean,
    private readonly freeLines: (orgId: number) => number = () => Number.POSITIVE_INFINITY,
  ) {}

  add(campaign: CampaignPlan, contacts: readonly PlannedContact[]): void {
    const stored: StoredCampaign = {
      campaign,
      pausedSays: undefined,
      contacts: new Map(),
      booked: new Map(),
      due: new Map(),
      counts: { ...noContacts },
      waiting: new Map(),
      outcomes: { ...noOutcomes },
      pending: 0,
      ringing: 0,
      talking: 0,
      placedAt: [],
      creditsSpent: 0,
      recent: [],
    };
    this.storedCampaigns.set(campaign.id, stored);
    for (const contact of contacts) {
      stored.contacts.set(contact.id, contact);
      count(stored, contact, 1);
      if (contact.state === 'WAITING') enqueue(stored, contact);
    }
  }

  setStatus(campaignId: number, status: CampaignStatus): void {
    const stored = this.stored(campaignId);
    stored.campaign = { ...stored.campaign, status };
    if (status === 'RUNNING') [stored.recent, stored.pausedSays] = [[], undefined];
  }

  setLegalHours(orgId: number, legalHours: CallingRules['legalHours']): void {
    this.narrowings.set(orgId, (this.narrowings.get(orgId) ?? 0) + 1);
    for (const stored of this.storedCampaigns.values()) {
      if (stored.campaign.orgId !== orgId) continue;
      stored.campaign = { ...stored.campaign, calling: { ...stored.campaign.calling, legalHours } };
    }
  }

  campaign(campaignId: number): CampaignPlan & { readonly pausedSays: string | undefined } {
    return { ...this.stored(campaignId).campaign, pausedSays: this.stored(campaignId).pausedSays };
  }

  contacts(campaignId: number): IterableIterator<PlannedContact> {
    return this.stored(campaignId).contacts.values();
  }

  tally(campaignId: number): Tally {
    const stored = this.stored(campaignId);
    const { campaign, counts, waiting, outcomes, pending, ringing, talking, creditsSpent, recent } = stored;
    const minuteAgo = this.clock() - minuteMs;
    const fresh = stored.placedAt.findIndex((at) => at > minuteAgo);
    if (fresh !== 0) stored.placedAt = fresh < 0 ? [] : stored.placedAt.slice(fresh);
    return {
      contacts: { ...counts },
      waitingRegions: [...waiting].filter(([, waits]) => waits > 0).map(([region]) => region),
      outcomes: { ...outcomes },
      pending,
      ringing,
      talking,
      placedLastMinute: stored.placedAt.length,
      creditsSpent,
      recent,
      organizationOpen: this.organizationOpen.get(campaign.orgId) ?? 0,
      freeLines: this.freeLines(campaign.orgId),
    };
  }

  /** Recounts from contacts and attempts. */
  recount(campaignId: number): Pick<Tally, 'contacts' | 'outcomes' | 'pending' | 'ringing' | 'talking'> {
    const recounted = { contacts: { ...noContacts }, outcomes: { ...noOutcomes }, pending: 0, ringing: 0, talking: 0 };
    const { contacts, outcomes } = recounted;
    this.stored(campaignId).contacts.forEach(({ state, tries }) => {
      contacts[state] += 1;
      for (const { outcome } of tries) outcomes[outcome] += 1;
    });
    for (const attempt of this.open.values()) if (attempt.campaignId === campaignId) recounted[phaseOf(attempt)] += 1;
    return recounted;
  }

  now(): Promise<Instant> {
    return Promise.resolve(this.clock());
  }

  active(limit: number): Promise<readonly CampaignPlan[]> {
    const active = [...this.storedCampaigns.values()].filter(
      ({ campaign, counts }) => campaign.status === 'RUNNING' || (campaign.status === 'CANCELLED' && counts.WAITING > 0),
    );
    for (const stored of active.slice(0, limit)) {
      this.storedCampaigns.delete(stored.campaign.id);
      this.storedCampaigns.set(stored.campaign.id, stored);
    }
    return Promise.resolve(active.slice(0, limit).map(({ campaign }) => campaign));
  }

  claim({ campaignId, leaseMs, openRegions, allow }: ClaimWish): Promise<readonly ClaimedAttempt[]> {
    const stored = this.stored(campaignId);
    const now = this.clock();
    if (stored.campaign.status !== 'RUNNING') return Promise.resolve([]);
    const allowance = allow(stored.campaign, this.tally(campaignId), now);
    if (allowance.kind === 'PAUSE') {
      stored.campaign = { ...stored.campaign, status: 'PAUSED' };
      stored.pausedSays = allowance.says;
      return Promise.resolve([]);
    }
    const claimed: ClaimedAttempt[] = [];
    const regions = allowance.count < 1 ? [] : openRegions(stored.campaign, now);
    for (let passedOver = 0; claimed.length < allowance.count && passedOver < passedOverMax;) {
      const contact = takeDue(stored, stored.booked, regions, now) ?? takeDue(stored, stored.due, regions, now);
      if (!contact) break;
      const dueAt = this.passedOverUntil(stored, contact, now);
      if (this.isListed(contact.number)) this.change(stored, { ...contact, state: 'DO_NOT_CALL' });
      else if (dueAt !== undefined) {
        passedOver += 1;
        this.change(stored, { ...contact, dueAt });
        enqueue(stored, { ...contact, dueAt });
      } else claimed.push(this.begin(stored, contact, now + leaseMs));
    }
    return Promise.resolve(claimed);
  }

  /** Until when a number is skipped, because it is in a call or was called as often as allowed. */
  private passedOverUntil(
    { campaign }: StoredCampaign,
    { number, region, isBooked }: PlannedContact,
    now: Instant,
  ): Instant | undefined {
    const calls = [...this.callsOf(campaign.orgId, number).values()];
    if (calls.some(({ isOpen }) => isOpen)) return now + busyMs;
    if (isBooked || calls.length < campaign.callsPerNumberMax) return undefined;
    const day = dayIn(region, now);
    return calls.filter(({ at }) => at >= day.from).length < campaign.callsPerNumberMax ? undefined : day.until;
  }

  private callsOf(orgId: number, number: string): Map<string, { readonly at: Instant; isOpen: boolean }> {
    const key = `${orgId} ${number}`;
    const calls = this.numbers.get(key) ?? new Map<string, { readonly at: Instant; isOpen: boolean }>();
    this.numbers.set(key, calls);
    return calls;
  }

  overdue(_owner: string, leaseMs: number, limit: number): Promise<readonly OverdueAttempt[]> {
    const now = this.clock();
    const taken: OverdueAttempt[] = [];
    while (taken.length < limit) {
      const lease = this.leases.first;
      if (!lease || lease.leaseUntil > now) break;
      this.leases.pop();
      const attempt = this.open.get(lease.reference);
      if (attempt?.leaseUntil !== lease.leaseUntil) continue;
      const state = attempt.state === 'PLACED' ? 'PLACED' : 'UNKNOWN';
      attempt.state = state;
      attempt.fence += 1;
      this.leaseTo(attempt, now + leaseMs);
      taken.push({ ...attempt, state });
    }
    return Promise.resolve(taken);
  }

  placed(claim: AttemptClaim, { placedAt, askAt }: { readonly placedAt: Instant; readonly askAt: Instant }): Promise<boolean> {
    return this.held(claim, (attempt, stored) => {
      stored[phaseOf(attempt)] -= 1;
      attempt.state = 'PLACED';
      stored[phaseOf(attempt)] += 1;
      if (attempt.placedAt === undefined) notePlaced(stored, placedAt);
      attempt.placedAt ??= placedAt;
      this.leaseTo(attempt, askAt);
    });
  }

  doubt(claim: AttemptClaim, askAt: Instant): Promise<boolean> {
    return this.held(claim, (attempt) => {
      if (attempt.state === 'CLAIMED') attempt.state = 'UNKNOWN';
      this.leaseTo(attempt, askAt);
    });
  }

  release(claim: AttemptClaim, dueAt: Instant): Promise<boolean> {
    return this.held(claim, (attempt, stored) => {
      this.close(attempt, stored);
      this.callsOf(stored.campaign.orgId, contactOf(stored, attempt.contactId).number).delete(attempt.reference);
      const waiting = { ...contactOf(stored, attempt.contactId), state: 'WAITING' as const, dueAt };
      this.change(stored, waiting);
      enqueue(stored, waiting);
    });
  }

  answered(reference: string): Promise<boolean> {
    const attempt = this.open.get(reference);
    if (!attempt || attempt.isAnswered) return Promise.resolve(false);
    const stored = this.stored(attempt.campaignId);
    stored[phaseOf(attempt)] -= 1;
    attempt.isAnswered = true;
    stored[phaseOf(attempt)] += 1;
    if (attempt.placedAt === undefined) notePlaced(stored, this.clock());
    attempt.placedAt ??= this.clock();
    return Promise.resolve(true);
  }

  end(reference: string, { outcome, credits = 0 }: AttemptEnding, after: AfterAttempt): Promise<boolean> {
    const attempt = this.open.get(reference);
    this.spend(reference, credits, attempt?.campaignId);
    if (!attempt) return Promise.resolve(false);
    const stored = this.stored(attempt.campaignId);
    const now = this.clock();
    this.close(attempt, stored);
    if (attempt.placedAt === undefined) notePlaced(stored, now);
    stored.outcomes[outcome] += 1;
    stored.recent = [outcome, ...stored.recent.slice(0, recentMax - 1)];
    const contact = contactOf(stored, attempt.contactId);
    const tried = { ...contact, tries: [...contact.tries, { at: attempt.placedAt ?? now, outcome }] };
    const next = after(stored.campaign, tried, now);
    const { bookedFor: _booked, ...rest } = tried;
    const isOver = stored.campaign.status === 'CANCELLED' || stored.campaign.status === 'COMPLETED';
    if (next.kind === 'FINAL' || isOver) {
      this.change(stored, { ...rest, state: next.kind === 'FINAL' ? next.state : 'CANCELLED', isBooked: false });
      return Promise.resolve(true);
    }
    const { dueAt, isBooked } = next;
    const waiting = { ...rest, state: 'WAITING' as const, attempt: rest.attempt + 1, dueAt, isBooked };
    this.change(stored, waiting);
    enqueue(stored, waiting);
    return Promise.resolve(true);
  }

  private spend(reference: string, credits: number, ofCampaign?: number): void {
    const { campaignId, before } = this.spent.get(reference) ?? { campaignId: ofCampaign, before: 0 };
    if (campaignId === undefined || (credits <= before && before > 0)) return;
    this.stored(campaignId).creditsSpent += credits - before;
    this.spent.set(reference, { campaignId, before: credits });
  }

  book(reference: string, at: Instant): Promise<boolean> {
    const attempt = this.open.get(reference);
    if (!attempt) return Promise.resolve(false);
    const stored = this.stored(attempt.campaignId);
    const contact = contactOf(stored, attempt.contactId);
    const bookings = contact.bookedFor === undefined ? contact.bookings + 1 : contact.bookings;
    this.change(stored, { ...contact, bookedFor: at, bookings });
    return Promise.resolve(true);
  }

  refuseCaller(campaignId: number, caller: string): Promise<void> {
    const stored = this.stored(campaignId);
    stored.campaign = { ...stored.campaign, callers: stored.campaign.callers.filter((each) => each !== caller) };
    return Promise.resolve();
  }

  giveUpWaiting(campaignId: number, limit: number): Promise<number> {
    const stored = this.stored(campaignId);
    let given = 0;
    for (const contact of stored.counts.WAITING > 0 ? stored.contacts.values() : []) {
      if (contact.state !== 'WAITING') continue;
      this.change(stored, { ...contact, state: 'CANCELLED' });
      given += 1;
      if (given >= limit) break;
    }
    return Promise.resolve(given);
  }

  complete(campaignId: number): Promise<boolean> {
    const stored = this.stored(campaignId);
    const isComplete = stored.campaign.status === 'RUNNING' && stored.counts.WAITING + stored.counts.ACTIVE === 0;
    if (isComplete) stored.campaign = { ...stored.campaign, status: 'COMPLETED' };
    return Promise.resolve(isComplete);
  }

  isCurrent(claim: AttemptClaim): Promise<boolean> {
    return Promise.resolve(this.isHeld(claim));
  }

  /** `isCurrent`, for dialling in the same instant. */
  isHeld({ campaignId, reference, fence }: AttemptClaim): boolean {
    const attempt = this.open.get(reference);
    return (
      this.stored(campaignId).campaign.status === 'RUNNING' &&
      attempt?.state === 'CLAIMED' &&
      attempt.fence === fence &&
      attempt.narrowings === this.narrowingsOf(this.stored(campaignId)) &&
      this.clock() < attempt.leaseUntil
    );
  }

  private narrowingsOf({ campaign: { orgId } }: StoredCampaign): number {
    return this.narrowings.get(orgId) ?? 0;
  }

  private stored(campaignId: number): StoredCampaign {
    const stored = this.storedCampaigns.get(campaignId);
    if (!stored) throw new Error(`there is no campaign ${campaignId}`);
    return stored;
  }

  private begin(stored: StoredCampaign, contact: PlannedContact, leaseUntil: Instant): ClaimedAttempt {
    this.references += 1;
    const { campaignId, id: contactId, attempt: number } = contact;
    const reference = `${campaignId}-${contactId}-${number}-${this.references}`;
    const claim = { campaignId, contactId, attempt: number, reference, fence: 1, leaseUntil };
    const attempt: OpenAttempt = {
      ...claim,
      state: 'CLAIMED',
      claimedAt: this.clock(),
      placedAt: undefined,
      isAnswered: false,
      narrowings: this.narrowingsOf(stored),
    };
    this.open.set(reference, attempt);
    this.callsOf(stored.campaign.orgId, contact.number).set(reference, { at: this.clock(), isOpen: true });
    this.leases.push({ reference, leaseUntil });
    stored.pending += 1;
    this.countOpen(stored, 1);
    const active = { ...contact, state: 'ACTIVE' as const };
    this.change(stored, active);
    return { ...claim, contact: active };
  }

  private held(claim: AttemptClaim, act: (attempt: OpenAttempt, stored: StoredCampaign) => void): Promise<boolean> {
    const attempt = this.open.get(claim.reference);
    if (attempt?.fence !== claim.fence) return Promise.resolve(false);
    act(attempt, this.stored(attempt.campaignId));
    return Promise.resolve(true);
  }

  private close(attempt: OpenAttempt, stored: StoredCampaign): void {
    stored[phaseOf(attempt)] -= 1;
    this.countOpen(stored, -1);
    const call = this.callsOf(stored.campaign.orgId, contactOf(stored, attempt.contactId).number).get(attempt.reference);
    if (call) call.isOpen = false;
    this.open.delete(attempt.reference);
  }

  private countOpen({ campaign: { orgId } }: StoredCampaign, more: number): void {
    this.organizationOpen.set(orgId, (this.organizationOpen.get(orgId) ?? 0) + more);
  }

  private change(stored: StoredCampaign, contact: PlannedContact): void {
    count(stored, contactOf(stored, contact.id), -1);
    count(stored, contact, 1);
    stored.contacts.set(contact.id, contact);
  }

  private leaseTo(attempt: OpenAttempt, leaseUntil: Instant): void {
    attempt.leaseUntil = leaseUntil;
    this.leases.push({ reference: attempt.reference, leaseUntil });
  }
}
