import { Controller, Injectable } from '@nestjs/common';
import { deleteDocument, Fault, getDocument, getDocumentStatus, listDocuments, saveDocument } from '@parley/contracts';
import { containing, type Page, pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type EntityManager, IsNull } from 'typeorm';
import type { z } from 'zod';
import { DocumentEntity, type Upload } from '../database/entities';
import { baseOf } from '../knowledge-bases/knowledge-bases.service';
import { KnowledgeChange } from '../knowledge-bases/knowledge-change';
import { Uploads } from './uploads';

type Status = z.input<typeof getDocumentStatus.reply>;
type Wire = z.input<typeof getDocument.reply>;

const sortable = {
  CreatedOn: 'createdOn',
  UpdatedOn: 'updatedOn',
  fileName: 'fileName',
  status: 'status',
  size: 'size',
} as const;
const waiting = { status: 'QUEUED', reason: null, stage: 'WAITING', done: 0, total: 0 } as const;

interface SavedDocument {
  readonly saved: DocumentEntity;
  /** The file that nothing refers to any more. */
  readonly unused: string | undefined;
}

/** The documents of a knowledge base. */
@Injectable()
export class DocumentsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly change: KnowledgeChange,
    private readonly uploads: Uploads,
  ) {}

  /** Answers as soon as the upload is safe; reading it is a job. A file that is there already costs no work. */
  async save(orgId: number, { KBID, KBDocumentKeyID, document }: z.output<typeof saveDocument.request>): Promise<Status> {
    const upload = await this.uploads.check(orgId, document);
    const { saved, unused } = await this.change.make<SavedDocument>(
      { orgId, knowledgeBaseId: KBID, source: 'DOCUMENT' },
      async (manager) => {
        const known = await knownDocument(manager, { knowledgeBaseId: KBID, key: KBDocumentKeyID, sha256: upload.sha256 });
        if (known?.sha256 === upload.sha256 && !needsReading(known))
          return { result: { saved: known, unused: upload.fileKey }, jobs: [] };
        const unused = known?.fileKey === known?.served?.fileKey ? undefined : known?.fileKey;
        const entity =
          known ??
          manager.create(DocumentEntity, {
            orgId,
            knowledgeBaseId: KBID,
            version: 0,
            indexedVersion: null,
            chunkCount: 0,
            pageCount: null,
            served: null,
            deletedOn: null,
          });
        const saved = await manager.save(
          Object.assign(entity, upload, waiting, { version: entity.version + 1, updatedOn: new Date() }),
        );
        return { result: { saved, unused }, jobs: [{ kind: 'DOCUMENT', documentId: saved.id }] };
      },
    );
    if (unused && unused !== saved.fileKey && unused !== saved.served?.fileKey) await this.uploads.forget(unused);
    return statusOf(saved);
  }

  list(orgId: number, query: z.output<typeof listDocuments.request>): Promise<Page<Wire>> {
    return this.tenants.read(orgId, async (manager) => {
      await baseOf(manager, { id: query.KBID });
      const found = manager
        .createQueryBuilder(DocumentEntity, 'document')
        .where('document.knowledge_base_id = :id AND document.deleted_on IS NULL', { id: query.KBID });
      if (query.status !== 'ALL') found.andWhere('document.status = :status', { status: query.status });
      if (query.searchName) found.andWhere('document.file_name ILIKE :name', { name: containing(query.searchName) });
      const page = await pageOf(found, query, { by: `${found.alias}.${sortable[query.sortColumn]}` });
      return { ...page, rows: page.rows.map(documentOf) };
    });
  }

  get(orgId: number, key: string): Promise<Wire> {
    return this.tenants.read(orgId, async (manager) => documentOf(await theDocument(manager, key)));
  }

  status(orgId: number, key: string): Promise<Status> {
    return this.tenants.read(orgId, async (manager) => statusOf(await theDocument(manager, key)));
  }

  async delete(orgId: number, key: string): Promise<Status> {
    const document = await this.tenants.read(orgId, (manager) => theDocument(manager, key));
    const { id, knowledgeBaseId } = document;
    return this.change.make({ orgId, knowledgeBaseId, source: 'DOCUMENT' }, async (manager) => {
      // A new version as well, so that a run which reads the old one notices that it is not wanted.
      await manager.update(DocumentEntity, { id }, { deletedOn: new Date(), version: document.version + 1 });
      return { result: statusOf(document), jobs: [{ kind: 'DOCUMENT', documentId: id }] };
    });
  }
}

/** The same file is worth reading again after it failed, and after the vectors were cleared. */
function needsReading({ status, indexedVersion }: DocumentEntity): boolean {
  return status === 'FAILED' || (status === 'READY' && indexedVersion === null);
}

/** The document to replace: the one named, or one of the same content. */
async function knownDocument(
  manager: EntityManager,
  { knowledgeBaseId, key, sha256 }: Pick<Upload, 'sha256'> & { knowledgeBaseId: number; key: string },
): Promise<DocumentEntity | null> {
  if (key === '') return manager.findOneBy(DocumentEntity, { knowledgeBaseId, sha256, deletedOn: IsNull() });
  const document = await manager.findOneBy(DocumentEntity, { knowledgeBaseId, key, deletedOn: IsNull() });
  if (!document) throw new Fault('NOT_FOUND', { message: 'There is no such document in this knowledge base.' });
  return document;
}

async function theDocument(manager: EntityManager, key: string): Promise<DocumentEntity> {
  const document = await manager.findOneBy(DocumentEntity, { key, deletedOn: IsNull() });
  if (!document) throw new Fault('NOT_FOUND', { message: 'There is no such document.' });
  return document;
}

function statusOf(document: DocumentEntity): z.input<typeof getDocumentStatus.reply> {
  const { key, id, knowledgeBaseId, status, reason, stage, done, total } = document;
  return { KBDocumentKeyID: key, KBDocumentID: id, KBID: knowledgeBaseId, status, reason, progress: { stage, done, total } };
}

function documentOf(document: DocumentEntity): z.input<typeof getDocument.reply> {
  const { fileName, contentType, size, pageCount, chunkCount, createdOn, updatedOn } = document;
  const dates = { CreatedOn: createdOn.toISOString(), UpdatedOn: updatedOn.toISOString() };
  return { ...statusOf(document), fileName, contentType, size, pageCount, chunkCount, ...dates };
}

@Controller()
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  @Handles(saveDocument)
  save(body: z.output<typeof saveDocument.request>, call: Call) {
    return this.documents.save(organizationOf(call), body);
  }

  @Handles(listDocuments)
  list(query: z.output<typeof listDocuments.request>, call: Call) {
    return this.documents.list(organizationOf(call), query);
  }

  @Handles(getDocument)
  get({ KBDocumentKeyID }: { KBDocumentKeyID: string }, call: Call) {
    return this.documents.get(organizationOf(call), KBDocumentKeyID);
  }

  @Handles(getDocumentStatus)
  status({ KBDocumentKeyID }: { KBDocumentKeyID: string }, call: Call) {
    return this.documents.status(organizationOf(call), KBDocumentKeyID);
  }

  @Handles(deleteDocument)
  delete({ KBDocumentKeyID }: { KBDocumentKeyID: string }, call: Call) {
    return this.documents.delete(organizationOf(call), KBDocumentKeyID);
  }
}
