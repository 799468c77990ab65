import { LRUCache } from 'lru-cache';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const secondMs = 1_000;
const dateLength = 'YYYY-MM-DD'.length;
const formatsMax = 600;
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: formatsMax });
/**
 * No zone changes its clocks twice within this period: even where summer time is suspended for Ramadan, that lasts four weeks.
 */
const stretchMs = 14 * dayMs;
/** More than two years of periods per zone. */
const stretchesMax = 60;
const stretchesOfZone = new LRUCache<string, LRUCache<number, Stretch>>({ max: formatsMax });

/** Two weeks in a zone, during which its clocks change at most once. */
interface Stretch {
  readonly offset: number;
  /** Infinity if they do not change. */
  readonly setAt: number;
  readonly offsetThen: number;
}

/** Whether a bound of a range is a bare day, whose hours depend on a time zone. */
export const isDay = (bound: string | null | undefined): boolean => bound?.length === dateLength;

/** The first instant of a range that starts with this bound: a day or an instant. */
export function firstInstant(bound: string, timeZone: string): Date {
  return isDay(bound) ? startOfDay(bound, timeZone) : new Date(bound);
}

/**
 * The first instant after a range that ends with this bound. The bound is included: a day completely, an instant with its
 * millisecond.
 */
export function firstInstantAfter(bound: string, timeZone: string): Date {
  return isDay(bound) ? startOfDay(daysLater(bound, 1), timeZone) : new Date(Date.parse(bound) + 1);
}

/**
 * The instant at which a day (`YYYY-MM-DD`) begins in a time zone: if the clocks skip midnight, the first instant after it; if
 * they show it twice, the first of the two.
 */
export function startOfDay(day: string, timeZone: string): Date {
  const asIfUtc = Date.parse(`${day}T00:00:00Z`);
  const [before, after] = [offsetMs(asIfUtc - dayMs, timeZone), offsetMs(asIfUtc + dayMs, timeZone)];
  if (before === after) return new Date(asIfUtc - before);
  const candidates = [asIfUtc - Math.max(before, after), asIfUtc - Math.min(before, after)].map((at) => new Date(at));
  const [, later = new Date(asIfUtc)] = candidates;
  return candidates.find((at) => dayOf(at, timeZone) === day) ?? later;
}

/**
 * When the clocks of a time zone show a time of day, in minutes since midnight: the first and the last instant, which differ if
 * the clocks are put back over that time. If they skip it, the instants at the same distance before and after the gap.
 */
export function clockTime(day: string, minute: number, timeZone: string): { readonly first: Date; readonly last: Date } {
  const asIfUtc = Date.parse(`${day}T00:00:00Z`) + minute * minuteMs;
  const [before, after] = [offsetMs(asIfUtc - dayMs, timeZone), offsetMs(asIfUtc + dayMs, timeZone)];
  const [early, late] = [asIfUtc - Math.max(before, after), asIfUtc - Math.min(before, after)];
  const [isEarly, isLate] = [early, late].map((at) => at + offsetMs(at, timeZone) === asIfUtc);
  return { first: new Date(isEarly || !isLate ? early : late), last: new Date(isLate || !isEarly ? late : early) };
}

/** What the clocks of a time zone show, in whole minutes since midnight. */
export function minuteOfDay(instant: Date, timeZone: string): number {
  const local = instant.getTime() + offsetMs(instant.getTime(), timeZone);
  return Math.floor((((local % dayMs) + dayMs) % dayMs) / minuteMs);
}

/** The local day of an instant. */
export function dayOf(instant: Date, timeZone: string): string {
  return new Date(instant.getTime() + offsetMs(instant.getTime(), timeZone)).toISOString().slice(0, dateLength);
}

/** The date `count` days later. */
export function daysLater(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, dateLength);
}

/** The days from one to another, both included. */
export function daysBetween(first: string, last: string): string[] {
  const count = Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / dayMs) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => daysLater(first, index));
}

/** One zone from each group whose clocks show the same from one instant to another. */
export function distinctClocks(timeZones: readonly string[], from: number, until: number): string[] {
  const [first, last] = [Math.floor(from / stretchMs), Math.floor(until / stretchMs)];
  const isSame = (one: string, other: string): boolean => {
    for (let index = first; index <= last; index += 1) {
      const [shown, shownThere] = [stretchOf(index, one), stretchOf(index, other)];
      if (shown.offset !== shownThere.offset || shown.offsetThen !== shownThere.offsetThen) return false;
      if (shown.setAt !== shownThere.setAt) return false;
    }
    return true;
  };
  const distinct: string[] = [];
  for (const timeZone of timeZones) if (!distinct.some((other) => isSame(timeZone, other))) distinct.push(timeZone);
  return distinct;
}

/**
 * How far the clocks of a time zone are ahead of UTC at an instant, to the second. Must be fast, because it is called for
 * thousands of days in a row.
 */
export function offsetMs(at: number, timeZone: string): number {
  const { offset, setAt, offsetThen } = stretchOf(Math.floor(at / stretchMs), timeZone);
  return at < setAt ? offset : offsetThen;
}

function stretchOf(index: number, timeZone: string): Stretch {
  const stretches = stretchesOfZone.get(timeZone) ?? new LRUCache<number, Stretch>({ max: stretchesMax });
  const known = stretches.get(index);
  if (known) return known;
  const [from, until] = [index * stretchMs, (index + 1) * stretchMs];
  const offset = stretches.get(index - 1)?.offsetThen ?? readOffset(from, timeZone);
  const offsetThen = readOffset(until, timeZone);
  const setAt = offset === offsetThen ? Number.POSITIVE_INFINITY : firstWith(offsetThen, { from, until, timeZone });
  const fresh = { offset, setAt, offsetThen };
  stretches.set(index, fresh);
  stretchesOfZone.set(timeZone, stretches);
  return fresh;
}

interface Sought {
  readonly from: number;
  readonly until: number;
  readonly timeZone: string;
}

/**
 * The second at which a zone's clocks begin to have an offset, between an instant at which they do not have it yet and one at
 * which they do.
 */
function firstWith(offset: number, { from, until, timeZone }: Sought): number {
  let [before, then] = [from / secondMs, until / secondMs];
  while (then - before > 1) {
    const middle = Math.floor((before + then) / 2);
    if (readOffset(middle * secondMs, timeZone) === offset) then = middle;
    else before = middle;
  }
  return then * secondMs;
}

function readOffset(at: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(at / secondMs) * secondMs;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const numeric = 'numeric' as const;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  formats.set(timeZone, format);
  return format;
}
