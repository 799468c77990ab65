import path from 'node:path';
import {
  collectionName,
  passageId,
  type Collection,
  type DenseQuery,
  type EmbeddingSpace,
  type Hit,
  type IndexedPassage,
  type LexicalQuery,
  type Passage,
  type VectorStore,
  type VectorStoreCapabilities,
} from '@parley/ports';
import { CallableWorker } from '../callable-worker';
import type { CollectionCalls } from './sqlite-vectors.worker';

/**
 * The vector store of an installation without Qdrant: one SQLite file a knowledge base, so that tenants share neither
 * pages nor word statistics. One process at a time may use a directory.
 */
export class SqliteVectorStore implements VectorStore {
  readonly capabilities: VectorStoreCapabilities = { provider: 'sqlite', passagesPerCall: 256, hitsMax: 200 };
  private readonly worker: CallableWorker<CollectionCalls>;
  /** Searches words with a connection of its own, beside the search for meaning and beside writes. */
  private readonly words: CallableWorker<CollectionCalls>;

  constructor({ directory }: { directory: string }) {
    const file = path.join(__dirname, `sqlite-vectors.worker${path.extname(__filename)}`);
    this.worker = new CallableWorker({ provider: 'sqlite', file, workerData: { directory } });
    this.words = new CallableWorker({ provider: 'sqlite', file, workerData: { directory } });
  }

  prepare(collection: Collection, space: EmbeddingSpace): Promise<void> {
    return this.worker.call('prepare', collectionName(collection), space);
  }

  stage(collection: Collection, space: EmbeddingSpace, passages: readonly IndexedPassage[]): Promise<void> {
    const identified = passages.map((passage) => ({ ...passage, id: passageId(passage) }));
    return this.worker.call('stage', collectionName(collection), space, identified);
  }

  publish(collection: Collection, sourceId: string, version: number): Promise<void> {
    return this.worker.call('publish', collectionName(collection), sourceId, version);
  }

  removeSource(collection: Collection, sourceId: string): Promise<void> {
    return this.worker.call('removeSource', collectionName(collection), sourceId);
  }

  removeVersion(collection: Collection, sourceId: string, version: number): Promise<void> {
    return this.worker.call('removeVersion', collectionName(collection), sourceId, version);
  }

  searchDense(collection: Collection, query: DenseQuery): Promise<Hit[]> {
    return this.worker.call('searchDense', collectionName(collection), query);
  }

  searchLexical(collection: Collection, query: LexicalQuery): Promise<Hit[]> {
    return this.words.call('searchLexical', collectionName(collection), query);
  }

  list(collection: Collection, page: { after?: string; limit: number }): Promise<{ id: string; passage: Passage }[]> {
    return this.worker.call('list', collectionName(collection), page);
  }

  addVectors(
    collection: Collection,
    space: EmbeddingSpace,
    vectors: readonly { id: string; vector: Float32Array }[],
  ): Promise<void> {
    return this.worker.call('addVectors', collectionName(collection), space, vectors);
  }

  dropSpace(collection: Collection, space: Pick<EmbeddingSpace, 'name'>): Promise<void> {
    return this.worker.call('dropSpace', collectionName(collection), space);
  }

  count(collection: Collection): Promise<number> {
    return this.worker.call('count', collectionName(collection));
  }

  async drop(collection: Collection): Promise<void> {
    await this.worker.call('drop', collectionName(collection));
    await this.words.call('release', collectionName(collection));
  }

  async close(): Promise<void> {
    for (const worker of [this.words, this.worker]) {
      await worker.call('closeAll');
      await worker.close();
    }
  }
}
