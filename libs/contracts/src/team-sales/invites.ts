import { z } from 'zod';
import { defineRequest } from '../messages';
import { Permissions } from '../principal';
import {
  createdOnExample,
  described,
  Email,
  filledText,
  listOf,
  memberKeyExample,
  paging,
  RecordId,
  RecordIdOrZero,
  SearchText,
  secret,
  text,
  Timestamp,
  Uuid,
} from '../vocabulary';

/** The id of an invitation for examples. */
export const inviteKeyExample = '2c4e6a80-1b3d-4f57-9a7b-8c9d0e1f2a3b';

export const inviteStates = ['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED'] as const;
export const RoleTypeId = z.int().min(1).max(4);
export const UserType = z.enum(['Web', 'Mobile App']);
export const AgentAccessScope = z.enum(['ALL', 'RESTRICTED']);

/** An invitation as lists and details show it, without the token in the e-mail. */
export const Invitation = described(
  'Invitation',
  'An invitation and, once accepted, the resulting member.',
  z.object({
    TeamInviteKeyID: Uuid,
    TeamInviteID: z.int(),
    email: z.string(),
    status: z.enum(inviteStates),
    roleTypeID: RoleTypeId,
    userType: UserType,
    agentAccessScope: AgentAccessScope,
    agentIds: z.array(z.int()),
    permissions: Permissions,
    userID: z.int().nullable(),
    memberAdminID: Uuid.nullable(),
    invitedBy: z.string(),
    expiresAt: Timestamp,
    acceptedOn: Timestamp.nullable(),
    CreatedOn: Timestamp,
  }),
  {
    TeamInviteKeyID: inviteKeyExample,
    TeamInviteID: 9,
    email: 'asha@example.com',
    status: 'PENDING',
    roleTypeID: 3,
    userType: 'Web',
    agentAccessScope: 'RESTRICTED',
    agentIds: [12],
    permissions: { agents: ['CanView'] },
    userID: null,
    memberAdminID: null,
    invitedBy: 'owner@example.com',
    expiresAt: '2026-03-09T09:30:00.000Z',
    acceptedOn: null,
    CreatedOn: createdOnExample,
  },
);

export const listInvites = defineRequest({
  subject: 'team-sales.invite.list',
  request: described(
    'InvitedTeamListQuery',
    'Which invitations to list.',
    z.object({
      searchName: SearchText,
      status: z.enum(['ALL', ...inviteStates]).default('ALL'),
      roleTypeID: RoleTypeId.nullish(),
      ...paging(['CreatedOn', 'email', 'status', 'roleTypeID', 'expiresAt']),
    }),
    { searchName: '', status: 'ALL', roleTypeID: null, pageNo: 1, pageSize: 20, sortColumn: 'CreatedOn', sortOrder: 'DESC' },
  ),
  reply: listOf('InvitationPage', Invitation),
});

/** Whether a text is an e-mail address, ignoring surrounding spaces. */
export const isEmail = (text: string): boolean => Email.safeParse(text.trim()).success;

/** The required form of an address. */
export const latinOnly = 'in Latin letters, such as asha@example.com; a domain in other letters is written as xn--…';

const isNobody = (body: unknown): boolean => !z.object({ emails: z.array(z.string()).min(1) }).safeParse(body).success;

const emailsPerInvitationMax = 200;

