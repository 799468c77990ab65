import type { CampaignPlan, PlannedContact, Instant } from '../plan/campaign';
import type { DialOrder } from '../plan/ports';

/** The rules that must never be broken. */
const rules = [
  'twice for one attempt',
  'two calls at once to one contact',
  'two campaigns at once with one number',
  'one number too often in a day',
  'outside the hours',
  'on the do-not-call list',
  'while not running',
  'over the pace',
  'over the lines',
  'over the lines of the organization',
  'over the abandonment cap',
  'over the budget',
  'figures differ from a recount',
  'not final',
] as const;
export type Rule = (typeof rules)[number];

export interface Violation {
  readonly rule: Rule;
  readonly at: string;
  readonly detail: string;
}

/** By region: in all of these zones the local time must be within these minutes on one of these weekdays, 0 for Sunday. */
export type JudgedHours = ReadonlyMap<
  string,
  {
    readonly zones: readonly string[];
    readonly fromMinute: number;
    readonly toMinute: number;
    readonly weekdays: readonly number[];
  }
>;

/** The rules of a campaign, determined independently of the engine, which may be wrong. */
export interface Judged {
  readonly campaign: CampaignPlan;
  /** The hours by law, campaign and organization at this moment. */
  hours(): JudgedHours;
  status(): CampaignPlan['status'];
}

interface Watched extends Judged {
  readonly dialled: Set<string>;
  readonly live: Set<number>;
  readonly lastDials: Instant[];
  dials: number;
  liveMax: number;
  persons: number;
  abandoned: number;
  credits: number;
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const minuteMs = 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Checks the rules for every call, as seen by the telephone. */
export class RuleChecker {
  readonly violations = new Map<Rule, Violation[]>();
  private readonly watched = new Map<number, Watched>();
  private liveOfAll = 0;
  private readonly liveNumbers = new Map<string, number>();
  /** Calls to each number by zone and day, of all campaigns. */
  private readonly callsOfDay = new Map<string, number>();

  constructor(
    private readonly now: () => Instant,
    private readonly isListed: (number: string) => boolean,
  ) {}

  watch(judged: Judged): void {
    const counts = { dials: 0, liveMax: 0, persons: 0, abandoned: 0, credits: 0 };
    this.watched.set(judged.campaign.id, { ...judged, ...counts, dialled: new Set(), live: new Set(), lastDials: [] });
  }

  figures(): { dials: number; liveMax: number; persons: number; abandoned: number } {
    const all = [...this.watched.values()];
    const sum = (count: (each: Watched) => number): number => all.reduce((total, each) => total + count(each), 0);
    return {
      dials: sum(({ dials }) => dials),
      liveMax: Math.max(...all.map(({ liveMax }) => liveMax)),
      persons: sum(({ persons }) => persons),
      abandoned: sum(({ abandoned }) => abandoned),
    };
  }

  dialled({ contact }: DialOrder): void {
    const watched = this.of(contact.campaignId);
    const attempt = `${contact.id} ${contact.attempt}`;
    const { pacing, organizationLinesMax } = watched.campaign;
    this.require(!watched.dialled.has(attempt), 'twice for one attempt', attempt);
    this.require(!watched.live.has(contact.id), 'two calls at once to one contact', attempt);
    this.require(this.isAllowed(contact, watched), 'outside the hours', contact.region);
    this.require(!this.isListed(contact.number), 'on the do-not-call list', contact.number);
    this.require(watched.status() === 'RUNNING', 'while not running', watched.status());
    const { number } = contact;
    this.require(!this.liveNumbers.has(number), 'two campaigns at once with one number', number);
    this.liveNumbers.set(number, (this.liveNumbers.get(number) ?? 0) + 1);
    this.require(this.isWithinDay(contact, watched), 'one number too often in a day', number);
    watched.dialled.add(attempt);
    watched.live.add(contact.id);
    watched.dials += 1;
    watched.liveMax = Math.max(watched.liveMax, watched.live.size);
    this.liveOfAll += 1;
    this.require(watched.live.size <= pacing.linesMax, 'over the lines', `${watched.live.size}`);
    this.require(this.liveOfAll <= organizationLinesMax, 'over the lines of the organization', `${this.liveOfAll}`);
    const slot = watched.dials % pacing.callsPerMinute;
    const before = watched.lastDials[slot];
    this.require(before === undefined || this.now() - before >= minuteMs, 'over the pace', `${this.now() - (before ?? 0)} ms`);
    watched.lastDials[slot] = this.now();
  }

