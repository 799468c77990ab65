import {
  conceptOf,
  contentTerms,
  formsOf,
  isDevanagari,
  isWeak,
  normalizedQuestion,
  termsAcrossLanguages,
  wordsOf,
} from '@parley/language';
import type { EmbeddingCapabilities, Hit, Passage } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { estimatedTokens } from '../documents/parsing/chunking';

/** A question's words, prepared once for comparison with many passages. */
interface QuestionWords {
  readonly terms: readonly string[];
  readonly sounds: ReadonlyMap<string, readonly string[]>;
}

const weightOfSound = 0.8;

const weightOfConcept = 0.7;

interface Candidate {
  readonly passage: Passage;
  /** Undefined if the vector search did not find it. */
  readonly cosine: number | undefined;
  readonly rankScore: number;
}

const rankOffset = 60;

export interface ScoredPassage {
  readonly passage: Passage;
  /** The confidence, from 0 to 1, that the passage belongs to the question. */
  readonly score: number;
}

interface Searches {
  readonly dense: readonly Hit[];
  readonly lexical: readonly Hit[];
}

/** How many passages a prompt takes, and how many tokens in total. */
export interface PassageLimits {
  readonly topK: number;
  readonly tokensMax: number;
}

/**
 * How the two searches are combined. Chosen by judgement and on the clinic's questions; the evaluation's questions were not used.
 */
export const tuning = {
  weights: { english: { dense: 1, lexical: 1.2 }, devanagari: { dense: 1, lexical: 1.2 } },
  candidates: 12,
  /** The weight of matching words relative to similarity of vectors, where the engine's similarity is meaningful. */
  shareOfCoverage: 0.6,
  /** Below this score the honest answer is "I don't know". */
  known: 0.36,
  /** Passages that score far below the best only fill the prompt. */
  besideBest: 0.55,
};

/** The passages that a question may be answered from, most certain first; empty if none is close enough. */
export function knownPassages(
  question: string,
  searches: Searches,
  capabilities: EmbeddingCapabilities,
  topK: number,
): ScoredPassage[] {
  const found = scoredPassages(question, searches, capabilities, Math.max(tuning.candidates, topK * 2));
  const best = found[0]?.score ?? 0;
  return best < tuning.known ? [] : unlike(found);
}

/** Whether anything found is about the question: by its words, also in another language, or by its vector. */
export function isNear(
  question: string,
  { across, ...searches }: Searches & { readonly across: readonly Hit[] },
  capabilities: EmbeddingCapabilities,
): boolean {
  const [best] = scoredPassages(question, searches, capabilities, tuning.candidates);
  if (best && best.score >= tuning.known) return true;
  if (searches.dense.some(({ score }) => score >= capabilities.similarity.related)) return true;
  const meanings = [...new Set(contentTerms(question))].map((term) => [term, ...termsAcrossLanguages(term)]);
  return across.some(({ passage }) => {
    const { stems } = formsInText(passage.text);
    const covered = meanings.filter((terms) => terms.some((term) => stems.has(term)));
    return covered.length > 0 && covered.length >= meanings.length / 2;
  });
}

/** The first passages that fit, without those at the end that score far below the best. */
export function withinLimits(found: readonly ScoredPassage[], { topK, tokensMax }: PassageLimits): ScoredPassage[] {
  const best = Math.max(0, ...found.map(({ score }) => score));
  const last = found.findLastIndex(({ score }) => score >= best * tuning.besideBest);
  const kept: ScoredPassage[] = [];
  let tokens = 0;
  for (const candidate of found.slice(0, last + 1)) {
    tokens += estimatedTokens(candidate.passage.text);
    if (kept.length === topK || tokens > tokensMax) break;
    kept.push({ passage: candidate.passage, score: candidate.score });
  }
  return kept;
}

/** The best candidates of both searches with their scores, most certain first. */
export function scoredPassages(
  question: string,
  { dense, lexical }: Searches,
  { similarity }: EmbeddingCapabilities,
  candidates: number,
): ScoredPassage[] {
  const words = questionWords(question);
  const isInDevanagari = isDevanagari(question);
  const weights = isInDevanagari ? tuning.weights.devanagari : tuning.weights.english;
  return fuse(dense, lexical, weights)
    .slice(0, candidates)
    .map(({ passage, cosine = 0, rankScore }) => {
      const nearness = Math.max(0, Math.min(1, cosine / (2 * similarity.related)));
      const said = coverage(words, passage.text);
      const isComparable = similarity.acrossScripts || isDevanagari(passage.text) === isInDevanagari;
      const share = isComparable ? tuning.shareOfCoverage : 1;
      return { passage, rankScore, score: share * said + (1 - share) * nearness };
    })
    .sort((a, b) => b.score - a.score || b.rankScore - a.rankScore);
}

