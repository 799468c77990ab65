import { Injectable } from '@nestjs/common';
import type { retrieveKnowledge, SpeechLanguage } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import type { Collection, EmbeddingCapabilities, Embeddings, Hit } from '@parley/ports';
import { In, IsNull } from 'typeorm';
import type { z } from 'zod';
import { Engines } from '../engines';
import { matchFaq, normalizedQuestion } from '../faqs/faq-matching';
import { FaqEntity } from '../faqs/faq.entity';
import { sourceOf } from '../indexing/source-names';
import { KnowledgeBaseEntity } from '../knowledge-bases/knowledge-base.entity';
import { baseOf } from '../knowledge-bases/knowledge-bases.service';
import { languageOf } from '../language/language';
import { questionTerms } from '../language/terms';
import { Facts } from './facts';
import { QuestionVectors } from './question-vectors';
import { Reranking } from './reranking';
import { knownPassages, withinRoom } from './selection';
import { StoredAnswers } from './stored-answers';

type Retrieved = z.input<typeof retrieveKnowledge.reply>;
type FaqMatch = NonNullable<Retrieved['faq']>;

export interface Question {
  readonly KBID: number;
  readonly query: string;
  readonly language?: SpeechLanguage | undefined;
  readonly topK: number;
  readonly tokensMax: number;
  /** Whether a stored answer or a fact ends the search: a turn needs no more, a builder wants to see everything. */
  readonly stopsAtAnswer: boolean;
}

const hitsPerSearch = 30;
const faqHits = 5;
/** Below that of the very same words. */
const scoreOfSameTopics = 0.95;

/** Finds what an answer may be made from: a stored answer, a fact of the tables, passages with their sources. */
@Injectable()
export class RetrievalService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly engines: Engines,
    private readonly facts: Facts,
    private readonly stored: StoredAnswers,
    private readonly questions: QuestionVectors,
    private readonly reranking: Reranking,
  ) {}

  async retrieve(
    orgId: number,
    { KBID, query, language = languageOf(query), topK, tokensMax, stopsAtAnswer }: Question,
  ): Promise<Retrieved> {
    const { base, asked } = await this.read(orgId, KBID, query);
    const fact = (await this.facts.answer(base, query, language)) ?? null;
    // A fact of today comes before an answer to other words.
    const same = asked ?? (fact === null ? await this.ofSameTopics(base, query) : undefined);
    if (stopsAtAnswer && (same || fact)) return { faq: same ?? null, fact, passages: [], isKnown: true };
    const embeddings = base.space === null ? undefined : this.engines.embeddingsFor(base.space);
    const found = await this.search({ orgId, knowledgeBaseId: KBID }, embeddings, query);
    // Without an engine there are no hits that its scale of similarity would have to be known for.
    const scale = (embeddings ?? this.engines.embeddings).capabilities;
    const faq = same ?? (await this.paraphrase({ orgId, knowledgeBaseId: KBID }, query, { hits: found.faqs, scale })) ?? null;
    if (stopsAtAnswer && faq) return { faq, fact, passages: [], isKnown: true };
    const candidates = await this.reranking.order(query, knownPassages(query, found, scale, topK));
    const passages = withinRoom(candidates, { topK, tokensMax }).map(({ passage, score }) => ({
      text: passage.text,
      score,
      source: sourceOf(passage),
    }));
    return { faq, fact, passages, isKnown: faq !== null || fact !== null || passages.length > 0 };
  }

  /** The knowledge base, and the FAQ that asks the very same: one round trip, no vectors. */
  private read(orgId: number, id: number, query: string): Promise<{ base: KnowledgeBaseEntity; asked: FaqMatch | undefined }> {
    return this.tenants.read(orgId, async (manager) => {
      const normalized = normalizedQuestion(query);
      const sameWords = manager
        .createQueryBuilder(FaqEntity, 'faq')
        .where('faq.org_id = :orgId AND faq.knowledge_base_id = :id AND faq.deleted_on IS NULL', { orgId, id })
        .andWhere(`md5(faq.normalized) = md5(:normalized) AND faq.normalized = :normalized AND faq.normalized <> ''`, {
          normalized,
        })
        .orderBy('faq.updated_on', 'DESC')
        .getOne();
      const [base, faq] = await Promise.all([baseOf(manager, { id }), sameWords]);
      return { base, asked: faq ? matchOf(faq, 1) : undefined };
    });
  }

  private async ofSameTopics(base: KnowledgeBaseEntity, query: string): Promise<FaqMatch | undefined> {
    const faq = await this.stored.answer(base, query);
    return faq ? matchOf(faq, scoreOfSameTopics) : undefined;
  }

  private async search(
    collection: Collection,
    embeddings: Embeddings | undefined,
    query: string,
  ): Promise<{ dense: Hit[]; lexical: Hit[]; faqs: Hit[] }> {
    const [lexical, [dense, faqs]] = await Promise.all([
      this.engines.vectors.searchLexical(collection, { terms: questionTerms(query), limit: hitsPerSearch }),
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

  /** Stored answers are given verbatim, so they are read from the table and not from the index. */
  private async paraphrase(
    { orgId, knowledgeBaseId }: Collection,
    query: string,
    { hits, scale }: { hits: readonly Hit[]; scale: EmbeddingCapabilities },
  ): Promise<FaqMatch | undefined> {
    const similarities = new Map(hits.map(({ passage, score }) => [sourceOf(passage).id, score]));
    if (similarities.size === 0) return undefined;
    const faqs = await this.tenants.read(orgId, (manager) =>
      manager.findBy(FaqEntity, { id: In([...similarities.keys()]), knowledgeBaseId, deletedOn: IsNull() }),
    );
    const candidates = faqs.map(({ id, question }) => ({ id, question, similarity: similarities.get(id) ?? 0 }));
    const match = matchFaq(query, candidates, scale.similarity);
    const faq = faqs.find(({ id }) => id === match?.id);
    return faq && match && matchOf(faq, match.score);
  }
}

function matchOf({ id, question, answer }: FaqEntity, score: number): FaqMatch {
  return { KBFAQID: id, Question: question, Answer: answer, score };
}
