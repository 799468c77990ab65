import { z } from 'zod';
import { blankOr, text } from '../vocabulary';

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const twelveHours = /^(0[1-9]|1[0-2]):[0-5]\d (AM|PM)$/;
const spansPerWeekMax = 28;

const ClockTime = z.string().regex(twelveHours, 'must be a time such as 09:30 AM');

/** The times of a closed day say nothing, so they may be empty. */
const OpenSpan = z
  .object({
    day: z.enum(days),
    open_time: blankOr(ClockTime, 'a time such as 09:30 AM'),
    close_time: blankOr(ClockTime, 'a time such as 09:30 AM'),
    is_open: z.boolean(),
  })
  .refine((span) => !span.is_open || (span.open_time !== '' && span.close_time !== ''), {
    path: ['open_time'],
    error: 'is required on an open day, and so is close_time',
  });

/** When a business is open, several spans a day if it closes at noon. A close before its open is past midnight. */
export const WorkingHours = z.array(OpenSpan).max(spansPerWeekMax);

const holidaysMax = 200;

/** A day whose hours differ from those of its weekday; without times the business is closed all day. */
const Holiday = z
  .object({
    date: z.iso.date(),
    opens: blankOr(ClockTime, 'a time such as 09:30 AM').default(''),
    closes: blankOr(ClockTime, 'a time such as 09:30 AM').default(''),
    note: text(200).default(''),
  })
  .refine((day) => (day.opens === '') === (day.closes === ''), { path: ['closes'], error: 'goes with opens: both or neither' });

/** The days that the timetable of a week does not hold on: each date once. */
export const Holidays = z
  .array(Holiday)
  .max(holidaysMax)
  .refine((days) => new Set(days.map(({ date }) => date)).size === days.length, 'must name each date once');
