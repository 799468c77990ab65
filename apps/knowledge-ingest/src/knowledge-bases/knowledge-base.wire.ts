import type { KbIdentity, KnowledgeBase, KnowledgeBaseFields } from '@parley/contracts';
import { collectionName } from '@parley/ports';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { KnowledgeBaseEntity } from '../database/entities';

type BaseFields = z.output<typeof KnowledgeBaseFields>;

export function fieldsOf({ KnowledgeBaseName, IndustryID, AgentTypeID, ConversationalModeIDs }: BaseFields) {
  const modes = new Set(ConversationalModeIDs.split(',').map((mode) => mode.trim()));
  return {
    name: KnowledgeBaseName,
    industryId: IndustryID,
    agentTypeId: AgentTypeID,
    conversationalModeIds: [...modes].sort().join(','),
  };
}

/** The same fields as they are stored. */
export function sentOf({ name, industryId, agentTypeId, conversationalModeIds }: KnowledgeBaseEntity): BaseFields {
  return {
    KnowledgeBaseName: name,
    IndustryID: industryId,
    AgentTypeID: agentTypeId,
    ConversationalModeIDs: conversationalModeIds,
  };
}

export function identityOf({ key, id }: KnowledgeBaseEntity): z.input<typeof KbIdentity> {
  return { KBKeyID: key, KBID: id };
}

/** The warning for a base asked in another script than it is written in. */
const askedAcrossWarning =
  'Customers ask in another language than this knowledge base is written in, and the embeddings of this installation do not tell ' +
  'meaning across scripts: answers are found by words alone. Run `npm run models -- add multilingual-e5-small`, set ' +
  'EMBEDDINGS_API_KEY (and EMBEDDINGS_BASE_URL for a server of your own) to a multilingual model, or write the most asked questions ' +
  'in those languages too.';

/** A base as clients see it. The warning is not needed if the embeddings work across scripts. */
export function knowledgeBaseOf(
  base: KnowledgeBaseEntity,
  contents: BaseContents,
  embedsAcrossScripts: boolean,
): z.input<typeof KnowledgeBase> {
  return {
    ...identityOf(base),
    KnowledgeBaseName: base.name,
    IndustryID: base.industryId,
    AgentTypeID: base.agentTypeId,
    ConversationalModeIDs: base.conversationalModeIds,
    collectionName: collectionName({ orgId: base.orgId, knowledgeBaseId: base.id }),
    documentCount: contents.documents,
    faqCount: contents.faqs,
    productCount: contents.products,
    serviceCount: contents.services,
    hasBusinessProfile: contents.profiles > 0,
    chunkCount: contents.chunks,
    status: statusOf(base, contents),
    warnings: base.askedAcrossOn && !embedsAcrossScripts ? [askedAcrossWarning] : [],
    CreatedOn: base.createdOn.toISOString(),
    UpdatedOn: base.updatedOn.toISOString(),
  };
}

function statusOf(base: KnowledgeBaseEntity, contents: BaseContents): z.input<typeof KnowledgeBase>['status'] {
  if (contents.jobs > 0) return 'INDEXING';
  if (base.clearedOn && base.space === null) return 'CLEARED';
  const { documents, faqs, products, services, profiles } = contents;
  return documents + faqs + products + services + profiles === 0 ? 'EMPTY' : 'READY';
}

/** The size of a knowledge base, and the progress of its index. */
interface BaseContents {
  readonly id: number;
  readonly documents: number;
  readonly faqs: number;
  readonly products: number;
  readonly services: number;
  readonly profiles: number;
  readonly chunks: number;
  readonly jobs: number;
}

const chunksOfSources = ['documents', 'faqs', 'business_profiles', 'catalog_items']
  .map((table) => `SELECT knowledge_base_id, chunk_count FROM ${table} WHERE deleted_on IS NULL`)
  .join(' UNION ALL ');

const parts = [
  `SELECT knowledge_base_id AS base, 'documents' AS part, count(*) AS n FROM documents WHERE deleted_on IS NULL GROUP BY 1`,
  `SELECT knowledge_base_id, 'chunks', sum(chunk_count) FROM (${chunksOfSources}) AS counted GROUP BY 1`,
  `SELECT knowledge_base_id, 'faqs', count(*) FROM faqs WHERE deleted_on IS NULL GROUP BY 1`,
  `SELECT knowledge_base_id, 'profiles', count(*) FROM business_profiles WHERE deleted_on IS NULL GROUP BY 1`,
  `SELECT knowledge_base_id, CASE kind WHEN 'PRODUCT' THEN 'products' ELSE 'services' END, count(*) FROM catalog_items WHERE deleted_on IS NULL GROUP BY 1, kind`,
  `SELECT knowledge_base_id, 'jobs', count(*) FROM index_jobs GROUP BY 1`,
];

/** Counts the contents of knowledge bases in one round trip. */
export async function contentsOf(manager: EntityManager, ids: readonly number[]): Promise<Map<number, BaseContents>> {
  const rows = await manager.query<{ base: number; part: string; n: string }[]>(
    `SELECT * FROM (${parts.join(' UNION ALL ')}) AS counted WHERE base = ANY($1)`,
    [ids],
  );
  const empty = { documents: 0, faqs: 0, products: 0, services: 0, profiles: 0, chunks: 0, jobs: 0 };
  return new Map(
    ids.map((id) => {
      const counted = Object.fromEntries(rows.filter(({ base }) => base === id).map(({ part, n }) => [part, Number(n)]));
      return [id, { ...empty, ...counted, id }];
    }),
  );
}
