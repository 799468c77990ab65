import fc from 'fast-check';
import { type AttemptOutcome, type CampaignPlan, noContacts, noOutcomes, type Tally } from './campaign';
import { abandonmentsLeft, allowance, openAttempts } from './pacer';

const campaign: CampaignPlan = {
  id: 1,
  orgId: 1,
  status: 'RUNNING',
  calling: { fromMinute: 540, toMinute: 1200, weekdays: [1, 2, 3, 4, 5], holidays: [], legalHours: {} },
  retry: { attemptsMax: 3, on: {} },
  pacing: { callsPerMinute: 60, linesMax: 20, conversationsMax: 20, abandonedShareMax: 0 },
  breaker: { failures: 5, among: 10 },
  organizationLinesMax: 50,
  callsPerNumberMax: 3,
  callers: ['+912025501234'],
  regions: ['IN Asia/Kolkata'],
};
const quiet: Tally = {
  contacts: noContacts,
  waitingRegions: [],
  pending: 0,
  ringing: 0,
  talking: 0,
  placedLastMinute: 0,
  outcomes: noOutcomes,
  creditsSpent: 0,
  recent: [],
  organizationOpen: 0,
  freeLines: Number.POSITIVE_INFINITY,
};
const count = (changed: Partial<CampaignPlan>, tally: Partial<Tally> = {}): number => {
  const allowed = allowance({ ...campaign, ...changed }, { ...quiet, ...tally }, 0);
  return allowed.kind === 'DIAL' ? allowed.count : -1;
};

const spent = (creditsSpent: number, ANSWERED: number): Partial<Tally> => ({
  creditsSpent,
  outcomes: { ...noOutcomes, ANSWERED },
});

