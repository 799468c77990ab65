import type { ClockTime, Tongue } from './tongue';

const time = '(\\d{1,2})(?:[:.](\\d{2}))?\\s?(?:([ap])\\.?\\s?m\\b\\.?)?';
const between = '\\s?(?:[-–—]|to|till|until|से|ते)\\s?';
const ranges = new RegExp(`(?<![\\d:.,₹/-])${time}${between}${time}(?![\\d:/-]|[,.]\\d)(?:\\s?(?:बजे|वाजता|वाजेपर्यंत))?`, 'giu');

/**
 * Opening hours and other spans of a day as people say them: "half past nine to seven" for 09:30 AM to 07:00 PM. Where both ends are
 * in one half of the day it is said once. Two figures without minutes or half of the day are no times.
 */
export function sayClockRanges(text: string, tongue: Tongue): string {
  return text.replace(ranges, (all, ...found: (string | undefined)[]) => {
    const [fromHour, fromMinute, fromHalf, toHour, toMinute, toHalf] = found;
    if (toHalf === undefined && !(fromMinute !== undefined && toMinute !== undefined)) return all;
    if (fromHalf === undefined && fromMinute === undefined && toMinute === undefined && Number(fromHour) > 12) return all;
    const to = clockTime(toHour, toMinute, toHalf);
    const from = clockTime(fromHour, fromMinute, fromHalf ?? (toHalf && halfBefore(fromHour, toHour, toHalf)));
    return from && to ? tongue.timeRange(from, to) : all;
  });
}

/** "11 to 2 PM" begins in the morning, "2 to 8 PM" does not. */
function halfBefore(from: string | undefined, to: string | undefined, half: string): string {
  const [first, last] = [Number(from) % 12, Number(to) % 12];
  return first <= last ? half : half.toLowerCase() === 'p' ? 'a' : 'p';
}

function clockTime(hour: string | undefined, minute: string | undefined, half: string | undefined): ClockTime | undefined {
  const [hours, minutes] = [Number(hour), Number(minute ?? 0)];
  if (hours > (half ? 12 : 23) || minutes > 59) return undefined;
  return { hour: hours, minute: minutes, ...(half && { half: half.toLowerCase() === 'a' ? ('am' as const) : ('pm' as const) }) };
}
