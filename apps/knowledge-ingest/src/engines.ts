import type { Embeddings, FileStore, VectorStore } from '@parley/ports';

/** What this installation embeds, searches and keeps files with. */
export abstract class Engines {
  abstract readonly embeddings: Embeddings;
  abstract readonly vectors: VectorStore;
  abstract readonly files: FileStore;
  /** The engine that can still put questions to an index of this space; undefined when this installation has none. */
  abstract embeddingsFor(space: string): Embeddings | undefined;
}
