import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  blankOr,
  createdOnExample,
  described,
  Email,
  filledText,
  InternationalNumber,
  kbKeyExample,
  listOf,
  paging,
  RecordId,
  RecordIdOrZero,
  requiredWhenNew,
  SearchText,
  text,
  TextualId,
  Timestamp,
  TimeZoneName,
  updatedOnExample,
  Uuid,
  WebAddress,
} from '../vocabulary';

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const twelveHours = /^(0[1-9]|1[0-2]):[0-5]\d (AM|PM)$/;
const spansPerWeekMax = 28;

const ClockTime = z.string().regex(twelveHours, 'must be a time such as 09:30 AM');

/** The times of a closed day have no meaning, so they may be empty. */
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

/**
 * When a business is open; several spans a day if it closes in between. A closing time before the opening time is after midnight.
 */
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

/** The days to which the weekly timetable does not apply; each date occurs once. */
export const Holidays = z
  .array(Holiday)
  .max(holidaysMax)
  .refine((days) => new Set(days.map(({ date }) => date)).size === days.length, 'must name each date once');

const profileKey = '2c3e5061-9c1d-4e3f-8a5b-7c9d1e3f5a7b';

const profileFields = {
  business_name: filledText(200),
  business_type: text(100).default(''),
  industry: text(100).default(''),
  company_description: text(4000).default(''),
  website_url: blankOr(WebAddress, 'a URL').default(''),
  support_email: blankOr(Email, 'an e-mail address').default(''),
  support_phone: text(32).default(''),
  office_address: text(500).default(''),
  working_hours: WorkingHours.default([]),
  timezone: TimeZoneName,
};

/** The stored fields of a business. */
export const BusinessInfoFields = z.object({ ...profileFields, holidays: Holidays.default([]) });

/** The fields that may be sent about a business. */
const sentFields = {
  business_name: filledText(200),
  business_type: text(100).nullish(),
  industry: text(100).nullish(),
  company_description: text(4000).nullish(),
  website_url: blankOr(WebAddress, 'a URL').nullish(),
  support_email: blankOr(Email, 'an e-mail address').nullish(),
  support_phone: blankOr(InternationalNumber, 'a telephone number with its country prefix, such as +91 20 2550 1234').nullish(),
  office_address: text(500).nullish(),
  working_hours: WorkingHours.nullish(),
  timezone: TimeZoneName,
  holidays: Holidays.nullish(),
};

/** A profile as sent by an import. */
export const SentBusinessInfo = z.object(sentFields);

const values = {
  business_name: 'Demo Bazaar',
  business_type: 'Shop',
  industry: 'Retail',
  company_description: 'Household goods since 1984.',
  website_url: 'https://shop.example',
  support_email: 'help@shop.example',
  support_phone: '+912025501234',
  office_address: 'MG Road, Pune',
  working_hours: [{ day: 'Monday' as const, open_time: '09:30 AM', close_time: '07:00 PM', is_open: true }],
  timezone: 'Asia/Kolkata',
  holidays: [{ date: '2026-11-08', opens: '', closes: '', note: 'Diwali' }],
};
const identity = { KBBusinessInfoKeyID: profileKey, KBBusinessInfoID: 2, KBKeyID: kbKeyExample, KBID: 4 };

const ProfileIdentity = z.object({ KBBusinessInfoKeyID: Uuid, KBBusinessInfoID: z.int(), KBKeyID: Uuid, KBID: z.int() });

/** The business and its opening hours. A knowledge base has at most one profile. */
export const BusinessProfile = described(
  'BusinessProfile',
  'The business profile of a knowledge base.',
  z.object({
    ...ProfileIdentity.shape,
    businessInfo: BusinessInfoFields.extend({ KBBusinessInfoKeyID: Uuid, KBBusinessInfoID: z.int() }),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    ...identity,
    businessInfo: { ...values, KBBusinessInfoKeyID: profileKey, KBBusinessInfoID: 2 },
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

const SavedProfile = described('BusinessProfileIdentity', 'Both ids of a business profile.', ProfileIdentity, identity);

export const saveBusinessProfile = defineRequest({
  subject: 'knowledge-ingest.business-profile.save',
  request: described(
    'SaveBusinessProfileRequest',
    'A new profile (`KBBusinessInfoID` 0), which needs `business_name` and `timezone`; or the changes to one.',
    z.object({
      KBID: RecordId,
      businessInfo: z
        .object({
          ...SentBusinessInfo.partial({ business_name: true, timezone: true }).shape,
          KBBusinessInfoID: RecordIdOrZero.default(0),
        })
        .superRefine(requiredWhenNew('KBBusinessInfoID', ['business_name', 'timezone'])),
    }),
    { KBID: 4, businessInfo: { ...values, KBBusinessInfoID: 0 } },
    { KBID: 4, businessInfo: { KBBusinessInfoID: 2, support_phone: null } },
  ),
  reply: SavedProfile,
});

export const listBusinessProfiles = defineRequest({
  subject: 'knowledge-ingest.business-profile.list',
  request: described(
    'BusinessProfileListQuery',
    'Which profiles: of one knowledge base, or of all.',
    z.object({ KBID: RecordId.nullish(), searchName: SearchText, ...paging(['CreatedOn', 'UpdatedOn', 'business_name']) }),
    { searchName: '', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('BusinessProfilePage', BusinessProfile),
});

export const getBusinessProfile = defineRequest({
  subject: 'knowledge-ingest.business-profile.get',
  request: described('BusinessProfileChoice', 'The profile of one knowledge base.', z.object({ KBID: TextualId }), { KBID: '4' }),
  reply: BusinessProfile,
});

const ProfileChoice = described('DeleteBusinessProfileRequest', 'One profile.', z.object({ KBBusinessInfoKeyID: Uuid }), {
  KBBusinessInfoKeyID: profileKey,
});

/** For the audit log. */
export const readBusinessProfile = defineRequest({
  subject: 'knowledge-ingest.business-profile.read',
  request: ProfileChoice,
  reply: BusinessProfile,
});

export const deleteBusinessProfile = defineRequest({
  subject: 'knowledge-ingest.business-profile.delete',
  request: ProfileChoice,
  reply: SavedProfile,
});
