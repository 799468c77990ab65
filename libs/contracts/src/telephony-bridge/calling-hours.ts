import { z } from 'zod';

/** A time of the day. */
export const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:30');

const Weekday = z.enum(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']);
/** Some days of the week. */
export const Weekdays = z.array(Weekday).min(1).max(7);

/** When people may be called, in the time zone of the contact. */
export const CallingHours = z
  .object({
    days: Weekdays.default(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']),
    from: ClockTime.default('10:00'),
    to: ClockTime.default('19:00'),
  })
  .refine((hours) => hours.from < hours.to, { path: ['from'], error: 'must be before to' });

/** When a call that was not answered is tried again. */
export const RetryPolicy = z.object({
  maxAttempts: z.int().min(1).max(10).default(3),
  minutesBetween: z.int().min(1).max(10_080).default(60),
  retryOn: z
    .array(z.enum(['MISSED', 'FAILED', 'VOICEMAIL']))
    .max(3)
    .default(['MISSED', 'FAILED']),
});
