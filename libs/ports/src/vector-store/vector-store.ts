import type { EmbeddingSpace } from '../embeddings';
import type { Collection, IndexedPassage, Passage, PassageKind } from './passage';

export interface Hit {
  readonly passage: Passage;
  /** Dense: the cosine. Lexical: BM25, higher is better, comparable only within one answer. */
  readonly score: number;
}

export interface VectorStoreCapabilities {
  readonly provider: string;
  readonly passagesPerCall: number;
  readonly hitsMax: number;
}

export interface DenseQuery {
  space: EmbeddingSpace;
  vector: Float32Array;
  limit: number;
  kinds?: readonly PassageKind[];
}

export interface LexicalQuery {
  terms: readonly string[];
  limit: number;
  kinds?: readonly PassageKind[];
}

/**
 * Passages of knowledge bases, found by meaning and by word, one collection never seeing another's.
 * A version of a source is staged unseen, then published as a whole in place of the one before.
 * Every call may be repeated; a collection that does not exist is empty. Fails with a ProviderFailure.
 */
export interface VectorStore {
  readonly capabilities: VectorStoreCapabilities;
  /** Creates what is missing of the collection and of its index for this space. */
  prepare(collection: Collection, space: EmbeddingSpace): Promise<void>;
  stage(collection: Collection, space: EmbeddingSpace, passages: readonly IndexedPassage[]): Promise<void>;
  /** From here on searches see this version of the source and no other; older ones are deleted. */
  publish(collection: Collection, sourceId: string, version: number): Promise<void>;
  removeSource(collection: Collection, sourceId: string): Promise<void>;
  removeVersion(collection: Collection, sourceId: string, version: number): Promise<void>;
  searchDense(collection: Collection, query: DenseQuery): Promise<Hit[]>;
  searchLexical(collection: Collection, query: LexicalQuery): Promise<Hit[]>;
  /** Published passages by id, for embedding them anew; `after` is the last id of the page before. */
  list(collection: Collection, page: { after?: string; limit: number }): Promise<{ id: string; passage: Passage }[]>;
  /** Published passages of these ids, in no order, `hitsMax` at most; those that there are not are left out. */
  read(collection: Collection, ids: readonly string[]): Promise<Passage[]>;
  /** Puts vectors of one more space beside those that serve. Ids that are gone meanwhile are left out. */
  addVectors(
    collection: Collection,
    space: EmbeddingSpace,
    vectors: readonly { id: string; vector: Float32Array }[],
  ): Promise<void>;
  dropSpace(collection: Collection, space: Pick<EmbeddingSpace, 'name'>): Promise<void>;
  /** How many published passages there are. */
  count(collection: Collection): Promise<number>;
  drop(collection: Collection): Promise<void>;
  close(): Promise<void>;
}
