import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type acceptInvite, Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { BodyOf, ReplyOf } from '../message-types';
import { followMembership } from '../representatives/representatives';
import { searchable } from '../search/filters';
import { isMember, type Member, memberOf, lockTeam, userWithEmail } from '../team/membership-rules';
import { MemberEvents } from '../team/member-events';
import { Membership } from '../team/membership.entity';
import { inviteState } from './invite.wire';
import { hashOfToken } from './inviting';

type AcceptInvite = BodyOf<typeof acceptInvite>;

const refusals = {
  ACCEPTED: 'This invitation was accepted already.',
  REVOKED: 'This invitation was revoked.',
  EXPIRED: 'This invitation has expired: ask for a new one.',
} as const;

/** Turns invitations into memberships. */
@Injectable()
export class AcceptingService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly events: MemberEvents,
  ) {}

  /**
   * The token came by mail, so who holds it speaks for the invited address, whosever key carries the request. Without
   * a token the caller's own user must have that address. Either way the membership is that of the invited person.
   */
  async accept(body: AcceptInvite, call: Call): Promise<ReplyOf<typeof acceptInvite>> {
    const { orgId, id } = await this.find(body, call);
    return this.tenants.run(orgId, async (manager) => {
      const organization = await lockTeam(manager, orgId);
      const member = await join(manager, await manager.findOneByOrFail(Membership, { orgId, id }));
      await this.events.joined(manager, member);
      return {
        TeamInviteKeyID: member.inviteKeyId,
        TeamInviteID: member.id,
        memberAdminID: member.memberKeyId,
        userID: member.userId,
        OrgKeyID: organization.keyId,
        OrgID: orgId,
      };
    });
  }

  private async find({ token, TeamInviteKeyID }: AcceptInvite, call: Call): Promise<Membership> {
    const choice = token ? { tokenHash: hashOfToken(token) } : { inviteKeyId: TeamInviteKeyID, email: await this.emailOf(call) };
    const membership = await this.tenants.acrossTenants(
      'an invitation comes from an organization that the caller is not in yet',
      (manager) => manager.findOneBy(Membership, choice),
    );
    if (!membership) throw new Fault('NOT_FOUND');
    return membership;
  }

  private async emailOf(call: Call): Promise<string> {
    const { email } = await this.tenants.read(organizationOf(call), (manager) => memberOf(manager, call));
    return email;
  }
}

async function join(manager: EntityManager, membership: Membership): Promise<Member> {
  const state = inviteState(membership);
  if (state !== 'PENDING') throw new Fault('CONFLICT', { message: refusals[state] });
  const user = await userWithEmail(manager, membership);
  const member = await manager.save(Membership, {
    ...membership,
    status: 'ACCEPTED',
    acceptedOn: new Date(),
    memberKeyId: randomUUID(),
    userId: user.id,
    search: searchable(user.email, user.name),
  });
  await followMembership(manager, member);
  if (!isMember(member)) throw new Fault('INTERNAL', { cause: new Error('an accepted membership is no member') });
  return member;
}
