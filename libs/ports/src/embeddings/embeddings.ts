import { ProviderFailure } from '../provider-failure';

/** Vectors are comparable only inside one space: a model at a number of dimensions. */
export interface EmbeddingSpace {
  /** Lower-case letters, digits and hyphens; it names the index too. */
  readonly name: string;
  readonly dimensions: number;
}

/** What an engine can do, and how its similarities are to be read: each model has a scale of its own. */
export interface EmbeddingCapabilities {
  readonly provider: string;
  readonly space: EmbeddingSpace;
  readonly textsPerCall: number;
  /** Longer texts are cut, never refused. */
  readonly charactersPerText: number;
  readonly similarity: {
    /** At this cosine two texts usually speak of the same thing. */
    readonly related: number;
    /** At this cosine two questions usually ask the same. */
    readonly paraphrase: number;
    /** Whether it says anything of two texts in different scripts. */
    readonly acrossScripts: boolean;
  };
}

export interface EmbedOptions {
  signal?: AbortSignal;
  /** For engines that were trained to tell what is asked from what may answer it; the others make no difference. */
  as?: 'question' | 'passage';
}

/** Turns texts into vectors of unit length, in the order given. Fails with a ProviderFailure. */
export interface Embeddings {
  readonly capabilities: EmbeddingCapabilities;
  /** Any number of texts: the engine cuts them into calls itself. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The cosine of two vectors of unit length. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  for (let index = 0; index < a.length; index += 1) dot += (a[index] ?? 0) * (b[index] ?? 0);
  return dot;
}

/** Normalizes to length one. A text without any feature keeps its zero vector. */
export function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(similarity(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

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
