import fc from 'fast-check';
import { type AttemptOutcome, attemptOutcomes, type CampaignPlan, type PlannedContact } from './campaign';
import { bookingsMax, stepAfter } from './engine';
import { hourOf, windowOf } from './windows';

const hourMs = 3_600_000;
const noon = Date.parse('2026-03-02T12:00:00+05:30');
const campaign: CampaignPlan = {
  id: 1,
  orgId: 1,
  status: 'RUNNING',
  calling: { fromMinute: 600, toMinute: 1140, weekdays: [1, 2, 3, 4, 5, 6], holidays: [], legalHours: {} },
  retry: {
    attemptsMax: 4,
    on: {
      NO_ANSWER: { times: 2, afterMs: hourMs, factor: 2 },
      BUSY: { times: 3, afterMs: hourMs / 6, factor: 1 },
    },
  },
  pacing: { callsPerMinute: 60, linesMax: 20, conversationsMax: 20, abandonedShareMax: 0 },
  breaker: { failures: 5, among: 10 },
  organizationLinesMax: 50,
  callsPerNumberMax: 3,
  callers: ['+912025501234'],
  regions: [],
};
const contact: PlannedContact = {
  id: 1,
  campaignId: 1,
  number: '+919820012345',
  region: 'IN Asia/Kolkata',
  state: 'ACTIVE',
  attempt: 1,
  dueAt: noon,
  isBooked: false,
  bookings: 0,
  tries: [],
};
const after = (outcomes: AttemptOutcome[], changed: Partial<PlannedContact> = {}) =>
  stepAfter(campaign, { ...contact, tries: outcomes.map((outcome) => ({ at: noon, outcome })), ...changed }, noon);

describe('after an attempt', () => {
  it.each<[AttemptOutcome, string]>([
    ['ANSWERED', 'COMPLETED'],
    ['VOICEMAIL', 'MISSED'],
    ['FAILED', 'FAILED'],
    ['UNKNOWN', 'FAILED'],
    ['DO_NOT_CALL', 'DO_NOT_CALL'],
  ])('with outcome %s and no attempts left, the contact is %s', (outcome, state) => {
    expect(after([outcome])).toEqual({ kind: 'FINAL', state });
  });

  it('waits longer each time, then stops', () => {
    expect(after(['BUSY'])).toEqual({ kind: 'AGAIN', dueAt: noon + hourMs / 6, isBooked: false });
    expect(after(['NO_ANSWER'])).toEqual({ kind: 'AGAIN', dueAt: noon + hourMs, isBooked: false });
    expect(after(['NO_ANSWER', 'NO_ANSWER'])).toEqual({ kind: 'AGAIN', dueAt: noon + 2 * hourMs, isBooked: false });
    expect(after(['NO_ANSWER', 'NO_ANSWER', 'NO_ANSWER'])).toEqual({ kind: 'FINAL', state: 'MISSED' });
    expect(after(['BUSY', 'NO_ANSWER', 'BUSY', 'BUSY'])).toEqual({ kind: 'FINAL', state: 'MISSED' });
  });

  it('tries another hour of the day', () => {
    const tries = [13, 14].map((hour) => ({ at: noon + (hour - 12) * hourMs, outcome: 'NO_ANSWER' as const }));
    const next = after([], { tries: tries.slice(0, 1) });
    expect(next).toEqual({ kind: 'AGAIN', dueAt: noon + 2 * hourMs, isBooked: false });
    expect(after([], { tries })).toEqual({ kind: 'AGAIN', dueAt: noon + 3 * hourMs, isBooked: false });
  });

  it('calls at the time asked for, a limited number of times, and never after a refusal', () => {
    const bookedFor = noon + 5 * hourMs;
    expect(after(['ANSWERED'], { bookedFor, bookings: 1 })).toEqual({ kind: 'AGAIN', dueAt: bookedFor, isBooked: true });
    expect(after(['ANSWERED'], { bookedFor, bookings: bookingsMax + 1 })).toEqual({ kind: 'FINAL', state: 'COMPLETED' });
    expect(after(['DO_NOT_CALL'], { bookedFor, bookings: 1 })).toEqual({ kind: 'FINAL', state: 'DO_NOT_CALL' });
  });

  it('always comes to an end, and is never due outside the calling window', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...attemptOutcomes), { minLength: 20, maxLength: 20 }), (outcomes) => {
        let now = noon;
        let tried = contact;
        for (const outcome of outcomes) {
          tried = { ...tried, tries: [...tried.tries, { at: now, outcome }] };
          const next = stepAfter(campaign, tried, now);
          if (next.kind === 'FINAL') return;
          expect(next.dueAt).toBeGreaterThan(now);
          expect(windowOf(contact.region, campaign.calling).openUntil(next.dueAt)).toBeDefined();
          expect(hourOf(next.dueAt, 'Asia/Kolkata')).toBeGreaterThanOrEqual(10);
          now = next.dueAt;
        }
        throw new Error('it goes on and on');
      }),
    );
  });
});
