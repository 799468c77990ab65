import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  fromAfterTo,
  fromBeforeTo,
  listOf,
  LookupQuery,
  memberKeyExample,
  Nothing,
  OptionalDateBound,
  paging,
  PhoneNumberInput,
  LargeRecordId,
  RecordId,
  SearchText,
  startAfterEnd,
  startsBeforeEnd,
  text,
  Timestamp,
  Uuid,
  wholeListOf,
} from '../vocabulary';

export const representativeKeyExample = '1e3c5a78-9b0d-4f2e-8c4a-6b8d0f1e3c5a';
const contactKey = '7a9b1c3d-5e7f-4a1b-8c3d-5e7f9a1b3c5d';
export const representativeStates = ['INVITED', 'ACTIVE', 'INACTIVE'] as const;

/** A member of the mobile app, as the sales part of the platform sees them. */
export const SalesRepresentative = described(
  'SalesRepresentative',
  'A sales representative with counters.',
  z.object({
    SalesUserKeyID: Uuid,
    SalesUserID: z.int(),
    memberAdminID: Uuid.nullable(),
    userID: z.int().nullable(),
    name: z.string(),
    email: z.string(),
    userStatus: z.enum(representativeStates),
    isDeviceBound: z.boolean(),
    mappedContacts: z.int(),
    callCount: z.int(),
    lastSeenOn: Timestamp.nullable(),
    CreatedOn: Timestamp,
  }),
  {
    SalesUserKeyID: representativeKeyExample,
    SalesUserID: 5,
    memberAdminID: memberKeyExample,
    userID: 31,
    name: 'Asha Patil',
    email: 'asha@example.com',
    userStatus: 'ACTIVE',
    isDeviceBound: true,
    mappedContacts: 120,
    callCount: 44,
    lastSeenOn: null,
    CreatedOn: createdOnExample,
  },
);

export const listRepresentatives = defineRequest({
  subject: 'team-sales.representative.list',
  request: described(
    'SalesTeamListQuery',
    'Which sales representatives to list.',
    z
      .object({
        searchName: SearchText,
        userStatus: z.enum(representativeStates).nullish(),
        fromDate: OptionalDateBound,
        toDate: OptionalDateBound,
        ...paging(['CreatedOn', 'name', 'email', 'userStatus', 'mappedContacts', 'callCount', 'lastSeenOn']),
      })
      .refine(fromBeforeTo, fromAfterTo),
    {
      searchName: '',
      userStatus: null,
      fromDate: null,
      toDate: null,
      pageNo: 1,
      pageSize: 20,
      sortColumn: 'CreatedOn',
      sortOrder: 'DESC',
    },
  ),
  reply: listOf('SalesRepresentativePage', SalesRepresentative),
});

const SalesUserChoice = described(
  'SalesUserChoice',
  'A representative to choose from.',
  z.object({ SalesUserKeyID: Uuid, SalesUserID: z.int(), name: z.string() }),
  { SalesUserKeyID: representativeKeyExample, SalesUserID: 5, name: 'Asha Patil' },
);

export const listSalesUserChoices = defineRequest({
  subject: 'team-sales.representative.choices',
  onlyReads: true,
  request: Nothing,
  reply: wholeListOf('SalesUserChoices', SalesUserChoice, 10_000),
});

const Role = described(
  'Role',
  'A role that a member can have.',
  z.object({ roleTypeID: z.int(), name: z.string(), label: z.string() }),
  { roleTypeID: 1, name: 'Owner', label: 'Owner' },
);

export const listRoles = defineRequest({
  subject: 'team-sales.role.list',
  request: LookupQuery,
  reply: wholeListOf('Roles', Role),
});

const target = 'f0a2c4d6-8f0b-4c3e-9a5d-7f9b1d3f5b7c';

const targetFields = {
  SalesUserID: RecordId,
  metric: z.enum(['CALLS', 'CONNECTED_CALLS', 'TALK_SECONDS', 'CONVERSIONS']),
  target: z.int().min(1).max(1_000_000),
  startDate: z.iso.date(),
  endDate: z.iso.date(),
};

const values = { SalesUserID: 5, metric: 'CALLS', target: 200, startDate: '2026-03-01', endDate: '2026-03-31' } as const;

const SalesTarget = described(
  'SalesTarget',
  'What a representative should reach within a range of days.',
  z.object({ SalesTargetKeyID: Uuid, SalesTargetID: z.int(), SalesUserKeyID: Uuid, ...targetFields }),
  { SalesTargetKeyID: target, SalesTargetID: 3, SalesUserKeyID: representativeKeyExample, ...values },
);

/** A representative is identified by either id; if both are sent, they must match. */
export const namesRepresentative: [(body: { SalesUserID?: unknown; SalesUserKeyID?: unknown }) => boolean, object] = [
  (body) => Boolean(body.SalesUserKeyID ?? body.SalesUserID),
  { path: ['SalesUserID'], error: 'is required, or SalesUserKeyID' },
];

