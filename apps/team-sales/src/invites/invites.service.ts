import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  acceptInvite,
  type BodyOf,
  Fault,
  getInvite,
  invalidFields,
  listInvites,
  notThere,
  ownerRole,
  readInvitation,
  type ReplyOf,
  revokeInvite,
  saveInvite,
} from '@parley/contracts';
import { pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import { MailQueue, MailSettings } from '../mail/mail-queue';
import { refuseToGrant, refuseToTouch, requireWholeOwner, whyNotToGrant } from '../roles/granting';
import { containing, searchable } from '../search/filters';
import { MembersService, withdrawInvitations } from '../team/members.service';
import {
  canonicalEmail,
  inviteState,
  inviteStateSql,
  inviteToWire,
  isMember,
  KnownAgents,
  lockTeam,
  type Member,
  MemberEvents,
  memberOf,
  requireAnotherOwner,
  requireNoneUnknown,
  userWithEmail,
} from '../team/membership-rules';
import { Membership } from '../team/membership.entity';
import { followMembership } from '../team/representatives';
import { hashOfToken, inviteAll, type Inviting, rightsIn, updated, writeInvite } from './inviting';

type SaveInviteRequest = BodyOf<typeof saveInvite>;

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
    // Ask before locking the team, so that no lock waits for another service.
    const unknownAgents = await this.agents.unknownIn(body, call);
    return this.tenants.run(orgId, async (manager) => {
      const organization = await lockTeam(manager, orgId);
      const actor = await memberOf(manager, call);
      const inviting = { manager, organization, inviter: actor, mails: this.mails, settings: this.settings };
      if (body.action === 'ADD') {
        requireNoneUnknown(unknownAgents);
        return { results: await inviteAll(inviting, body) };
      }
      const { membership, isMailedAgain } = await updateMembership(inviting, unknownAgents, body);
      if (isMember(membership)) await this.events.changed(manager, membership);
      return { results: [updated(membership, isMailedAgain)] };
    });
  }
}

/**
 * Changes the role, type, scope or permissions of a member or invitation. The team must be locked. `unknownAgents` are the agents
 * in the body that agent-config does not know.
 */
async function updateMembership(
  inviting: Inviting,
  unknownAgents: readonly number[],
  body: SaveInviteRequest,
): Promise<{ membership: Membership; isMailedAgain: boolean }> {
  const { manager, inviter: actor } = inviting;
  const before = await named(manager, actor.orgId, body);
  requireNoneUnknown(unknownAgents, before.agentIds);
  const after = changed(before, body);
  refuseToTouch(actor, before);
  requireWholeOwner(after);
  refuseToGrant(actor, after, before);
  if (after.roleTypeId !== ownerRole) await requireAnotherOwner(manager, before);
  // A token read earlier must grant only what the invitation granted then.
  if (inviteState(before) === 'PENDING' && whyNotToGrant(before, after))
    return { membership: await writeInvite(inviting, after, before), isMailedAgain: true };
  const saved = await manager.save(Membership, after);
  await followMembership(manager, saved);
  if (isMember(saved)) await withdrawInvitations(manager, saved);
  return { membership: saved, isMailedAgain: false };
}

/** Omitted permissions stay, unless the new role includes them all anyway. Only members of the mobile app have a device. */
function changed(before: Membership, body: SaveInviteRequest): Membership {
  const rights = rightsIn(body, before);
  const permissions = body.roleTypeID === ownerRole && body.permissions === undefined ? {} : rights.permissions;
  const device = rights.userType === 'Mobile App' ? {} : { imei: null, imeiBoundOn: null };
  return { ...before, ...rights, permissions, ...device };
}

/** The membership that a change is about. Every identifier sent must belong to the same person. */
async function named(manager: EntityManager, orgId: number, body: SaveInviteRequest): Promise<Membership> {
  const { TeamInviteKeyID, userID } = body;
  const emails = body.emails.map(canonicalEmail);
  const membership = await firstNamed(manager, orgId, body);
  if (userID && membership.userId !== userID) throw namesAnother('userID');
  if (emails.some((email) => email !== membership.email)) throw namesAnother('emails');
  if (membership.status === 'REVOKED')
    throw new Fault('CONFLICT', { message: 'This invitation is revoked: invite the address again.' });
  return membership;

  function namesAnother(field: 'userID' | 'emails'): Fault {
    const other = TeamInviteKeyID ? 'TeamInviteKeyID' : 'userID';
    return invalidFields([{ field, message: `${field} must name the person that ${other} names` }]);
  }
}

/** The membership that the first identifier of a change names; of several with one e-mail the latest. */
async function firstNamed(
  manager: EntityManager,
  orgId: number,
  { TeamInviteKeyID, teamInviteKeyID, memberAdminID, userID, emails }: Partial<Omit<BodyOf<typeof readInvitation>, 'action'>>,
): Promise<Membership> {
  const membership = await manager.findOne(Membership, { where: { orgId, ...choice() }, order: { id: 'DESC' } });
  if (!membership) throw notThere('member or invitation');
  return membership;

  function choice() {
    const inviteKeyId = TeamInviteKeyID ?? teamInviteKeyID;
    if (inviteKeyId) return { inviteKeyId };
    if (memberAdminID) return { memberKeyId: memberAdminID };
    return userID ? { userId: userID } : { email: canonicalEmail(emails?.[0] ?? '') };
  }
}

