import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { Collection } from '@parley/ports';
import type { EntityManager } from 'typeorm';
import { DocumentEntity, filesOf, KnowledgeBaseEntity } from '../database/entities';
import { Engines } from '../engines';
import { IndexJobs } from './index-jobs';
import { PassageIndex } from './entry-indexing';

const passagesPerPage = 64;

/** Moves knowledge bases to the embedding engine that is configured now, while the old vectors serve; these go last. */
@Injectable()
export class Reindexing {
  constructor(
    private readonly tenants: TenantScope,
    private readonly index: PassageIndex,
    private readonly engines: Engines,
    private readonly jobs: IndexJobs,
  ) {}

  /** Asks for the move of every knowledge base that was indexed by another engine, and for what an engine had refused. */
  async askForOutdated(): Promise<void> {
    await this.tenants.acrossTenants('a change of the embedding model concerns every organization', async (manager) => {
      const outdated = await manager
        .createQueryBuilder(KnowledgeBaseEntity, 'base')
        .where('base.deleted_on IS NULL AND base.space IS NOT NULL AND base.space <> :space', { space: this.index.space })
        .getMany();
      for (const { orgId, id } of outdated) await this.jobs.ask(manager, { orgId, knowledgeBaseId: id, kind: 'REINDEX' });
      for (const { orgId, id } of await basesWithUnindexedEntries(manager))
        await this.jobs.ask(manager, { orgId, knowledgeBaseId: id, kind: 'ENTRIES' });
    });
    this.jobs.announce();
  }

  async run(collection: Collection, stillOurs: () => Promise<void>): Promise<void> {
    const { embeddings, vectors } = this.engines;
    const { space } = embeddings.capabilities;
    await this.index.prepare(collection);
    for (let after: string | undefined; ;) {
      const page = await vectors.list(collection, { limit: passagesPerPage, ...(after && { after }) });
      const meanings = await embeddings.embed(
        page.map(({ passage }) => (passage.kind === 'faq' ? (passage.text.split('\n')[0] ?? '') : passage.text)),
      );
      const added = page.flatMap(({ id }, index) => (meanings[index] ? [{ id, vector: meanings[index] }] : []));
      if (added.length > 0) await vectors.addVectors(collection, space, added);
      await stillOurs();
      after = page.at(-1)?.id;
      if (page.length < passagesPerPage) break;
    }
    const before = await this.serve(collection, space.name);
    if (before !== null && before !== space.name) await vectors.dropSpace(collection, { name: before });
  }

  /** From here on searches use the new space. Returns the one before. */
  private serve({ orgId, knowledgeBaseId: id }: Collection, space: string): Promise<string | null> {
    return this.tenants.run(orgId, async (manager) => {
      const base = await manager.findOneBy(KnowledgeBaseEntity, { id });
      await manager.update(KnowledgeBaseEntity, { id }, { space });
      return base?.space ?? null;
    });
  }
}

/** A job that can never succeed ends, for instance with a wrong key; its entries wait for the start with the right one. */
function basesWithUnindexedEntries(manager: EntityManager): Promise<{ orgId: number; id: number }[]> {
  const unindexed = ['faqs', 'business_profiles', 'catalog_items']
    .map((table) => `SELECT knowledge_base_id FROM ${table} WHERE indexed_version IS DISTINCT FROM version`)
    .join(' UNION ');
  return manager.query(
    `SELECT id, org_id AS "orgId" FROM knowledge_bases WHERE deleted_on IS NULL AND cleared_on IS NULL AND id IN (${unindexed})`,
  );
}

/** Takes away what a deleted knowledge base leaves behind: vectors, files, rows, in an order that can be repeated. */
@Injectable()
export class BaseRemoval {
  constructor(
    private readonly tenants: TenantScope,
    private readonly engines: Engines,
  ) {}

  async run({ orgId, knowledgeBaseId }: Collection): Promise<void> {
    await this.engines.vectors.drop({ orgId, knowledgeBaseId });
    const documents = await this.tenants.read(orgId, (manager) => manager.findBy(DocumentEntity, { knowledgeBaseId }));
    for (const file of documents.flatMap(filesOf)) await this.engines.files.delete(file);
    await this.tenants.run(orgId, async (manager) => {
      await manager.query(`DELETE FROM index_jobs WHERE knowledge_base_id = $1 AND kind <> 'DROP'`, [knowledgeBaseId]);
      await manager.delete(KnowledgeBaseEntity, { id: knowledgeBaseId });
    });
  }
}
