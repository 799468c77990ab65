import type { EntityManager } from 'typeorm';
import type { Member } from '../team/calling-member';

/** Notes that the app of a representative was just in touch. */
export async function noteSeen(manager: EntityManager, { orgId, id }: Member): Promise<void> {
  await manager.query('UPDATE representatives SET last_seen_on = now() WHERE org_id = $1 AND membership_id = $2', [orgId, id]);
}
