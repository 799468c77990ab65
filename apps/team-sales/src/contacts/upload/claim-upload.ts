import { randomUUID } from 'node:crypto';
import { Fault, type uploadContacts } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import type { BodyOf } from '../../message-types';
import type { Representative } from '../../representatives/representative.entity';
import { Upload } from './upload.entity';
import { isUnderWay } from './upload.wire';

const nothingYet = {
  status: 'PROCESSING',
  rowCount: 0,
  createdCount: 0,
  updatedCount: 0,
  unchangedCount: 0,
  assignedCount: 0,
  errorCount: 0,
  errors: [],
  reason: null,
} as const;

/**
 * Takes an upload for this process. One that is done is answered as it is; one that failed or lost its process begins
 * again under its id, which completes it: what was saved the first time is unchanged the second time.
 */
export async function claimUpload(
  manager: EntityManager,
  representative: Representative,
  body: BodyOf<typeof uploadContacts>,
): Promise<Upload> {
  const { orgId, id: representativeId } = representative;
  const keyId = body.UploadKeyID ?? randomUUID();
  const asked = { orgId, keyId, representativeId, fileKey: body.file.fileKey };
  // A lock on the name and not on a row: of two first requests, only one may find that there is no row yet.
  await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`upload ${orgId} ${keyId}`]);
  const known = await manager.findOneBy(Upload, { orgId, keyId });
  if (!known) return manager.save(Upload, { ...manager.create(Upload, asked), ...nothingYet, errors: [] });
  if (known.status === 'DONE') return known;
  if (isUnderWay(known)) throw new Fault('CONFLICT', { message: 'This upload is under way.' });
  return manager.save(Upload, { ...known, ...asked, ...nothingYet, errors: [], aliveAt: new Date() });
}
