import { clockTime, distinctClocks, minuteOfDay, offsetMs } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { type CallingRules, type DayHours, everyCountry, type Instant } from './campaign';
import { regionOf } from './regions';

/** Legal calling hours by country, where they differ from `lawElsewhere`. */
const law: Readonly<Record<string, DayHours>> = {
  IN: { fromMinute: 9 * 60, toMinute: 21 * 60 },
  US: { fromMinute: 8 * 60, toMinute: 21 * 60 },
};
const lawElsewhere: DayHours = { fromMinute: 9 * 60, toMinute: 20 * 60 };
/** Planning beyond a year of holidays is not needed. */
const daysAhead = 370;
const anyTime = { fromMinute: 0, toMinute: 1_440, weekdays: [0, 1, 2, 3, 4, 5, 6] };
const rulesMax = 1_000;
const spansMax = 16;
const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** A margin larger than any offset from UTC plus a day that began before. */
const marginMs = 3 * dayMs;
const minuteMs = 60_000;
/** 1 January 1970 was a Thursday. */
const thursday = 4;

/** The countries with hours of their own; all others have the same ones. */
export const countriesWithLaw: readonly string[] = Object.keys(law);

/** The legal calling hours of a country; for `*`, the widest hours that any law allows. */
export function lawOf(country: string | undefined): DayHours {
  if (country !== everyCountry) return (country && law[country]) || lawElsewhere;
  const all = [lawElsewhere, ...Object.values(law)];
  return {
    fromMinute: Math.min(...all.map(({ fromMinute }) => fromMinute)),
    toMinute: Math.max(...all.map(({ toMinute }) => toMinute)),
  };
}

/** The calling hours in a country: the campaign's, restricted to the organization's and the law's. If there are none, `from` is after `to`. */
export function hoursIn(country: string | undefined, rules: CallingRules): DayHours & Pick<CallingRules, 'weekdays'> {
  const own = [rules.legalHours[everyCountry], country ? rules.legalHours[country] : undefined].filter(
    (each) => each !== undefined,
  );
  const all = [lawOf(country), ...own, rules];
  return {
    fromMinute: Math.max(...all.map(({ fromMinute }) => fromMinute)),
    toMinute: Math.min(...all.map(({ toMinute }) => toMinute)),
    weekdays: rules.weekdays.filter((day) => own.every(({ weekdays }) => weekdays?.includes(day) ?? true)),
  };
}

/** A span of time in which calls are allowed, or not. */
interface HoursSpan {
  readonly isOpen: boolean;
  readonly from: Instant;
  readonly until: Instant;
}

interface OpenHours {
  readonly from: Instant;
  readonly until: Instant;
}

/** When people of a region may be called under some rules: in a region with several time zones, when it is allowed in all of them. */
export class CallingWindow {
  readonly hourZone: string;
  private readonly zones: readonly string[];
  private readonly hours: ReturnType<typeof hoursIn>;
  private readonly spans: HoursSpan[] = [];
  /** As days since 1970, like all days here. */
  private readonly holidays: ReadonlySet<number>;

  constructor(region: string, rules: CallingRules) {
    const { country, zones } = regionOf(region);
    this.zones = zones;
    this.hourZone = zones[0] ?? 'UTC';
    this.hours = hoursIn(country, rules);
    this.holidays = new Set(rules.holidays.map((day) => Date.parse(`${day}T00:00:00Z`) / dayMs));
  }

  /** Until when calls are allowed; undefined if they are not allowed at `at`. */
  openUntil(at: Instant): Instant | undefined {
    const { isOpen, until } = this.spanAt(at);
    return isOpen ? until : undefined;
  }

  /** The first instant at or after `at` when calls are allowed; undefined if there is none within a year. */
  nextOpening(at: Instant): Instant | undefined {
    const { isOpen, until } = this.spanAt(at);
    if (isOpen) return at;
    return Number.isFinite(until) ? until : undefined;
  }

  private spanAt(at: Instant): HoursSpan {
    const known = this.spans.find(({ from, until }) => from <= at && at < until);
    if (known) return known;
    const fresh = this.spanOf(at);
    if (this.spans.push(fresh) > spansMax) this.spans.shift();
    return fresh;
  }

  private spanOf(at: Instant): HoursSpan {
    const closings = this.zones.map((zone) => this.closing(at, zone));
    if (closings.every((closing) => closing !== undefined))
      return { isOpen: true, from: this.openedAt(at), until: Math.min(...closings) };
    return { isOpen: false, from: at, until: this.opening(at) };
  }

  /** Since when all zones have been open, given an instant at which they are. */
  private openedAt(at: Instant): Instant {
    return Math.max(...this.zones.map((zone) => this.openOn(dayIn(zone, at), zone)?.from ?? at));
  }

  /**
   * Searches week by week. Between clock changes, weeks without holidays are alike, so once one is found closed, others like it are
   * skipped. Zones with the same time are evaluated once.
   */
  private opening(at: Instant): Instant {
    const { fromMinute, toMinute, weekdays } = this.hours;
    if (fromMinute >= toMinute || weekdays.length === 0) return Number.POSITIVE_INFINITY;
    const horizon = at + daysAhead * dayMs;
    const zones = distinctClocks(this.zones, at, horizon);
    const closedWeeks = new Set<string>();
    for (let from = at; from < horizon; from += weekMs) {
      const offsets = zones.map((zone) => offsetMs(from - marginMs, zone));
      const isSteady = zones.every((zone, index) => offsetMs(from + weekMs + marginMs, zone) === offsets[index]);
      const key = offsets.join();
      if (isSteady && closedWeeks.has(key)) continue;
      const opening = this.openingWithin(from, from + weekMs, zones);
      if (opening !== undefined) return opening;
      if (isSteady && !this.isHolidayNear(from)) closedWeeks.add(key);
    }
    return Number.POSITIVE_INFINITY;
  }

