import type { CallingRules, CampaignPlan, PlannedContact, Instant } from '../plan/campaign';
import { regionKey } from '../plan/regions';
import type { TelephoneFaultRates, People } from './faulty-telephone';
import type { ReplicaFaultRates } from './replica';
import type { JudgedHours } from './rule-checker';
import { Chance } from './virtual-time';

/** The places of simulated contacts: the prefix of their numbers, their own zone if any, and the legal hours. */
const places = [
  { prefix: '+91982', country: 'IN', zone: undefined, zones: ['Asia/Kolkata'], law: [540, 1260] },
  // In the United States the area code determines the zone, or two of them.
  { prefix: '+1212', country: 'US', zone: undefined, zones: ['America/New_York'], law: [480, 1260] },
  { prefix: '+1850', country: 'US', zone: undefined, zones: ['America/Chicago', 'America/New_York'], law: [480, 1260] },
  { prefix: '+1213', country: 'US', zone: undefined, zones: ['America/Los_Angeles'], law: [480, 1260] },
  // A mobile phone may be anywhere in its country, so calls are allowed only when they are in all its zones.
  {
    prefix: '+6141',
    country: 'AU',
    zone: undefined,
    zones: ['Australia/Perth', 'Australia/Brisbane', 'Australia/Sydney', 'Australia/Lord_Howe'],
    law: [540, 1200],
  },
  { prefix: '+44207', country: 'GB', zone: undefined, zones: ['Europe/London'], law: [540, 1200] },
  { prefix: '+4930', country: 'DE', zone: undefined, zones: ['Europe/Berlin'], law: [540, 1200] },
  { prefix: '+6128', country: 'AU', zone: 'Australia/Sydney', zones: ['Australia/Sydney'], law: [540, 1200] },
  { prefix: '+6127', country: 'AU', zone: 'Australia/Lord_Howe', zones: ['Australia/Lord_Howe'], law: [540, 1200] },
  { prefix: '+8132', country: 'JP', zone: undefined, zones: ['Asia/Tokyo'], law: [540, 1200] },
  { prefix: '+9771', country: 'NP', zone: undefined, zones: ['Asia/Kathmandu'], law: [540, 1200] },
  { prefix: '+5622', country: 'CL', zone: 'America/Santiago', zones: ['America/Santiago'], law: [540, 1200] },
] as const;

/** Days before clock changes. */
const eves = ['2026-03-07', '2026-03-28', '2026-04-04', '2026-09-05', '2026-10-03', '2026-10-24', '2026-10-31'] as const;
/** The organization's hours at the beginning. */
export const usualLegalHours: CallingRules['legalHours'] = { IN: { fromMinute: 8 * 60, toMinute: 19 * 60 } };
const businessZone = 'Asia/Kolkata';
const dayMs = 86_400_000;

interface PlannedStatus {
  readonly at: Instant;
  readonly campaignId: number;
  readonly status: 'PAUSED' | 'RUNNING' | 'CANCELLED';
}

/** All inputs of a simulation. */
export interface CampaignScenario {
  readonly startsAt: Instant;
  readonly campaigns: readonly { readonly campaign: CampaignPlan; readonly contacts: readonly PlannedContact[] }[];
  /** When the organization's hours change: it narrows them while campaigns run, and widens them again. */
  readonly narrowings: readonly { readonly at: Instant; readonly legalHours: CallingRules['legalHours'] }[];
  readonly listed: ReadonlySet<string>;
  readonly statuses: readonly PlannedStatus[];
  readonly telephoneFaults: TelephoneFaultRates;
  readonly people: People;
  readonly replicaFaults: ReplicaFaultRates;
  readonly refusedCallers: ReadonlySet<string>;
  readonly outage: { readonly from: Instant; readonly until: Instant };
}

