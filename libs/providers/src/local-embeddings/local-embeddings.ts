import path from 'node:path';
import { toUnitLength, type EmbeddingCapabilities, type Embeddings, type EmbedOptions } from '@parley/ports';
import { CallableWorker } from '../callable-worker';
import type { EmbeddingCalls } from './local-embeddings.worker';

/** Short, so that a caller's question waits for one slice of a document and not for the whole of it. */
const textsPerSlice = 4;

/**
 * Embeddings without a key: a sentence model for English, letter groups for Devanagari, in one space. The two hardly
 * resemble each other there, so a question finds passages of its own script.
 */
export class LocalEmbeddings implements Embeddings {
  readonly capabilities: EmbeddingCapabilities = {
    provider: 'local',
    space: { name: 'local-512', dimensions: 512 },
    textsPerCall: 32,
    charactersPerText: 2_000,
    similarity: { related: 0.42, paraphrase: 0.8 },
  };
  private readonly worker = new CallableWorker<EmbeddingCalls>({
    provider: 'local embeddings',
    file: path.join(__dirname, `local-embeddings.worker${path.extname(__filename)}`),
  });

  async embed(texts: readonly string[], { signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length || signal?.aborted; from += textsPerSlice) {
      signal?.throwIfAborted();
      const slice = texts.slice(from, from + textsPerSlice).map((text) => text.slice(0, this.capabilities.charactersPerText));
      vectors.push(...(await this.worker.call('embed', slice)));
    }
    return vectors.map(toUnitLength);
  }

  close(): Promise<void> {
    return this.worker.close();
  }
}
