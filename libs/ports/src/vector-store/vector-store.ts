import { createHash } from 'node:crypto';
import { type EmbeddingSpace, similarity } from '../embeddings/embeddings';
import type { ProviderFailure } from '../provider-failure';

export interface Hit {
  readonly passage: Passage;
  /** Dense: the cosine. Lexical: BM25, where higher is better, comparable only within one response. */
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

/** One search, by the words or by the vector of a question. */
export type Search = { readonly lexical: LexicalQuery } | { readonly dense: DenseQuery };

/**
 * Passages of knowledge bases, found by vector and by word; collections are isolated from each other. A version of a source is
 * staged invisibly, then published as a whole in place of the previous one. Every call may be repeated; a collection that does
 * not exist counts as empty. Fails with a ProviderFailure.
 */
export interface VectorStore {
  readonly capabilities: VectorStoreCapabilities;
  /** Creates the collection and its index for this space, as far as they are missing. */
  prepare(collection: Collection, space: EmbeddingSpace): Promise<void>;
  stage(collection: Collection, space: EmbeddingSpace, passages: readonly IndexedPassage[]): Promise<void>;
  /** From now on searches see this version of the source and no other; older ones are deleted. */
  publish(collection: Collection, sourceId: string, version: number): Promise<void>;
  removeSource(collection: Collection, sourceId: string): Promise<void>;
  removeVersion(collection: Collection, sourceId: string, version: number): Promise<void>;
  searchDense(collection: Collection, query: DenseQuery): Promise<Hit[]>;
  searchLexical(collection: Collection, query: LexicalQuery): Promise<Hit[]>;
  /** For a store on this machine: starts what the first question would otherwise wait for. */
  warm?(): Promise<void>;
  /** Runs all searches for a question in one request to the store; returns the hits of each. */
  search(collection: Collection, searches: readonly Search[]): Promise<Hit[][]>;
  /** Published passages by id, for re-embedding; `after` is the last id of the previous page. */
  list(collection: Collection, page: { after?: string; limit: number }): Promise<{ id: string; passage: Passage }[]>;
  /** Published passages with these ids, in no particular order, at most `hitsMax`; missing ones are left out. */
  read(collection: Collection, ids: readonly string[]): Promise<Passage[]>;
  /** Adds vectors of another space alongside those in use. Ids deleted meanwhile are skipped. */
  addVectors(
    collection: Collection,
    space: EmbeddingSpace,
    vectors: readonly { id: string; vector: Float32Array }[],
  ): Promise<void>;
  dropSpace(collection: Collection, space: Pick<EmbeddingSpace, 'name'>): Promise<void>;
  /** The number of published passages. */
  count(collection: Collection): Promise<number>;
  drop(collection: Collection): Promise<void>;
  close(): Promise<void>;
}

/** The location of a passage in its source, so that a reader can check it: page, row, sheet, heading, title. */
export type Citation = Readonly<Record<string, string | number>>;

export type PassageKind = 'document' | 'faq' | 'profile' | 'catalogue';

/** A piece of a knowledge base that can be found on its own. */
export interface Passage {
  /** The source it comes from, which is replaced as a whole, version by version. */
  readonly sourceId: string;
  readonly version: number;
  readonly ordinal: number;
  readonly kind: PassageKind;
  readonly text: string;
  readonly citation: Citation;
}

/** A passage as stored, with its vectors and terms. */
export interface IndexedPassage extends Passage {
  readonly vector: Float32Array;
  /** The words it is found by, normalized and stemmed, repeated as often as they occur. */
  readonly terms: readonly string[];
}

export interface Collection {
  readonly orgId: number;
  readonly knowledgeBaseId: number;
}

/** The public name of a knowledge base's vectors. */
export function collectionName({ orgId, knowledgeBaseId }: Collection): string {
  if (!Number.isSafeInteger(orgId) || !Number.isSafeInteger(knowledgeBaseId)) throw new TypeError('not a collection');
  return `kb_embeddings_${orgId}_${knowledgeBaseId}`;
}

/** The same UUID for the same position in a source, so that a passage staged twice is stored once. */
export function passageId({ sourceId, version, ordinal }: Pick<Passage, 'sourceId' | 'version' | 'ordinal'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([sourceId, version, ordinal]))
    .digest('hex');
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

interface Entry {
  readonly passage: Passage;
  readonly terms: readonly string[];
  readonly vectors: Map<string, Float32Array>;
  published: boolean;
}

/** A fake store in memory that searches exhaustively. It can be told to fail. */
export class ScriptedVectorStore implements VectorStore {
  readonly capabilities: VectorStoreCapabilities = { provider: 'scripted', passagesPerCall: 256, hitsMax: 200 };
  private readonly collections = new Map<string, Map<string, Entry>>();
  private readonly failures: ProviderFailure[] = [];