  /** Whether there is a holiday in any zone in the week after an instant. */
  private isHolidayNear(from: Instant): boolean {
    return [...this.holidays].some((day) => day * dayMs > from - marginMs && day * dayMs < from + weekMs + marginMs);
  }

  /** Advances from opening to opening until all zones are open at the same time. */
  private openingWithin(begin: Instant, end: Instant, zones: readonly string[]): Instant | undefined {
    for (let from = begin; from < end;) {
      let last = from;
      for (const zone of zones) last = Math.max(last, this.openingIn(from, zone));
      if (last === from) return from;
      from = last;
    }
    return undefined;
  }

  private openingIn(at: Instant, zone: string): Instant {
    const today = dayIn(zone, at);
    for (let day = today; day < today + daysAhead; day += 1) {
      const open = this.openOn(day, zone);
      if (open && at < open.until) return Math.max(at, open.from);
    }
    return Number.POSITIVE_INFINITY;
  }

  private closing(at: Instant, zone: string): Instant | undefined {
    const open = this.openOn(dayIn(zone, at), zone);
    return open && open.from <= at && at < open.until ? open.until : undefined;
  }

  /** If the clocks change within the hours, the shorter interpretation applies. */
  private openOn(day: number, zone: string): OpenHours | undefined {
    const { fromMinute, toMinute, weekdays } = this.hours;
    if (fromMinute >= toMinute || this.holidays.has(day) || !weekdays.includes((day + thursday) % 7)) return undefined;
    const midnight = day * dayMs;
    const offset = offsetMs(midnight - dayMs, zone);
    if (offset === offsetMs(midnight + 2 * dayMs, zone))
      return { from: midnight + fromMinute * minuteMs - offset, until: midnight + toMinute * minuteMs - offset };
    const written = new Date(midnight).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const from = clockTime(written, fromMinute, zone).last.getTime();
    const until = clockTime(written, toMinute, zone).first.getTime();
    return from < until ? { from, until } : undefined;
  }
}

/** The local date in a zone, in days since 1970. */
function dayIn(zone: string, at: Instant): number {
  return Math.floor((at + offsetMs(at, zone)) / dayMs);
}

type WindowsByRegion = Map<string, CallingWindow>;
const windowsOfRules = new WeakMap<CallingRules, WindowsByRegion>();
const windowsByJson = new LRUCache<string, WindowsByRegion>({ max: rulesMax });

/** The window of a region under some rules, cached while equal rules are in use. */
export function windowOf(region: string, rules: CallingRules): CallingWindow {
  const windows = windowsOfRules.get(rules) ?? windowsForEqual(rules);
  const known = windows.get(region);
  if (known) return known;
  const fresh = new CallingWindow(region, rules);
  windows.set(region, fresh);
  return fresh;
}

/** The windows for equal rules, which are a new object each time they are read from the database. */
function windowsForEqual(rules: CallingRules): WindowsByRegion {
  const spelling = JSON.stringify(rules);
  const windows = windowsByJson.get(spelling) ?? new Map<string, CallingWindow>();
  windowsByJson.set(spelling, windows);
  windowsOfRules.set(rules, windows);
  return windows;
}

/** Whether a region can never be called only because of the organization's hours, which it may widen again. */
export function isClosedByOrganization(region: string, rules: CallingRules, at: Instant): boolean {
  if (windowOf(region, rules).nextOpening(at) !== undefined) return false;
  return windowOf(region, { ...rules, legalHours: {} }).nextOpening(at) !== undefined;
}

/** The window for planning another attempt. Hours of the organization or campaign that leave none are ignored, as they may be widened by then. */
export function windowToPlanBy(region: string, rules: CallingRules, at: Instant): CallingWindow {
  if (windowOf(region, rules).nextOpening(at) !== undefined) return windowOf(region, rules);
  const byLaw = { ...anyTime, holidays: rules.holidays, legalHours: {} };
  return windowOf(region, isClosedByOrganization(region, rules, at) ? { ...rules, legalHours: {} } : byLaw);
}

/** Why nobody in these regions can ever be called; undefined if somebody can, or there are no regions. */
export function whyNever(regions: readonly string[], rules: CallingRules, at: Instant): string | undefined {
  if (regions.length === 0 || regions.some((region) => windowOf(region, rules).nextOpening(at) !== undefined)) return undefined;
  const narrowed = regions.filter((region) => isClosedByOrganization(region, rules, at));
  const others = regions.filter((region) => !narrowed.includes(region));
  const text = [
    ...(narrowed.length > 0
      ? [`The organization’s legal hours leave this campaign none to call in: ${countriesOf(narrowed)}.`]
      : []),
    ...(others.length > 0
      ? [
          `Its days and hours and the law, in all time zones of a country at once, leave no hour to call in: ${countriesOf(others)}.`,
        ]
      : []),
  ];
  return text.join(' ');
}

function countriesOf(regions: readonly string[]): string {
  return [...new Set(regions.map((region) => regionOf(region).country ?? 'numbers of no country'))].sort().join(', ');
}

/** The local hour of a zone. */
export function hourOf(at: Instant, zone: string): number {
  return Math.floor(minuteOfDay(new Date(at), zone) / 60);
}
