import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, Nothing, wholeListOf } from '../vocabulary';

/** A time of the day. */
export const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:30');

/** Keeps what is named several times once. */
export function once<Element extends z.ZodType>(list: z.ZodArray<Element>) {
  return list.overwrite((values) => [...new Set(values)]);
}

const Weekday = z.enum(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']);
/** Some days of the week. */
export const Weekdays = once(z.array(Weekday).min(1).max(7));

const hours = { days: Weekdays, from: ClockTime, to: ClockTime };
const retry = {
  maxAttempts: z.int().min(1).max(10),
  minutesBetween: z.int().min(1).max(10_080),
  retryOn: once(z.array(z.enum(['MISSED', 'FAILED', 'VOICEMAIL'])).max(3)),
};

/** When people may be called, in the contact's time zone. */
export const CallingHours = z
  .object({
    days: hours.days.default(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']),
    from: hours.from.default('10:00'),
    to: hours.to.default('19:00'),
  })
  .refine(({ from, to }) => from < to, { path: ['from'], error: 'must be before to' });

/** When an unanswered call is retried. */
export const RetryPolicy = z.object({
  maxAttempts: retry.maxAttempts.default(3),
  minutesBetween: retry.minutesBetween.default(60),
  retryOn: retry.retryOn.default(['MISSED', 'FAILED']),
});

/** The fields that a save may send: omitted ones stay. */
export const SentCallingHours = z.object(hours).partial();
export const SentRetryPolicy = z.object(retry).partial();

const Country = z.string().regex(/^([A-Z]{2}|\*)$/, 'must be a country such as IN, or * for all of them');
const everyDay = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const LegalHours = described(
  'LegalHours',
  'When people in a country may be called at all: the hours that the law allows, and the hours that the organization has narrowed them to.',
  z.object({
    Country,
    lawFrom: ClockTime,
    lawTo: ClockTime,
    from: ClockTime,
    to: ClockTime,
    days: Weekdays,
    isNarrowed: z.boolean(),
  }),
  { Country: 'IN', lawFrom: '09:00', lawTo: '21:00', from: '10:00', to: '19:00', days: [...everyDay], isNarrowed: true },
);

/** How often an organization's campaigns may call one number in a day, by default. */
export const callsPerNumberUsual = 3;
export const CallsPerNumberADay = z.int().min(1).max(20);

const CallLimits = described(
  'CallLimits',
  'How often all campaigns of the organization together call one number.',
  z.object({ CallsPerNumberADay, isDefault: z.boolean() }),
  { CallsPerNumberADay: callsPerNumberUsual, isDefault: true },
);

export const readCallLimits = defineRequest({
  subject: 'telephony-bridge.call-limits.read',
  request: Nothing,
  reply: CallLimits,
});

export const saveCallLimits = defineRequest({
  subject: 'telephony-bridge.call-limits.save',
  request: described(
    'SaveCallLimitsRequest',
    'How often all campaigns of the organization together call one number; null for the default. It takes effect at once.',
    z.object({ CallsPerNumberADay: CallsPerNumberADay.nullable() }),
    { CallsPerNumberADay: 2 },
  ),
  reply: CallLimits,
});

export const listLegalHours = defineRequest({
  subject: 'telephony-bridge.legal-hours.list',
  request: Nothing,
  reply: wholeListOf('LegalHoursList', LegalHours),
});

/** Hours wider than the law allows are VALIDATION_FAILED, with the legal limits. */
export const saveLegalHours = defineRequest({
  subject: 'telephony-bridge.legal-hours.save',
  request: described(
    'SaveLegalHoursRequest',
    'The hours of a country outside which no campaign of the organization calls; null for those of the law. They take effect at once, ' +
      'also for running campaigns.',
    z.object({
      Country,
      hours: z
        .object({ from: ClockTime, to: ClockTime, days: Weekdays.default([...everyDay]) })
        .refine((hours) => hours.from < hours.to, { path: ['from'], error: 'must be before to' })
        .nullable(),
    }),
    { Country: 'IN', hours: { from: '10:00', to: '19:00' } },
    { Country: 'IN', hours: null },
  ),
  reply: LegalHours,
});
