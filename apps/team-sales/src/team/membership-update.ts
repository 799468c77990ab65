import { Fault, ownerRole, type saveInvite } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import { rightsIn } from '../invites/inviting';
import type { BodyOf } from '../message-types';
import { followMembership } from '../representatives/follow-membership';
import { refuseToGrant, refuseToTouch, requireWholeOwner } from '../roles/granting';
import type { Member } from './calling-member';
import { requireNoneUnknown } from './known-agents';
import { Membership } from './membership.entity';
import { requireAnotherOwner } from './team-lock';
import { canonicalEmail } from './user-with-email';

type SaveInvite = BodyOf<typeof saveInvite>;

interface Updating {
  readonly manager: EntityManager;
  readonly actor: Member;
  /** What the body names and agent-config does not know. */
  readonly unknownAgents: readonly number[];
}

/** Gives a member, or somebody invited, another role, type, scope or other permissions. The team must be locked. */
export async function updateMembership({ manager, actor, unknownAgents }: Updating, body: SaveInvite): Promise<Membership> {
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
  const kept = body.roleTypeID === ownerRole ? {} : before.permissions;
  const device = body.userType === 'Mobile App' ? {} : { imei: null, imeiBoundOn: null };
  return { ...before, ...rightsIn(body), permissions: body.permissions ?? kept, userType: body.userType, ...device };
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
