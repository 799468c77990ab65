import type { Invitation } from '@parley/contracts';
import type { z } from 'zod';
import type { Membership } from '../team/membership.entity';

/** The state that the API shows: an invitation that nobody accepted in time is EXPIRED. */
export function inviteState({ status, expiresAt }: Membership, now = new Date()) {
  return status === 'PENDING' && expiresAt <= now ? 'EXPIRED' : status;
}

/** The same as a condition of SQL, for the alias `m`. */
export const inviteStateSql = `CASE WHEN m.status = 'PENDING' AND m.expires_at <= now() THEN 'EXPIRED' ELSE m.status END`;

/** A membership as the lists of invitations show it. */
export function inviteToWire(membership: Membership): z.input<typeof Invitation> {
  return {
    TeamInviteKeyID: membership.inviteKeyId,
    TeamInviteID: membership.id,
    email: membership.email,
    status: inviteState(membership),
    roleTypeID: membership.roleTypeId,
    userType: membership.userType,
    agentAccessScope: membership.agentAccessScope,
    agentIds: membership.agentIds,
    permissions: membership.permissions,
    userID: membership.userId,
    memberAdminID: membership.memberKeyId,
    invitedBy: membership.invitedBy,
    expiresAt: membership.expiresAt.toISOString(),
    acceptedOn: membership.acceptedOn?.toISOString() ?? null,
    CreatedOn: membership.createdOn.toISOString(),
  };
}