const SaveInvitationRequest = described(
  'SaveInvitationRequest',
  '`ADD` needs `emails`, `roleTypeID`, `userType` and `agentAccessScope`, and invites every address; invalid addresses are reported, and the others are invited. `UPDATE` changes the person that `TeamInviteKeyID`, `userID` or one e-mail names; if several are sent they must name the same person. What is left out stays, also each area of `permissions`; null removes the person’s own agents or permissions. A pending invitation whose rights are extended gets a new code and a new e-mail, and the earlier code ends, so that an e-mail read before grants what was granted then; after any other change the code stays valid.',
  z
    .object({
      action: z.enum(['ADD', 'UPDATE']),
      emails: z.array(text(254)).max(emailsPerInvitationMax).default([]),
      userID: RecordIdOrZero.nullish(),
      TeamInviteKeyID: Uuid.nullish(),
      roleTypeID: RoleTypeId.optional(),
      userType: UserType.optional(),
      agentAccessScope: AgentAccessScope.optional(),
      agentIds: z.array(RecordId).max(1000).nullish(),
      permissions: Permissions.nullish(),
    })
    .superRefine((body, context) => {
      const needed = ['roleTypeID', 'userType', 'agentAccessScope'] as const;
      const missing = body.action === 'ADD' ? needed.filter((field) => body[field] === undefined) : [];
      for (const field of missing) context.addIssue({ code: 'custom', path: [field], message: 'is required to ADD' });
    })
    .refine((body) => body.action !== 'ADD' || body.emails.some(isEmail), {
      path: ['emails'],
      error: ({ input }) =>
        isNobody(input) ? 'must name at least one e-mail address to ADD' : `must be an e-mail address ${latinOnly}`,
    })
    .refine((body) => body.action !== 'UPDATE' || Boolean(body.userID || body.TeamInviteKeyID || body.emails.length === 1), {
      path: ['userID'],
      error: 'is required to UPDATE, or TeamInviteKeyID, or exactly one e-mail',
    }),
  {
    action: 'ADD',
    emails: ['asha@example.com'],
    userID: 0,
    roleTypeID: 3,
    userType: 'Mobile App',
    agentAccessScope: 'RESTRICTED',
    agentIds: [12],
    permissions: { mobileCalling: ['CanView', 'CanAdd'], mobileSales: ['CanView'] },
  },
  { action: 'UPDATE', emails: [], userID: 31, roleTypeID: 2, permissions: null },
);

export const saveInvite = defineRequest({
  subject: 'team-sales.invite.save',
  timeoutMs: 30_000,
  request: SaveInvitationRequest,
  reply: described(
    'SaveInvitationResult',
    'The outcome for each address.',
    z.object({
      results: z.array(
        z.object({
          email: z.string(),
          outcome: z.enum(['INVITED', 'RENEWED', 'UPDATED', 'ALREADY_MEMBER', 'ALREADY_PENDING', 'INVALID']),
          message: z.string(),
          TeamInviteKeyID: Uuid.nullable(),
          TeamInviteID: z.int().nullable(),
        }),
      ),
    }),
    {
      results: [
        {
          email: 'asha@example.com',
          outcome: 'INVITED',
          message: 'Invited.',
          TeamInviteKeyID: inviteKeyExample,
          TeamInviteID: 9,
        },
      ],
    },
  ),
});

export const getInvite = defineRequest({
  subject: 'team-sales.invite.get',
  request: described('GetInviteRequest', 'One invitation.', z.object({ TeamInviteKeyID: Uuid }), {
    TeamInviteKeyID: inviteKeyExample,
  }),
  reply: Invitation,
});

/** For the audit log: the invitation or member that a change is about, in the fields by which such changes name one. */
export const readInvitation = defineRequest({
  subject: 'team-sales.invite.read',
  request: described(
    'NamedInvitation',
    'One invitation or member: the first of these that is sent.',
    z.object({
      action: z.literal('UPDATE').optional(),
      TeamInviteKeyID: Uuid.nullish(),
      teamInviteKeyID: Uuid.optional(),
      memberAdminID: Uuid.optional(),
      userID: RecordIdOrZero.nullish(),
      emails: z.array(text(254)).max(emailsPerInvitationMax).default([]),
    }),
    { action: 'UPDATE', userID: 31 },
    { memberAdminID: memberKeyExample },
  ),
  reply: Invitation,
});

