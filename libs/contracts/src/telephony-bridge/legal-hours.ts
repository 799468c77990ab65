import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, Nothing, wholeListOf } from '../vocabulary';
import { ClockTime, Weekdays } from './calling-hours';

const Country = z.string().regex(/^([A-Z]{2}|\*)$/, 'must be a country such as IN, or * for all of them');
const everyDay = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const LegalHours = described(
  'LegalHours',
  'When people of a country may be called at all: what the law allows, and to what the organization has narrowed it.',
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

/** Calls of an organization's campaigns to one number in a day, unless it says otherwise. */
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
    'How often all campaigns of the organization together call one number; null for the usual. It holds at once.',
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

/** Hours that are wider than the law are VALIDATION_FAILED, with what it allows. */
export const saveLegalHours = defineRequest({
  subject: 'telephony-bridge.legal-hours.save',
  request: described(
    'SaveLegalHoursRequest',
    'The hours of a country that no campaign of the organization leaves; null for those of the law. They hold at once, for campaigns ' +
      'that run, too.',
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
