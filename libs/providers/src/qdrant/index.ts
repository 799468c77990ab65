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
  type PassageKind,
  ProviderFailure,
  type Search,
  type VectorStore,
  type VectorStoreCapabilities,
} from '@parley/ports';
import { QdrantClient } from '@qdrant/js-client-rest';
import { variableText, url } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { defineConfigured } from '../vendor';

/** The usual constants of BM25, and the length of most chunks. Qdrant itself applies the inverse document frequency. */
const saturation = 1.2;

const lengthWeight = 0.75;

const usualLength = 80;

interface SparseVector {
  indices: number[];
  values: number[];
}

interface QdrantOptions {
  url: string;
  apiKey?: string;
  timeoutMs?: number;
}

const ofSource = (sourceId: string) => ({ key: 'source', match: { value: sourceId } });
const isPublished = { key: 'published', match: { value: true } };

function visible(kinds: readonly PassageKind[] | undefined) {
  return { must: [isPublished, ...(kinds ? [{ key: 'kind', match: { any: [...kinds] } }] : [])] };
}

/** The vector store of larger installations: one Qdrant collection per knowledge base, one named vector per embedding space. */
export class QdrantVectorStore implements VectorStore {
  readonly capabilities: VectorStoreCapabilities = { provider: 'qdrant', passagesPerCall: 256, hitsMax: 200 };
  private readonly client: QdrantClient;
  private readonly collections: QdrantCollections;

  constructor({ url, apiKey, timeoutMs = 15_000 }: QdrantOptions) {
    this.client = new QdrantClient({ url, timeout: timeoutMs, checkCompatibility: false, ...(apiKey && { apiKey }) });
    this.collections = new QdrantCollections(this.client);
  }

  prepare(collection: Collection, space: EmbeddingSpace): Promise<void> {
    return this.answered(() => this.collections.prepare(collectionName(collection), space));
  }

  stage(collection: Collection, space: EmbeddingSpace, passages: readonly IndexedPassage[]): Promise<void> {
    const points = passages.map((passage) => ({
      id: passageId(passage),
      vector: { [space.name]: [...passage.vector], [termsVector]: passageTerms(passage.terms) },
      payload: payloadOf(passage),
    }));
    return this.answered(async () => {
      if (points.length > 0) await this.client.upsert(collectionName(collection), { wait: true, points });
    });
  }

  publish(collection: Collection, sourceId: string, version: number): Promise<void> {
    const name = collectionName(collection);
    const older = { must: [ofSource(sourceId), { key: 'version', range: { lt: version } }] };
    const shown = { must: [ofSource(sourceId), { key: 'version', match: { value: version } }] };
    return this.unlessAbsent(undefined, async () => {
      const operations = [{ set_payload: { payload: { published: true }, filter: shown } }, { delete: { filter: older } }];
      await this.client.batchUpdate(name, { wait: true, operations });
      await this.collections.quantizeWhenLarge(name);
    });
  }

  removeSource(collection: Collection, sourceId: string): Promise<void> {
    return this.remove(collection, { must: [ofSource(sourceId)] });
  }

  removeVersion(collection: Collection, sourceId: string, version: number): Promise<void> {
    return this.remove(collection, { must: [ofSource(sourceId), { key: 'version', match: { value: version } }] });
  }

  async searchDense(collection: Collection, query: DenseQuery): Promise<Hit[]> {
    return (await this.search(collection, [{ dense: query }])).flat();
  }

  async searchLexical(collection: Collection, query: LexicalQuery): Promise<Hit[]> {
    return (await this.search(collection, [{ lexical: query }])).flat();
  }

  /** Sends all searches in one request, except those without words, which find nothing. */
  async search(collection: Collection, searches: readonly Search[]): Promise<Hit[][]> {
    const needed = searches.filter((each) => !('lexical' in each) || each.lexical.terms.length > 0);
    const answers = await this.unlessAbsent([], async () =>
      needed.length === 0 ? [] : this.client.queryBatch(collectionName(collection), { searches: needed.map(queryOf) }),
    );
    const hits = new Map(needed.map((each, index) => [each, hitsOf(answers[index]?.points ?? [])]));
    return searches.map((each) => hits.get(each) ?? []);
  }

  list(collection: Collection, { after, limit }: { after?: string; limit: number }): Promise<{ id: string; passage: Passage }[]> {
    return this.unlessAbsent([], async () => {
      // Qdrant's offset is the first id of the page, ours the last one of the previous page.
      const page = { filter: visible(undefined), limit: limit + 1, with_payload: true, ...(after && { offset: after }) };
      const { points } = await this.client.scroll(collectionName(collection), page);
      return points
        .filter(({ id }) => id !== after)
        .slice(0, limit)
        .map(({ id, payload }) => ({ id: String(id), passage: passageFrom(payload) }));
    });
  }

