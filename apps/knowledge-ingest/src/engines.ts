import type { Embeddings, FileStore, Reranker, VectorStore } from '@parley/ports';

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
