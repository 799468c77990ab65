import { isEmail, type saveInvite } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import type { BodyOf, ReplyOf } from '../message-types';
import { writeInvitation } from '../mail/invitation-mail';
import type { MailQueue } from '../mail/mail-queue';
import type { MailSettings } from '../mail/mail-settings';
import type { Organization } from '../organizations/organization.entity';
import { followMembership } from '../representatives/follow-membership';
import { refuseToGrant, requireWholeOwner } from '../roles/granting';
import { searchable } from '../search/searchable';
import type { Member } from '../team/calling-member';
import { Membership } from '../team/membership.entity';
import { canonicalEmail, nameFromEmail } from '../team/user-with-email';
import { newInviteToken } from './invite-token';
import { inviteState } from './invite.wire';

type SaveInvite = BodyOf<typeof saveInvite>;
type Result = ReplyOf<typeof saveInvite>['results'][number];

const inviteDays = 7;
const dayMs = 86_400_000;

/** What inviting happens with: a locked team, who invites, and where mails go. */
export interface Inviting {
  readonly manager: EntityManager;
  readonly organization: Organization;
  readonly inviter: Member;
  readonly mails: MailQueue;
  readonly settings: MailSettings;
}

/** Invites every address that is not in the team yet, and says of each what became of it. */
export async function inviteAll(inviting: Inviting, body: SaveInvite): Promise<Result[]> {
  const grant = { ...rightsIn(body), userType: body.userType };
  requireWholeOwner(grant);
  refuseToGrant(inviting.inviter, grant);
  const results: Result[] = [];
  for (const email of new Set(body.emails.map(canonicalEmail))) {
    results.push(isEmail(email) ? await inviteOne(inviting, email, grant) : noAddress(email));
  }
  return results;
}

/** The rights that a body gives. Agents count only for those who are restricted to some. */
export function rightsIn({ roleTypeID, agentAccessScope, agentIds, permissions }: SaveInvite) {
  return {
    roleTypeId: roleTypeID,
    permissions: permissions ?? {},
    agentAccessScope,
    agentIds: agentAccessScope === 'RESTRICTED' ? [...new Set(agentIds)] : [],
  };
}

type Grant = ReturnType<typeof rightsIn> & Pick<Membership, 'userType'>;

async function inviteOne(inviting: Inviting, email: string, grant: Grant): Promise<Result> {
  const { manager, organization } = inviting;
  const live = await manager.findOne(Membership, { where: { orgId: organization.orgId, email }, order: { id: 'DESC' } });
  const state = live && inviteState(live);
  if (live && state === 'ACCEPTED') return result(live, 'ALREADY_MEMBER', 'Is a member already.');
  if (live && state === 'PENDING') return result(live, 'ALREADY_PENDING', 'Is invited already.');
  const invited = await writeInvite(inviting, grant, state === 'EXPIRED' && live ? live : newMembership(inviting, email));
  return state === 'EXPIRED' ? result(invited, 'RENEWED', 'Invited again.') : result(invited, 'INVITED', 'Invited.');
}

function newMembership({ manager, organization }: Inviting, email: string): Membership {
  const search = searchable(email, nameFromEmail(email));
  return manager.create(Membership, { orgId: organization.orgId, email, search, status: 'PENDING' });
}

/** A new token, a week of time, and a mail that holds the one copy of the token. */
async function writeInvite(inviting: Inviting, grant: Grant, membership: Membership): Promise<Membership> {
  const { manager, organization, inviter, mails, settings } = inviting;
  const { token, hash } = newInviteToken();
  const expiresAt = new Date(Date.now() + inviteDays * dayMs);
  const saved = await manager.save(Membership, { ...membership, ...grant, invitedBy: inviter.email, tokenHash: hash, expiresAt });
  await followMembership(manager, saved);
  const letter = writeInvitation({
    inviter: inviter.email, organization, userType: grant.userType, token, inviteUrl: settings.inviteUrl, expiresAt,
  });
  await mails.add(manager, { orgId: organization.orgId, recipient: saved.email, readerRoleMax: grant.roleTypeId, ...letter });
  return saved;
}

function result({ email, inviteKeyId, id }: Membership, outcome: Result['outcome'], message: string): Result {
  return { email, outcome, message, TeamInviteKeyID: inviteKeyId, TeamInviteID: id };
}

function noAddress(email: string): Result {
  return { email, outcome: 'INVALID', message: 'Is not an e-mail address.', TeamInviteKeyID: null, TeamInviteID: null };
}

/** What became of an address that was changed. */
export function updated(membership: Membership): Result {
  return result(membership, 'UPDATED', 'Updated.');
}
