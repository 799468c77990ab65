import { clockTime, distinctClocks, minuteOfDay, offsetMs } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { type CallingRules, type DayHours, everyCountry, type Instant } from './campaign';
import { regionOf } from './regions';

/** When the law of a country lets people be called, where it is stricter or wider than `lawElsewhere`. */
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
/** More than the clocks of any zone differ from UTC, and a day that begins before. */
const marginMs = 3 * dayMs;
const minuteMs = 60_000;
/** 1970 began on one. */
const thursday = 4;

/** Countries whose law is known by name; in all others the same hours hold. */
export const countriesWithLaw: readonly string[] = Object.keys(law);

/** When the law lets people of a country be called; of `*`, the widest that any law allows. */
export function lawOf(country: string | undefined): DayHours {
  if (country !== everyCountry) return (country && law[country]) || lawElsewhere;
  const all = [lawElsewhere, ...Object.values(law)];
  return {
    fromMinute: Math.min(...all.map(({ fromMinute }) => fromMinute)),
    toMinute: Math.max(...all.map(({ toMinute }) => toMinute)),
  };
}

/** When people of a country may be called: the campaign's within the organization's within the law's. May be none: `from` after `to`. */
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

/** A span of time without or with calls: `isOpen` from `from` on, up to `until`. */
interface HoursSpan {
  readonly isOpen: boolean;
  readonly from: Instant;
  readonly until: Instant;
}

interface OpenHours {
  readonly from: Instant;
  readonly until: Instant;
}

/** When the people of one region may be called under some rules. Where a region has several time zones, in all of them. */
export class CallingWindow {
  readonly hourZone: string;
  private readonly zones: readonly string[];
  private readonly hours: ReturnType<typeof hoursIn>;
  private readonly spans: HoursSpan[] = [];
  /** As days since 1970, as all days here. */
  private readonly holidays: ReadonlySet<number>;

  constructor(region: string, rules: CallingRules) {
    const { country, zones } = regionOf(region);
    this.zones = zones;
    this.hourZone = zones[0] ?? 'UTC';
    this.hours = hoursIn(country, rules);
    this.holidays = new Set(rules.holidays.map((day) => Date.parse(`${day}T00:00:00Z`) / dayMs));
  }

  /** Until when calls are allowed from `at` on; undefined while they are not. */
  openUntil(at: Instant): Instant | undefined {
    const { isOpen, until } = this.spanAt(at);
    return isOpen ? until : undefined;
  }

  /** The first instant at or after `at` when people may be called; undefined where there is none within a year. */
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

  /** Since when all zones are open, of an instant at which they are. */
  private openedAt(at: Instant): Instant {
    return Math.max(...this.zones.map((zone) => this.openOn(dayIn(zone, at), zone)?.from ?? at));
  }

  /**
   * Goes week by week. Between clock changes, weeks without holidays are alike, so a week found to be closed is not searched
   * again. Zones with the same time are evaluated once.
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

  /** Whether a holiday of any zone is in the week after an instant. */
  private isHolidayNear(from: Instant): boolean {
    return [...this.holidays].some((day) => day * dayMs > from - marginMs && day * dayMs < from + weekMs + marginMs);
  }

  /** Goes from opening to opening until all zones are open at once. */
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

  /** Where the clocks are set within the hours, the shorter reading holds. */
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

/** The day that the clocks of a zone show, in days since 1970. */
function dayIn(zone: string, at: Instant): number {
  return Math.floor((at + offsetMs(at, zone)) / dayMs);
}

type WindowsByRegion = Map<string, CallingWindow>;
const windowsOfRules = new WeakMap<CallingRules, WindowsByRegion>();
const windowsOfSpelling = new LRUCache<string, WindowsByRegion>({ max: rulesMax });

/** The window of a region under some rules, worked out once for as long as rules that say the same are in use. */
export function windowOf(region: string, rules: CallingRules): CallingWindow {
  const windows = windowsOfRules.get(rules) ?? windowsSpelledLike(rules);
  const known = windows.get(region);
  if (known) return known;
  const fresh = new CallingWindow(region, rules);
  windows.set(region, fresh);
  return fresh;
}

/** Rules that are read from a database are another object each time. */
function windowsSpelledLike(rules: CallingRules): WindowsByRegion {
  const spelling = JSON.stringify(rules);
  const windows = windowsOfSpelling.get(spelling) ?? new Map<string, CallingWindow>();
  windowsOfSpelling.set(spelling, windows);
  windowsOfRules.set(rules, windows);
  return windows;
}

/** Whether only the organization's own hours keep a region from ever being called: it may widen them again. */
export function isClosedByOrganization(region: string, rules: CallingRules, at: Instant): boolean {
  if (windowOf(region, rules).nextOpening(at) !== undefined) return false;
  return windowOf(region, { ...rules, legalHours: {} }).nextOpening(at) !== undefined;
}

/** By what another attempt is planned: where the hours of an organization or a campaign leave none, they may be widened until then. */
export function windowToPlanBy(region: string, rules: CallingRules, at: Instant): CallingWindow {
  if (windowOf(region, rules).nextOpening(at) !== undefined) return windowOf(region, rules);
  const byLaw = { ...anyTime, holidays: rules.holidays, legalHours: {} };
  return windowOf(region, isClosedByOrganization(region, rules, at) ? { ...rules, legalHours: {} } : byLaw);
}

/** Why no one in these regions can ever be called, by country; undefined when some can, or there are none. */
export function whyNever(regions: readonly string[], rules: CallingRules, at: Instant): string | undefined {
  if (regions.length === 0 || regions.some((region) => windowOf(region, rules).nextOpening(at) !== undefined)) return undefined;
  const narrowed = regions.filter((region) => isClosedByOrganization(region, rules, at));
  const others = regions.filter((region) => !narrowed.includes(region));
  const said = [
    ...(narrowed.length > 0
      ? [`The organization’s legal hours leave this campaign none to call in: ${countriesOf(narrowed)}.`]
      : []),
    ...(others.length > 0
      ? [
          `Its days and hours and the law, in all time zones of a country at once, leave no hour to call in: ${countriesOf(others)}.`,
        ]
      : []),
  ];
  return said.join(' ');
}

function countriesOf(regions: readonly string[]): string {
  return [...new Set(regions.map((region) => regionOf(region).country ?? 'numbers of no country'))].sort().join(', ');
}

/** The local hour of a zone. */
export function hourOf(at: Instant, zone: string): number {
  return Math.floor(minuteOfDay(new Date(at), zone) / 60);
}
