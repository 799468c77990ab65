import type { BusinessSchedule } from '@parley/contracts';

const daysTold = 14;

/** A moment as people say it in a time zone: `Sunday, 22 November 2026, 12:35 (Asia/Kolkata)`. */
export function momentIn(timeZone: string, atMs: number): string {
  const date = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }).format(atMs);
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(atMs);
  return `${date}, ${time} (${timeZone})`;
}

/**
 * The hours of today and the days after it, a day a line, with holidays in place of the hours of their weekday; nothing for a business
 * that has told no hours. It is the same text all day, so it ends the part of a prompt that stays the same.
 */
export function calendarOf({ timezone, working_hours, holidays }: BusinessSchedule, atMs: number): string {
  if (working_hours.length === 0) return '';
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(atMs);
  return Array.from({ length: daysTold }, (_, ahead) => {
    const date = new Date(`${today}T00:00:00Z`);
    date.setUTCDate(date.getUTCDate() + ahead);
    const named = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long' }).format(
      date,
    );
    const weekday = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'long' }).format(date);
    const holiday = holidays.find((one) => one.date === date.toISOString().slice(0, today.length));
    const spans = holiday
      ? holiday.opens === ''
        ? []
        : [`${holiday.opens} to ${holiday.closes}`]
      : working_hours.flatMap((span) =>
          span.is_open && span.day === weekday ? [`${span.open_time} to ${span.close_time}`] : [],
        );
    const note = holiday?.note ? ` (${holiday.note.replace(/\s+/gu, ' ')})` : '';
    return `${named}${relative[ahead] ?? ''}: ${spans.join(' and ') || 'closed'}${note}`;
  }).join('\n');
}

const relative = [', today', ', tomorrow'];
