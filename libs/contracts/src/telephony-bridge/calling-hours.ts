import { z } from 'zod';

/** A time of the day. */
export const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:30');

const Weekday = z.enum(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']);
/** Some days of the week. */
export const Weekdays = z.array(Weekday).min(1).max(7);

const hours = { days: Weekdays, from: ClockTime, to: ClockTime };
const retry = {
  maxAttempts: z.int().min(1).max(10),
  minutesBetween: z.int().min(1).max(10_080),
  retryOn: z.array(z.enum(['MISSED', 'FAILED', 'VOICEMAIL'])).max(3),
};

/** When people may be called, in the time zone of the contact. */
export const CallingHours = z
  .object({
    days: hours.days.default(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']),
    from: hours.from.default('10:00'),
    to: hours.to.default('19:00'),
  })
  .refine(({ from, to }) => from < to, { path: ['from'], error: 'must be before to' });

/** When a call that was not answered is tried again. */
export const RetryPolicy = z.object({
  maxAttempts: retry.maxAttempts.default(3),
  minutesBetween: retry.minutesBetween.default(60),
  retryOn: retry.retryOn.default(['MISSED', 'FAILED']),
});

/** What a save says of them: what it leaves out stays as it was. */
export const SentCallingHours = z.object(hours).partial();
export const SentRetryPolicy = z.object(retry).partial();
