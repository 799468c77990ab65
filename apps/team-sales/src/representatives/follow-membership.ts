import type { EntityManager } from 'typeorm';
import { searchable } from '../search/searchable';
import type { Membership } from '../team/membership.entity';
import { User } from '../team/user.entity';
import { nameFromEmail } from '../team/user-with-email';
import type { Representative } from './representative.entity';

/** Keeps the representative in step with the membership that it comes from. One who was never mobile is not made. */
export async function followMembership(manager: EntityManager, membership: Membership): Promise<void> {
  const status = statusOf(membership);
  if (status === 'INACTIVE') {
    await manager.query(`UPDATE representatives SET status = 'INACTIVE' WHERE org_id = $1 AND email = $2`, [
      membership.orgId,
      membership.email,
    ]);
    return;
  }
  const user = membership.userId === null ? null : await manager.findOneBy(User, { id: membership.userId });
  const name = user?.name ?? nameFromEmail(membership.email);
  await manager.query(
    `INSERT INTO representatives (org_id, membership_id, email, name, search, status) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (org_id, email) DO UPDATE SET membership_id = $2, name = $4, search = $5, status = $6`,
    [membership.orgId, membership.id, membership.email, name, searchable(name, membership.email), status],
  );
}

function statusOf({ status, userType }: Membership): Representative['status'] {
  if (userType !== 'Mobile App' || status === 'REVOKED') return 'INACTIVE';
  return status === 'ACCEPTED' ? 'ACTIVE' : 'INVITED';
}
