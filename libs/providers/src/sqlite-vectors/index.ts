import path from 'node:path';
import {
  type Collection,
  collectionName,
  type DenseQuery,
  type EmbeddingSpace,
  type Hit,
  type IndexedPassage,
  type LexicalQuery,
  type Passage,
  passageId,
  type VectorStore,
  type VectorStoreCapabilities,
} from '@parley/ports';
import { text } from '@parley/service-kit';
import { CallableWorker } from '../callable-worker';
import { defineConfigured } from '../vendor';
import type { SearchCalls } from './searches.worker';
import type { CollectionWrites } from './writes.worker';

/**
 * The vector store of an installation without Qdrant: one SQLite file a knowledge base, so that tenants share neither
 * pages nor word statistics. One process at a time may use a directory.
 */
export class SqliteVectorStore implements VectorStore {
  readonly capabilities: VectorStoreCapabilities = { provider: 'sqlite', passagesPerCall: 256, hitsMax: 200 };
  private readonly writes: CallableWorker<CollectionWrites>;
  /** Each kind of search has its own thread and connection: it waits neither for a document nor for the other kind. */
  private readonly meanings: CallableWorker<SearchCalls>;
  private readonly words: CallableWorker<SearchCalls>;

  constructor({ directory }: { directory: string }) {
    const thread = (name: string) => ({
      provider: 'sqlite',
      file: path.join(__dirname, `${name}.worker${path.extname(__filename)}`),
      workerData: { directory },
    });
    this.writes = new CallableWorker(thread('writes'));
    this.meanings = new CallableWorker(thread('searches'));
    this.words = new CallableWorker(thread('searches'));
  }

  prepare(collection: Collection, space: EmbeddingSpace): Promise<void> {
    return this.writes.call('prepare', collectionName(collection), space);
  }

  stage(collection: Collection, space: EmbeddingSpace, passages: readonly IndexedPassage[]): Promise<void> {
    const identified = passages.map((passage) => ({ ...passage, id: passageId(passage) }));
    return this.writes.call('stage', collectionName(collection), space, identified);
  }

  publish(collection: Collection, sourceId: string, version: number): Promise<void> {
    return this.writes.call('publish', collectionName(collection), sourceId, version);
  }

  removeSource(collection: Collection, sourceId: string): Promise<void> {
    return this.writes.call('removeSource', collectionName(collection), sourceId);
  }

  removeVersion(collection: Collection, sourceId: string, version: number): Promise<void> {
    return this.writes.call('removeVersion', collectionName(collection), sourceId, version);
  }

  searchDense(collection: Collection, query: DenseQuery): Promise<Hit[]> {
    return this.meanings.call('searchDense', collectionName(collection), query);
  }

  searchLexical(collection: Collection, query: LexicalQuery): Promise<Hit[]> {
    return this.words.call('searchLexical', collectionName(collection), query);
  }

  list(collection: Collection, page: { after?: string; limit: number }): Promise<{ id: string; passage: Passage }[]> {
    return this.writes.call('list', collectionName(collection), page);
  }

  read(collection: Collection, ids: readonly string[]): Promise<Passage[]> {
    return this.words.call('read', collectionName(collection), ids.slice(0, this.capabilities.hitsMax));
  }

  addVectors(
    collection: Collection,
    space: EmbeddingSpace,
    vectors: readonly { id: string; vector: Float32Array }[],
  ): Promise<void> {
    return this.writes.call('addVectors', collectionName(collection), space, vectors);
  }

  dropSpace(collection: Collection, space: Pick<EmbeddingSpace, 'name'>): Promise<void> {
    return this.writes.call('dropSpace', collectionName(collection), space);
  }

  count(collection: Collection): Promise<number> {
    return this.writes.call('count', collectionName(collection));
  }

  async drop(collection: Collection): Promise<void> {
    await this.writes.call('drop', collectionName(collection));
    for (const searches of [this.meanings, this.words]) await searches.call('release', collectionName(collection));
  }

  async close(): Promise<void> {
    for (const worker of [this.words, this.meanings, this.writes]) {
      await worker.call('closeAll');
      await worker.close();
    }
  }
}

/** Vectors in files of this machine. */
export const sqliteVectors = defineConfigured({
  variables: {
    VECTORS_DIR: text()
      .default('.parley/vectors')
      .meta({ description: 'The folder for vectors, when QDRANT_URL is not set.', example: '/var/lib/parley/vectors' }),
  },
  open: ({ VECTORS_DIR: directory }) => new SqliteVectorStore({ directory }),
});
