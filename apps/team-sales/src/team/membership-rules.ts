import { Injectable } from '@nestjs/common';
import {
  type BodyOf,
  Fault,
  findAgents,
  type Invitation,
  memberChanged,
  memberJoined,
  memberRemoved,
  notThere,
  ownerRole,
  type saveInvite,
} from '@parley/contracts';
import { Outbox } from '@parley/database';
import { type Call, maySee, organizationOf, ServiceBus } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { Membership, Organization, User } from './membership.entity';

/** A membership that was accepted and not revoked. */
export type Member = Membership & { readonly userId: number; readonly memberKeyId: string };

/** Whether a membership is a current member's, and not an invitation or that of someone who left. */
export function isMember(membership: Membership | null): membership is Member {
  return membership?.status === 'ACCEPTED' && membership.userId !== null && membership.memberKeyId !== null;
}

/** A member of an organization by public id; unknown, foreign or removed is NOT_FOUND. */
export async function findMember(
  manager: EntityManager,
  { orgId, memberId }: { orgId: number; memberId: string },
): Promise<Member> {
  const membership = await manager.findOneBy(Membership, { orgId, memberKeyId: memberId });
  if (!isMember(membership)) throw notThere('member');
  return membership;
}

/** The member behind the caller's workspace key. One who was removed after the key was checked is refused as the key would be. */
export async function memberOf(manager: EntityManager, call: Call): Promise<Member> {
  const memberId = call.principal?.memberId;
  if (!memberId) throw new Fault('SCOPE_MISSING');
  const membership = await manager.findOneBy(Membership, { orgId: organizationOf(call), memberKeyId: memberId });
  if (!isMember(membership)) throw new Fault('API_KEY_INVALID');
  return membership;
}

/**
 * Serializes changes to one organization's team, so that two Owners cannot remove each other at the same moment. This lock mode
 * still lets rows that refer to the organization be added and deleted.
 */
export function lockTeam(manager: EntityManager, orgId: number): Promise<Organization> {
  return manager.findOneOrFail(Organization, { where: { orgId }, lock: { mode: 'for_no_key_update' } });
}

/** Refuses to remove the only Owner. The team must be locked. */
export async function requireAnotherOwner(manager: EntityManager, leaving: Membership): Promise<void> {
  if (leaving.roleTypeId !== ownerRole || leaving.status !== 'ACCEPTED') return;
  const owners = await manager.countBy(Membership, { orgId: leaving.orgId, roleTypeId: ownerRole, status: 'ACCEPTED' });
  if (owners <= 1) throw new Fault('CONFLICT', { message: 'The last Owner can be neither removed nor demoted.' });
}

/** Which agents exist, according to their own service. */
@Injectable()
export class KnownAgents {
  constructor(private readonly bus: ServiceBus) {}

  /**
   * The agents in a body that the caller does not know, because they do not exist or are hidden. Without agents nothing is asked.
   */
  async unknownIn({ agentAccessScope, agentIds }: BodyOf<typeof saveInvite>, call: Call): Promise<number[]> {
    if (agentAccessScope === 'ALL' || !agentIds || agentIds.length === 0) return [];
    const { AgentIDs } = await this.bus.ask(findAgents, { AgentIDs: agentIds });
    const known = new Set(AgentIDs);
    return agentIds.filter((id) => !known.has(id) || !maySee(call, id));
  }
}

/** Refuses access to agents that do not exist. An agent deleted since may stay where access to it was granted. */
export function requireNoneUnknown(unknown: readonly number[], given: readonly number[] = []): void {
  const missing = unknown.filter((id) => !given.includes(id));
  if (missing.length === 0) return;
  const details = missing.map((id) => ({ field: 'agentIds', message: `There is no agent ${id}.` }));
  throw new Fault('NOT_FOUND', { message: `There is no agent ${missing.join(', ')}.`, details });
}

/** An address as this service stores and compares it. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The name of a user who never gave one: the part before the @, with spaces for dots and underscores. */
export function nameFromEmail(email: string): string {
  return (email.split('@')[0] ?? email).replace(/[._]+/g, ' ').trim() || email;
}

/** The user with this address, created if there is none. An existing name stays. */
export async function userWithEmail(manager: EntityManager, person: { email: string; name?: string }): Promise<User> {
  const email = canonicalEmail(person.email);
  await manager.query('INSERT INTO users (email, name) VALUES ($1, $2) ON CONFLICT (email) DO NOTHING', [
    email,
    person.name ?? nameFromEmail(email),
  ]);
  return manager.findOneByOrFail(User, { email });
}

/** Publishes changes of members once the transaction has committed. */
@Injectable()
export class MemberEvents {
  constructor(private readonly outbox: Outbox) {}

  joined(manager: EntityManager, member: Member): Promise<string> {
    return this.outbox.add(manager, memberJoined, eventAbout(member));
  }

  changed(manager: EntityManager, member: Member): Promise<string> {
    return this.outbox.add(manager, memberChanged, eventAbout(member));
  }

  removed(manager: EntityManager, member: Member): Promise<string> {
    return this.outbox.add(manager, memberRemoved, eventAbout(member));
  }
}

function eventAbout({ orgId, memberKeyId, userId, roleTypeId, userType }: Member) {
  return { orgId, payload: { memberAdminID: memberKeyId, userID: userId, roleTypeID: roleTypeId, userType } };
}

/** The state shown by the API: an invitation not accepted in time is EXPIRED. */
export function inviteState({ status, expiresAt }: Membership, now = new Date()) {
  return status === 'PENDING' && expiresAt <= now ? 'EXPIRED' : status;
}

/** The same as an SQL expression, for the alias `m`. */
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
