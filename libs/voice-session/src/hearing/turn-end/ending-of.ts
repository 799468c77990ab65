import type { SpokenLanguage } from '@parley/ports';
import { dictationIn } from './dictation';
import { englishEnds } from './english-ends';
import { hindiEnds } from './hindi-ends';
import { marathiEnds } from './marathi-ends';
import type { TongueEnds } from './tongue-ends';
import { folded, wordSet, wordsOf } from './words';

/** How what was said ends: whole, in the middle, in the middle of something dictated, or one cannot tell. */
export type Ending = 'whole' | 'broken' | 'dictating' | 'open';

// Written like English words, so they say nothing about the language.
const ambiguous = wordSet('to the do me main par is so hi us in are ho pan jar tar ya no did din have bare hun ki mat bas');
const devanagari = /[\u0900-\u097f]/u;

/** Reads the end of a transcript; engines that write no punctuation and mixed languages are expected. */
export function endingOf(transcript: string, language: SpokenLanguage): Ending {
  const text = folded(transcript).trim();
  const words = wordsOf(text);
  if (words.length === 0) return 'open';
  const plain = words.join(' ');
  const dictation = dictationIn(plain, words);
  if (dictation) return dictation === 'dictating' ? 'dictating' : 'whole';
  if (/(?:[,;:–—-]|\.\.|…)$/u.test(text)) return 'broken';
  const judged = endingIn(tonguesOf(words, language), plain, words);
  return judged === 'open' && /[?!.।॥]$/u.test(text) ? 'whole' : judged;
}

function endingIn([tongue, other]: readonly [TongueEnds, TongueEnds?], plain: string, words: readonly string[]): Ending {
  const last = words.at(-1) ?? '';
  if (tongue.whole.test(plain)) return 'whole';
  if (tongue.broken.test(plain)) return 'broken';
  if (tongue.continuing.has(last)) return 'broken';
  if (tongue.closing.has(last)) return 'whole';
  const opened = words.findLastIndex((word) => tongue.opening.has(word));
  if (opened === words.length - 1) return isSaidOf(tongue, words) ? 'whole' : 'broken';
  if (opened >= 0 && !words.slice(opened + 1).some((word) => isVerb(tongue, word))) return 'broken';
  if (tongue.answers.has(last)) return 'whole';
  return other ? endingIn([other], plain, words) : 'open';
}

/** Whether the last word comes after its own sentence ("how are you" in Hindi: "कैसे हैं आप"). */
function isSaidOf(tongue: TongueEnds, words: readonly string[]): boolean {
  return words.slice(0, -1).some((word) => isVerb(tongue, word) || tongue.asking.has(word));
}

function isVerb(tongue: TongueEnds, word: string): boolean {
  return tongue.closing.has(word) || tongue.verb.test(word);
}

/** The language to judge by, and the one to ask when the first knows nothing: people mix them within a sentence. */
function tonguesOf(words: readonly string[], language: SpokenLanguage): readonly [TongueEnds, TongueEnds?] {
  const hindi = signsOf(hindiEnds, words);
  const marathi = signsOf(marathiEnds, words);
  const isLatin = !devanagari.test(words.at(-1) ?? '');
  if (isLatin && hindi + marathi === 0) return [englishEnds];
  const isMarathi = language === 'marathi' ? marathi >= hindi : marathi > hindi + (language === 'hindi' ? 1 : 0);
  return [isMarathi ? marathiEnds : hindiEnds, englishEnds];
}

function signsOf({ continuing, closing, answers, asking, opening }: TongueEnds, words: readonly string[]): number {
  const known = (word: string): boolean => [continuing, closing, answers, asking, opening].some((set) => set.has(word));
  return words.filter((word) => !ambiguous.has(word) && known(word)).length;
}
