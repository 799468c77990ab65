import { ProviderFailure } from '../provider-failure';

/** Vectors are only comparable within one space: one model with one number of dimensions. */
export interface EmbeddingSpace {
  /** Lower-case letters, digits and hyphens; also the name of the index. */
  readonly name: string;
  readonly dimensions: number;
}

/** An engine's capabilities, and how to interpret its similarities: each model has its own scale. */
export interface EmbeddingCapabilities {
  readonly provider: string;
  readonly space: EmbeddingSpace;
  readonly textsPerCall: number;
  /** Longer texts are cut, never refused. */
  readonly charactersPerText: number;
  readonly similarity: {
    /** From this cosine on, two texts are usually about the same thing. */
    readonly related: number;
    /** From this cosine on, two questions usually ask the same. */
    readonly paraphrase: number;
    /** Whether it is meaningful for two texts in different scripts. */
    readonly acrossScripts: boolean;
  };
}

export interface EmbedOptions {
  signal?: AbortSignal;
  /** For engines trained to distinguish questions from passages that may answer them; others ignore it. */
  as?: 'question' | 'passage';
}

/** Turns texts into vectors of unit length, in the order given. Fails with a ProviderFailure. */
export interface Embeddings {
  readonly capabilities: EmbeddingCapabilities;
  /** Takes any number of texts; the engine splits them into calls itself. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** For an engine on this machine: loads what the first question would otherwise wait for. */
  warm?(): Promise<void>;
  close(): Promise<void>;
}

/** The cosine of two vectors of unit length. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  for (let index = 0; index < a.length; index += 1) dot += (a[index] ?? 0) * (b[index] ?? 0);
  return dot;
}

/** Normalizes to length one. A text without any features keeps its zero vector. */
export function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(similarity(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** A fake engine: words determine the vector, so texts that share words are close. It can be told to fail. */
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

  /** Makes the next call fail; further failures are queued behind it. */
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
