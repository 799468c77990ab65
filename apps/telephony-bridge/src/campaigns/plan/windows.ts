import { clockTime, dayOf, daysLater, minuteOfDay } from '@parley/service-kit';
import type { CallingRules, DayHours, Instant } from './campaign';
import { regionOf } from './regions';

/** When the law of a country lets people be called, where it is stricter or wider than `lawElsewhere`. */
const law: Readonly<Record<string, DayHours>> = {
  IN: { fromMinute: 9 * 60, toMinute: 21 * 60 },
  US: { fromMinute: 8 * 60, toMinute: 21 * 60 },
};
const lawElsewhere: DayHours = { fromMinute: 9 * 60, toMinute: 20 * 60 };
/** Nobody plans further than a year of holidays. */
const daysAhead = 370;
const windowsMax = 10_000;

/** The hours that hold in a country: the campaign's within the organization's within the law's. May be none: `from` after `to`. */
export function hoursIn(country: string | undefined, rules: CallingRules): DayHours {
  const legal = (country && law[country]) || lawElsewhere;
  const own = country ? rules.legalHours[country] : undefined;
  return [legal, own, rules].reduce<DayHours>(
    (hours, narrower) => ({
      fromMinute: Math.max(hours.fromMinute, narrower?.fromMinute ?? 0),
      toMinute: Math.min(hours.toMinute, narrower?.toMinute ?? hours.toMinute),
    }),
    { fromMinute: 0, toMinute: 24 * 60 },
  );
}

/** A span of time without or with calls: `isOpen` from `from` on, up to `until`. */
interface Span {
  readonly isOpen: boolean;
  readonly from: Instant;
  readonly until: Instant;
}

/** When the people of one region may be called under some rules. Where a region has several time zones, in all of them. */
export class CallingWindow {
  readonly hourZone: string;
  private readonly zones: readonly string[];
  private readonly hours: DayHours;
  private known: Span = { isOpen: false, from: 0, until: 0 };

  constructor(
    region: string,
    private readonly rules: CallingRules,
  ) {
    const { country, zones } = regionOf(region);
    this.zones = zones;
    this.hourZone = zones[0] ?? 'UTC';
    this.hours = hoursIn(country, rules);
  }

  /** Until when people may be called from `at` on; undefined while they may not. */
  openUntil(at: Instant): Instant | undefined {
    if (at < this.known.from || at >= this.known.until) this.known = this.spanOf(at);
    return this.known.isOpen ? this.known.until : undefined;
  }

  /** The first instant at or after `at` when people may be called; undefined where there is none within a year. */
  nextOpening(at: Instant): Instant | undefined {
    if (this.openUntil(at) !== undefined) return at;
    return Number.isFinite(this.known.until) ? this.known.until : undefined;
  }

  private spanOf(at: Instant): Span {
    const closings = this.zones.map((zone) => this.closing(at, zone));
    if (closings.every((closing) => closing !== undefined)) return { isOpen: true, from: at, until: Math.min(...closings) };
    return { isOpen: false, from: at, until: this.opening(at) };
  }

  /** Goes from opening to opening until all zones are open at once. */
  private opening(at: Instant): Instant {
    const horizon = at + daysAhead * 86_400_000;
    for (let from = at; from < horizon;) {
      const openings = this.zones.map((zone) => this.openingIn(from, zone));
      const last = Math.max(...openings);
      if (openings.every((opening) => opening === from)) return from;
      from = last;
    }
    return Number.POSITIVE_INFINITY;
  }

  private openingIn(at: Instant, zone: string): Instant {
    const today = dayOf(new Date(at), zone);
    for (let count = 0; count < daysAhead; count += 1) {
      const open = this.openOn(daysLater(today, count), zone);
      if (open && at < open.until) return Math.max(at, open.from);
    }
    return Number.POSITIVE_INFINITY;
  }

  private closing(at: Instant, zone: string): Instant | undefined {
    const open = this.openOn(dayOf(new Date(at), zone), zone);
    return open && open.from <= at && at < open.until ? open.until : undefined;
  }

  /** Where the clocks are set within the hours, the shorter reading holds. */
  private openOn(day: string, zone: string): { from: Instant; until: Instant } | undefined {
    const { weekdays, holidays } = this.rules;
    if (!weekdays.includes(new Date(`${day}T00:00:00Z`).getUTCDay()) || holidays.includes(day)) return undefined;
    const { fromMinute, toMinute } = this.hours;
    if (fromMinute >= toMinute) return undefined;
    const from = clockTime(day, fromMinute, zone).last.getTime();
    const until = clockTime(day, toMinute, zone).first.getTime();
    return from < until ? { from, until } : undefined;
  }
}

/** The windows of campaigns, each worked out once for as long as it stays as it is. */
export class CallingWindows {
  private readonly windows = new Map<string, CallingWindow>();
  private readonly spelled = new WeakMap<CallingRules, string>();

  of(region: string, rules: CallingRules): CallingWindow {
    const spelled = this.spelled.get(rules) ?? JSON.stringify(rules);
    this.spelled.set(rules, spelled);
    const key = `${region} ${spelled}`;
    const known = this.windows.get(key);
    if (known) return known;
    if (this.windows.size >= windowsMax) this.windows.clear();
    const fresh = new CallingWindow(region, rules);
    this.windows.set(key, fresh);
    return fresh;
  }
}

/** The hour that the clocks of a zone show. */
export function hourOf(at: Instant, zone: string): number {
  return Math.floor(minuteOfDay(new Date(at), zone) / 60);
}
