import { Fault } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import { Representative } from './representative.entity';

type Choice = { readonly orgId: number; readonly id: number } | { readonly orgId: number; readonly keyId: string };

/** A representative of the organization, whatever its state; unknown or foreign is NOT_FOUND. */
export async function findRepresentative(manager: EntityManager, choice: Choice): Promise<Representative> {
  const representative = await manager.findOneBy(Representative, choice);
  if (!representative) throw new Fault('NOT_FOUND', { message: 'There is no such sales representative.' });
  return representative;
}

/** The same for new work, which somebody who left gets no more of. */
export async function findWorkingRepresentative(manager: EntityManager, choice: Choice): Promise<Representative> {
  const representative = await findRepresentative(manager, choice);
  if (representative.status === 'INACTIVE')
    throw new Fault('CONFLICT', { message: 'This sales representative has left the team.' });
  return representative;
}
