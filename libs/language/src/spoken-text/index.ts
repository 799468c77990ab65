import { english, speakableEnglish } from './english';
import { hindi, speakableHindi } from './hindi';
import { marathi, speakableMarathi } from './marathi';

export { SentenceCutter, sentencesOf } from './sentences';
export { speakableEnglish, speakableHindi, speakableMarathi };

/** Prepares text for a voice of each language. */
export const speakableIn = { english: speakableEnglish, hindi: speakableHindi, marathi: speakableMarathi };

const rules = { english, hindi, marathi };

/** A whole number in words, in lakh and crore. */
export function integerWords(value: number, language: keyof typeof rules): string {
  return rules[language].integer(value, true);
}