  failNext(failure: ProviderFailure): void {
    this.failures.push(failure);
  }

  async prepare(collection: Collection): Promise<void> {
    this.entries(collection);
  }

  async stage(collection: Collection, space: EmbeddingSpace, passages: readonly IndexedPassage[]): Promise<void> {
    const entries = this.entries(collection);
    for (const { vector, terms, ...passage } of passages) {
      entries.set(passageId(passage), { passage, terms, vectors: new Map([[space.name, vector]]), published: false });
    }
  }

  async publish(collection: Collection, sourceId: string, version: number): Promise<void> {
    for (const [id, entry] of this.entries(collection)) {
      if (entry.passage.sourceId !== sourceId) continue;
      if (entry.passage.version === version) entry.published = true;
      if (entry.passage.version < version) this.entries(collection).delete(id);
    }
  }

  async removeSource(collection: Collection, sourceId: string): Promise<void> {
    this.removeWhere(collection, (passage) => passage.sourceId === sourceId);
  }

  async removeVersion(collection: Collection, sourceId: string, version: number): Promise<void> {
    this.removeWhere(collection, (passage) => passage.sourceId === sourceId && passage.version === version);
  }

  async searchDense(collection: Collection, query: DenseQuery): Promise<Hit[]> {
    return this.best(collection, query, (entry) => {
      const vector = entry.vectors.get(query.space.name);
      return vector && similarity(vector, query.vector);
    });
  }

  async searchLexical(collection: Collection, query: LexicalQuery): Promise<Hit[]> {
    const wanted = new Set(query.terms);
    return this.best(collection, query, ({ terms }) => {
      const found = new Set(terms.filter((term) => wanted.has(term))).size;
      return found === 0 ? undefined : found / Math.log(2 + terms.length);
    });
  }

  search(collection: Collection, searches: readonly Search[]): Promise<Hit[][]> {
    const hits = searches.map((each) =>
      'dense' in each ? this.searchDense(collection, each.dense) : this.searchLexical(collection, each.lexical),
    );
    return Promise.all(hits);
  }

  async list(
    collection: Collection,
    { after = '', limit }: { after?: string; limit: number },
  ): Promise<{ id: string; passage: Passage }[]> {
    return [...this.entries(collection)]
      .filter(([id, entry]) => entry.published && id > after)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([id, { passage }]) => ({ id, passage }));
  }

  async read(collection: Collection, ids: readonly string[]): Promise<Passage[]> {
    const entries = this.entries(collection);
    return ids.flatMap((id) => {
      const entry = entries.get(id);
      return entry?.published ? [entry.passage] : [];
    });
  }

  async addVectors(
    collection: Collection,
    space: EmbeddingSpace,
    vectors: readonly { id: string; vector: Float32Array }[],
  ): Promise<void> {
    for (const { id, vector } of vectors) this.entries(collection).get(id)?.vectors.set(space.name, vector);
  }

  async dropSpace(collection: Collection, space: Pick<EmbeddingSpace, 'name'>): Promise<void> {
    for (const entry of this.entries(collection).values()) entry.vectors.delete(space.name);
  }

  async count(collection: Collection): Promise<number> {
    return [...this.entries(collection).values()].filter((entry) => entry.published).length;
  }

  async drop(collection: Collection): Promise<void> {
    this.collections.delete(collectionName(collection));
  }

  async close(): Promise<void> {}

  private entries(collection: Collection): Map<string, Entry> {
    const failure = this.failures.shift();
    if (failure) throw failure;
    const name = collectionName(collection);
    const entries = this.collections.get(name) ?? new Map<string, Entry>();
    this.collections.set(name, entries);
    return entries;
  }

  private removeWhere(collection: Collection, isGone: (passage: Passage) => boolean): void {
    const entries = this.entries(collection);
    for (const [id, { passage }] of entries) if (isGone(passage)) entries.delete(id);
  }

  private best(
    collection: Collection,
    { limit, kinds }: { limit: number; kinds?: readonly PassageKind[] },
    scoreOf: (entry: Entry) => number | undefined,
  ): Hit[] {
    return [...this.entries(collection).values()]
      .filter(({ published, passage }) => published && (!kinds || kinds.includes(passage.kind)))
      .flatMap((entry) => {
        const score = scoreOf(entry);
        return score === undefined ? [] : [{ passage: entry.passage, score }];
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }
}
