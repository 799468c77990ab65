import { similarity, type EmbeddingSpace } from '../embeddings';
import type { ProviderFailure } from '../provider-failure';
import { collectionName, passageId, type Collection, type IndexedPassage, type Passage, type PassageKind } from './passage';
import type { DenseQuery, Hit, LexicalQuery, VectorStore, VectorStoreCapabilities } from './vector-store';

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
