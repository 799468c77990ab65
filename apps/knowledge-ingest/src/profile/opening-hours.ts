import { minuteOf, weekdays } from '@parley/language';
import { dayOf, daysLater, minuteOfDay } from '@parley/service-kit';

/** An entry of a weekly timetable, as in the public API. */
export interface OpenSpan {
  readonly day: string;
  readonly open_time: string;
  readonly close_time: string;
  readonly is_open: boolean;
}

/** A date whose hours differ from those of its weekday; without times the business is closed. */
export interface Holiday {
  readonly date: string;
  readonly opens: string;
  readonly closes: string;
  readonly note: string;
}

const minutesPerDay = 24 * 60;
const minutesPerWeek = 7 * minutesPerDay;

interface WeekSpan {
  /** Minutes since Monday 00:00; `to` may exceed the week. */
  readonly from: number;
  readonly to: number;
}

/** Minutes since midnight as `09:30 PM`. */
function clockOf(minutes: number): string {
  const inDay = ((minutes % minutesPerDay) + minutesPerDay) % minutesPerDay;
  const hours = Math.floor(inDay / 60) % 12 || 12;
  return `${String(hours).padStart(2, '0')}:${String(inDay % 60).padStart(2, '0')} ${inDay < 12 * 60 ? 'AM' : 'PM'}`;
}

/** Minutes since Monday 00:00 in a time zone. */
export function minuteOfWeek(timeZone: string, atMs: number): number {
  const day = weekdays.indexOf(weekdayOf(dateOf(timeZone, atMs)));
  return day * minutesPerDay + minuteOfDay(new Date(atMs), timeZone);
}

/** The date in a time zone, a number of days after a moment: 2026-11-08. */
export function dateOf(timeZone: string, atMs: number, daysAhead = 0): string {
  return daysLater(dayOf(new Date(atMs), timeZone), daysAhead);
}

/** A closing time at or before the opening time is on the next day: 10 PM to 2 AM, or around the clock if both are equal. */
function weekSpans(hours: readonly OpenSpan[]): WeekSpan[] {
  return hours
    .filter(({ is_open }) => is_open)
    .map(({ day, open_time, close_time }) => {
      const from = weekdays.findIndex((name) => name === day) * minutesPerDay + minuteOf(open_time);
      const length = minuteOf(close_time) - minuteOf(open_time);
      return { from, to: from + (length > 0 ? length : length + minutesPerDay) };
    });
}

type OpenState =
  | { readonly isOpen: true; readonly closesAt: string; readonly isAlwaysOpen: boolean }
  | {
      readonly isOpen: false;
      readonly opensAt?: { readonly day: (typeof weekdays)[number]; readonly time: string; readonly daysAhead: number };
    };

/** Whether a business is open at a moment, in its own time zone, and when that changes. */
export function openStateAt(hours: readonly OpenSpan[], timeZone: string, atMs: number): OpenState {
  const now = minuteOfWeek(timeZone, atMs);
  const spans = weekSpans(hours);
  const isOpen = spans.some(({ from, to }) => [now, now + minutesPerWeek].some((minute) => from <= minute && minute < to));
  if (isOpen) return stayingOpen(spans, now);
  const waits = spans.map(({ from }) => (from - now + minutesPerWeek) % minutesPerWeek);
  if (waits.length === 0) return { isOpen: false };
  const opens = now + Math.min(...waits);
  const day = weekdays[Math.floor(opens / minutesPerDay) % 7] ?? 'Monday';
  return {
    isOpen: false,
    opensAt: { day, time: clockOf(opens), daysAhead: Math.floor(opens / minutesPerDay) - Math.floor(now / minutesPerDay) },
  };
}

/** Joins adjacent spans, so that a shop open around the clock does not "close at midnight". */
function stayingOpen(spans: readonly WeekSpan[], now: number): OpenState {
  let until = now;
  for (let step = 0; step <= spans.length; step += 1) {
    const further = spans.flatMap(({ from, to }) =>
      [-minutesPerWeek, 0, minutesPerWeek].map((shift) => ({ from: from + shift, to: to + shift })),
    );
    const next = Math.max(until, ...further.filter(({ from, to }) => from <= until && to > until).map(({ to }) => to));
    if (next === until) break;
    until = next;
  }
  return { isOpen: true, closesAt: clockOf(until), isAlwaysOpen: until - now >= minutesPerWeek };
}

/** The spans of one weekday in chronological order; empty if closed. */
export function spansOfDay(hours: readonly OpenSpan[], day: string): readonly OpenSpan[] {
  return hours.filter((span) => span.day === day && span.is_open).sort((a, b) => minuteOf(a.open_time) - minuteOf(b.open_time));
}

/** The weekday of a date such as 2026-11-08. */
export function weekdayOf(date: string): (typeof weekdays)[number] {
  const sundayFirst = new Date(`${date}T00:00:00Z`).getUTCDay();
  return weekdays[(sundayFirst + 6) % 7] ?? 'Monday';
}

/** A timetable with consecutive equal days joined: `Monday to Saturday: 09:30 AM to 07:00 PM`, `Sunday: closed`. */
export function grouped(hours: readonly OpenSpan[]): string[] {
  if (hours.length === 0) return [];
  const runs: { first: string; last: string; said: string }[] = [];
  for (const day of weekdays) {
    const spans = spansOfDay(hours, day).map(({ open_time, close_time }) => `${open_time} to ${close_time}`);
    const text = spans.length > 0 ? spans.join(' and ') : 'closed';
    const run = runs.at(-1);
    if (run?.said === text) run.last = day;
    else runs.push({ first: day, last: day, said: text });
  }
  return runs.map(({ first, last, said }) => `${first === last ? first : `${first} to ${last}`}: ${said}`);
}
