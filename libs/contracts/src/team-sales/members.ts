import { createHash } from 'node:crypto';
import { z } from 'zod';
import { removalIn } from '../gateway/operator-terms';
import { defineEvent, defineRequest } from '../messages';
import { Permissions, Principal } from '../principal';
import {
  blankOr,
  createdOnExample,
  described,
  Email,
  filledText,
  memberKeyExample,
  Nothing,
  RecordId,
  Timestamp,
  TimeZoneName,
  Uuid,
  wholeListOf,
} from '../vocabulary';
import { AgentAccessScope, RoleTypeId, UserType } from './invites';

const organization = '4d6f8a02-3c5e-4179-8b9d-0e1f2a3b4c5d';

export const readMyAccess = defineRequest({
  subject: 'team-sales.access.read',
  request: Nothing,
  reply: described(
    'MyAccess',
    'What the caller may do in this organization.',
    z.object({
      memberAdminID: Uuid,
      userID: z.int(),
      email: z.string(),
      OrgKeyID: Uuid,
      OrgID: z.int(),
      roleTypeID: RoleTypeId,
      roleName: z.string(),
      userType: UserType,
      agentAccessScope: AgentAccessScope,
      agentIds: z.array(z.int()),
      permissions: Permissions,
    }),
    {
      memberAdminID: memberKeyExample,
      userID: 31,
      email: 'asha@example.com',
      OrgKeyID: organization,
      OrgID: 1,
      roleTypeID: 3,
      roleName: 'Member',
      userType: 'Web',
      agentAccessScope: 'ALL',
      agentIds: [],
      permissions: { agents: ['CanView', 'CanAdd'] },
    },
  ),
});

const Membership = described(
  'Membership',
  'An organization that the caller belongs to.',
  z.object({
    OrgKeyID: Uuid,
    OrgID: z.int(),
    OrganizationName: z.string(),
    timezone: z.string(),
    // Replicas of the version before do not send it.
    defaultRegion: z.string().optional(),
    roleTypeID: RoleTypeId,
    roleName: z.string(),
    memberAdminID: Uuid,
    isCurrent: z.boolean(),
  }),
  {
    OrgKeyID: organization,
    OrgID: 1,
    OrganizationName: 'Demo Bazaar',
    timezone: 'Asia/Kolkata',
    defaultRegion: 'IN',
    roleTypeID: 1,
    roleName: 'Owner',
    memberAdminID: memberKeyExample,
    isCurrent: true,
  },
);

export const listMyOrganizations = defineRequest({
  subject: 'team-sales.organization.list-mine',
  request: Nothing,
  reply: wholeListOf('MyOrganizations', Membership),
});

const membersNamedMax = 1000;

/** For other services: which of these users are members of the caller's organization. */
export const findMembers = defineRequest({
  subject: 'team-sales.member.find',
  timeoutMs: 3000,
  request: described(
    'FindMembersRequest',
    'People by their ids.',
    z.object({ userIDs: z.array(RecordId).max(membersNamedMax) }),
    {
      userIDs: [31, 32],
    },
  ),
  reply: described('FoundMembers', 'Those who are members.', z.object({ userIDs: z.array(z.int()) }), { userIDs: [31] }),
});

const RemovedMember = described('RemovedMember', 'The removed member.', z.object({ memberAdminID: Uuid, userID: z.int() }), {
  memberAdminID: memberKeyExample,
  userID: 31,
});

export const removeMember = defineRequest({
  subject: 'team-sales.member.remove',
  request: described('RemoveMemberRequest', 'One member.', z.object({ memberAdminID: Uuid }), {
    memberAdminID: memberKeyExample,
  }),
  reply: RemovedMember,
});

/** For the gateway only: what a member's workspace key may do. The gateway manages the key itself. */
export const readMemberPrincipal = defineRequest({
  subject: 'team-sales.member.principal',
  onlyReads: true,
  timeoutMs: 3000,
  request: described('MemberPrincipalRequest', 'One member of one organization.', z.object({ orgId: RecordId, memberId: Uuid }), {
    orgId: 1,
    memberId: memberKeyExample,
  }),
  reply: described(
    'MemberPrincipal',
    'The part of a principal that a membership decides.',
    Principal.omit({ kind: true, keyId: true, agentId: true, isBounded: true }),
    { orgId: 1, memberId: memberKeyExample, userId: 31, roleTypeId: 3, permissions: { agents: ['CanView'] }, agentIds: [12] },
  ),
});

const MemberReference = z.object({ memberAdminID: Uuid, userID: z.int(), roleTypeID: RoleTypeId, userType: UserType });
const member = { memberAdminID: memberKeyExample, userID: 31, roleTypeID: 3, userType: 'Mobile App' } as const;

export const memberJoined = defineEvent({
  subject: 'team-sales.member.joined',
  payload: described('MemberJoined', 'An invitation was accepted.', MemberReference, member),
});

/** Gateways drop their cached copies of the member's keys. */
export const memberChanged = defineEvent({
  subject: 'team-sales.member.changed',
  payload: described('MemberChanged', 'Role, permissions or agents of a member changed.', MemberReference, member),
});