/** Repeating text in a prompt wastes space: of equal texts only the first is kept. */
function unlike(found: readonly ScoredPassage[]): ScoredPassage[] {
  const seen = new Set<string>();
  return found.filter(({ passage }) => {
    const text = normalizedQuestion(passage.text);
    return !seen.has(text) && seen.add(text);
  });
}

/** Identifies a passage within its base. */
export const keyOf = ({ sourceId, version, ordinal }: Passage) => `${sourceId}/${version}/${ordinal}`;

/** Reciprocal rank fusion: a passage that both searches rank high beats one that only one of them ranks first. */
export function fuse(dense: readonly Hit[], lexical: readonly Hit[], weights: { dense: number; lexical: number }): Candidate[] {
  const candidates = new Map<string, Candidate>();
  dense.forEach(({ passage, score }, rank) => {
    candidates.set(keyOf(passage), { passage, cosine: score, rankScore: weights.dense / (rankOffset + rank) });
  });
  lexical.forEach(({ passage }, rank) => {
    const known = candidates.get(keyOf(passage));
    const rankScore = (known?.rankScore ?? 0) + weights.lexical / (rankOffset + rank);
    candidates.set(keyOf(passage), { passage, cosine: known?.cosine, rankScore });
  });
  return [...candidates.values()].sort((a, b) => b.rankScore - a.rankScore);
}

function questionWords(question: string): QuestionWords {
  const terms = [...new Set(contentTerms(question))];
  return {
    terms,
    sounds: new Map(
      wordsOf(question)
        .map(formsOf)
        .map(({ stem, sounds }) => [stem, sounds]),
    ),
  };
}

/** The words of a text, in the forms in which they are compared. */
interface TextForms {
  readonly stems: ReadonlySet<string>;
  readonly sounds: ReadonlySet<string>;
  readonly concepts: ReadonlySet<string>;
}

/** About ten kilobytes each. */
const textsRemembered = 1_000;
const remembered = new LRUCache<string, TextForms>({ max: textsRemembered });

/** Cached, because the same passages are found again and again, and analysing one costs more than all comparisons with it. */
function formsInText(text: string): TextForms {
  const known = remembered.get(text);
  if (known) return known;
  const stems = new Set<string>();
  const sounds = new Set<string>();
  const concepts = new Set<string>();
  for (const form of wordsOf(text).map(formsOf)) {
    stems.add(form.stem);
    const concept = conceptOf(form.stem);
    if (concept !== undefined) concepts.add(concept);
    for (const sound of form.sounds) sounds.add(sound);
  }
  const forms = { stems, sounds, concepts };
  remembered.set(text, forms);
  return forms;
}

/** The share of a question's words that a passage contains, by stem, sound or concept. Long words count more. */
function coverage(words: QuestionWords, text: string): number {
  const heard = formsInText(text);
  let covered = 0;
  let all = 0;
  for (const term of words.terms) {
    const weight = Math.min(term.length, 6);
    all += weight;
    covered += weight * certaintyOf(term, words, heard);
  }
  return all === 0 ? 0 : covered / all;
}

/** From 0 to 1, how surely a text contains a word. */
function certaintyOf(term: string, { sounds }: QuestionWords, heard: TextForms): number {
  if (heard.stems.has(term)) return 1;
  if (sounds.get(term)?.some((sound) => heard.sounds.has(sound))) return weightOfSound;
  return heard.concepts.has(conceptOf(term) ?? '') ? weightOfConcept : 0;
}

/**
 * Whether another passage is about what the question names and a stored answer does not: of "black-and-white film", when the answer
 * is about films. It has a word of the question that the stored question and answer lack, and as many of its words in all.
 */
export function isMoreExact(
  asked: string,
  stored: { readonly question: string; readonly answer: string },
  passage: Passage,
): boolean {
  if (passage.text.includes(stored.answer)) return false;
  const words = questionWords(asked);
  const own = `${stored.question}\n${stored.answer}`;
  const [heard, other] = [formsInText(own), formsInText(passage.text)];
  const isNamed = words.terms.some(
    (term) => !isWeak(term) && certaintyOf(term, words, heard) === 0 && certaintyOf(term, words, other) === 1,
  );
  return isNamed && coverage(words, passage.text) >= coverage(words, own);
}
