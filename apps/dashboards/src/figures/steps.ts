import { dayOf, daysBetween, daysLater, startOfDay } from '@parley/service-kit';
import type { Span } from './spans';

export type Interval = 'hour' | 'day' | 'week' | 'month';

/** One step of a series: its day, and the instant at which it begins. It ends where the next one begins. */
export interface Step {
  readonly date: string;
  readonly at: Date;
}

const hourMs = 3_600_000;

/** The steps that touch a span, in order and without a gap. A day on which the clocks change has 23 or 25 hours. */
export function stepsOf({ from, to, timeZone }: Span, interval: Interval): Step[] {
  if (from >= to) return [];
  const days = daysBetween(dayOf(from, timeZone), dayOf(new Date(to.getTime() - 1), timeZone));
  const stepAt = (date: string): Step => ({ date, at: startOfDay(date, timeZone) });
  if (interval !== 'hour') return [...new Set(days.map((day) => firstDay(day, interval)))].map(stepAt);
  return days.flatMap((day) => hoursOf(day, timeZone)).filter(({ at }) => at < to && at.getTime() + hourMs > from.getTime());
}

function firstDay(day: string, interval: Exclude<Interval, 'hour'>): string {
  if (interval === 'month') return `${day.slice(0, 'YYYY-MM'.length)}-01`;
  if (interval === 'day') return day;
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return daysLater(day, -sinceMonday);
}

function hoursOf(date: string, timeZone: string): Step[] {
  const begins = startOfDay(date, timeZone).getTime();
  const ends = startOfDay(daysLater(date, 1), timeZone).getTime();
  return Array.from({ length: Math.ceil((ends - begins) / hourMs) }, (_, hour) => ({
    date,
    at: new Date(begins + hour * hourMs),
  }));
}
