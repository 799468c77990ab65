import type { Embeddings, FileStore, VectorStore } from '@parley/ports';

/** What this installation embeds, searches and keeps files with. */
export abstract class Engines {
  abstract readonly embeddings: Embeddings;
  abstract readonly vectors: VectorStore;
  abstract readonly files: FileStore;
}
