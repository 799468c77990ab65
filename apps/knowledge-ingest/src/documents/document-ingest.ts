import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { documentStatusChanged } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { ProviderFailure } from '@parley/ports';
import type { QueryDeepPartialEntity } from 'typeorm';
import { Engines } from '../engines';
import { claimSpace, PassageIndex, type PlacedDraft, sourceName } from '../indexing/entry-indexing';
import { type IndexJob, JobLost } from '../indexing/index-jobs';
import { DocumentEntity, filesOf, KnowledgeBaseEntity, uploadOf } from '../database/entities';
import type { Chunk } from './parsing/chunking';
import { Refused, typeByName } from './parsing/parsed-file';
import { parseDocument, type ParsedDocument } from './parsing/parse-document';

const chunksPerBatch = 32;

interface IngestRun {
  /** Throws if the work is no longer wanted. */
  stillWanted(): Promise<void>;
  isLastAttempt: boolean;
}

/**
 * Indexes one document: read, cut, embed, stage, publish. Staged chunks are counted in Postgres, and staging can be repeated, so
 * a run after a crash continues at the last batch. Searches see the old version until the end.
 */
@Injectable()
export class DocumentIngest {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly index: PassageIndex,
    private readonly engines: Engines,
  ) {}

  async run(job: IndexJob, { stillWanted, isLastAttempt }: IngestRun): Promise<void> {
    const { orgId, documentId } = job;
    const document = await this.tenants.read(orgId, (manager) => manager.findOneBy(DocumentEntity, { id: documentId }));
    if (!document) return;
    if (document.deletedOn) return this.remove(document);
    if (document.indexedVersion === document.version) return;
    try {
      await this.ingest(document, stillWanted);
    } catch (error) {
      const isFinal = isLastAttempt || (error instanceof ProviderFailure && !error.retryable);
      if (error instanceof Refused) await this.fail(document, error.message);
      else if (isFinal && !(error instanceof JobLost))
        await this.fail(document, 'The document could not be embedded or indexed. Upload it again later.');
      if (!(error instanceof Refused)) throw error;
    }
  }

  private async ingest(document: DocumentEntity, stillWanted: () => Promise<void>): Promise<void> {
    await this.progress(document, { status: 'PROCESSING', stage: 'PARSING', reason: null });
    const parsed = await parseDocument(typeOf(document), await this.content(document));
    const { chunks } = parsed;
    await this.index.prepare(document);
    const total = chunks.length;
    for (let done = document.done; done < total; done += chunksPerBatch) {
      await stillWanted();
      await this.progress(document, { stage: 'EMBEDDING', done, total });
      await this.index.stage(document, draftsOf(document, chunks.slice(done, done + chunksPerBatch), done));
    }
    await this.progress(document, { stage: 'INDEXING', done: total, total });
    await this.index.publish(document, sourceName('DOCUMENT', document.id), document.version);
    await this.finish(document, parsed);
  }

  private async content({ fileKey }: DocumentEntity): Promise<Readable> {
    const stream = await this.engines.files.open(fileKey);
    if (!stream) throw new Refused('The uploaded file no longer exists. Upload it again.');
    return stream;
  }

  /** The previously served file is deleted last: after a crash in between, the sweep deletes it. */
  private async finish(document: DocumentEntity, { chunks, pageCount }: ParsedDocument): Promise<void> {
    await this.settle(document, {
      ...{ status: 'READY', stage: 'DONE', reason: null, done: chunks.length, total: chunks.length },
      ...{ indexedVersion: document.version, chunkCount: chunks.length, pageCount, served: uploadOf(document) },
    });
    for (const file of filesOf(document))
      if (file !== document.fileKey) await this.engines.files.delete(file).catch(() => undefined);
  }

  private async fail(document: DocumentEntity, reason: string): Promise<void> {
    await this.engines.vectors.removeVersion(document, sourceName('DOCUMENT', document.id), document.version);
    await this.settle(document, { status: 'FAILED', stage: 'DONE', reason });
  }

  private async settle(
    document: DocumentEntity,
    changes: QueryDeepPartialEntity<DocumentEntity> & Pick<DocumentEntity, 'status' | 'reason'>,
  ): Promise<void> {
    const { orgId, id, key, version, knowledgeBaseId } = document;
    await this.tenants.run(orgId, async (manager) => {
      const { affected } = await manager.update(DocumentEntity, { id, version }, { ...changes, updatedOn: new Date() });
      if (affected !== 1) throw new JobLost('the document was replaced meanwhile');
      await claimSpace(manager, { orgId, knowledgeBaseId }, this.index.space);
      // Everything computed from the whole base is recomputed.
      await manager.increment(KnowledgeBaseEntity, { id: knowledgeBaseId }, 'revision', 1);
      const payload = { KBDocumentKeyID: key, KBID: knowledgeBaseId, status: changes.status, reason: changes.reason };
      await this.outbox.add(manager, documentStatusChanged, { orgId, payload });
    });
  }

  private async progress({ orgId, id, version }: DocumentEntity, changes: QueryDeepPartialEntity<DocumentEntity>): Promise<void> {
    const { affected } = await this.tenants.run(orgId, (manager) => manager.update(DocumentEntity, { id, version }, changes));
    if (affected !== 1) throw new JobLost('the document was replaced meanwhile');
  }

  private async remove(document: DocumentEntity): Promise<void> {
    await this.engines.vectors.removeSource(document, sourceName('DOCUMENT', document.id));
    for (const file of filesOf(document)) await this.engines.files.delete(file);
    await this.tenants.run(document.orgId, (manager) => manager.delete(DocumentEntity, { id: document.id }));
  }
}

function typeOf({ fileName }: DocumentEntity) {
  const type = typeByName(fileName);
  if (!type) throw new Refused('This type of file is not taken.');
  return type;
}

function draftsOf({ id, key, fileName, version }: DocumentEntity, chunks: readonly Chunk[], first: number): PlacedDraft[] {
  return chunks.map(({ text, ...place }, index) => ({
    ...{ kind: 'document', text, meaning: text, sourceId: sourceName('DOCUMENT', id), version, ordinal: first + index },
    citation: { key, title: fileName, ...place },
  }));
}