describe('the pacer', () => {
  it.each<[string, number, Partial<CampaignPlan>, Partial<Tally>]>([
    ['as many as there are lines', 20, {}, {}],
    ['what the pace leaves', 7, {}, { placedLastMinute: 53 }],
    ['nothing while pending calls fill the minute', 0, {}, { placedLastMinute: 50, pending: 10 }],
    ['what other calls leave to campaigns', 3, {}, { freeLines: 7, organizationOpen: 4 }],
    ['what is not reserved for callers', 2, { organizationLinesMax: 6 }, { organizationOpen: 4 }],
    ['what the budget pays for', 4, { credits: { budget: 100, perCall: 10 } }, { creditsSpent: 50, talking: 1 }],
    ['what the budget pays for by what calls cost', 4, { credits: { budget: 1_000 } }, { ...spent(500, 5), talking: 1 }],
    ['what it pays for by a minute before that is known', 3, { credits: { budget: 3_999 } }, {}],
    ['one call of a budget below a minute, to learn what calls cost', 1, { credits: { budget: 500 } }, {}],
    ['one of the smallest budget', 1, { credits: { budget: 1 } }, { outcomes: { ...noOutcomes, NO_ANSWER: 7 } }],
    ['no second one before that is known', 0, { credits: { budget: 500 } }, { talking: 1 }],
    ['the last call that is paid for', 1, { credits: { budget: 1_100 } }, spent(990, 9)],
    ['no other beside it', 0, { credits: { budget: 1_100 } }, { ...spent(990, 9), ringing: 1 }],
    ['nothing before it starts', 0, { startsAt: 1 }, {}],
    ['nothing from its end on', 0, { endsAt: 0 }, {}],
    ['nothing while it is paused', 0, { status: 'PAUSED' }, {}],
  ])('allows %s: %i', (_what, expected, changed, tally) => {
    expect(count(changed, tally)).toBe(expected);
  });

  it('pauses with a reason for a burst of failures, a spent budget or no caller numbers', () => {
    const recent: AttemptOutcome[] = ['FAILED', 'FAILED', 'UNKNOWN', 'FAILED', 'FAILED', 'ANSWERED'];
    expect(allowance(campaign, { ...quiet, recent }, 0)).toEqual({
      kind: 'PAUSE',
      cause: 'FAILURES',
      says: '5 of the last 6 calls failed.',
    });
    const credits = { budget: 10, perCall: 5 };
    expect(allowance({ ...campaign, credits }, { ...quiet, creditsSpent: 8 }, 0)).toMatchObject({ cause: 'BUDGET' });
    expect(allowance({ ...campaign, credits }, { ...quiet, creditsSpent: 8, talking: 1 }, 0)).toEqual({ kind: 'DIAL', count: 0 });
    expect(allowance({ ...campaign, credits: { budget: 1_000 } }, { ...quiet, ...spent(990, 9) }, 0)).toMatchObject({
      cause: 'BUDGET',
      says: 'The budget is spent: 990 of 1000 credits, and another call may take 110.',
    });
    expect(allowance({ ...campaign, credits: { budget: 500 } }, { ...quiet, ...spent(420, 1) }, 0)).toMatchObject({
      cause: 'BUDGET',
      says: 'The budget is spent: 420 of 500 credits, and another call may take 420.',
    });
    const unknown = { outcomes: { ...noOutcomes, UNKNOWN: 1 } };
    expect(allowance({ ...campaign, credits: { budget: 500 } }, { ...quiet, ...unknown }, 0)).toMatchObject({
      cause: 'BUDGET',
      says: 'The budget is spent: 0 of 500 credits, and calls of which nothing is known count in full.',
    });
    expect(allowance({ ...campaign, callers: [] }, quiet, 0)).toMatchObject({ cause: 'CALLER_NUMBERS' });
  });

  it('keeps to a budget with any number of concurrent calls; what is left is less than one call costs', () => {
    const wish = fc.record({ budget: fc.integer({ min: 1, max: 20_000 }), cost: fc.integer({ min: 5, max: 1_000 }) });
    fc.assert(
      fc.property(wish, fc.array(fc.nat(20), { minLength: 1 }), ({ budget, cost }, endings) => {
        let [talking, ended] = [0, 0];
        for (let step = 0; step < 5_000; step += 1) {
          const tally = { ...spent(ended * cost, ended), talking, organizationOpen: talking };
          const allowed = count({ credits: { budget } }, tally);
          if (allowed < 0) break;
          talking += allowed;
          const over = Math.min(talking, 1 + (endings[step % endings.length] ?? 0));
          [talking, ended] = [talking - over, ended + over];
        }
        // The first call shows what calls cost, and may cost more than the budget.
        expect(ended * cost).toBeLessThanOrEqual(Math.max(budget, cost));
        expect(ended * cost).toBeGreaterThan(budget - cost);
      }),
    );
  });

  it('never abandons more calls than the cap, whoever answers', () => {
    const counts = fc.record({ ANSWERED: fc.nat(5000), ABANDONED: fc.nat(50), UNKNOWN: fc.nat(10), NO_ANSWER: fc.nat(5000) });
    const open = fc.record({ pending: fc.nat(30), ringing: fc.nat(60), talking: fc.nat(40) });
    fc.assert(
      fc.property(
        counts,
        open,
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.2, noNaN: true }),
        (of, busy, max, cap) => {
          const outcomes = { ...noOutcomes, ...of };
          const pacing = { callsPerMinute: 600, linesMax: 500, conversationsMax: max, abandonedShareMax: cap };
          const tally = { ...quiet, ...busy, outcomes };
          const dialled = count({ pacing, organizationLinesMax: 500 }, tally);
          if (dialled === 0) return;
          const open = openAttempts(tally) + dialled;
          const lost = outcomes.ABANDONED + outcomes.UNKNOWN;
          const abandoned = Math.max(0, open - max);
          // As long as lines are free, nothing is abandoned.
          if (abandoned > 0) expect(lost + abandoned).toBeLessThanOrEqual(cap * (outcomes.ANSWERED + lost + abandoned));
        },
      ),
    );
  });

  it('dials one call per free line with a cap of 0, and ahead with a higher one', () => {
    const pacing = { callsPerMinute: 600, linesMax: 100, conversationsMax: 10, abandonedShareMax: 0 };
    const outcomes = { ...noOutcomes, ANSWERED: 1000, NO_ANSWER: 1000 };
    expect(count({ pacing, organizationLinesMax: 100 }, { outcomes })).toBe(10);
    expect(count({ pacing: { ...pacing, abandonedShareMax: 0.03 }, organizationLinesMax: 100 }, { outcomes })).toBe(20);
    expect(abandonmentsLeft(0.03, outcomes)).toBe(30);
  });
});
