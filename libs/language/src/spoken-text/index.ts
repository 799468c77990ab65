import { english, speakableEnglish } from './english';
import { hindi, speakableHindi } from './hindi';
import { marathi, speakableMarathi } from './marathi';

export { SentenceCutter, sentencesOf } from './sentences';
export { speakableEnglish, speakableHindi, speakableMarathi };

/** Text as a voice of that language can read it aloud. */
export const speakableIn = { english: speakableEnglish, hindi: speakableHindi, marathi: speakableMarathi };

const rules = { english, hindi, marathi };

/** A whole number in the words of a language, in lakh and crore. */
export function integerWords(value: number, language: keyof typeof rules): string {
  return rules[language].integer(value, true);
}