/** Draws a scenario from a seed, with this many contacts in total. */
export function drawScenario(seed: number, contactCount: number): CampaignScenario {
  const chance = new Chance(seed);
  const startsAt = Date.parse(`${chance.oneOf(eves)}T${String(chance.between(10, 23))}:00:00Z`);
  const organizationLinesMax = Math.max(10, chance.between(contactCount / 250, contactCount / 30));
  const counts = chance.isLucky(0.5)
    ? [contactCount]
    : [contactCount - Math.floor(contactCount / 4), Math.floor(contactCount / 4)];
  const listed = new Set<string>();
  const campaigns = counts.map((count, index) => {
    const campaign = drawCampaign(chance, { id: index + 1, count, startsAt, organizationLinesMax });
    return { campaign, contacts: drawContacts(chance, { campaignId: campaign.id, count, startsAt, listed }) };
  });
  shareNumbers(chance, campaigns);
  const outageFrom = startsAt + chance.between(0, 2 * dayMs);
  const regions = new Set(campaigns.flatMap(({ contacts }) => contacts.map(({ region }) => region)));
  return {
    startsAt,
    campaigns: campaigns.map(({ campaign, contacts }) => ({ campaign: { ...campaign, regions: [...regions] }, contacts })),
    narrowings: drawNarrowings(chance, startsAt),
    listed,
    statuses: drawStatuses(chance, startsAt, campaigns.length),
    telephoneFaults: {
      slow: 0.03,
      broken: 0.02,
      newsLost: 0.04,
      newsLate: 0.05,
      newsTwice: 0.1,
      forgetful: 0.02,
    },
    people: { answered: 0.2 + chance.next() * 0.4, machines: 0.15, busy: 0.08, failed: 0.04, booking: 0.05, neverAgain: 0.03 },
    replicaFaults: { crashes: Math.min(0.002, 12 / contactCount), stalls: Math.min(0.004, 40 / contactCount) },
    refusedCallers: new Set(chance.isLucky(0.4) ? ['+912025501235'] : []),
    outage: { from: outageFrom, until: outageFrom + (chance.isLucky(0.3) ? chance.between(60_000, 3_600_000) : 0) },
  };
}

interface Drawn {
  readonly id: number;
  readonly count: number;
  readonly startsAt: Instant;
  readonly organizationLinesMax: number;
}

function drawCampaign(chance: Chance, { id, count, startsAt, organizationLinesMax }: Drawn): CampaignPlan {
  const linesMax = Math.max(4, chance.between(organizationLinesMax / 2, organizationLinesMax));
  const isPredictive = chance.isLucky(0.5);
  const holiday = new Date(startsAt + chance.between(0, 3) * dayMs).toISOString().slice(0, 10);
  const perCall = 5;
  return {
    id,
    orgId: 1,
    status: 'RUNNING',
    calling: {
      fromMinute: 9 * 60,
      toMinute: 20 * 60 + 30,
      weekdays: chance.isLucky(0.5) ? [0, 1, 2, 3, 4, 5, 6] : [1, 2, 3, 4, 5, 6],
      holidays: chance.isLucky(0.3) ? [holiday] : [],
      legalHours: usualLegalHours,
    },
    retry: {
      attemptsMax: chance.between(1, 4),
      on: {
        NO_ANSWER: { times: 2, afterMs: 3_600_000, factor: 2 },
        BUSY: { times: 3, afterMs: 600_000, factor: 1 },
        FAILED: { times: 1, afterMs: 900_000, factor: 1 },
        VOICEMAIL: { times: 1, afterMs: 4 * 3_600_000, factor: 1 },
        UNKNOWN: { times: 1, afterMs: 60_000, factor: 1 },
        ABANDONED: { times: 1, afterMs: 3_600_000, factor: 1 },
      },
    },
    pacing: {
      callsPerMinute: Math.max(3, Math.min(600, Math.round(count / chance.between(60, 300)))),
      linesMax,
      conversationsMax: isPredictive ? Math.ceil(linesMax / 2) : linesMax,
      abandonedShareMax: isPredictive ? chance.oneOf([0.01, 0.03, 0.1]) : 0,
    },
    breaker: { failures: 15, among: 20 },
    ...(chance.isLucky(0.2) && { credits: { budget: count * chance.between(1, 6), perCall } }),
    organizationLinesMax,
    callsPerNumberMax: chance.between(2, 4),
    callers: ['+912025501234', '+912025501235', '+12125550100'],
    ...(chance.isLucky(0.2) && { endsAt: startsAt + chance.between(dayMs / 4, 3 * dayMs) }),
    regions: [],
  };
}

interface DrawnContacts {
  readonly campaignId: number;
  readonly count: number;
  readonly startsAt: Instant;
  readonly listed: Set<string>;
}

