import { Fault } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import { Membership } from './membership.entity';

/** A membership that was accepted and not taken back. */
export type Member = Membership & { readonly userId: number; readonly memberKeyId: string };

/** Whether a membership is that of a member, not of somebody invited or gone. */
export function isMember(membership: Membership | null): membership is Member {
  return membership?.status === 'ACCEPTED' && membership.userId !== null && membership.memberKeyId !== null;
}

/** A member of an organization by its public id; unknown, foreign or gone is NOT_FOUND. */
export async function findMember(
  manager: EntityManager,
  { orgId, memberId }: { orgId: number; memberId: string },
): Promise<Member> {
  const membership = await manager.findOneBy(Membership, { orgId, memberKeyId: memberId });
  if (!isMember(membership)) throw new Fault('NOT_FOUND');
  return membership;
}

/** The member behind the caller's workspace key. */
export function memberOf(manager: EntityManager, call: Call): Promise<Member> {
  const memberId = call.principal?.memberId;
  if (!memberId) throw new Fault('SCOPE_MISSING');
  return findMember(manager, { orgId: organizationOf(call), memberId });
}
