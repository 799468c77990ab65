import { FileStoreVariables } from '@parley/providers/configured-files';
import { duration, integer, text, url } from '@parley/service-kit';
import { z } from 'zod';

/** The environment variables of this service. */
export const KnowledgeVariables = FileStoreVariables.extend({
  QDRANT_URL: url('http', 'https').optional().meta({
    description:
      'A Qdrant server of version 1.19 or later. Without it vectors are kept in files of this machine, for one process only.',
    example: 'http://qdrant:6333',
  }),
  QDRANT_API_KEY: text().optional().meta({ description: 'The key of the Qdrant server.', example: '…', secret: true }),
  VECTORS_DIR: text()
    .default('.parley/vectors')
    .meta({ description: 'The folder for vectors, when QDRANT_URL is not set.', example: '/var/lib/parley/vectors' }),
  EMBEDDINGS_API_KEY: text().optional().meta({
    description: 'The key of an embeddings service that speaks OpenAI’s protocol. Without it an engine on this machine embeds.',
    example: 'sk-…',
    secret: true,
  }),
  EMBEDDINGS_BASE_URL: url('http', 'https')
    .optional()
    .meta({ description: 'The address of that service, if it is not OpenAI.', example: 'http://vllm:8000/v1' }),
  EMBEDDINGS_MODEL: text().default('text-embedding-3-small').meta({
    description: 'The embedding model. A change moves every knowledge base in the background, while the old index serves.',
    example: 'text-embedding-3-large',
  }),
  EMBEDDINGS_DIMENSIONS: integer({ min: 64, max: 4096 })
    .default(1536)
    .meta({ description: 'The dimensions of its vectors, a multiple of 16.', example: '1536' }),
  RERANK_BASE_URL: url('http', 'https').optional().meta({
    description:
      'A server that reranks passages at …/rerank, as Cohere, Jina AI, vLLM, Infinity and llama.cpp do. Without it the order of the searches stands.',
    example: 'http://vllm:8000/v1',
  }),
  RERANK_MODEL: text().default('jina-reranker-v2-base-multilingual').meta({
    description: 'The reranking model.',
    example: 'BAAI/bge-reranker-v2-m3',
  }),
  RERANK_API_KEY: text().optional().meta({ description: 'The key of that server, if it wants one.', example: '…', secret: true }),
  RERANK_TIMEOUT: duration().default(500).meta({
    description: 'How long a question waits for the reranker; then the order of the searches stands.',
    example: '300ms',
  }),
});

export type KnowledgeConfig = z.output<typeof KnowledgeVariables>;
