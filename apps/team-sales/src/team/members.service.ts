import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  deviceHash,
  effectivePermissions,
  Fault,
  findMembers,
  notThere,
  type Principal,
  readMemberPrincipal,
  readMyAccess,
  removeMember,
  type ReplyOf,
  type revokeInvite,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type EntityManager, In } from 'typeorm';
import { refuseToTouch, roleName, whyNotToGrant } from '../roles/granting';
import {
  findMember,
  inviteToWire,
  isMember,
  lockTeam,
  type Member,
  MemberEvents,
  memberOf,
  requireAnotherOwner,
} from './membership-rules';
import { Membership, Organization } from './membership.entity';
import { followMembership } from './representatives';

interface Ending {
  readonly manager: EntityManager;
  readonly actor: Member;
  readonly events: MemberEvents;
}

/** The members of a team, and how they are removed. */
@Injectable()
export class MembersService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly events: MemberEvents,
  ) {}

  /** Which of these users are members of the caller's organization. */
  find({ userIDs }: BodyOf<typeof findMembers>, call: Call): Promise<ReplyOf<typeof findMembers>> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const members = await manager.findBy(Membership, { orgId, userId: In(userIDs), status: 'ACCEPTED' });
      return { userIDs: members.flatMap(({ userId }) => userId ?? []) };
    });
  }

  remove({ memberAdminID }: BodyOf<typeof removeMember>, call: Call): Promise<ReplyOf<typeof removeMember>> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      await lockTeam(manager, orgId);
      const actor = await memberOf(manager, call);
      const member = await findMember(manager, { orgId, memberId: memberAdminID });
      await endMembership({ manager, actor, events: this.events }, member);
      return { memberAdminID: member.memberKeyId, userID: member.userId };
    });
  }

  revoke({ teamInviteKeyID }: BodyOf<typeof revokeInvite>, call: Call): Promise<ReplyOf<typeof revokeInvite>> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      await lockTeam(manager, orgId);
      const actor = await memberOf(manager, call);
      const membership = await manager.findOneBy(Membership, { orgId, inviteKeyId: teamInviteKeyID });
      if (!membership) throw notThere('invitation');
      if (membership.status === 'REVOKED') throw new Fault('CONFLICT', { message: 'This invitation is already revoked.' });
      return inviteToWire(await endMembership({ manager, actor, events: this.events }, membership));
    });
  }
}

/** Revokes an invitation or a membership. The team must be locked. The event ends the member's keys. */
async function endMembership({ manager, actor, events }: Ending, membership: Membership): Promise<Membership> {
  refuseToTouch(actor, membership);
  await requireAnotherOwner(manager, membership);
  if (isMember(membership)) await events.removed(manager, membership);
  const ended = await manager.save(Membership, { ...membership, status: 'REVOKED', imei: null, imeiBoundOn: null });
  await followMembership(manager, ended);
  if (isMember(membership)) await withdrawInvitations(manager, ended);
  return ended;
}

/** Withdraws the invitations that this person made and may not make any more: all of them if they are no member now. */
export async function withdrawInvitations(manager: EntityManager, inviter: Membership): Promise<void> {
  const { orgId, email: invitedBy, status, roleTypeId, permissions } = inviter;
  const mayInvite = status === 'ACCEPTED' && effectivePermissions(roleTypeId, permissions).team?.includes('CanAdd') === true;
  for (const invited of await manager.findBy(Membership, { orgId, invitedBy, status: 'PENDING' })) {
    if (mayInvite && whyNotToGrant(inviter, invited) === undefined) continue;
    await followMembership(manager, await manager.save(Membership, { ...invited, status: 'REVOKED' }));
  }
}

/** Members over the bus. */
@Controller()
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Handles(findMembers)
  find(body: BodyOf<typeof findMembers>, call: Call): Promise<ReplyOf<typeof findMembers>> {
    return this.members.find(body, call);
  }

  @Handles(removeMember)
  remove(body: BodyOf<typeof removeMember>, call: Call): Promise<ReplyOf<typeof removeMember>> {
    return this.members.remove(body, call);
  }
}

function heldTo(imei: string | null): Pick<Principal, 'device' | 'awaitsDevice'> {
  return imei === null ? { awaitsDevice: true } : { device: deviceHash(imei) };
}

/** A member's rights: for the gateway, and for members themselves. */
@Controller()
export class AccessController {
  constructor(private readonly tenants: TenantScope) {}

  @Handles(readMemberPrincipal)
  async readPrincipal({ orgId, memberId }: BodyOf<typeof readMemberPrincipal>): Promise<ReplyOf<typeof readMemberPrincipal>> {
    const member = await this.tenants.read(orgId, (manager) => findMember(manager, { orgId, memberId }));
    return {
      orgId,
      memberId: member.memberKeyId,
      userId: member.userId,
      roleTypeId: member.roleTypeId,
      // Includes empty entries, which remove what the role would grant.
      permissions: member.permissions,
      ...(member.userType === 'Mobile App' && heldTo(member.imei)),
      ...(member.agentAccessScope === 'RESTRICTED' && { agentIds: member.agentIds }),
    };
  }

  @Handles(readMyAccess)
  async readMine(_: object, call: Call): Promise<ReplyOf<typeof readMyAccess>> {
    const orgId = organizationOf(call);
    const { member, organization } = await this.tenants.read(orgId, async (manager) => ({
      member: await memberOf(manager, call),
      organization: await manager.findOneByOrFail(Organization, { orgId }),
    }));
    return {
      memberAdminID: member.memberKeyId,
      userID: member.userId,
      email: member.email,
      OrgKeyID: organization.keyId,
      OrgID: orgId,
      roleTypeID: member.roleTypeId,
      roleName: roleName(member.roleTypeId),
      userType: member.userType,
      agentAccessScope: member.agentAccessScope,
      agentIds: member.agentIds,
      permissions: effectivePermissions(member.roleTypeId, member.permissions),
    };
  }
}
