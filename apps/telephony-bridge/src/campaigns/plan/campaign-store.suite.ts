import {
  type CallingRules,
  type CampaignPlan,
  type AttemptClaim,
  type ClaimedAttempt,
  type PlannedContact,
  type Instant,
  type Tally,
} from './campaign';
import { allowance } from './pacer';
import type { AfterAttempt, CampaignStore } from './ports';

/** A store controlled by a test, with a manual clock. */
export interface StoreHarness {
  readonly store: CampaignStore;
  advance(ms: number): void;
  /** Creates a running campaign with this many due contacts, all in `IN Asia/Kolkata`. */
  campaign(contacts: number, changed?: Partial<CampaignPlan>): Promise<number>;
  setStatus(campaignId: number, status: CampaignPlan['status']): Promise<void>;
  list(number: string): Promise<void>;
  /** Sets the legal hours of the organization that owns all campaigns. */
  setLegalHours(legalHours: CallingRules['legalHours']): Promise<void>;
  contacts(campaignId: number): Promise<readonly PlannedContact[]>;
  status(campaignId: number): Promise<CampaignPlan['status']>;
  close(): Promise<void>;
}

const leaseMs = 10_000;
const regions = ['IN Asia/Kolkata'];
const openRegions = (): readonly string[] => regions;
const finished: AfterAttempt = () => ({ kind: 'FINAL', state: 'COMPLETED' });

