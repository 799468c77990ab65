import { Controller, Injectable } from '@nestjs/common';
import { Fault, readWholeKnowledge, retrieveKnowledge, searchKnowledge, type SpeechLanguage } from '@parley/contracts';
import { Coalescer, TenantScope } from '@parley/database';
import { refersBack, inContext, languageOf, matchFaq, normalizedQuestion, questionTerms } from '@parley/language';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { Collection, EmbeddingCapabilities, Hit } from '@parley/ports';
import type { z } from 'zod';
import type { FaqEntity, SearchedBase } from '../database/entities';
import { Engines } from '../engines';
import { sourceOf } from '../indexing/entry-indexing';
import { excerptsOf, type ExcerptQuestion } from './excerpts';
import { type TableAnswer, TableAnswers, StoredAnswers } from './ready-answers';
import { AskedAcross, Reading } from './reading';
import { Reranking, Searching } from './searching';
import { isMoreExact, knownPassages, withinLimits } from './selection';
import { WholeKnowledge } from './whole-knowledge';

type Retrieved = z.input<typeof retrieveKnowledge.reply>;
type Found = Omit<Retrieved, 'leansOnBefore'>;
type FaqMatch = NonNullable<Retrieved['faq']>;

interface RetrievalQuestion {
  readonly KBID: number;
  readonly query: string;
  /** The earlier questions, oldest first. */
  readonly before?: readonly string[] | undefined;
  readonly language?: SpeechLanguage | undefined;
  readonly topK: number;
  readonly tokensMax: number;
  /** ANSWER: only what needs no model; EXCERPTS: passages to quote; READING: passages for a model; PRICE: a price. */
  readonly wants: 'ANSWER' | 'EXCERPTS' | 'READING' | 'PRICE';
  /** Whether a stored answer or a fact ends the search: a turn needs no more, but a builder wants to see everything. */
  readonly stopsAtAnswer: boolean;
}

type AskedFaq = Pick<FaqEntity, 'id' | 'key' | 'question' | 'answer'>;

interface Looked {
  readonly orgId: number;
  readonly id: number;
  readonly normalized: string;
}

type AskedBase = SearchedBase & { readonly faq: AskedFaq | null };

/** Knowledge bases ($2), each with the newest stored question whose normalized text equals the one asked ($3). */
const askedBases = `
  SELECT asked.place::int AS place, base.id, base.org_id AS "orgId", base.space, base.revision, base.asked_across_on AS "askedAcrossOn", (
    SELECT json_build_object('id', id, 'key', key, 'question', question, 'answer', answer) FROM faqs
    WHERE org_id = $1 AND knowledge_base_id = base.id AND deleted_on IS NULL AND md5(normalized) = md5(asked.normalized)
      AND normalized = asked.normalized AND asked.normalized <> ''
    ORDER BY updated_on DESC LIMIT 1
  ) AS faq
  FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS asked (id, normalized, place)
  JOIN knowledge_bases base ON base.id = asked.id AND base.deleted_on IS NULL`;

const looks = { batchMax: 100, waitingMax: 5_000 };
/** A caller is waiting, so no longer than a Postgres restart takes. */
const lookMsMax = 2_000;

/** Reads knowledge bases in their current state. Questions that arrive while others are looked up share the next query. */
@Injectable()
export class AskedBases {
  private readonly lane = new Coalescer<Looked, AskedBase | undefined>(
    (asked) => this.look(asked),
    looks,
    ({ orgId }) => orgId,
  );

  constructor(private readonly tenants: TenantScope) {}

  /** The base, and the FAQ with exactly the same question, if any. Needs no vectors. */
  async read(orgId: number, id: number, query: string): Promise<{ base: SearchedBase; asked: FaqMatch | undefined }> {
    const found = await this.lane.submit({ orgId, id, normalized: normalizedQuestion(query) }, lookMsMax);
    if (!found) throw new Fault('NOT_FOUND', { message: 'There is no such knowledge base.' });
    const { faq, ...base } = found;
    return { base, asked: faq ? matchOf(faq, 1) : undefined };
  }

