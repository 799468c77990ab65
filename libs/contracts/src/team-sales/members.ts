import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import { Permissions, Principal } from '../principal';
import { described, memberKeyExample, Nothing, RecordId, Uuid, wholeListOf } from '../vocabulary';
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

/** For other services: which of these people are members of the caller's organization. */
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

const RemovedMember = described('RemovedMember', 'Who was removed.', z.object({ memberAdminID: Uuid, userID: z.int() }), {
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

/** For the gateway only: what a workspace key of this member may do. The key itself is the gateway's business. */
export const readMemberPrincipal = defineRequest({
  subject: 'team-sales.member.principal',
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

/** Keys of the member must follow: the gateway forgets what it cached of them. */
export const memberChanged = defineEvent({
  subject: 'team-sales.member.changed',
  payload: described('MemberChanged', 'Role, permissions or agents of a member changed.', MemberReference, member),
});

export const memberRemoved = defineEvent({
  subject: 'team-sales.member.removed',
  payload: described('MemberRemoved', 'A member left; its keys end.', MemberReference, member),
});
