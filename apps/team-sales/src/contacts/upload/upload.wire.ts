import type { readContactUpload } from '@parley/contracts';
import type { ReplyOf } from '../../message-types';
import type { Upload } from './upload.entity';

/** A batch takes far less: a longer silence means that the process is gone. */
const silenceMsMax = 20_000;

/** Whether a process still works on this upload, as far as anybody can tell. */
export function isUnderWay({ status, aliveAt }: Upload): boolean {
  return status === 'PROCESSING' && Date.now() - aliveAt.getTime() < silenceMsMax;
}

/** How far an upload is. One that lost its process has FAILED, and says what is saved and what to do. */
export function uploadToWire(upload: Upload): ReplyOf<typeof readContactUpload> {
  const isLost = upload.status === 'PROCESSING' && !isUnderWay(upload);
  return {
    UploadKeyID: upload.keyId,
    UploadID: upload.id,
    SalesUserID: upload.representativeId,
    status: isLost ? 'FAILED' : upload.status,
    rowCount: upload.rowCount,
    createdCount: upload.createdCount,
    updatedCount: upload.updatedCount,
    unchangedCount: upload.unchangedCount,
    assignedCount: upload.assignedCount,
    errorCount: upload.errorCount,
    errors: upload.errors,
    reason: isLost
      ? 'The upload was interrupted. The rows counted here are saved; upload the file again to complete it.'
      : upload.reason,
  };
}
