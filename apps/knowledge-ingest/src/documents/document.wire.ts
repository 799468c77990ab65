import type { getDocument, getDocumentStatus } from '@parley/contracts';
import type { z } from 'zod';
import type { DocumentEntity } from './document.entity';

export function statusOf(document: DocumentEntity): z.input<typeof getDocumentStatus.reply> {
  const { key, id, knowledgeBaseId, status, reason, stage, done, total } = document;
  return { KBDocumentKeyID: key, KBDocumentID: id, KBID: knowledgeBaseId, status, reason, progress: { stage, done, total } };
}

export function documentOf(document: DocumentEntity): z.input<typeof getDocument.reply> {
  const { fileName, contentType, size, pageCount, chunkCount, createdOn, updatedOn } = document;
  const dates = { CreatedOn: createdOn.toISOString(), UpdatedOn: updatedOn.toISOString() };
  return { ...statusOf(document), fileName, contentType, size, pageCount, chunkCount, ...dates };
}
