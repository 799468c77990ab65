import { Controller, Injectable } from '@nestjs/common';
import { Fault, findMembers, removeMember, type revokeInvite } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type EntityManager, In } from 'typeorm';
import type { BodyOf, ReplyOf } from '../message-types';
import { followMembership } from './representatives';
import { refuseToTouch } from '../roles/granting';
import {
  findMember,
  isMember,
  lockTeam,
  type Member,
  MemberEvents,
  memberOf,
  requireAnotherOwner,
  inviteToWire,
} from './membership-rules';
import { Membership } from './membership.entity';

interface Ending {
  readonly manager: EntityManager;
  readonly actor: Member;
  readonly events: MemberEvents;
}

/** Who is in a team, and the ways out of it. */
@Injectable()
export class MembersService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly events: MemberEvents,
  ) {}

  /** Those of some people who are members of the caller's organization. */
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
      if (!membership) throw new Fault('NOT_FOUND');
      if (membership.status === 'REVOKED') throw new Fault('CONFLICT', { message: 'This invitation is revoked already.' });
      return inviteToWire(await endMembership({ manager, actor, events: this.events }, membership));
    });
  }
}

/** Takes back an invitation or a membership. The team must be locked. The keys of a member end by the event. */
async function endMembership({ manager, actor, events }: Ending, membership: Membership): Promise<Membership> {
  refuseToTouch(actor, membership);
  await requireAnotherOwner(manager, membership);
  if (isMember(membership)) await events.removed(manager, membership);
  const ended = await manager.save(Membership, { ...membership, status: 'REVOKED', imei: null, imeiBoundOn: null });
  await followMembership(manager, ended);
  return ended;
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