  read(collection: Collection, ids: readonly string[]): Promise<Passage[]> {
    return this.unlessAbsent([], async () => {
      const wanted = { ids: ids.slice(0, this.capabilities.hitsMax), with_payload: true };
      const points = await this.client.retrieve(collectionName(collection), wanted);
      return points.flatMap(({ payload }) => (payload?.published === true ? [passageFrom(payload)] : []));
    });
  }

  addVectors(
    collection: Collection,
    space: EmbeddingSpace,
    vectors: readonly { id: string; vector: Float32Array }[],
  ): Promise<void> {
    const name = collectionName(collection);
    return this.unlessAbsent(undefined, async () => {
      const found = await this.client.retrieve(name, { ids: vectors.map(({ id }) => id), with_payload: false });
      const present = new Set(found.map(({ id }) => id));
      const points = vectors
        .filter(({ id }) => present.has(id))
        .map(({ id, vector }) => ({ id, vector: { [space.name]: [...vector] } }));
      if (points.length > 0) await this.client.updateVectors(name, { wait: true, points });
    });
  }

  dropSpace(collection: Collection, space: Pick<EmbeddingSpace, 'name'>): Promise<void> {
    return this.unlessAbsent(undefined, () => this.collections.dropSpace(collectionName(collection), space));
  }

  count(collection: Collection): Promise<number> {
    return this.unlessAbsent(0, async () => {
      const { count } = await this.client.count(collectionName(collection), { filter: visible(undefined), exact: true });
      return count;
    });
  }

  drop(collection: Collection): Promise<void> {
    return this.answered(() => this.collections.drop(collectionName(collection)));
  }

  async close(): Promise<void> {}

  private remove(collection: Collection, filter: { must: object[] }): Promise<void> {
    return this.unlessAbsent(undefined, async () => {
      await this.client.delete(collectionName(collection), { wait: true, filter });
    });
  }

  /** Treats a missing collection as empty. */
  private async unlessAbsent<T>(empty: T, work: () => Promise<T>): Promise<T> {
    return this.answered(() => work().catch((error: unknown) => (statusOf(error) === 404 ? empty : Promise.reject(error))));
  }

  private async answered<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toProviderFailure(error);
    }
  }
}

function queryOf(search: Search) {
  const { limit, kinds } = 'dense' in search ? search.dense : search.lexical;
  const common = { limit, filter: visible(kinds), with_payload: true };
  if ('lexical' in search) return { query: questionTerms(search.lexical.terms), using: termsVector, ...common };
  const { vector, space } = search.dense;
  return { query: [...vector], using: space.name, params: { quantization: { rescore: true, oversampling: 2 } }, ...common };
}

function hitsOf(points: readonly { readonly payload?: unknown; readonly score: number }[]): Hit[] {
  return newestVersions(points.map(({ payload, score }) => ({ passage: passageFrom(payload), score })));
}

function indexOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function counted(terms: readonly string[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(indexOf(term), (counts.get(indexOf(term)) ?? 0) + 1);
  return counts;
}

/** A passage's words as a sparse vector, whose product with a question's vector is BM25. */
function passageTerms(terms: readonly string[]): SparseVector {
  const counts = counted(terms);
  const damping = saturation * (1 - lengthWeight + (lengthWeight * terms.length) / usualLength);
  return {
    indices: [...counts.keys()],
    values: [...counts.values()].map((count) => (count * (saturation + 1)) / (count + damping)),
  };
}

/** A question's words as a sparse vector, each counted once. */
function questionTerms(terms: readonly string[]): SparseVector {
  const indices = [...counted(terms).keys()];
  return { indices, values: indices.map(() => 1) };
}

/** The name of the sparse vector with a passage's words. */
const termsVector = 'terms';

const payloadIndexes = [
  ['source', 'keyword'],
  ['version', 'integer'],
  ['published', 'bool'],
  ['kind', 'keyword'],
] as const;

/** From this size on, saving three quarters of the memory is worth rescoring with exact vectors. */
const pointsWorthQuantizing = 20_000;
const rememberedMax = 10_000;

/** Creates and tunes collections; caches which ones exist, so that searches need not check. */
class QdrantCollections {
  private readonly quantized = new LRUCache<string, true>({ max: rememberedMax });

  constructor(private readonly client: QdrantClient) {}

  async prepare(name: string, space: EmbeddingSpace): Promise<void> {
    const { exists } = await this.client.collectionExists(name);
    if (!exists) await this.create(name, space);
    for (const [field_name, field_schema] of payloadIndexes) {
      await this.client.createPayloadIndex(name, { field_name, field_schema, wait: true });
    }
    const { config } = await this.client.getCollection(name);
    if (Object.hasOwn(config.params.vectors ?? {}, space.name)) return;
    await this.client.createVectorName(
      name,
      space.name,
      { dense: { size: space.dimensions, distance: 'Cosine' } },
      { wait: true },
    );
  }

  /** Large collections keep one byte per dimension in memory, and rescore the best matches with exact vectors. */
  async quantizeWhenLarge(name: string): Promise<void> {
    if (this.quantized.has(name)) return;
    const { count } = await this.client.count(name, { exact: false });
    if (count < pointsWorthQuantizing) return;
    await this.client.updateCollection(name, {
      quantization_config: { scalar: { type: 'int8', quantile: 0.99, always_ram: true } },
    });
    this.quantized.set(name, true);
  }

  async dropSpace(name: string, space: Pick<EmbeddingSpace, 'name'>): Promise<void> {
    await this.client.deleteVectorName(name, space.name, { wait: true });
  }

  async drop(name: string): Promise<void> {
    this.quantized.delete(name);
    const { exists } = await this.client.collectionExists(name);
    if (exists) await this.client.deleteCollection(name);
  }

  private async create(name: string, space: EmbeddingSpace): Promise<void> {
    try {
      await this.client.createCollection(name, {
        vectors: { [space.name]: { size: space.dimensions, distance: 'Cosine' } },
        sparse_vectors: { [termsVector]: { modifier: 'idf' } },
      });
    } catch (error) {
      // Another replica was first.
      if (statusOf(error) !== 409) throw error;
    }
  }
}

const Payload = z.object({
  source: z.string(),
  version: z.number(),
  ordinal: z.number(),
  kind: z.enum(['document', 'faq', 'profile', 'catalogue']),
  text: z.string(),
  citation: z.record(z.string(), z.union([z.string(), z.number()])),
});
const Answered = z.object({ status: z.number() });
const Exhausted = z.object({ retry_after: z.number() });

/** The payload of a point. */
function payloadOf(passage: Passage): z.output<typeof Payload> & { published: boolean } {
  const { sourceId, version, ordinal, kind, text, citation } = passage;
  return { source: sourceId, version, ordinal, kind, text, citation, published: false };
}

function passageFrom(payload: unknown): Passage {
  const { source, ...rest } = Payload.parse(payload);
  return { sourceId: source, ...rest };
}

/** While a version is being replaced, both may be visible; only the newer one counts. */
function newestVersions(hits: Hit[]): Hit[] {
  const newest = new Map<string, number>();
  for (const { passage } of hits) newest.set(passage.sourceId, Math.max(passage.version, newest.get(passage.sourceId) ?? 0));
  return hits.filter(({ passage }) => passage.version === newest.get(passage.sourceId));
}

/** The status of the server's error response; undefined if there was none. */
function statusOf(error: unknown): number | undefined {
  return Answered.safeParse(error).data?.status;
}

function toProviderFailure(error: unknown): ProviderFailure {
  const exhausted = Exhausted.safeParse(error).data;
  if (exhausted)
    return new ProviderFailure('qdrant', 'overloaded', {
      retryable: true,
      retryAfterMs: exhausted.retry_after * 1000,
      cause: error,
    });
  const status = statusOf(error);
  const retryable = status === undefined || status >= 500 || status === 408;
  return new ProviderFailure('qdrant', status === undefined ? 'no answer' : `status ${status}`, { retryable, cause: error });
}

/** The installation's Qdrant server, if configured. */
export const qdrant = defineConfigured({
  variables: {
    QDRANT_URL: url('http', 'https').optional().meta({
      description:
        'A Qdrant server of version 1.19 or later. Without it vectors are kept in files on this machine, for one process only.',
      example: 'http://qdrant:6333',
    }),
    QDRANT_API_KEY: variableText()
      .optional()
      .meta({ description: 'The key of the Qdrant server.', example: '…', secret: true, needs: ['QDRANT_URL'] }),
  },
  open: ({ QDRANT_URL: url, QDRANT_API_KEY: apiKey }) =>
    url ? new QdrantVectorStore({ url, ...(apiKey && { apiKey }) }) : undefined,
});
