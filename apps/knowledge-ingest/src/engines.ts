import type { OnApplicationShutdown } from '@nestjs/common';
import type { Embeddings, FileStore, Reranker, VectorStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import { LocalEmbeddings } from '@parley/providers/local-embeddings';
import { OpenAiEmbeddings } from '@parley/providers/openai-embeddings';
import { QdrantVectorStore } from '@parley/providers/qdrant';
import { ProtocolReranker } from '@parley/providers/rerank-protocol';
import { SqliteVectorStore } from '@parley/providers/sqlite-vectors';
import type { KnowledgeConfig } from './config';

/** What this installation embeds, searches and keeps files with. */
export abstract class Engines {
  abstract readonly embeddings: Embeddings;
  abstract readonly vectors: VectorStore;
  abstract readonly files: FileStore;
  /** Undefined when none is configured: then passages keep the order of the searches. */
  abstract readonly reranker: Reranker | undefined;
  abstract readonly rerankMsMax: number;
  /** The engine that can still put questions to an index of this space; undefined when this installation has none. */
  abstract embeddingsFor(space: string): Embeddings | undefined;
}

/** The engines that the configuration names; those of this machine where it names none. */
export class ConfiguredEngines extends Engines implements OnApplicationShutdown {
  readonly embeddings: Embeddings;
  readonly vectors: VectorStore;
  readonly files: FileStore;
  readonly reranker: Reranker | undefined;
  readonly rerankMsMax: number;
  private readonly earlier = new Map<string, Embeddings>();

  constructor(private readonly config: KnowledgeConfig) {
    super();
    this.embeddings = embeddingsOf(config);
    this.vectors = vectorsOf(config);
    this.files = openFileStore(config);
    this.reranker = rerankerOf(config);
    this.rerankMsMax = config.RERANK_TIMEOUT;
  }

  /** An index made by an earlier engine is asked by that engine until it has been replaced. */
  embeddingsFor(space: string): Embeddings | undefined {
    if (space === this.embeddings.capabilities.space.name) return this.embeddings;
    const engine = this.earlier.get(space) ?? earlierEngine(space, this.config);
    if (engine) this.earlier.set(space, engine);
    return engine;
  }

  async onApplicationShutdown(): Promise<void> {
    const engines = [this.embeddings, this.vectors, ...this.earlier.values(), ...(this.reranker ? [this.reranker] : [])];
    await Promise.all(engines.map((engine) => engine.close()));
  }
}

function embeddingsOf({
  EMBEDDINGS_API_KEY,
  EMBEDDINGS_BASE_URL,
  EMBEDDINGS_MODEL,
  EMBEDDINGS_DIMENSIONS,
}: KnowledgeConfig): Embeddings {
  if (!EMBEDDINGS_API_KEY) return new LocalEmbeddings();
  const baseUrl = EMBEDDINGS_BASE_URL && { baseUrl: EMBEDDINGS_BASE_URL };
  return new OpenAiEmbeddings({
    apiKey: EMBEDDINGS_API_KEY,
    model: EMBEDDINGS_MODEL,
    dimensions: EMBEDDINGS_DIMENSIONS,
    ...baseUrl,
  });
}

/** The engine of this machine is always there; another model of the same service is known by the name of its space. */
function earlierEngine(space: string, config: KnowledgeConfig): Embeddings | undefined {
  const [, model, dimensions] = /^(text-embedding-.+)-(\d+)$/.exec(space) ?? [];
  const engine = model
    ? config.EMBEDDINGS_API_KEY && embeddingsOf({ ...config, EMBEDDINGS_MODEL: model, EMBEDDINGS_DIMENSIONS: Number(dimensions) })
    : new LocalEmbeddings();
  return engine && engine.capabilities.space.name === space ? engine : undefined;
}

function rerankerOf({ RERANK_BASE_URL, RERANK_MODEL, RERANK_API_KEY }: KnowledgeConfig): Reranker | undefined {
  if (!RERANK_BASE_URL) return undefined;
  return new ProtocolReranker({
    baseUrl: RERANK_BASE_URL,
    model: RERANK_MODEL,
    ...(RERANK_API_KEY && { apiKey: RERANK_API_KEY }),
  });
}

function vectorsOf({ QDRANT_URL, QDRANT_API_KEY, VECTORS_DIR }: KnowledgeConfig): VectorStore {
  if (!QDRANT_URL) return new SqliteVectorStore({ directory: VECTORS_DIR });
  return new QdrantVectorStore({ url: QDRANT_URL, ...(QDRANT_API_KEY && { apiKey: QDRANT_API_KEY }) });
}
