import type { EntityManager } from 'typeorm';

/** How much a knowledge base holds, and how far its index is. */
export interface BaseContents {
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

/** Counts what is in each of these knowledge bases, in one round trip. */
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
