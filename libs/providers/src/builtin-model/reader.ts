import { type Embeddings, ProviderFailure, similarity } from '@parley/ports';
import { LRUCache } from 'lru-cache';

/** The texts of a question: what may answer it, and the questions that are set beside it. */
export interface TextsToRead {
  readonly passages: readonly string[];
  readonly questions: readonly string[];
}

type Kind = 'question' | 'passage';

/** What a sentence model makes of texts that it has read. */
export interface Meanings {
  of(text: string, as: Kind): Float32Array | undefined;
  /** How near a text is to what was asked; nothing where either was not read. */
  closeness(asked: Float32Array | undefined, text: string, as: Kind): number;
}

interface ReaderOptions {
  /** How long a question waits for a base that nobody has asked before; then it is answered by its words alone. */
  readonly patienceMs?: number;
  /** Told of a model that cannot be used. */
  readonly onFailure?: ((failure: ProviderFailure) => void) | undefined;
}

const vectorsRemembered = 20_000;

/** Reads the texts of a base once, by a sentence model that knows all languages of the platform. */
export class Reader implements Meanings {
  private readonly vectors = new LRUCache<string, Float32Array>({ max: vectorsRemembered });
  /** What is being read now, so that two questions to a base do not read it twice. */
  private readonly reading = new Map<string, Promise<void>>();

  constructor(
    private readonly embeddings: Embeddings,
    private readonly patienceMs = 1500,
  ) {}

  /** The meanings of these texts; undefined where they were not read in time or could not be. */
  async read({ passages, questions }: TextsToRead, { onFailure, patienceMs = this.patienceMs }: ReaderOptions = {}) {
    const all = [...this.taken(passages, 'passage'), ...this.taken(questions, 'question')];
    if (all.length === 0) return this;
    const patience = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => patience.resolve(undefined), patienceMs);
    try {
      return await Promise.race([Promise.all(all).then(() => this), patience.promise]);
    } catch (failure) {
      if (!(failure instanceof ProviderFailure)) throw failure;
      onFailure?.(failure);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  of(text: string, as: Kind): Float32Array | undefined {
    return this.vectors.get(keyOf(text, as));
  }

  closeness(asked: Float32Array | undefined, text: string, as: Kind): number {
    const vector = this.of(text, as);
    return asked && vector ? similarity(asked, vector) : 0;
  }

  /** What of these texts is being read; what nobody reads yet is begun. */
  private taken(texts: readonly string[], as: Kind): Promise<void>[] {
    const unread = [...new Set(texts)].filter((text) => !this.vectors.has(keyOf(text, as)));
    const fresh = unread.filter((text) => !this.reading.has(keyOf(text, as)));
    if (fresh.length > 0) {
      const work = this.begin(fresh, as);
      for (const text of fresh) this.reading.set(keyOf(text, as), work);
    }
    return [...new Set(unread.flatMap((text) => this.reading.get(keyOf(text, as)) ?? []))];
  }

  private async begin(texts: readonly string[], as: Kind): Promise<void> {
    try {
      const vectors = await this.embeddings.embed(texts, { as });
      vectors.forEach((vector, place) => this.vectors.set(keyOf(texts[place] ?? '', as), vector));
    } finally {
      for (const text of texts) this.reading.delete(keyOf(text, as));
    }
  }
}

const keyOf = (text: string, as: Kind): string => `${as}: ${text}`;