/** The parameter has a small t in the specification's path. */
export const revokeInvite = defineRequest({
  subject: 'team-sales.invite.revoke',
  request: described('RevokeInviteRequest', 'One invitation.', z.object({ teamInviteKeyID: Uuid }), {
    teamInviteKeyID: inviteKeyExample,
  }),
  reply: Invitation,
});

/**
 * Makes the invited person a member of the inviting organization. Whoever has the token from the e-mail speaks for the invited
 * address, whichever key the request is made with; without it, the caller's own user must have that address. Accepting twice is a
 * CONFLICT, also with the same `Idempotency-Key`: a key is shown once.
 */
export const acceptInvite = defineRequest({
  subject: 'team-sales.invite.accept',
  request: described(
    'AcceptInviteRequest',
    'The token from the e-mail, which needs no API key; or the invitation itself, with the key of a user who has the invited ' +
      'address. The invited person becomes the member. That a user has an address counts as proven for the first Owner of an organization ' +
      'and for users who accepted an invitation sent by e-mail; for anyone else, accepting an invitation by its id is refused with 403. A ' +
      'second time is 409, whatever the `Idempotency-Key`: if the answer was lost, an administrator makes a new key for the member.',
    z
      .object({ token: secret(filledText(200)).optional(), TeamInviteKeyID: Uuid.optional() })
      .refine((body) => Boolean(body.token) !== Boolean(body.TeamInviteKeyID), {
        path: ['token'],
        error: 'is required, or TeamInviteKeyID instead of it',
      }),
    { token: 'inv_EXAMPLE' },
    { TeamInviteKeyID: inviteKeyExample },
  ),
  reply: described(
    'AcceptedInvite',
    'The new membership.',
    z.object({
      TeamInviteKeyID: Uuid,
      TeamInviteID: z.int(),
      memberAdminID: Uuid,
      userID: z.int(),
      OrgKeyID: Uuid,
      OrgID: z.int(),
    }),
    {
      TeamInviteKeyID: inviteKeyExample,
      TeamInviteID: 9,
      memberAdminID: memberKeyExample,
      userID: 31,
      OrgKeyID: inviteKeyExample,
      OrgID: 1,
    },
  ),
});

/** The public answer: the membership, and a first key. */
export const AcceptedInvitation = described(
  'AcceptedInvitation',
  'The new membership, and the first workspace key of the new member.',
  acceptInvite.reply.extend({ key: secret(z.string()) }),
  {
    TeamInviteKeyID: inviteKeyExample,
    TeamInviteID: 9,
    memberAdminID: memberKeyExample,
    userID: 31,
    OrgKeyID: inviteKeyExample,
    OrgID: 1,
    key: 'wsk_EXAMPLEONLYx7Kp',
  },
);

const OutgoingMail = described(
  'OutgoingMail',
  'An e-mail of the platform. Without SMTP it stays here, to be read and passed on manually.',
  z.object({
    MailKeyID: Uuid,
    MailID: z.int(),
    to: z.string(),
    subject: z.string(),
    // The text of an invitation contains its token.
    text: secret(z.string()),
    status: z.enum(['QUEUED', 'SENT', 'FAILED', 'HELD']),
    attempts: z.int(),
    lastError: z.string().nullable(),
    CreatedOn: Timestamp,
    sentOn: Timestamp.nullable(),
  }),
  {
    MailKeyID: 'd6d4f9f5-3e4f-4f51-a062-718293a4b5c6',
    MailID: 3,
    to: 'asha@example.com',
    subject: 'You are invited',
    text: 'Hello',
    status: 'HELD',
    attempts: 0,
    lastError: null,
    CreatedOn: createdOnExample,
    sentOn: null,
  },
);

export const listMailOutbox = defineRequest({
  subject: 'team-sales.mail.list',
  request: described(
    'MailOutboxQuery',
    'Which e-mails.',
    z.object({ searchName: SearchText, ...paging(['CreatedOn', 'to', 'status']) }),
    { searchName: '', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('MailOutboxPage', OutgoingMail),
});