  private async look(asked: readonly Looked[]): Promise<(AskedBase | undefined)[]> {
    const byOrganization = [...Map.groupBy(asked, ({ orgId }) => orgId)];
    const parts = byOrganization.map(([orgId, own]) => {
      const values = [orgId, own.map(({ id }) => id), own.map(({ normalized }) => normalized)];
      return { orgId, statement: { name: 'read-asked-bases', text: askedBases, values } };
    });
    const found = await this.tenants.together<AskedBase & { readonly place: number }>(parts);
    const bases = new Map<Looked, AskedBase>();
    byOrganization.forEach(([, own], part) => {
      for (const { place, ...base } of found[part] ?? []) {
        const one = own[place - 1];
        if (one) bases.set(one, base);
      }
    });
    return asked.map((one) => bases.get(one));
  }
}

/** Lower than for exactly the same words. */
const scoreOfSameTopics = 0.95;

/** Finds what an answer can be made from: a stored answer, a fact from the tables, passages with their sources. */
@Injectable()
export class RetrievalService {
  constructor(
    private readonly bases: AskedBases,
    private readonly engines: Engines,
    private readonly facts: TableAnswers,
    private readonly stored: StoredAnswers,
    private readonly searching: Searching,
    private readonly reading: Reading,
    private readonly reranking: Reranking,
    private readonly across: AskedAcross,
  ) {}

  /** A question that refers to earlier ones is searched as asked first, and then completed from them. */
  async retrieve(orgId: number, question: RetrievalQuestion): Promise<Retrieved> {
    const leansOnBefore = refersBack(question.query);
    const found =
      question.wants === 'EXCERPTS' ? await this.excerpts(orgId, question) : await this.answerOrReading(orgId, question);
    return { ...found, leansOnBefore };
  }

  private async excerpts(orgId: number, { before = [], ...asked }: RetrievalQuestion): Promise<Found> {
    const { query } = asked;
    const plain = await this.find(orgId, asked, { question: query, inContext: query });
    if (before.length === 0 || !refersBack(query) || plain.faq || plain.fact) return plain;
    const whole = inContext(query, before);
    const inItsContext = await this.find(orgId, { ...asked, query: whole }, { question: query, inContext: whole });
    return hasAnswer(inItsContext) || !hasAnswer(plain) ? inItsContext : plain;
  }

  /** For models: a ready answer only if the question is about nothing else, and otherwise everything that may help. */
  private async answerOrReading(orgId: number, { wants, ...asked }: RetrievalQuestion): Promise<Found> {
    const { KBID, query, language = languageOf(query), before = [], topK, tokensMax } = asked;
    const { base, asked: same } = await this.bases.read(orgId, KBID, query);
    const { revision } = base;
    // A question that refers to an earlier one may mean something other than it says.
    const isAlone = before.length === 0 || !refersBack(query);
    const stored = isAlone ? (same ?? (await this.ofSameTopics(base, query))) : undefined;
    const fact = isAlone ? await this.factOf(base, { question: query, language }) : undefined;
    if (wants === 'PRICE' && fact?.isListed) return { ...answered(undefined, fact), revision };
    if (fact?.isPlain && !same) return { ...answered(undefined, fact), revision };
    if (stored) return { ...answered(stored, undefined), revision };
    const nothing = { faq: null, fact: null, passages: [], isKnown: false, revision };
    if (wants !== 'READING') return nothing;
    return { ...nothing, ...(await this.reading.of(base, { query, before }, { topK, tokensMax })) };
  }

  private async factOf(
    base: SearchedBase,
    asked: { question: string; language: SpeechLanguage },
  ): Promise<TableAnswer | undefined> {
    return (await this.facts.ofToday(base, asked)) ?? this.facts.ofTheBusiness(base, asked);
  }

