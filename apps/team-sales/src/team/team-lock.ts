import { Fault, ownerRole } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import { Organization } from '../organizations/organization.entity';
import { Membership } from './membership.entity';

/**
 * Makes changes of one organization's team wait for each other, so that two Owners cannot remove one another at the
 * same moment. The mode of the lock leaves rows that refer to the organization free to come and go.
 */
export function lockTeam(manager: EntityManager, orgId: number): Promise<Organization> {
  return manager.findOneOrFail(Organization, { where: { orgId }, lock: { mode: 'for_no_key_update' } });
}

/** Refuses to lose an Owner who is the only one. The team must be locked. */
export async function requireAnotherOwner(manager: EntityManager, leaving: Membership): Promise<void> {
  if (leaving.roleTypeId !== ownerRole || leaving.status !== 'ACCEPTED') return;
  const owners = await manager.countBy(Membership, { orgId: leaving.orgId, roleTypeId: ownerRole, status: 'ACCEPTED' });
  if (owners <= 1) throw new Fault('CONFLICT', { message: 'The last Owner can be neither removed nor demoted.' });
}
