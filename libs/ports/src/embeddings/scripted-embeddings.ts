import { ProviderFailure } from '../provider-failure';
import { toUnitLength, type EmbeddingCapabilities, type Embeddings, type EmbedOptions } from './embeddings';

/** A fake engine: words decide the vector, so texts that share words are near. It can be told to fail. */
export class ScriptedEmbeddings implements Embeddings {
  readonly capabilities: EmbeddingCapabilities;
  /** Every call that arrived, for tests that count work. */
  readonly calls: string[][] = [];
  private readonly failures: ProviderFailure[] = [];

  constructor({ name = 'scripted', dimensions = 64 }: { name?: string; dimensions?: number } = {}) {
    this.capabilities = {
      provider: 'scripted',
      space: { name, dimensions },
      textsPerCall: 16,
      charactersPerText: 8_000,
      similarity: { related: 0.3, paraphrase: 0.8, acrossScripts: true },
    };
  }

  /** The next call fails so; further failures queue up behind it. */
  failNext(failure: ProviderFailure): void {
    this.failures.push(failure);
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    const failure = this.failures.shift();
    if (failure) throw failure;
    this.calls.push([...texts]);
    return texts.map((text) => this.vectorOf(text));
  }

  async close(): Promise<void> {}

  private vectorOf(text: string): Float32Array {
    const { dimensions } = this.capabilities.space;
    const vector = new Float32Array(dimensions);
    for (const word of text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
      let hash = 7;
      for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
      const slot = hash % dimensions;
      vector[slot] = (vector[slot] ?? 0) + 1;
    }
    return toUnitLength(vector);
  }
}
