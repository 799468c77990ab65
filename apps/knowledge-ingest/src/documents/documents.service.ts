import { createHash } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  deleteDocument,
  documentBytesMax,
  Fault,
  type FileReference,
  getDocument,
  getDocumentStatus,
  listDocuments,
  saveDocument,
  uploadsOf,
} from '@parley/contracts';
import { containing, type Page, pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { FileTooLarge, limitBytes } from '@parley/ports';
import { uploadNotFound } from '@parley/providers/configured-files';
import { type EntityManager, IsNull } from 'typeorm';
import type { z } from 'zod';
import { DocumentEntity, type UploadedFile } from '../database/entities';
import { Engines } from '../engines';
import { baseOf, keyOfBase } from '../knowledge-bases/knowledge-change';
import { KnowledgeChange } from '../knowledge-bases/knowledge-change';
import { fileTypes, fits, headBytes, headOf, typeByName } from './parsing/parsed-file';

/** Checks an uploaded file before it is accepted: its name, first bytes, size and hash. */
@Injectable()
export class UploadCheck {
  constructor(private readonly engines: Engines) {}

  async check(orgId: number, reference: FileReference): Promise<UploadedFile> {
    const { fileKey, fileName, contentType } = reference;
    if (!fileKey.startsWith(uploadsOf(orgId))) throw notInOwnFolder();
    const type = typeByName(fileName);
    if (!type)
      throw new Fault('UNSUPPORTED_MEDIA_TYPE', {
        message: `A document must be one of: ${fileTypes.map((known) => `.${known}`).join(', ')}.`,
      });
    const stream = await this.engines.files.open(fileKey);
    if (!stream) throw uploadNotFound();
    const { head, size, sha256 } = await lookedAt(stream, reference);
    if (size === 0)
      throw new Fault('VALIDATION_FAILED', {
        message: 'The file is empty.',
        details: [{ field: 'document', message: 'is empty' }],
      });
    if (!fits(type, head))
      throw new Fault('UNSUPPORTED_MEDIA_TYPE', { message: `The content of the file is not what .${type} says.` });
    return { fileKey, fileName, contentType, size, sha256 };
  }

  /** Deletes a file that no document refers to any more. If that fails, the sweep deletes it. */
  async forget(fileKey: string): Promise<void> {
    await this.engines.files.delete(fileKey).catch(() => undefined);
  }
}

function notInOwnFolder(): Fault {
  const message = 'document is not an upload of this organization';
  return new Fault('VALIDATION_FAILED', { message, details: [{ field: 'document', message }] });
}

interface LookedAt {
  readonly head: Uint8Array;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Uses the size and hash computed while the file was stored. Reading all of it again would block the event loop for as long as
 * its upload did.
 */
async function lookedAt(stream: AsyncIterable<Uint8Array>, { size, sha256 }: FileReference): Promise<LookedAt> {
  return sha256 === undefined ? digest(stream) : { head: await headOf(stream), size, sha256 };
}

async function digest(stream: AsyncIterable<Uint8Array>): Promise<LookedAt> {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let size = 0;
  try {
    for await (const part of limitBytes(stream, documentBytesMax)) {
      hash.update(part);
      size += part.byteLength;
      if (head.length < headBytes) head = Buffer.concat([head, part]).subarray(0, headBytes);
    }
  } catch (error) {
    throw error instanceof FileTooLarge
      ? new Fault('PAYLOAD_TOO_LARGE', { message: 'A document may have at most 10 MB.' })
      : error;
  }
  return { head, size, sha256: hash.digest('hex') };
}

/**
 * Which of these keys of the file store are referred to by a document of any organization, served or pending. All of them if
 * there is no knowledge base at all: an empty database is more likely to be the wrong one for this store.
 */
export async function keptFiles(tenants: TenantScope, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const kept = await tenants.acrossTenants('an upload that was never told of has no organization to ask', (manager) =>
    manager.query<{ key: string }[]>(
      `SELECT file_key AS key FROM documents WHERE file_key = ANY($1)
       UNION SELECT served ->> 'fileKey' FROM documents WHERE served ->> 'fileKey' = ANY($1)
       UNION SELECT unnest($1::text[]) WHERE NOT EXISTS (SELECT FROM knowledge_bases)`,
      [keys],
    ),
  );
  return new Set(kept.map(({ key }) => key));
}

type Status = z.input<typeof getDocumentStatus.reply>;
type PublicDocument = z.input<typeof getDocument.reply>;

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
    private readonly uploads: UploadCheck,
  ) {}

  /** Returns as soon as the upload is safely stored; a job reads it. A file that is already there causes no work. */
  async save(orgId: number, { KBID, KBDocumentKeyID, document }: z.output<typeof saveDocument.request>): Promise<Status> {
    const upload = await this.uploads.check(orgId, document);
    const { saved, unused, base } = await this.change.make<SavedDocument & { base: string }>(
      { orgId, knowledgeBaseId: KBID, source: 'DOCUMENT' },
      async (manager, { key: base }) => {
        const known = await knownDocument(manager, { knowledgeBaseId: KBID, key: KBDocumentKeyID, sha256: upload.sha256 });
        if (known?.sha256 === upload.sha256 && !needsReading(known))
          return { result: { saved: known, unused: upload.fileKey, base }, jobs: [] };
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
        return { result: { saved, unused, base }, jobs: [{ kind: 'DOCUMENT', documentId: saved.id }] };
      },
    );
    if (unused && unused !== saved.fileKey && unused !== saved.served?.fileKey) await this.uploads.forget(unused);
    return statusOf(saved, base);
  }

  list(orgId: number, query: z.output<typeof listDocuments.request>): Promise<Page<PublicDocument>> {
    return this.tenants.read(orgId, async (manager) => {
      const { key } = await baseOf(manager, { id: query.KBID });
      const found = manager
        .createQueryBuilder(DocumentEntity, 'document')
        .where('document.knowledge_base_id = :id AND document.deleted_on IS NULL', { id: query.KBID });
      if (query.status !== 'ALL') found.andWhere('document.status = :status', { status: query.status });
      if (query.searchName) found.andWhere('document.file_name ILIKE :name', { name: containing(query.searchName) });
      const page = await pageOf(found, query, { by: `${found.alias}.${sortable[query.sortColumn]}` });
      return { ...page, rows: page.rows.map((document) => documentOf(document, key)) };
    });
  }

  get(orgId: number, key: string): Promise<PublicDocument> {
    return this.tenants.read(orgId, async (manager) => {
      const document = await theDocument(manager, key);
      return documentOf(document, await keyOfBase(manager, document.knowledgeBaseId));
    });
  }

  status(orgId: number, key: string): Promise<Status> {
    return this.tenants.read(orgId, async (manager) => {
      const document = await theDocument(manager, key);
      return statusOf(document, await keyOfBase(manager, document.knowledgeBaseId));
    });
  }

  async delete(orgId: number, key: string): Promise<Status> {
    const document = await this.tenants.read(orgId, (manager) => theDocument(manager, key));
    const { id, knowledgeBaseId } = document;
    return this.change.make({ orgId, knowledgeBaseId, source: 'DOCUMENT' }, async (manager, base) => {
      // The new version lets a run that reads the old one notice that it is no longer wanted.
      await manager.update(DocumentEntity, { id }, { deletedOn: new Date(), version: document.version + 1 });
      return { result: statusOf(document, base.key), jobs: [{ kind: 'DOCUMENT', documentId: id }] };
    });
  }
}

