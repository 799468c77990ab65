import { Injectable } from '@nestjs/common';
import type { Collection, Embeddings, Hit } from '@parley/ports';
import { Engines } from '../engines';
import { QuestionVectors } from './question-vectors';

const hitsPerSearch = 30;
const faqHits = 5;

/** What the searches of one question found. */
export interface Searched {
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
