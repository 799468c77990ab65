import type { Grounds } from '@parley/ports';

const sentencesMax = 3;
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** The run of sentences in the passages that shares most with the question, word for word as it is written there. */
export function extract(question: string, passages: Grounds['passages']): string | undefined {
  const asked = termsOf(question);
  const runs = passages.flatMap(({ text }, place) =>
    runsOf(text).map((run) => ({ text: run.join('').trim(), score: scoreOf(asked, run) - place * 0.1 })),
  );
  return runs.toSorted((one, other) => other.score - one.score)[0]?.text;
}

/** Whole sentences in order, starting at each one in turn. */
function runsOf(text: string): string[][] {
  const parts = [...sentences.segment(text.replace(/\s+/gu, ' ').trim())].map(({ segment }) => segment);
  return parts.map((_, start) => parts.slice(start, start + sentencesMax));
}

/** The first sentence counts twice: an answer begins with what was asked. */
function scoreOf(asked: ReadonlySet<string>, run: readonly string[]): number {
  return shared(asked, run.slice(0, 1).join('')) + shared(asked, run.join(''));
}

function shared(asked: ReadonlySet<string>, text: string): number {
  const found = termsOf(text);
  return [...asked].filter((term) => found.has(term)).length;
}

const termLettersMin = 3;
const stemLetters = 5;

/** Words cut to their stems, roughly: enough to see that "deliver" and "delivery" are of one kind. */
function termsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return new Set(words.filter(({ length }) => length >= termLettersMin).map((word) => word.slice(0, stemLetters)));
}