function drawContacts(chance: Chance, { campaignId, count, startsAt, listed }: DrawnContacts): PlannedContact[] {
  const regions = places.map(({ prefix, zone }) =>
    regionKey({ number: `${prefix}5550123`, ...(zone && { zone }) }, businessZone),
  );
  return Array.from({ length: count }, (_, index) => {
    const where = chance.between(0, places.length - 1);
    const number = `${places[where]?.prefix ?? '+91982'}${campaignId}${String(index).padStart(6, '0')}`;
    if (chance.isLucky(0.02)) listed.add(number);
    return {
      id: campaignId * 1_000_000 + index,
      campaignId,
      number,
      region: regions[where] ?? 'IN Asia/Kolkata',
      state: 'WAITING',
      attempt: 1,
      dueAt: startsAt,
      isBooked: false,
      bookings: 0,
      tries: [],
    };
  });
}

/** Gives some people to more than one campaign. */
function shareNumbers(chance: Chance, [first, ...others]: readonly { readonly contacts: PlannedContact[] }[]): void {
  for (const { contacts } of others) {
    for (const [index, contact] of contacts.entries()) {
      const known = first?.contacts[index];
      if (known && chance.isLucky(0.5)) contacts[index] = { ...contact, number: known.number, region: known.region };
    }
  }
}

/**
 * The allowed hours: the intersection of the law's, the campaign's and the organization's. Implemented separately, so that the checker
 * does not repeat the engine's mistakes.
 */
export function judgedHours({ calling }: CampaignPlan, legalHours: CallingRules['legalHours']): JudgedHours {
  return new Map(
    places.map(({ prefix, country, zone, zones, law: [from, to] }) => {
      const key = regionKey({ number: `${prefix}5550123`, ...(zone && { zone }) }, businessZone);
      let [fromMinute, toMinute, weekdays] = [
        Math.max(from, calling.fromMinute),
        Math.min(to, calling.toMinute),
        calling.weekdays,
      ];
      for (const [where, own] of Object.entries(legalHours)) {
        if (where !== '*' && where !== country) continue;
        if (own.fromMinute > fromMinute) ({ fromMinute } = own);
        if (own.toMinute < toMinute) ({ toMinute } = own);
        if (own.weekdays) weekdays = weekdays.filter((day) => own.weekdays?.includes(day));
      }
      return [key, { zones, fromMinute, toMinute, weekdays }];
    }),
  );
}

/** Some organizations narrow the hours of one or all countries in the middle of a day, and later widen them again. */
function drawNarrowings(chance: Chance, startsAt: Instant): CampaignScenario['narrowings'] {
  const narrowings: { at: Instant; legalHours: CallingRules['legalHours'] }[] = [];
  let at = startsAt;
  for (let count = chance.between(0, 3); count > 0; count -= 1) {
    at += chance.between(60_000, dayMs / 2);
    const hours = { fromMinute: chance.between(9, 11) * 60, toMinute: chance.between(18, 20) * 60 };
    const weekdays = [0, 1, 2, 3, 4, 5, 6].filter((day) => day !== chance.between(0, 13));
    narrowings.push({ at, legalHours: { [chance.oneOf(['*', 'IN', 'US', 'GB'])]: { ...hours, weekdays } } });
    at += chance.between(60_000, dayMs / 2);
    if (chance.isLucky(0.5)) narrowings.push({ at, legalHours: {} });
  }
  return narrowings;
}

/** When operators pause, resume and cancel campaigns. */
function drawStatuses(chance: Chance, startsAt: Instant, campaigns: number): PlannedStatus[] {
  const statuses: PlannedStatus[] = [];
  for (let campaignId = 1; campaignId <= campaigns; campaignId += 1) {
    let at = startsAt;
    for (let count = chance.between(0, 4); count > 0; count -= 1) {
      at += chance.between(60_000, dayMs / 2);
      statuses.push({ at, campaignId, status: 'PAUSED' });
      at += chance.between(1_000, 3_600_000);
      statuses.push({ at, campaignId, status: 'RUNNING' });
    }
    if (chance.isLucky(0.15)) statuses.push({ at: at + chance.between(0, dayMs), campaignId, status: 'CANCELLED' });
  }
  return statuses;
}
