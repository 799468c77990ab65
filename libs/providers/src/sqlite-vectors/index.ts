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
  type Search,
  type VectorStore,
  type VectorStoreCapabilities,
} from '@parley/ports';
import { variableText } from '@parley/service-kit';
import { CallableWorker } from '../callable-worker';
import { defineConfigured, requireWritable } from '../vendor';
import type { SearchCalls } from './searches.worker';
import type { CollectionWrites } from './writes.worker';

/**
 * The vector store of installations without Qdrant: one SQLite file per knowledge base, so that tenants share neither pages nor word
 * statistics. Only one process at a time may use a directory.
 */
export class SqliteVectorStore implements VectorStore {
  readonly capabilities: VectorStoreCapabilities = { provider: 'sqlite', passagesPerCall: 256, hitsMax: 200 };
  private readonly writes: CallableWorker<CollectionWrites>;
  /** Separate threads and connections for searches, so that none waits for a document to be written, and two can run at once. */
  private readonly searching: readonly [SearchThread, SearchThread];

  constructor({ directory }: { directory: string }) {
    const thread = (name: string) => ({
      provider: 'sqlite',
      file: path.join(__dirname, `${name}.worker${path.extname(__filename)}`),
      workerData: { directory },
    });
    this.writes = new CallableWorker({ ...thread('writes'), pace: 'yielding' });
    this.searching = [new SearchThread(thread('searches')), new SearchThread(thread('searches'))];
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

  async searchDense(collection: Collection, dense: DenseQuery): Promise<Hit[]> {
    const [hits = []] = await this.search(collection, [{ dense }]);
    return hits;
  }

  async searchLexical(collection: Collection, lexical: LexicalQuery): Promise<Hit[]> {
    const [hits = []] = await this.search(collection, [{ lexical }]);
    return hits;
  }

  search(collection: Collection, searches: readonly Search[]): Promise<Hit[][]> {
    return this.idlest.ask('search', collectionName(collection), searches);
  }

  async warm(): Promise<void> {
    for (const searches of this.searching) await searches.call('release', '');
  }

  private get idlest(): SearchThread {
    const [first, second] = this.searching;
    return second.asked < first.asked ? second : first;
  }

  list(collection: Collection, page: { after?: string; limit: number }): Promise<{ id: string; passage: Passage }[]> {
    return this.writes.call('list', collectionName(collection), page);
  }

  read(collection: Collection, ids: readonly string[]): Promise<Passage[]> {
    return this.idlest.ask('read', collectionName(collection), ids.slice(0, this.capabilities.hitsMax));
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
    for (const searches of this.searching) await searches.call('release', collectionName(collection));
  }

  async close(): Promise<void> {
    for (const worker of [...this.searching, this.writes]) {
      await worker.call('closeAll');
      await worker.close();
    }
  }
}

/** A search thread, and its current number of searches. */
class SearchThread extends CallableWorker<SearchCalls> {
  asked = 0;

  async ask<Name extends keyof SearchCalls>(
    operation: Name,
    ...args: Parameters<SearchCalls[Name]>
  ): Promise<Awaited<ReturnType<SearchCalls[Name]>>> {
    this.asked += 1;
    try {
      return await this.call(operation, ...args);
    } finally {
      this.asked -= 1;
    }
  }
}

/** Vectors in local files. */
export const sqliteVectors = defineConfigured({
  variables: {
    VECTORS_DIR: variableText()
      .default('.parley/vectors')
      .meta({ description: 'The folder for vectors, when QDRANT_URL is not set.', example: '/var/lib/parley/vectors' }),
  },
  open: ({ VECTORS_DIR: directory }) => {
    requireWritable('VECTORS_DIR', directory, 'QDRANT_URL, or VECTORS_DIR to a folder of the one knowledge-ingest');
    return new SqliteVectorStore({ directory });
  },
});