/** The same for the API documents. */
export const eitherRepresentativeId = { anyOf: [{ required: ['SalesUserID'] }, { required: ['SalesUserKeyID'] }] };

/** Refuses years with a mistyped digit. */
const [firstDay, lastDay] = ['2000-01-01', '2099-12-31'];
const PlannedDay = z.iso.date().refine((day) => day >= firstDay && day <= lastDay, `must be from ${firstDay} to ${lastDay}`);

/** A target for the same representative, metric and days is replaced. */
export const setSalesTarget = defineRequest({
  subject: 'team-sales.target.set',
  request: described(
    'SetSalesTargetRequest',
    'A target.',
    z
      .object({
        ...{ ...targetFields, startDate: PlannedDay, endDate: PlannedDay },
        ...{ SalesUserID: RecordId.nullish(), SalesUserKeyID: Uuid.nullish() },
      })
      .refine(startsBeforeEnd, startAfterEnd)
      .refine(...namesRepresentative)
      .meta(eitherRepresentativeId),
    values,
  ),
  reply: SalesTarget,
});

/** For the audit log: the target that a new one for the same days would replace. */
export const readSalesTarget = defineRequest({
  subject: 'team-sales.target.read',
  request: described(
    'SalesTargetChoice',
    'A representative, what is counted, and the days.',
    z
      .object({
        ...{ metric: targetFields.metric, startDate: targetFields.startDate, endDate: targetFields.endDate },
        ...{ SalesUserID: RecordId.nullish(), SalesUserKeyID: Uuid.nullish() },
      })
      .refine(...namesRepresentative),
    { SalesUserID: 5, metric: 'CALLS', startDate: '2026-03-01', endDate: '2026-03-31' },
  ),
  reply: SalesTarget,
});

export const salesTargetSet = defineEvent({
  subject: 'team-sales.target.changed',
  payload: described(
    'SalesTargetSet',
    'A target was set or replaced.',
    z.object({ SalesTargetKeyID: Uuid, SalesTargetID: z.int().default(0), ...targetFields }),
    { SalesTargetKeyID: target, SalesTargetID: 3, ...values },
  ),
});

const call = 'e9f1b3c5-7e9a-4b2d-8f4c-6e8a0c2e4a6b';
const SalesCallOutcome = z.enum(['CONNECTED', 'NO_ANSWER', 'BUSY', 'FAILED', 'CALLBACK', 'CONVERTED']);
const dayInSeconds = 86_400;

/**
 * The mobile app reports a call that a representative made. A repeated `callUUID` updates the same call with the given fields.
 */
export const logSalesCall = defineRequest({
  subject: 'team-sales.sales-call.log',
  request: described(
    'LogSalesCallRequest',
    'One call of the calling member, or of `SalesUserID` when an admin reports it.',
    z
      .object({
        callUUID: Uuid.optional(),
        SalesUserID: RecordId.nullish(),
        SalesUserKeyID: Uuid.nullish(),
        ContactID: LargeRecordId.nullish(),
        ContactKeyID: Uuid.nullish(),
        ContactNumber: PhoneNumberInput.nullish(),
        direction: z.enum(['OUTBOUND', 'INBOUND']).optional(),
        startedAt: Timestamp,
        durationSeconds: z.int().min(0).max(dayInSeconds),
        outcome: SalesCallOutcome,
        notes: text(2000).optional(),
      })
      .refine((body) => Boolean(body.ContactID || body.ContactKeyID || body.ContactNumber), {
        path: ['ContactID'],
        error: 'is required, or ContactKeyID or ContactNumber',
      }),
    {
      callUUID: call,
      ContactID: 77,
      direction: 'OUTBOUND',
      startedAt: '2026-03-02T09:00:00Z',
      durationSeconds: 95,
      outcome: 'CONNECTED',
    },
  ),
  reply: described(
    'LoggedSalesCall',
    'The call as stored.',
    z.object({
      SalesCallKeyID: Uuid,
      SalesCallID: z.int(),
      SalesUserKeyID: Uuid,
      SalesUserID: z.int(),
      ContactKeyID: Uuid.nullable(),
      ContactID: z.int().nullable(),
    }),
    {
      SalesCallKeyID: call,
      SalesCallID: 14,
      SalesUserKeyID: representativeKeyExample,
      SalesUserID: 5,
      ContactKeyID: contactKey,
      ContactID: 77,
    },
  ),
});

export const salesCallLogged = defineEvent({
  subject: 'team-sales.sales-call.logged',
  payload: described(
    'SalesCallLogged',
    'A representative made or received a call.',
    z.object({
      SalesCallKeyID: Uuid,
      SalesUserID: z.int(),
      ContactID: z.int().nullable(),
      startedAt: Timestamp,
      durationSeconds: z.int(),
      outcome: SalesCallOutcome,
    }),
    {
      SalesCallKeyID: call,
      SalesUserID: 5,
      ContactID: 77,
      startedAt: '2026-03-02T09:00:00Z',
      durationSeconds: 95,
      outcome: 'CONNECTED',
    },
  ),
});
