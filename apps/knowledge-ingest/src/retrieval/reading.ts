import { Injectable } from '@nestjs/common';
import type { retrieveKnowledge } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { runOutsideCall } from '@parley/messaging';
import { isDevanagari, questionTerms, termsAcrossLanguages } from '@parley/language';
import { type Collection, type Passage, passageId } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { KnowledgeBaseEntity, type SearchedBase } from '../database/entities';
import { estimatedTokens } from '../documents/parsing/chunking';
import { Engines } from '../engines';
import { sourceOf } from '../indexing/entry-indexing';
import { Reranking, Searching } from './searching';
import { type PassageLimits, type ScoredPassage, fuse, isNear, keyOf, scoredPassages, tuning } from './selection';

const basesRemembered = 10_000;

/**
 * Records, once in the row and in the log, that a knowledge base is asked in another script although the engine cannot search
 * across scripts.
 */
@Injectable()
export class AskedAcross {
  private readonly noted = new LRUCache<number, true>({ max: basesRemembered });

  constructor(
    private readonly tenants: TenantScope,
    private readonly engines: Engines,
    private readonly log: Logger,
  ) {}

  /** The script of the base is recognized from the results. The write is not awaited. */
  note({ id, orgId, askedAcrossOn }: SearchedBase, query: string, found: readonly { readonly text: string }[]): void {
    const isAcross = found.length > 0 && found.every(({ text }) => isDevanagari(text) !== isDevanagari(query));
    if (!isAcross || askedAcrossOn || this.noted.has(id) || this.engines.embeddings.capabilities.similarity.acrossScripts) return;
    this.noted.set(id, true);
    this.log.warn('A knowledge base is asked in another script than it is written in, without embeddings that know both', {
      knowledgeBaseId: id,
      orgId,
    });
    const store = () =>
      this.tenants.run(orgId, (manager) => manager.update(KnowledgeBaseEntity, { id }, { askedAcrossOn: new Date() }));
    // Outside the call: the question's own call may only read.
    runOutsideCall(store).catch((err: unknown) =>
      this.log.warn('The note that a knowledge base is asked across scripts could not be stored', { err }),
    );
  }
}

type ToldPassages = z.input<typeof retrieveKnowledge.reply>['passages'];

/** The passages to read, and whether any of them is about the question. */
type Read = Pick<z.input<typeof retrieveKnowledge.reply>, 'passages' | 'isKnown'>;

interface QuestionInContext {
  readonly query: string;
  /** The earlier questions, oldest first. */
  readonly before: readonly string[];
}

const candidates = 30;

/**
 * What a model may need to answer a question. The model ignores what does not fit, so too much is better than too little. The
 * question is searched as asked, across languages, and together with the previous one.
 */
@Injectable()
export class Reading {
  constructor(
    private readonly engines: Engines,
    private readonly searching: Searching,
    private readonly reranking: Reranking,
    private readonly across: AskedAcross,
  ) {}

  async of(base: SearchedBase, { query, before }: QuestionInContext, { topK, tokensMax }: PassageLimits): Promise<Read> {
    const collection = { orgId: base.orgId, knowledgeBaseId: base.id };
    const earlier = before.at(-1);
    const wordings = [query, ...(earlier === undefined ? [] : [`${earlier} ${query}`])];
    const { rankings, isKnown } = await this.rankings(base, wordings);
    const found = inTurns(rankings);
    const ordered = await this.reranking.order(wordings.at(-1) ?? query, found.slice(0, Math.max(candidates, topK)));
    const kept = fitting(ordered, { topK, tokensMax });
    this.across.note(
      base,
      query,
      kept.map(({ passage }) => passage),
    );
    return { passages: await this.withNeighbours(collection, kept, tokensMax), isKnown };
  }

  /** The results of each wording in several orders: by score, by words, and across languages. */
  private async rankings(
    base: SearchedBase,
    wordings: readonly string[],
  ): Promise<{ rankings: ScoredPassage[][]; isKnown: boolean }> {
    const embeddings = base.space === null ? undefined : this.engines.embeddingsFor(base.space);
    const collection = { orgId: base.orgId, knowledgeBaseId: base.id };
    const searches = wordings.map((query) => ({ query, terms: questionTerms(query), across: termsAcrossLanguages(query) }));
    const found = await this.searching.search(collection, embeddings, searches);
    const scale = (embeddings ?? this.engines.embeddings).capabilities;
    const unscored = ({ passage }: { readonly passage: Passage }): ScoredPassage => ({ passage, score: 0 });
    const isKnown = found.some((searched, place) => isNear(wordings[place] ?? '', searched, scale));
    const rankings = found.flatMap((searched, place) => [
      scoredPassages(wordings[place] ?? '', searched, scale, candidates),
      searched.across.map(unscored),
      fuse(searched.dense, searched.lexical, tuning.weights.english).map(unscored),
    ]);
    return { rankings, isKnown };
  }

  /** Adds the paragraphs before and after a hit, as far as they fit. Table rows already carry their header. */
  private async withNeighbours(collection: Collection, kept: readonly ScoredPassage[], tokensMax: number): Promise<ToldPassages> {
    const known = new Map(kept.map((one) => [passageId(one.passage), one]));
    const wanted = kept
      .filter(({ passage }) => passage.kind === 'document' && passage.citation.row === undefined)
      .flatMap(({ passage }) =>
        [passage.ordinal + 1, passage.ordinal - 1]
          .filter((ordinal) => ordinal >= 0)
          .map((ordinal) => passageId({ ...passage, ordinal })),
      )
      .filter((id) => !known.has(id));
    const near = wanted.length === 0 ? [] : await this.engines.vectors.read(collection, [...new Set(wanted)]);
    let tokens = kept.reduce((sum, { passage }) => sum + estimatedTokens(passage.text), 0);
    for (const passage of near) {
      tokens += estimatedTokens(passage.text);
      if (tokens > tokensMax) break;
      known.set(passageId(passage), { passage, score: 0 });
    }
    return inReadingOrder([...known.values()]).map(({ passage, score }) => ({
      text: passage.text,
      score,
      source: sourceOf(passage),
      excerpt: '',
    }));
  }
}

/** Takes from each ranking in turn, so that results found by only one of them are not crowded out. */
function inTurns(rankings: readonly (readonly ScoredPassage[])[]): ScoredPassage[] {
  const taken = new Map<string, ScoredPassage>();
  const longest = Math.max(0, ...rankings.map(({ length }) => length));
  for (let place = 0; place < longest; place += 1)
    for (const ranking of rankings) {
      const found = ranking[place];
      if (!found) continue;
      const id = keyOf(found.passage);
      const known = taken.get(id);
      if (!known || known.score < found.score) taken.set(id, { ...found });
    }
  return [...taken.values()];
}

function fitting(found: readonly ScoredPassage[], { topK, tokensMax }: PassageLimits): ScoredPassage[] {
  const kept: ScoredPassage[] = [];
  let tokens = 0;
  for (const one of found) {
    if (kept.length === topK) break;
    tokens += estimatedTokens(one.passage.text);
    if (tokens > tokensMax) break;
    kept.push(one);
  }
  return kept;
}

/** Sources in the order in which they were found, and the passages of each in their own order. */
function inReadingOrder(found: readonly ScoredPassage[]): ScoredPassage[] {
  return [...Map.groupBy(found, ({ passage }) => passage.sourceId).values()].flatMap((ofSource) =>
    ofSource.toSorted((one, other) => one.passage.ordinal - other.passage.ordinal),
  );
}
