import { z } from 'zod';
import { defineRequest } from '../messages';
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
  SearchText,
  Timestamp,
  Uuid,
  wholeListOf,
} from '../vocabulary';

export const representativeKeyExample = '1e3c5a78-9b0d-4f2e-8c4a-6b8d0f1e3c5a';
export const representativeStates = ['INVITED', 'ACTIVE', 'INACTIVE'] as const;

/** A member of the mobile app, as the sales part of the platform sees it. */
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
