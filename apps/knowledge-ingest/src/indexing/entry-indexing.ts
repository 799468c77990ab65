import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { Collection } from '@parley/ports';
import type { EntityManager, EntityTarget } from 'typeorm';
import { CatalogItemEntity } from '../catalogue/catalog-item.entity';
import type { SourceColumns } from '../database/source-columns';
import { Engines } from '../engines';
import { FaqEntity } from '../faqs/faq.entity';
import { KnowledgeBaseEntity } from '../knowledge-bases/knowledge-base.entity';
import { BusinessProfileEntity } from '../profile/business-profile.entity';
import { faqPassages, itemPassages, profilePassages, type PassageDraft } from './entry-passages';
import { PassageIndex } from './passage-index';
import { sourceName, type SourceKind } from './source-names';

interface EntryType<Row extends SourceColumns> {
  readonly entity: EntityTarget<Row>;
  readonly kindOf: (row: Row) => SourceKind;
  readonly passagesOf: (row: Row) => PassageDraft[];
}

const entriesPerBatch = 64;

/** Brings FAQs, profile and catalogue of a knowledge base into its index: whatever differs from what searches see. */
@Injectable()
export class EntryIndexing {
  constructor(
    private readonly tenants: TenantScope,
    private readonly index: PassageIndex,
    private readonly engines: Engines,
  ) {}

  async run(collection: Collection, stillOurs: () => Promise<void>): Promise<void> {
    await this.index.prepare(collection);
    const faqs: EntryType<FaqEntity> = { entity: FaqEntity, kindOf: () => 'FAQ', passagesOf: faqPassages };
    const profiles: EntryType<BusinessProfileEntity> = {
      entity: BusinessProfileEntity,
      kindOf: () => 'BUSINESS_PROFILE',
      passagesOf: profilePassages,
    };
    const items: EntryType<CatalogItemEntity> = {
      entity: CatalogItemEntity,
      kindOf: ({ kind }) => kind,
      passagesOf: itemPassages,
    };
    const batches = [
      () => this.batch(collection, faqs),
      () => this.batch(collection, profiles),
      () => this.batch(collection, items),
    ];
    for (const batch of batches) while (await batch()) await stillOurs();
    await this.tenants.run(collection.orgId, (manager) => claimSpace(manager, collection, this.index.space));
  }

  /** False once nothing of this type differs any more. */
  private async batch<Row extends SourceColumns>(collection: Collection, type: EntryType<Row>): Promise<boolean> {
    const rows = await this.tenants.read(collection.orgId, (manager) => differing(manager, collection, type.entity));
    const [gone, present] = [rows.filter(({ deletedOn }) => deletedOn), rows.filter(({ deletedOn }) => !deletedOn)];
    const nameOf = (row: Row) => sourceName(type.kindOf(row), row.id);
    const passages = present.map((row) =>
      type.passagesOf(row).map((draft, ordinal) => ({ ...draft, sourceId: nameOf(row), version: row.version, ordinal })),
    );
    await this.index.stage(collection, passages.flat());
    for (const row of present) await this.index.publish(collection, nameOf(row), row.version);
    for (const row of gone) await this.engines.vectors.removeSource(collection, nameOf(row));
    const counted = present.map(({ id, version }, index) => ({ id, version, chunks: passages[index]?.length ?? 0 }));
    await this.tenants.run(collection.orgId, (manager) => remember(manager, type.entity, counted, gone));
    return rows.length > 0;
  }
}

function differing<Row extends SourceColumns>(
  manager: EntityManager,
  { knowledgeBaseId }: Collection,
  entity: EntityTarget<Row>,
): Promise<Row[]> {
  return manager
    .createQueryBuilder(entity, 'entry')
    .where('entry.knowledge_base_id = :knowledgeBaseId', { knowledgeBaseId })
    .andWhere('(entry.indexed_version IS DISTINCT FROM entry.version OR entry.deleted_on IS NOT NULL)')
    .orderBy('entry.id')
    .take(entriesPerBatch)
    .getMany();
}

/** A row that was saved again meanwhile keeps differing, and is indexed once more. */
async function remember<Row extends SourceColumns>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  present: readonly { id: number; version: number; chunks: number }[],
  gone: Row[],
): Promise<void> {
  const table = manager.connection.getMetadata(entity).tablePath;
  await manager.query(
    `UPDATE ${table} AS entry SET indexed_version = seen.version, chunk_count = seen.chunks
     FROM json_to_recordset($1::json) AS seen (id int, version int, chunks int) WHERE entry.id = seen.id`,
    [JSON.stringify(present)],
  );
  await manager.query(`DELETE FROM ${table} WHERE id = ANY($1)`, [gone.map(({ id }) => id)]);
}

/** The first thing indexed decides by which engine a knowledge base is searched; a change of engine is a job of its own. */
export async function claimSpace(manager: EntityManager, { knowledgeBaseId }: Collection, space: string): Promise<void> {
  await manager
    .createQueryBuilder()
    .update(KnowledgeBaseEntity)
    .set({ space })
    .where('id = :knowledgeBaseId AND space IS NULL', { knowledgeBaseId })
    .execute();
}
