import type { EntityManager } from 'typeorm';
import { followMembership } from '../representatives/follow-membership';
import { refuseToTouch } from '../roles/granting';
import { isMember, type Member } from './calling-member';
import type { MemberEvents } from './member-events';
import { Membership } from './membership.entity';
import { requireAnotherOwner } from './team-lock';

interface Ending {
  readonly manager: EntityManager;
  readonly actor: Member;
  readonly events: MemberEvents;
}

/** Takes back an invitation or a membership. The team must be locked. The keys of a member end by the event. */
export async function endMembership({ manager, actor, events }: Ending, membership: Membership): Promise<Membership> {
  refuseToTouch(actor, membership);
  await requireAnotherOwner(manager, membership);
  if (isMember(membership)) await events.removed(manager, membership);
  const ended = await manager.save(Membership, { ...membership, status: 'REVOKED', imei: null, imeiBoundOn: null });
  await followMembership(manager, ended);
  return ended;
}
