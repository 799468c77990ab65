import { FileStoreVariables } from '@parley/providers/configured-files';
import { LocalEmbeddings } from '@parley/providers/local-embeddings';
import { openAiEmbeddings } from '@parley/providers/openai-embeddings';
import { qdrant } from '@parley/providers/qdrant';
import { protocolReranker } from '@parley/providers/rerank-protocol';
import { sqliteVectors } from '@parley/providers/sqlite-vectors';
import { duration } from '@parley/service-kit';
import { z } from 'zod';

/** The environment variables of this service. */
export const KnowledgeVariables = FileStoreVariables.extend({
  ...qdrant.variables,
  ...sqliteVectors.variables,
  ...openAiEmbeddings.variables,
  ...protocolReranker.variables,
  ...LocalEmbeddings.variables,
  RERANK_TIMEOUT: duration({ min: '10ms', max: '30s' })
    .default(500)
    .meta({
      description: 'How long a question waits for the reranker; then the order of the searches is kept.',
      example: '300ms',
      needs: ['RERANK_BASE_URL'],
    }),
});

export type KnowledgeConfig = z.output<typeof KnowledgeVariables>;
