import type { TenantScope } from '@parley/database';

/**
 * Of these keys of the file store, the ones that a document of any organization refers to, served or waiting. All of them
 * while there is no knowledge base at all: an empty database is sooner the wrong one for this store than the right one.
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
