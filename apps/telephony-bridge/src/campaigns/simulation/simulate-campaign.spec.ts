import type { CampaignPlan } from '../plan/campaign';
import type { CampaignStore, ClaimWish } from '../plan/ports';
import { type Sabotage, simulateCampaign } from './simulate-campaign';
import type { Rule } from './rule-checker';
import { drawScenario } from './scenario';

const seedsMax = 12;

/** A store with one rule broken. */
const otherwise =
  (change: (store: CampaignStore) => Partial<CampaignStore>) =>
  (store: CampaignStore): CampaignStore => {
    const changed = change(store);
    return new Proxy(store, { get: (target, name): unknown => Reflect.get(name in changed ? changed : target, name) });
  };
const claimingOtherwise = (change: (wish: ClaimWish) => Partial<ClaimWish>): Sabotage => ({
  store: otherwise((store) => ({ claim: (wish) => store.claim({ ...wish, ...change(wish) }) })),
});
const under = (change: (campaign: CampaignPlan) => Partial<CampaignPlan>): Sabotage =>
  claimingOtherwise(({ allow }) => ({ allow: (campaign, ...rest) => allow({ ...campaign, ...change(campaign) }, ...rest) }));
const allRegions = drawScenario(1, 500).campaigns[0]?.campaign.regions ?? [];

const broken: [string, Rule, Sabotage][] = [
  [
    'an attempt with an unknown end is repeated',
    'twice for one attempt',
    { telephone: (real) => ({ place: (order) => real.place(order), ask: () => Promise.resolve({ kind: 'NEVER' }) }) },
  ],
  [
    'the fence of a claim is ignored',
    'over the pace',
    { parts: { isHeld: () => true, faultRates: { ...drawScenario(1, 50).telephoneFaults, slow: 0.5 } } },
  ],
  ['people are called at any hour', 'outside the hours', claimingOtherwise(() => ({ openRegions: () => allRegions }))],
  [
    'hours narrowed during the day are not read',
    'outside the hours',
    claimingOtherwise(({ openRegions }) => ({
      openRegions: (campaign, now) => openRegions({ ...campaign, calling: { ...campaign.calling, legalHours: {} } }, now),
    })),
  ],
  ['the do-not-call list is not read', 'on the do-not-call list', { isListed: () => false }],
  [
    'the pace is ignored',
    'over the pace',
    under(({ pacing }) => ({ pacing: { ...pacing, callsPerMinute: pacing.callsPerMinute + 1 } })),
  ],
  [
    'as many lines are used as there are contacts',
    'over the lines',
    under(({ pacing }) => ({ pacing: { ...pacing, linesMax: 10_000, conversationsMax: 10_000 } })),
  ],
  [
    'campaigns do not count each other’s calls',
    'two campaigns at once with one number',
    { campaign: (campaign) => ({ ...campaign, orgId: campaign.id }) },
  ],
  [
    'numbers are called as often as there are contacts',
    'one number too often in a day',
    { campaign: (campaign) => ({ ...campaign, callsPerNumberMax: 100 }) },
  ],
  ['more is abandoned than the cap allows', 'over the abandonment cap', { parts: { conversationsMax: () => 0 } }],
  ['calls cost more than is set aside', 'over the budget', { parts: { creditsMax: () => 1_000 } }],
];

describe('simulated campaigns', () => {
  it.each([1, 2])('keep every rule with seed %i', async (seed) => {
    const { violations, dials, recounts } = await simulateCampaign({ seed, contacts: 120 });
    expect(violations).toEqual([]);
    expect(dials).toBeGreaterThan(50);
    expect(recounts).toBeGreaterThan(50);
  });

  it('are the same for the same seed', async () => {
    const [one, other] = [await simulateCampaign({ seed: 3, contacts: 100 }), await simulateCampaign({ seed: 3, contacts: 100 })];
    const took = { seconds: 0, cpuSeconds: 0 };
    expect({ ...one, ...took }).toEqual({ ...other, ...took });
  });

  it.each(broken)('reveal when %s: %s', async (_what, rule, sabotage) => {
    const found = new Set<Rule>();
    for (let seed = 1; seed <= seedsMax && !found.has(rule); seed += 1) {
      const hasBudget = drawScenario(seed, 120).campaigns.some(({ campaign }) => campaign.credits);
      if (rule === 'over the budget' && !hasBudget) continue;
      const { violations } = await simulateCampaign({ seed, contacts: 120, sabotage, until: rule });
      for (const violation of violations) found.add(violation.rule);
    }
    expect([...found]).toContain(rule);
  });
});
