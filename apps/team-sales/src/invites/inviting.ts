import { createHash, randomBytes } from 'node:crypto';
import { type BodyOf, Fault, isEmail, latinOnly, type ReplyOf, type saveInvite } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import { writeInvitation } from '../mail/invitation-mail';
import type { MailQueue, MailSettings } from '../mail/mail-queue';
import { Membership, type Organization } from '../team/membership.entity';
import { followMembership } from '../team/representatives';
import { refuseToGrant, requireWholeOwner } from '../roles/granting';
import { searchable } from '../search/filters';
import { canonicalEmail, inviteState, type Member, nameFromEmail } from '../team/membership-rules';

const tokenBytes = 32;

type SaveInviteRequest = BodyOf<typeof saveInvite>;
type Result = ReplyOf<typeof saveInvite>['results'][number];

const inviteDays = 7;
const dayMs = 86_400_000;

/** What an invitation needs: a locked team, the inviter, and the mail queue. */
export interface Inviting {
  readonly manager: EntityManager;
  readonly organization: Organization;
  readonly inviter: Member;
  readonly mails: MailQueue;
  readonly settings: MailSettings;
}

/** Invites every address that is not in the team yet; returns the result for each. */
export async function inviteAll(inviting: Inviting, body: SaveInviteRequest): Promise<Result[]> {
  const { roleTypeID: roleTypeId, userType, agentAccessScope } = body;
  if (!roleTypeId || !userType || !agentAccessScope) throw new Fault('VALIDATION_FAILED');
  const before = { roleTypeId, userType, agentAccessScope, agentIds: [], permissions: {} };
  const grant = rightsIn(body, before);
  requireWholeOwner(grant);
  refuseToGrant(inviting.inviter, grant);
  const results: Result[] = [];
  for (const email of new Set(body.emails.map(canonicalEmail))) {
    results.push(isEmail(email) ? await inviteOne(inviting, email, grant) : noAddress(email));
  }
  return results;
}

type Grant = Pick<Membership, 'roleTypeId' | 'userType' | 'permissions' | 'agentAccessScope' | 'agentIds'>;

/** The rights after a change: omitted ones stay, also single areas of the permissions. Agents only matter for members restricted to some. */
export function rightsIn(
  { roleTypeID, userType, agentAccessScope, agentIds, permissions }: SaveInviteRequest,
  before: Grant,
): Grant {
  const scope = agentAccessScope ?? before.agentAccessScope;
  const named = agentIds === undefined ? before.agentIds : (agentIds ?? []);
  return {
    roleTypeId: roleTypeID ?? before.roleTypeId,
    userType: userType ?? before.userType,
    permissions: permissions === null ? {} : { ...before.permissions, ...permissions },
    agentAccessScope: scope,
    agentIds: scope === 'RESTRICTED' ? [...new Set(named)] : [],
  };
}

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

/** Creates a new token that is valid for a week, and a mail with the only copy of it. */
export async function writeInvite(inviting: Inviting, grant: Grant, membership: Membership): Promise<Membership> {
  const { manager, organization, inviter, mails, settings } = inviting;
  const { token, hash } = newInviteToken();
  const expiresAt = new Date(Date.now() + inviteDays * dayMs);
  const invited = {
    ...grant,
    invitedBy: inviter.email,
    tokenHash: hash,
    expiresAt,
    provesAddress: settings.sender !== undefined,
  };
  const saved = await manager.save(Membership, { ...membership, ...invited });
  await followMembership(manager, saved);
  const letter = writeInvitation({
    inviter: inviter.email,
    organization,
    userType: grant.userType,
    token,
    inviteUrl: settings.inviteUrl,
    expiresAt,
  });
  await mails.add(manager, { orgId: organization.orgId, recipient: saved.email, readerRoleMax: grant.roleTypeId, ...letter });
  return saved;
}

function result({ email, inviteKeyId, id }: Membership, outcome: Result['outcome'], message: string): Result {
  return { email, outcome, message, TeamInviteKeyID: inviteKeyId, TeamInviteID: id };
}

function noAddress(email: string): Result {
  return {
    email,
    outcome: 'INVALID',
    message: `Is not an e-mail address ${latinOnly}.`,
    TeamInviteKeyID: null,
    TeamInviteID: null,
  };
}

/** The result for an address that was changed. */
export function updated(membership: Membership, isMailedAgain: boolean): Result {
  const mailed = 'Updated. Its rights are extended, so a new code was mailed, and the earlier code has ended.';
  return result(membership, 'UPDATED', isMailedAgain ? mailed : 'Updated.');
}

/** A token for one invitation. Only its hash is stored. It has 256 random bits, so a slow hash would add no protection. */
function newInviteToken(): { token: string; hash: Buffer } {
  const token = `inv_${randomBytes(tokenBytes).toString('base64url')}`;
  return { token, hash: hashOfToken(token) };
}

/** The stored form of a token. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