  /** A person picked up; with `isAbandoned`, nobody was free. */
  pickedUp({ campaignId }: PlannedContact, isAbandoned: boolean): void {
    const watched = this.of(campaignId);
    watched.persons += 1;
    if (!isAbandoned) return;
    watched.abandoned += 1;
    const { abandonedShareMax } = watched.campaign.pacing;
    const isWithin = watched.abandoned <= abandonedShareMax * watched.persons;
    this.require(isWithin, 'over the abandonment cap', `${watched.abandoned} of ${watched.persons}`);
  }

  hungUp({ campaignId, id, number }: PlannedContact, credits: number): void {
    const left = (this.liveNumbers.get(number) ?? 1) - 1;
    if (left > 0) this.liveNumbers.set(number, left);
    else this.liveNumbers.delete(number);
    const watched = this.of(campaignId);
    watched.live.delete(id);
    this.liveOfAll -= 1;
    watched.credits += credits;
    const budget = watched.campaign.credits?.budget ?? Number.POSITIVE_INFINITY;
    this.require(watched.credits <= budget, 'over the budget', `${watched.credits} of ${budget}`);
  }

  require(holds: boolean, rule: Rule, detail: string): void {
    if (holds) return;
    const known = this.violations.get(rule) ?? [];
    this.violations.set(rule, [...known, { rule, at: new Date(this.now()).toISOString(), detail }].slice(0, 3));
  }

  private of(campaignId: number): Watched {
    const watched = this.watched.get(campaignId);
    if (!watched) throw new Error(`nobody watches campaign ${campaignId}`);
    return watched;
  }

  /** Booked calls count towards the limit, but are allowed beyond it. */
  private isWithinDay({ number, region, isBooked }: PlannedContact, { hours, campaign }: Watched): boolean {
    const counts = (hours().get(region)?.zones ?? []).map((zone) => {
      const key = `${number} ${zone} ${clockIn(zone, this.now()).day}`;
      const count = (this.callsOfDay.get(key) ?? 0) + 1;
      this.callsOfDay.set(key, count);
      return count;
    });
    return isBooked || Math.max(...counts) <= campaign.callsPerNumberMax;
  }

  private isAllowed({ region }: PlannedContact, { hours, campaign: { calling } }: Watched): boolean {
    const here = hours().get(region);
    if (!here) return false;
    return here.zones.every((zone) => {
      const { day, weekday, minute } = clockIn(zone, this.now());
      const isInHours = here.fromMinute <= minute && minute < here.toMinute;
      return isInHours && here.weekdays.includes(weekday) && !calling.holidays.includes(day);
    });
  }
}

interface Clock {
  readonly day: string;
  readonly weekday: number;
  readonly minute: number;
}

const shown = new Map<string, { readonly minute: number; readonly clock: Clock }>();

/** The local time in a zone, cached since hundreds of calls begin within the same minute. */
function clockIn(zone: string, at: Instant): Clock {
  const minute = Math.floor(at / minuteMs);
  const known = shown.get(zone);
  if (known?.minute === minute) return known.clock;
  const clock = readClock(zone, at);
  shown.set(zone, { minute, clock });
  return clock;
}

/** Parses a formatted date. */
function readClock(zone: string, at: Instant): Clock {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'short', ...numeric, hourCycle: 'h23' });
  formats.set(zone, format);
  // Such as "Mon, 02/03/2026, 09:30".
  const [, weekday = '', day, month, year, hour, minute] =
    /^(\w+), (\d+)\/(\d+)\/(\d+), (\d+):(\d+)$/.exec(format.format(at)) ?? [];
  return {
    day: `${year}-${month}-${day}`,
    weekday: weekdays.indexOf(weekday),
    minute: Number(hour) * 60 + Number(minute),
  };
}

const numeric = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
