import { Injectable } from '@nestjs/common';
import { CircuitBreaker, type Collection, type Embeddings, type Hit, inTime, type Reranker } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import { Engines } from '../engines';
import type { Found } from './selection';

/** Of the space of 1536 dimensions they take six megabytes. */
const questionsRemembered = 1_000;
/** A caller does not wait longer for the meaning of the question. */
const embeddingMsMax = 1_500;

/** The vectors of questions. Callers ask the same again and again: the questions asked last cost nothing. */
@Injectable()
export class QuestionVectors {
  private readonly known = new Map<string, Float32Array>();

  constructor(private readonly log: Logger) {}

  /** Undefined when the engine is slow or out of order: then the words of the question have to do. */
  async of(question: string, embeddings: Embeddings): Promise<Float32Array | undefined> {
    const text = question.normalize('NFC').trim().replace(/\s+/gu, ' ');
    const { provider, space } = embeddings.capabilities;
    const key = `${space.name} ${text}`;
    const known = this.known.get(key);
    if (known) return this.remember(key, known);
    // A vector that comes too late for this question is there when it is asked again.
    const embedding = embeddings
      .embed([text], { signal: AbortSignal.timeout(embeddingMsMax) })
      .then(([vector]) => vector && this.remember(key, vector));
    try {
      return await inTime(embedding, { provider, timeoutMs: embeddingMsMax });
    } catch (error) {
      this.log.warn('A question could not be embedded, its words alone answer', { error, space: space.name });
      return undefined;
    }
  }

  /** The one asked longest ago makes room. */
  private remember(key: string, vector: Float32Array): Float32Array {
    this.known.delete(key);
    this.known.set(key, vector);
    const oldest = this.known.keys().next().value;
    if (this.known.size > questionsRemembered && oldest !== undefined) this.known.delete(oldest);
    return vector;
  }
}

const hitsPerSearch = 30;
const faqHits = 5;

/** What the searches of one question found. */
interface Searched {
  readonly dense: Hit[];
  readonly lexical: Hit[];
  /** Stored questions alone, by meaning. */
  readonly faqs: Hit[];
}

/** Searches a collection by words and by meaning, side by side. */
@Injectable()
export class Searching {
  constructor(
    private readonly engines: Engines,
    private readonly questions: QuestionVectors,
  ) {}

  async search(
    collection: Collection,
    embeddings: Embeddings | undefined,
    { query, terms }: { readonly query: string; readonly terms: readonly string[] },
  ): Promise<Searched> {
    const [lexical, [dense, faqs]] = await Promise.all([
      this.engines.vectors.searchLexical(collection, { terms, limit: hitsPerSearch }),
      this.searchMeaning(collection, embeddings, query),
    ]);
    return { dense, faqs, lexical };
  }

  /** Words alone answer when the engine that an index was made by is gone or out of order. */
  private async searchMeaning(
    collection: Collection,
    embeddings: Embeddings | undefined,
    query: string,
  ): Promise<[Hit[], Hit[]]> {
    if (!embeddings) return [[], []];
    const { vectors } = this.engines;
    const { space } = embeddings.capabilities;
    const vector = await this.questions.of(query, embeddings);
    if (!vector) return [[], []];
    return Promise.all([
      vectors.searchDense(collection, { space, vector, limit: hitsPerSearch }),
      vectors.searchDense(collection, { space, vector, limit: faqHits, kinds: ['faq'] }),
    ]);
  }
}

/** Orders candidates by an engine that reads question and passage together, where this installation has one. */
@Injectable()
export class Reranking {
  /** A reranker that is out of order must not cost every turn its whole patience. */
  private readonly breaker = new CircuitBreaker();

  constructor(
    private readonly engines: Engines,
    private readonly log: Logger,
  ) {}

  /** The order stands as it was when there is no engine, or when it fails or takes too long. */
  async order(question: string, found: readonly Found[]): Promise<readonly Found[]> {
    const { reranker } = this.engines;
    if (!reranker || found.length < 2 || this.breaker.waitMs > 0) return found;
    try {
      return await this.breaker.run(() => this.ordered(reranker, question, found));
    } catch (error) {
      this.log.warn('Passages could not be reranked, their order stands', { error });
      return found;
    }
  }

  private async ordered(reranker: Reranker, question: string, found: readonly Found[]): Promise<Found[]> {
    const timeoutMs = this.engines.rerankMsMax;
    const texts = found.map(({ passage }) => passage.text);
    const ranking = reranker.rerank(question, texts, { signal: AbortSignal.timeout(timeoutMs) });
    const ranked = await inTime(ranking, { provider: reranker.capabilities.provider, timeoutMs });
    return ranked.flatMap(({ index }) => found[index] ?? []);
  }
}
