import { contentTerms, foldSpelling, wordsOf } from '@parley/language';

export interface FaqCandidate {
  readonly id: number;
  readonly question: string;
  /** The cosine of the asked question and this one. */
  readonly similarity: number;
}

interface Thresholds {
  /** At this cosine two questions usually ask the same. */
  readonly paraphrase: number;
}

const negations = new Set(
  ('not no never without except dont cant cannot doesnt isnt arent wont ' + 'नहीं न मत बिना नाही नाहीत नको शिवाय विना')
    .split(' ')
    .map(foldSpelling),
);
/** Words that turn an answer into its opposite; two questions that differ in one of them do not ask the same. */
const opposites = [
  ...[
    ['open', 'close'],
    ['opening', 'closing'],
    ['buy', 'sell'],
    ['pickup', 'delivery'],
    ['start', 'end'],
  ],
  ...[
    ['enable', 'disable'],
    ['minimum', 'maximum'],
    ['before', 'after'],
    ['with', 'without'],
    ['activate', 'cancel'],
  ],
  ...[
    ['खुल', 'बंद'],
    ['शुरू', 'खत्म'],
    ['उघड', 'बंद'],
    ['सुरू', 'बंद'],
  ],
].map((pair) => pair.map((word) => contentTerms(word)[0] ?? word));

/** What two spellings of the same question share: same words, no punctuation, one spelling. */
export function normalizedQuestion(question: string): string {
  return wordsOf(question).join(' ');
}

const numbersOf = (text: string) =>
  wordsOf(text)
    .filter((word) => /^\d/.test(word))
    .sort()
    .join(' ');
const isNegated = (text: string) => wordsOf(text).some((word) => negations.has(word));

/** Whether a difference of two near questions changes their answer: a number, a "not", an opposite. */
export function differsInMeaning(asked: string, stored: string): boolean {
  if (numbersOf(asked) !== numbersOf(stored) || isNegated(asked) !== isNegated(stored)) return true;
  const [a, b] = [new Set(contentTerms(asked)), new Set(contentTerms(stored))];
  return opposites.some(([one = '', other = '']) => {
    return (
      (a.has(one) && !a.has(other) && b.has(other) && !b.has(one)) || (a.has(other) && !a.has(one) && b.has(one) && !b.has(other))
    );
  });
}

/** How much of each other's content two questions share, from 0 to 1. */
function termOverlap(asked: string, stored: string): number {
  const [a, b] = [new Set(contentTerms(asked)), new Set(contentTerms(stored))];
  if (a.size === 0 || b.size === 0) return 0;
  return [...a].filter((term) => b.has(term)).length / Math.max(a.size, b.size);
}

const overlapOfParaphrase = 0.99;
const helpOfOverlap = 0.25;

/**
 * The stored question that asks the same, if any. The answer is given verbatim and without a model, so it must be sure:
 * near in meaning, helped by shared words, and nothing in it that would change the answer.
 */
export function matchFaq(
  asked: string,
  candidates: readonly FaqCandidate[],
  { paraphrase }: Thresholds,
): { id: number; score: number } | undefined {
  const scored = candidates
    .filter(({ question }) => !differsInMeaning(asked, question))
    .map(({ id, question, similarity }) => {
      const overlap = termOverlap(asked, question);
      return { id, score: Math.min(1, similarity), sure: similarity + helpOfOverlap * overlap * (1 - similarity), overlap };
    })
    .sort((a, b) => b.sure - a.sure);
  const [best] = scored;
  if (!best || (best.sure < paraphrase && best.overlap < overlapOfParaphrase)) return undefined;
  return { id: best.id, score: Math.max(best.score, best.sure) };
}
