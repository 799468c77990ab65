import { Injectable } from '@nestjs/common';
import { Fault, ownerRole, type saveInvite } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { BodyOf, ReplyOf } from '../message-types';
import { MailQueue, MailSettings } from '../mail/mail-queue';
import { followMembership } from '../representatives/representatives';
import { refuseToGrant, refuseToTouch, requireWholeOwner } from '../roles/granting';
import {
  isMember,
  type Member,
  memberOf,
  lockTeam,
  requireAnotherOwner,
  KnownAgents,
  requireNoneUnknown,
  canonicalEmail,
} from '../team/membership-rules';
import { MemberEvents } from '../team/member-events';
import { Membership } from '../team/membership.entity';
import { inviteAll, rightsIn, updated } from './inviting';

type SaveInvite = BodyOf<typeof saveInvite>;

interface Updating {
  readonly manager: EntityManager;
  readonly actor: Member;
  /** What the body names and agent-config does not know. */
  readonly unknownAgents: readonly number[];
}

/** The one endpoint that both invites and changes. */
@Injectable()
export class SaveInviteService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly mails: MailQueue,
    private readonly settings: MailSettings,
    private readonly events: MemberEvents,
    private readonly agents: KnownAgents,
  ) {}

  async save(body: BodyOf<typeof saveInvite>, call: Call): Promise<ReplyOf<typeof saveInvite>> {
    const orgId = organizationOf(call);
    // Asked before the team is locked: nobody shall wait for another service with the lock in hand.
    const unknownAgents = await this.agents.unknownIn(body);
    return this.tenants.run(orgId, async (manager) => {
      const organization = await lockTeam(manager, orgId);
      const actor = await memberOf(manager, call);
      const { mails, settings } = this;
      if (body.action === 'ADD') {
        requireNoneUnknown(unknownAgents);
        return { results: await inviteAll({ manager, organization, inviter: actor, mails, settings }, body) };
      }
      const membership = await updateMembership({ manager, actor, unknownAgents }, body);
      if (isMember(membership)) await this.events.changed(manager, membership);
      return { results: [updated(membership)] };
    });
  }
}

/** Gives a member, or somebody invited, another role, type, scope or other permissions. The team must be locked. */
async function updateMembership({ manager, actor, unknownAgents }: Updating, body: SaveInvite): Promise<Membership> {
  const before = await named(manager, actor.orgId, body);
  requireNoneUnknown(unknownAgents, before.agentIds);
  const after = changed(before, body);
  refuseToTouch(actor, before);
  requireWholeOwner(after);
  refuseToGrant(actor, after, before);
  if (after.roleTypeId !== ownerRole) await requireAnotherOwner(manager, before);
  const saved = await manager.save(Membership, after);
  await followMembership(manager, saved);
  return saved;
}

/** Permissions that nobody mentions stay, unless the new role has them all anyway. A device belongs to the mobile app only. */
function changed(before: Membership, body: SaveInvite): Membership {
  const rights = rightsIn(body, before);
  const permissions = body.roleTypeID === ownerRole && body.permissions === undefined ? {} : rights.permissions;
  const device = rights.userType === 'Mobile App' ? {} : { imei: null, imeiBoundOn: null };
  return { ...before, ...rights, permissions, ...device };
}

async function named(
  manager: EntityManager,
  orgId: number,
  { TeamInviteKeyID, userID, emails }: SaveInvite,
): Promise<Membership> {
  const membership = await manager.findOne(Membership, { where: { orgId, ...choice() }, order: { id: 'DESC' } });
  if (!membership) throw new Fault('NOT_FOUND');
  if (membership.status === 'REVOKED')
    throw new Fault('CONFLICT', { message: 'This invitation is revoked: invite the address again.' });
  return membership;

  function choice() {
    if (TeamInviteKeyID) return { inviteKeyId: TeamInviteKeyID };
    if (userID) return { userId: userID };
    return { email: canonicalEmail(emails[0] ?? '') };
  }
}
