import { Injectable } from '@nestjs/common';
import { Fault, type clearVectors } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { collectionName } from '@parley/ports';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { Engines } from '../engines';
import type { IndexJobKind } from '../indexing/index-jobs';
import { KnowledgeBaseEntity } from '../database/entities';
import { identityOf } from './knowledge-base.wire';
import { KnowledgeChange } from './knowledge-change';
import { baseOf } from './knowledge-bases.service';

/** Wipes and rebuilds the vectors of a knowledge base; its sources stay. */
@Injectable()
export class VectorsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly change: KnowledgeChange,
    private readonly engines: Engines,
  ) {}

  async clear(
    orgId: number,
    { KBID, collectionName: name, reindex }: z.output<typeof clearVectors.request>,
  ): Promise<z.input<typeof clearVectors.reply>> {
    const id = KBID ?? baseIdIn(name ?? '', orgId);
    const base = await this.tenants.read(orgId, (manager) => baseOf(manager, { id }));
    const collection = { orgId, knowledgeBaseId: base.id };
    const removedCount = await this.engines.vectors.count(collection);
    await this.engines.vectors.drop(collection);
    await this.change.make({ ...collection, source: 'VECTORS' }, async (manager) => {
      await manager.update(KnowledgeBaseEntity, { id }, { clearedOn: reindex ? null : new Date(), space: null });
      await forgetIndex(manager, id);
      return { result: undefined, jobs: reindex ? await everything(manager, id) : [], isChanged: true };
    });
    return { ...identityOf(base), collectionName: collectionName(collection), removedCount, isReindexing: reindex };
  }
}

/** The knowledge base that a collection's name means. Another organization's name is an unknown record. */
function baseIdIn(name: string, orgId: number): number {
  const [, organization, base] = /^kb_embeddings_(\d+)_(\d+)$/.exec(name) ?? [];
  if (Number(organization) !== orgId || Number(base) > 2_147_483_647)
    throw new Fault('NOT_FOUND', { message: 'There is no such collection.' });
  return Number(base);
}

/** Nothing counts as indexed any more, so that a source which is saved again unchanged is indexed again. */
async function forgetIndex(manager: EntityManager, id: number): Promise<void> {
  for (const table of ['faqs', 'business_profiles', 'catalog_items']) {
    await manager.query(
      `UPDATE ${table} SET indexed_version = NULL, chunk_count = 0, version = version + 1 WHERE knowledge_base_id = $1`,
      [id],
    );
  }
  await manager.query('UPDATE documents SET indexed_version = NULL, chunk_count = 0 WHERE knowledge_base_id = $1', [id]);
}

/** Documents are read again, each from the file that served: a replacement that could not be read is given up. */
async function everything(manager: EntityManager, id: number): Promise<{ kind: IndexJobKind; documentId?: number }[]> {
  await manager.query(
    `UPDATE documents SET file_key = served ->> 'fileKey', file_name = served ->> 'fileName', content_type = served ->> 'contentType',
       size = (served ->> 'size')::int, sha256 = served ->> 'sha256'
     WHERE knowledge_base_id = $1 AND status = 'FAILED' AND served IS NOT NULL`,
    [id],
  );
  const [documents] = await manager.query<[{ id: number }[], number]>(
    `UPDATE documents SET version = version + 1, status = 'QUEUED', reason = NULL, stage = 'WAITING', done = 0, total = 0
     WHERE knowledge_base_id = $1 AND deleted_on IS NULL RETURNING id`,
    [id],
  );
  return [{ kind: 'ENTRIES' }, ...documents.map((document) => ({ kind: 'DOCUMENT' as const, documentId: document.id }))];
}