/** Whether the same file should be read again: after a failure, or after the vectors were cleared. */
function needsReading({ status, indexedVersion }: DocumentEntity): boolean {
  return status === 'FAILED' || (status === 'READY' && indexedVersion === null);
}

/** The document to replace: the one named, or one with the same content. */
async function knownDocument(
  manager: EntityManager,
  { knowledgeBaseId, key, sha256 }: Pick<UploadedFile, 'sha256'> & { knowledgeBaseId: number; key: string },
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

function statusOf(document: DocumentEntity, KBKeyID: string): z.input<typeof getDocumentStatus.reply> {
  const { key, id, knowledgeBaseId, status, reason, stage, done, total } = document;
  const names = { KBDocumentKeyID: key, KBDocumentID: id, KBKeyID, KBID: knowledgeBaseId };
  return { ...names, status, reason, progress: { stage, done, total } };
}

function documentOf(document: DocumentEntity, KBKeyID: string): z.input<typeof getDocument.reply> {
  const { fileName, contentType, size, pageCount, chunkCount, createdOn, updatedOn } = document;
  const dates = { CreatedOn: createdOn.toISOString(), UpdatedOn: updatedOn.toISOString() };
  return { ...statusOf(document, KBKeyID), fileName, contentType, size, pageCount, chunkCount, ...dates };
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
