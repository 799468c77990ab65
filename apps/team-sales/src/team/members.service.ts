import { Injectable } from '@nestjs/common';
import { Fault, type removeMember, type revokeInvite } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { inviteToWire } from '../invites/invite.wire';
import type { BodyOf, ReplyOf } from '../message-types';
import { findMember, memberOf } from './calling-member';
import { endMembership } from './end-membership';
import { MemberEvents } from './member-events';
import { Membership } from './membership.entity';
import { lockTeam } from './team-lock';

/** The ways out of a team. */
@Injectable()
export class MembersService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly events: MemberEvents,
  ) {}

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
