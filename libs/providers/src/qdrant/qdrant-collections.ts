import type { EmbeddingSpace } from '@parley/ports';
import type { QdrantClient } from '@qdrant/js-client-rest';
import { statusOf } from './answers';

/** The sparse vector that holds a passage's words. */
export const termsVector = 'terms';

const payloadIndexes = [
  ['source', 'keyword'],
  ['version', 'integer'],
  ['published', 'bool'],
  ['kind', 'keyword'],
] as const;

/** From here on a quarter of the memory is worth the second look at exact vectors. */
const pointsWorthQuantizing = 20_000;
const rememberedMax = 10_000;

/** Creates and tunes collections; remembers what it saw, so that a search does not ask twice. */
export class QdrantCollections {
  private readonly quantized = new Set<string>();

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

  /** Large collections keep one byte a dimension in memory and look at the exact vectors of the best. */
  async quantizeWhenLarge(name: string): Promise<void> {
    if (this.quantized.has(name)) return;
    const { count } = await this.client.count(name, { exact: false });
    if (count < pointsWorthQuantizing) return;
    await this.client.updateCollection(name, {
      quantization_config: { scalar: { type: 'int8', quantile: 0.99, always_ram: true } },
    });
    if (this.quantized.size >= rememberedMax) this.quantized.clear();
    this.quantized.add(name);
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