/** If no mail is sent, the inviter can read the token too, so accepting with it proves nothing. */
const unproven =
  'It is not proven that this address is yours: accept by the token of the mail. An address is proven by accepting an invitation ' +
  'that was sent by e-mail; those of an installation without SMTP prove nothing.';

type AcceptInvite = BodyOf<typeof acceptInvite>;

const refusals = {
  ACCEPTED:
    'This invitation was accepted already. A key that was lost with the answer is replaced by an administrator, who makes a new one for the member.',
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
   * The token was mailed, so whoever has it speaks for the invited address, whichever key the request is made with. Without a
   * token, the caller's own user must have that address. Either way the invited person becomes the member.
   */
  async accept(body: AcceptInvite, call: Call): Promise<ReplyOf<typeof acceptInvite>> {
    const { orgId, id } = await this.find(body, call);
    return this.tenants.run(orgId, async (manager) => {
      const organization = await lockTeam(manager, orgId);
      const invited = await manager.findOneByOrFail(Membership, { orgId, id });
      // The caller's proven address proves this membership too.
      const member = await join(manager, body.token ? invited : { ...invited, provesAddress: true });
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
    if (!membership) throw token ? noSuchCode() : notThere('invitation');
    return membership;
  }

  private async emailOf(call: Call): Promise<string> {
    const { email, provesAddress } = await this.tenants.read(organizationOf(call), (manager) => memberOf(manager, call));
    if (!provesAddress) throw new Fault('SCOPE_MISSING', { message: unproven });
    return email;
  }
}

/** Only the hash of the newest code is stored, so a replaced one looks like one that never was. */
function noSuchCode(): Fault {
  const message =
    'No invitation has this code. When an invitation is renewed, or its rights are extended, it gets a new code by e-mail, and earlier codes ' +
    'end: use the latest e-mail, or ask for another one.';
  return new Fault('NOT_FOUND', { message });
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

const columns = {
  CreatedOn: 'm.created_on',
  email: 'm.email',
  status: inviteStateSql,
  roleTypeID: 'm.role_type_id',
  expiresAt: 'm.expires_at',
};

/** Invitations, and with them all members of the team. */
@Injectable()
export class InvitationsService {
  constructor(private readonly tenants: TenantScope) {}

  async list(body: BodyOf<typeof listInvites>, call: Call): Promise<ReplyOf<typeof listInvites>> {
    const orgId = organizationOf(call);
    const page = await this.tenants.read(orgId, (manager) => {
      const query = manager.createQueryBuilder(Membership, 'm').where('m.org_id = :orgId', { orgId });
      if (body.searchName.trim()) query.andWhere('m.search LIKE :typed', { typed: containing(body.searchName) });
      if (body.status !== 'ALL') query.andWhere(`${inviteStateSql} = :status`, { status: body.status });
      if (body.roleTypeID) query.andWhere('m.role_type_id = :role', { role: body.roleTypeID });
      return pageOf(query, body, { by: columns[body.sortColumn], nulls: 'NULLS LAST' });
    });
    return { ...page, rows: page.rows.map(inviteToWire) };
  }

  async get({ TeamInviteKeyID }: BodyOf<typeof getInvite>, call: Call): Promise<ReplyOf<typeof getInvite>> {
    const orgId = organizationOf(call);
    const membership = await this.tenants.read(orgId, (manager) =>
      manager.findOneBy(Membership, { orgId, inviteKeyId: TeamInviteKeyID }),
    );
    if (!membership) throw notThere('invitation');
    return inviteToWire(membership);
  }

  async read(named: BodyOf<typeof readInvitation>, call: Call): Promise<ReplyOf<typeof readInvitation>> {
    const orgId = organizationOf(call);
    return inviteToWire(await this.tenants.read(orgId, (manager) => firstNamed(manager, orgId, named)));
  }
}

/** Invitations over the bus. */
@Controller()
export class InvitesController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly saving: SaveInviteService,
    private readonly accepting: AcceptingService,
    private readonly members: MembersService,
  ) {}

  @Handles(listInvites)
  list(body: BodyOf<typeof listInvites>, call: Call): Promise<ReplyOf<typeof listInvites>> {
    return this.invitations.list(body, call);
  }

  @Handles(getInvite)
  get(body: BodyOf<typeof getInvite>, call: Call): Promise<ReplyOf<typeof getInvite>> {
    return this.invitations.get(body, call);
  }

  @Handles(readInvitation)
  read(body: BodyOf<typeof readInvitation>, call: Call): Promise<ReplyOf<typeof readInvitation>> {
    return this.invitations.read(body, call);
  }

  @Handles(saveInvite)
  save(body: BodyOf<typeof saveInvite>, call: Call): Promise<ReplyOf<typeof saveInvite>> {
    return this.saving.save(body, call);
  }

  @Handles(acceptInvite)
  accept(body: BodyOf<typeof acceptInvite>, call: Call): Promise<ReplyOf<typeof acceptInvite>> {
    return this.accepting.accept(body, call);
  }

  @Handles(revokeInvite)
  revoke(body: BodyOf<typeof revokeInvite>, call: Call): Promise<ReplyOf<typeof revokeInvite>> {
    return this.members.revoke(body, call);
  }
}
