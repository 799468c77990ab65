import { foldSpelling, wordsOf } from './spelling';
import { stemOf } from './stems';
import { contentTerms, soundsOf } from './terms';

import { acts } from './meanings/acts';
import { everyday } from './meanings/everyday';
import { things } from './meanings/things';

/**
 * A question is looked for under all groups of its words, so that it meets knowledge in another language. Wider than the table of
 * concepts and less exact: who reads what is found leaves aside what does not fit.
 */
const groups = [everyday, acts, things].join('\n');

const byStem = new Map<string, Set<string>>();
for (const group of groups.split('\n')) {
  const stems = group
    .split(' ')
    .filter(Boolean)
    .flatMap((word) => wordsOf(word))
    .map((word) => stemOf(foldSpelling(word)));
  for (const stem of stems) byStem.set(stem, new Set([...(byStem.get(stem) ?? []), ...stems]));
}

/** The stems of all words that may mean the same as this word, in folded spelling; none for a word that no group holds. */
export function meaningsOf(word: string): ReadonlySet<string> {
  return byStem.get(stemOf(word)) ?? nothing;
}

const nothing: ReadonlySet<string> = new Set();

/** The stems of words in other languages that mean the same as words of a question, with how they sound in the other script. */
export function termsAcrossLanguages(question: string): string[] {
  const stems = [...new Set([...contentTerms(question), ...wordsOf(question).map(stemOf)])];
  const meant = new Set(stems.flatMap((stem) => [...(byStem.get(stem) ?? [])]));
  for (const stem of stems) meant.delete(stem);
  return [...meant].flatMap((stem) => [stem, ...soundsOf(stem).map((sound) => `q${sound}q`)]);
}