export const memberRemoved = defineEvent({
  subject: 'team-sales.member.removed',
  payload: described('MemberRemoved', 'A member left; the member’s keys end.', MemberReference, member),
});

const imeiDigits = 15;

function hasLuhnChecksum(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** A device identifier: 15 digits with a checksum at the end. Zeros identify no device, and would be the same for many. */
export const Imei = z
  .string()
  .regex(new RegExp(`^\\d{${imeiDigits}}$`), `must have ${imeiDigits} digits`)
  .refine(hasLuhnChecksum, 'is not a valid IMEI: its check digit is wrong')
  .refine((digits) => /[1-9]/.test(digits), 'is not a valid IMEI: devices without one say zeros');

/** The header with which the mobile app identifies its device. */
export const deviceHeader = 'x-device-imei';

/** Identifies a device without storing its IMEI. */
export function deviceHash(imei: string): string {
  return createHash('sha256').update(`device ${imei}`).digest('base64url');
}

const DeviceLock = described(
  'DeviceLock',
  'The device that a mobile member is bound to.',
  z.object({ memberAdminID: Uuid, userID: z.int(), IMEI: z.string(), isBound: z.boolean(), boundOn: Timestamp.nullable() }),
  { memberAdminID: memberKeyExample, userID: 31, IMEI: '490154203237518', isBound: true, boundOn: createdOnExample },
);

/** For the audit log: the lock of a member, or of the caller. */
export const readDeviceLock = defineRequest({
  subject: 'team-sales.device.read',
  request: described('DeviceLockChoice', 'A member, or by default the caller.', z.object({ memberAdminID: Uuid.optional() }), {
    memberAdminID: memberKeyExample,
  }),
  reply: DeviceLock,
});

/** Sent as a multipart form. An empty IMEI clears the lock, another one moves it. */
export const resetImei = defineRequest({
  subject: 'team-sales.device.reset',
  request: described(
    'ResetImeiRequest',
    'The member, named twice so that a mistyped id resets nobody else, and the new lock.',
    z.object({ memberAdminID: Uuid, email: Email, IMEI: blankOr(Imei, 'an IMEI: 15 digits with a right check digit') }),
    { memberAdminID: memberKeyExample, email: 'asha@example.com', IMEI: '' },
  ),
  reply: DeviceLock,
});

/** Binds the calling member to the device that the request comes from. */
export const bindImei = defineRequest({
  subject: 'team-sales.device.bind',
  request: described('BindImeiRequest', 'The device of the caller.', z.object({ IMEI: Imei }), { IMEI: '490154203237518' }),
  reply: DeviceLock,
});

/**
 * For operators and the demo, never for clients: a new tenant with its first Owner. The caller chooses `OrgKeyID`, so that a
 * repetition creates no second organization and returns the same reply.
 */
export const createOrganization = defineRequest({
  subject: 'team-sales.organization.create',
  request: described(
    'CreateOrganizationRequest',
    'A new organization and its owner.',
    z.object({
      OrgKeyID: Uuid,
      OrganizationName: filledText(120),
      timezone: TimeZoneName,
      defaultRegion: z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166 country code such as IN'),
      owner: z.object({ email: Email, name: filledText(120) }),
    }),
    {
      OrgKeyID: organization,
      OrganizationName: 'Demo Bazaar',
      timezone: 'Asia/Kolkata',
      defaultRegion: 'IN',
      owner: { email: 'owner@example.com', name: 'Asha Kulkarni' },
    },
  ),
  reply: described(
    'CreatedOrganization',
    'The ids of an organization and of its Owner.',
    z.object({ OrgKeyID: Uuid, OrgID: z.int(), memberAdminID: Uuid, userID: z.int() }),
    { OrgKeyID: organization, OrgID: 1, memberAdminID: memberKeyExample, userID: 31 },
  ),
});

/** For the operator's command only, never for clients: every tenant, ordered by number. */
export const listEveryOrganization = defineRequest({
  subject: 'team-sales.organization.list',
  request: described(
    'EveryOrganizationRequest',
    'Where to continue.',
    z.object({ afterOrgID: z.int().min(0).default(0), count: z.int().min(1).max(500).default(200) }),
    { afterOrgID: 0 },
  ),
  reply: described(
    'EveryOrganization',
    'Organizations; fewer than requested means that these are the last.',
    z
      .array(
        z.object({
          OrgKeyID: Uuid,
          OrgID: z.int(),
          OrganizationName: z.string(),
          timezone: z.string(),
          memberAdminID: Uuid.nullish().meta({ description: 'The longest-standing member: usually the owner.' }),
        }),
      )
      .max(500),
    [{ OrgKeyID: organization, OrgID: 1, OrganizationName: 'Demo Bazaar', timezone: 'Asia/Kolkata' }],
  ),
});

/** For the operator's command only: members, contacts and sales of an organization that is deleted. */
export const removalInTeamSales = removalIn('team-sales');
