import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { normalized } from '@parley/language';
import { CircuitBreaker, type Collection, type Embeddings, type Hit, inTime, type Reranker, type Search } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { Engines } from '../engines';
import type { ScoredPassage } from './selection';

/** With 1536 dimensions this takes six megabytes. */
const questionsRemembered = 1_000;
/** How long a caller waits for a question's vector. */
const embeddingMsMax = 1_500;

/** Questions to be embedded together. */
interface Gathered {
  readonly texts: string[];
  readonly vectors: Promise<Float32Array[]>;
}

/**
 * The vectors of questions. Callers ask the same questions again and again, so recent vectors are cached. Questions from the same
 * turn of the event loop, whoever asks them, share one call to the engine.
 */
@Injectable()
export class QuestionVectors {
  private readonly known = new LRUCache<string, Float32Array>({ max: questionsRemembered });
  private readonly gathered = new Map<string, Gathered>();

  constructor(private readonly log: Logger) {}

  /** Undefined if the engine is slow or failing: then only the question's words are searched. */
  async of(question: string, embeddings: Embeddings): Promise<Float32Array | undefined> {
    const text = normalized(question, 'NFC').trim().replace(/\s+/gu, ' ');
    const { provider, space } = embeddings.capabilities;
    const key = `${space.name} ${text}`;
    const known = this.known.get(key);
    if (known) return known;
    // A vector that arrives too late for this question is cached for the next time.
    const embedding = this.together(text, embeddings).then((vector) => {
      if (vector) this.known.set(key, vector);
      return vector;
    });
    try {
      return await inTime(embedding, { provider, timeoutMs: embeddingMsMax });
    } catch (error) {
      this.log.warn('A question could not be embedded; it is searched by words only', { error, space: space.name });
      return undefined;
    }
  }

  private async together(text: string, embeddings: Embeddings): Promise<Float32Array | undefined> {
    const { space, textsPerCall } = embeddings.capabilities;
    const open = this.gathered.get(space.name);
    const { texts, vectors } = open && open.texts.length < textsPerCall ? open : this.gather(embeddings);
    const place = texts.indexOf(text) >= 0 ? texts.indexOf(text) : texts.push(text) - 1;
    return (await vectors)[place];
  }

  private gather(embeddings: Embeddings): Gathered {
    const { name } = embeddings.capabilities.space;
    const texts: string[] = [];
    const vectors = nextTurnOfLoop().then(() => {
      if (this.gathered.get(name) === gathered) this.gathered.delete(name);
      return embeddings.embed(texts, { signal: AbortSignal.timeout(embeddingMsMax), as: 'question' });
    });
    const gathered = { texts, vectors };
    this.gathered.set(name, gathered);
    return gathered;
  }
}

const hitsPerSearch = 30;
const faqHits = 5;

/** What the searches for one question found. */
interface Searched {
  readonly dense: Hit[];
  readonly lexical: Hit[];
  /** Stored questions only, by vector. */
  readonly faqs: Hit[];
  readonly across: Hit[];
}

/** A question to be searched. */
interface SearchWording {
  readonly query: string;
  readonly terms: readonly string[];
  /** The same in other languages, searched as well. */
  readonly across?: readonly string[];
}

/** Searches a collection by words and by vectors. */
@Injectable()
export class Searching {
  constructor(
    private readonly engines: Engines,
    private readonly questions: QuestionVectors,
  ) {}

  /** Runs all searches for all wordings of a question in one request to the store. */
  async search(
    collection: Collection,
    embeddings: Embeddings | undefined,
    wordings: readonly SearchWording[],
  ): Promise<Searched[]> {
    const prepared = await Promise.all(wordings.map((wording) => this.searchesOf(wording, embeddings)));
    const found = await this.engines.vectors.search(
      collection,
      prepared.flatMap((searches) => Object.values(searches)),
    );
    return prepared.map((searches) => {
      const hits = new Map(Object.keys(searches).map((name) => [name, found.shift() ?? []]));
      const of = (name: keyof Searched): Hit[] => hits.get(name) ?? [];
      return { dense: of('dense'), faqs: of('faqs'), lexical: of('lexical'), across: of('across') };
    });
  }

  /** If the engine of an index is gone or failing, only words are searched. */
  private async searchesOf(
    { query, terms, across = [] }: SearchWording,
    embeddings: Embeddings | undefined,
  ): Promise<Partial<Record<keyof Searched, Search>>> {
    const vector = embeddings && (await this.questions.of(query, embeddings));
    const { space } = embeddings?.capabilities ?? {};
    return {
      lexical: { lexical: { terms, limit: hitsPerSearch } },
      ...(across.length > 0 && { across: { lexical: { terms: [...terms, ...across], limit: hitsPerSearch } } }),
      ...(vector &&
        space && {
          dense: { dense: { space, vector, limit: hitsPerSearch } },
          faqs: { dense: { space, vector, limit: faqHits, kinds: ['faq'] } },
        }),
    };
  }
}

/** Orders candidates with an engine that reads question and passage together, if this installation has one. */
@Injectable()
export class Reranking {
  /** A failing reranker must not cost every turn its full timeout. */
  private readonly breaker = new CircuitBreaker();

  constructor(
    private readonly engines: Engines,
    private readonly log: Logger,
  ) {}

  /** The order stays unchanged without an engine, or if it fails or is too slow. */
  async order(question: string, found: readonly ScoredPassage[]): Promise<readonly ScoredPassage[]> {
    const { reranker } = this.engines;
    if (!reranker || found.length < 2 || this.breaker.waitMs > 0) return found;
    try {
      return await this.breaker.run(() => this.ordered(reranker, question, found));
    } catch (error) {
      this.log.warn('Passages could not be reranked; their order is kept', { error });
      return found;
    }
  }

  private async ordered(reranker: Reranker, question: string, found: readonly ScoredPassage[]): Promise<ScoredPassage[]> {
    const timeoutMs = this.engines.rerankMsMax;
    const texts = found.map(({ passage }) => passage.text);
    const ranking = reranker.rerank(question, texts, { signal: AbortSignal.timeout(timeoutMs) });
    const ranked = await inTime(ranking, { provider: reranker.capabilities.provider, timeoutMs });
    return ranked.flatMap(({ index }) => found[index] ?? []);
  }
}