/** The guarantees that the engine relies on, tested for every store. */
export function describeCampaignStore(name: string, open: () => Promise<StoreHarness>): void {
  describe(name, () => {
    let harness: StoreHarness;
    let store: CampaignStore;
    beforeAll(async () => {
      harness = await open();
      store = harness.store;
    });
    afterAll(() => harness.close());

    const claim = (campaignId: number, count = 1, of = regions): Promise<readonly ClaimedAttempt[]> =>
      store.claim({ campaignId, owner: 'one', leaseMs, openRegions: () => of, allow: () => ({ kind: 'DIAL', count }) });
    const claimOne = async (campaignId: number): Promise<ClaimedAttempt> => {
      const [attempt] = await claim(campaignId);
      if (!attempt) throw new Error('nobody was due');
      return attempt;
    };
    const takeOver = async ({ reference }: AttemptClaim): Promise<AttemptClaim> => {
      harness.advance(leaseMs);
      const taken = (await store.overdue('two', leaseMs, 100)).find((each) => each.reference === reference);
      if (!taken) throw new Error('it is not overdue');
      return taken;
    };
    const place = async (attempt: AttemptClaim): Promise<boolean> => {
      const now: Instant = await store.now();
      return store.placed(attempt, { callId: `call-${attempt.reference}`, placedAt: now, askAt: now + 60_000 });
    };
    const tallyOf = async (campaignId: number): Promise<Tally> => {
      const seen: Tally[] = [];
      await store.claim({
        campaignId,
        owner: 'one',
        leaseMs,
        openRegions,
        allow: (_campaign, tally) => {
          seen.push(tally);
          return { kind: 'DIAL', count: 0 };
        },
      });
      const [tally] = seen;
      if (!tally) throw new Error('the campaign does not run');
      return tally;
    };

    it('claims each contact once, however many claim at the same time', async () => {
      const id = await harness.campaign(40);
      const claimed = (await Promise.all([claim(id, 15), claim(id, 15), claim(id, 15)])).flat();
      expect(new Set(claimed.map(({ contactId }) => contactId)).size).toBe(40);
      expect(new Set(claimed.map(({ reference }) => reference)).size).toBe(claimed.length);
      expect(await tallyOf(id)).toMatchObject({ contacts: { ACTIVE: 40, WAITING: 0 }, waitingRegions: [] });
    });

    it('claims no contact of another region or of a stopped campaign, and sets listed numbers aside', async () => {
      const id = await harness.campaign(2);
      expect(await claim(id, 2, ['US *'])).toEqual([]);
      expect((await tallyOf(id)).waitingRegions).toEqual(['IN Asia/Kolkata']);
      await harness.setStatus(id, 'PAUSED');
      expect(await claim(id, 2)).toEqual([]);
      await harness.setStatus(id, 'RUNNING');
      const [first] = await harness.contacts(id);
      await harness.list(first?.number ?? '');
      const claimed = [...(await claim(id, 2)), ...(await claim(id, 2))];
      expect(claimed.map(({ contact }) => contact.number)).not.toContain(first?.number);
      expect((await tallyOf(id)).contacts).toMatchObject({ ACTIVE: 1, DO_NOT_CALL: 1 });
    });

    it('lets a claim be placed while it is current: not late, not taken over, not paused', async () => {
      const id = await harness.campaign(2);
      const attempt = await claimOne(id);
      expect(await store.isCurrent(attempt)).toBe(true);
      await harness.setStatus(id, 'PAUSED');
      expect(await store.isCurrent(attempt)).toBe(false);
      await harness.setStatus(id, 'RUNNING');
      const taken = await takeOver(attempt);
      expect([await store.isCurrent(attempt), await store.isCurrent(taken)]).toEqual([false, false]);
      expect([taken.reference, taken.fence > attempt.fence]).toEqual([attempt.reference, true]);
    });

    it('claims by the legal hours as they are then, and lets no claim from before be placed once they were narrowed', async () => {
      const id = await harness.campaign(2);
      const before = await claimOne(id);
      harness.advance(10);
      const legalHours = { IN: { fromMinute: 600, toMinute: 660, weekdays: [1] } };
      await harness.setLegalHours(legalHours);
      expect(await store.isCurrent(before)).toBe(false);
      expect((await store.active(1_000)).find((each) => each.id === id)?.calling.legalHours).toEqual(legalHours);
      const seen: CampaignPlan['calling'][] = [];
      const wish = { campaignId: id, owner: 'one', leaseMs, allow: () => ({ kind: 'DIAL', count: 1 }) as const };
      harness.advance(10);
      const [after] = await store.claim({ ...wish, openRegions: ({ calling }) => (seen.push(calling), regions) });
      expect(seen.map((calling) => calling.legalHours)).toEqual([legalHours]);
      expect(after && (await store.isCurrent(after))).toBe(true);
      await harness.setLegalHours({});
    });

    it('accepts nothing from a replica that lost its claim', async () => {
      const id = await harness.campaign(1);
      const attempt = await claimOne(id);
      const taken = await takeOver(attempt);
      const now = await store.now();
      expect([await place(attempt), await store.doubt(attempt, now), await store.release(attempt, now)]).toEqual([
        false,
        false,
        false,
      ]);
      expect(await place(taken)).toBe(true);
      expect(await tallyOf(id)).toMatchObject({ pending: 0, ringing: 1, placedLastMinute: 1 });
    });

    it('gives an overdue attempt to one replica only', async () => {
      const id = await harness.campaign(10);
      const claimed = await claim(id, 10);
      harness.advance(leaseMs);
      const handed = (await Promise.all(['two', 'three'].map((owner) => store.overdue(owner, leaseMs, 100)))).flat();
      const ours = handed.filter(({ campaignId }) => campaignId === id);
      expect(ours.map(({ contactId }) => contactId).toSorted()).toEqual(claimed.map(({ contactId }) => contactId).toSorted());
      expect(ours.every(({ state }) => state === 'UNKNOWN')).toBe(true);
      for (const { reference } of ours) await store.end(reference, { outcome: 'UNKNOWN' }, finished);
    });

    it('plans a released attempt again under the same number and another reference', async () => {
      const id = await harness.campaign(1);
      const attempt = await claimOne(id);
      expect(await store.release(attempt, await store.now())).toBe(true);
      const again = await claimOne(id);
      expect([again.attempt, again.reference === attempt.reference]).toEqual([attempt.attempt, false]);
      expect(await store.end(attempt.reference, { outcome: 'ANSWERED' }, finished)).toBe(false);
    });

    it('ends an attempt once, and counts its outcome', async () => {
      const id = await harness.campaign(1);
      const { reference } = await claimOne(id);
      expect([await store.answered(reference), await store.answered(reference)]).toEqual([true, false]);
      expect(await tallyOf(id)).toMatchObject({ pending: 0, talking: 1, placedLastMinute: 1 });
      const ending = { outcome: 'ANSWERED', credits: 7 } as const;
      const ends = await Promise.all([store.end(reference, ending, finished), store.end(reference, ending, finished)]);
      expect(ends.toSorted()).toEqual([false, true]);
      const { contacts, outcomes, creditsSpent, recent, talking } = await tallyOf(id);
      expect({ outcomes: outcomes.ANSWERED, creditsSpent, recent, talking }).toEqual({
        ...{ outcomes: 1, creditsSpent: 7, talking: 0 },
        recent: ['ANSWERED'],
      });
      expect(contacts).toMatchObject({ COMPLETED: 1, ACTIVE: 0 });
      expect([await store.complete(id), await store.complete(id), await harness.status(id)]).toEqual([true, false, 'COMPLETED']);
    });

    it('adds what a call cost when that is known only later, and once; a campaign whose budget is reached pauses', async () => {
      const id = await harness.campaign(2, { credits: { budget: 10, perCall: 1 } });
      const { reference } = await claimOne(id);
      const told = (credits: number) => store.end(reference, { outcome: 'ANSWERED', credits }, finished);
      expect([await told(0), await told(7), await told(7), await told(3)]).toEqual([true, false, false, false]);
      expect((await tallyOf(id)).creditsSpent).toBe(7);
      expect([await told(10), (await tallyOf(id)).creditsSpent]).toEqual([false, 10]);
      expect(await store.claim({ campaignId: id, owner: 'one', leaseMs, openRegions, allow: allowance })).toEqual([]);
      expect(await harness.status(id)).toBe('PAUSED');
    });

    it('waits for the next attempt, and gives booked calls the first turn', async () => {
      const id = await harness.campaign(3);
      const attempt = await claimOne(id);
      const now = await store.now();
      expect(await store.book(attempt.reference, now + 5_000)).toBe(true);
      const again: AfterAttempt = (_campaign, { bookedFor = 0, tries }) => {
        expect(tries.map(({ outcome }) => outcome)).toEqual(['NO_ANSWER']);
        return { kind: 'AGAIN', dueAt: bookedFor, isBooked: true };
      };
      expect(await store.end(attempt.reference, { outcome: 'NO_ANSWER' }, again)).toBe(true);
      expect((await claimOne(id)).contactId).not.toBe(attempt.contactId);
      harness.advance(5_000);
      const booked = await claimOne(id);
      expect([booked.contactId, booked.attempt]).toEqual([attempt.contactId, attempt.attempt + 1]);
    });

    it('forgets the pace after a minute', async () => {
      const id = await harness.campaign(1);
      await place(await claimOne(id));
      harness.advance(59_999);
      expect((await tallyOf(id)).placedLastMinute).toBe(1);
      harness.advance(1);
      expect((await tallyOf(id)).placedLastMinute).toBe(0);
    });

    it('pauses on request, and gives up waiting contacts when it is cancelled', async () => {
      const id = await harness.campaign(5);
      const allow = () => ({ kind: 'PAUSE', cause: 'FAILURES', says: 'All calls failed.' }) as const;
      expect(await store.claim({ campaignId: id, owner: 'one', leaseMs, openRegions, allow })).toEqual([]);
      expect(await harness.status(id)).toBe('PAUSED');
      await harness.setStatus(id, 'RUNNING');
      const open = await claimOne(id);
      await harness.setStatus(id, 'CANCELLED');
      expect((await store.active(1_000)).map((each) => each.id)).toContain(id);
      expect([await store.giveUpWaiting(id, 3), await store.giveUpWaiting(id, 3)]).toEqual([3, 1]);
      const again: AfterAttempt = () => ({ kind: 'AGAIN', dueAt: 0, isBooked: false });
      expect(await store.end(open.reference, { outcome: 'BUSY' }, again)).toBe(true);
      expect((await harness.contacts(id)).every(({ state }) => state === 'CANCELLED')).toBe(true);
      expect((await store.active(1_000)).map((each) => each.id)).not.toContain(id);
    });

    it('takes a refused number out of those that it calls from', async () => {
      const id = await harness.campaign(1, { callers: ['+912025501234', '+912025501235'] });
      await store.refuseCaller(id, '+912025501234');
      const campaign = (await store.active(1_000)).find((each) => each.id === id);
      expect(campaign?.callers).toEqual(['+912025501235']);
    });
  });
}
