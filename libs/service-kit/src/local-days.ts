const dayMs = 86_400_000;
const minuteMs = 60_000;
const dateLength = 'YYYY-MM-DD'.length;
const formatsMax = 600;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether a bound of a range is a bare day, which only a time zone gives its hours. */
export const isDay = (bound: string | null | undefined): boolean => bound?.length === dateLength;

/** The first instant of a range that begins with this bound: a day or an instant. */
export function firstInstant(bound: string, timeZone: string): Date {
  return isDay(bound) ? startOfDay(bound, timeZone) : new Date(bound);
}

/** The first instant after a range that ends with this bound: a day belongs to it to its end, an instant with its millisecond. */
export function firstInstantAfter(bound: string, timeZone: string): Date {
  return isDay(bound) ? startOfDay(daysLater(bound, 1), timeZone) : new Date(Date.parse(bound) + 1);
}

/**
 * The instant at which a day (`YYYY-MM-DD`) begins in a time zone: where the clocks skip midnight, the first instant after it, and
 * where they show it twice, the first of the two.
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
 * When the clocks of a time zone show a time of a day, in minutes since its midnight: the first and the last instant, which differ
 * where the clocks are put back over that time. Where they skip it, the instants as long before and after the gap.
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

/** The day that an instant lies in. */
export function dayOf(instant: Date, timeZone: string): string {
  return new Date(instant.getTime() + offsetMs(instant.getTime(), timeZone)).toISOString().slice(0, dateLength);
}

/** So many days later in the calendar. */
export function daysLater(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, dateLength);
}

/** Days from one to another, both included. */
export function daysBetween(first: string, last: string): string[] {
  const count = Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / dayMs) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => daysLater(first, index));
}

/** How far the clocks of a time zone are ahead of UTC at an instant, to the second. */
function offsetMs(at: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(at / 1000) * 1000;
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
  if (formats.size >= formatsMax) formats.clear();
  formats.set(timeZone, format);
  return format;
}