  private async find(
    orgId: number,
    { KBID, query, language = languageOf(query), topK, tokensMax, stopsAtAnswer }: Omit<RetrievalQuestion, 'before' | 'wants'>,
    wanted: ExcerptQuestion,
  ): Promise<Found> {
    const { base, asked } = await this.bases.read(orgId, KBID, query);
    const today = await this.facts.ofToday(base, { question: query, language });
    // A fact of today takes precedence over the stored answer to a differently worded question.
    const same = asked ?? (today ? undefined : await this.ofSameTopics(base, query));
    const fact = today ?? (same ? undefined : await this.facts.ofTheBusiness(base, { question: query, language }));
    const { revision } = base;
    if (stopsAtAnswer && (same || fact)) return { ...answered(same, fact), revision };
    const embeddings = base.space === null ? undefined : this.engines.embeddingsFor(base.space);
    const collection = { orgId, knowledgeBaseId: KBID };
    const [found = nothingFound] = await this.searching.search(collection, embeddings, [{ query, terms: questionTerms(query) }]);
    // Without an engine there are no vector hits, so the scale of similarity does not matter.
    const scale = (embeddings ?? this.engines.embeddings).capabilities;
    const faq = same ?? (await this.paraphrase(collection, query, { ...found, scale }));
    if (stopsAtAnswer && faq) return { ...answered(faq, fact), revision };
    const candidates = await this.reranking.order(query, knownPassages(query, found, scale, topK));
    const kept = withinLimits(candidates, { topK, tokensMax });
    this.across.note(
      base,
      query,
      kept.map(({ passage }) => passage),
    );
    const excerpts = excerptsOf(
      wanted,
      kept.map(({ passage }) => passage),
    );
    const passages = kept.map(({ passage, score }, place) => ({
      text: passage.text,
      score,
      source: sourceOf(passage),
      excerpt: excerpts[place] ?? '',
    }));
    const isKnown = Boolean(faq ?? fact) || passages.length > 0;
    return { faq: faq ?? null, fact: fact?.text ?? null, isFactPlain: fact?.isPlain ?? true, passages, isKnown, revision };
  }

  private async ofSameTopics(base: SearchedBase, query: string): Promise<FaqMatch | undefined> {
    const faq = await this.stored.answer(base, query);
    return faq ? matchOf(faq, scoreOfSameTopics) : undefined;
  }

  /** Stored answers are given verbatim, so they are read from the table and not from the index. */
  private async paraphrase(
    collection: Collection,
    query: string,
    {
      faqs: hits,
      dense,
      lexical,
      scale,
    }: Record<'faqs' | 'dense' | 'lexical', readonly Hit[]> & { scale: EmbeddingCapabilities },
  ): Promise<FaqMatch | undefined> {
    const similarities = new Map(hits.map(({ passage, score }) => [sourceOf(passage).id, score]));
    if (similarities.size === 0) return undefined;
    const faqs = await this.stored.named(collection, [...similarities.keys()]);
    const candidates = faqs.map(({ id, question }) => ({ id, question, similarity: similarities.get(id) ?? 0 }));
    const match = matchFaq(query, candidates, scale.similarity);
    const faq = faqs.find(({ id }) => id === match?.id);
    if (!faq || !match || [...lexical, ...dense].some(({ passage }) => isMoreExact(query, faq, passage))) return undefined;
    return matchOf(faq, match.score);
  }
}

const nothingFound = { dense: [], lexical: [], faqs: [] };
const scoreOfFacts = 1;

/** A result without searched passages. For a fact, the entries it was read from are shown as passages. */
function answered(faq: FaqMatch | undefined, fact: TableAnswer | undefined): Found {
  const passages = (fact?.sources ?? []).map((source) => ({
    text: fact?.text ?? '',
    score: scoreOfFacts,
    source: { ...source, page: null, row: null },
  }));
  const isFactPlain = fact?.isPlain ?? true;
  return { faq: faq ?? null, fact: fact?.text ?? null, isFactPlain, passages: faq ? [] : passages, isKnown: true };
}

function hasAnswer({ faq, fact, passages }: Found): boolean {
  return Boolean(faq ?? fact) || passages.some(({ excerpt = '' }) => excerpt !== '');
}

function matchOf({ key, id, question, answer }: AskedFaq, score: number): FaqMatch {
  return { KBFAQKeyID: key, KBFAQID: id, Question: question, Answer: answer, score };
}

const tokensShownMax = 16_000;

@Controller()
export class RetrievalController {
  constructor(
    private readonly retrieval: RetrievalService,
    private readonly whole: WholeKnowledge,
  ) {}

  @Handles(readWholeKnowledge)
  readWhole(body: z.output<typeof readWholeKnowledge.request>, call: Call) {
    return this.whole.of(organizationOf(call), body);
  }

  @Handles(retrieveKnowledge)
  retrieve(body: z.output<typeof retrieveKnowledge.request>, call: Call) {
    return this.retrieval.retrieve(organizationOf(call), { ...body, stopsAtAnswer: true });
  }

  @Handles(searchKnowledge)
  search(body: z.output<typeof searchKnowledge.request>, call: Call) {
    const shown = { wants: 'EXCERPTS', tokensMax: tokensShownMax, stopsAtAnswer: false } as const;
    return this.retrieval.retrieve(organizationOf(call), { ...body, ...shown });
  }
}
