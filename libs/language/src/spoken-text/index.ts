import { english, speakableEnglish } from './english';
import { hindi, speakableHindi } from './hindi';
import { marathi, speakableMarathi } from './marathi';
import { sentencesOf, shortened } from './sentences';

export { SentenceCutter, sentencesOf } from './sentences';
export { speakableEnglish, speakableHindi, speakableMarathi };

/** Prepares text for a voice of each language. */
export const speakableIn = { english: speakableEnglish, hindi: speakableHindi, marathi: speakableMarathi };

/** Figures take up to seven times their length in words, and a voice speaks whatever it is given in one go. */
const spokenMax = 400;

/** What a voice says of a text, in pieces that are prepared one at a time and spoken in about half a minute at most. */
export function* spokenPieces(text: string, language: keyof typeof speakableIn): Generator<string, undefined> {
  for (const sentence of sentencesOf(text)) yield* shortened(speakableIn[language](sentence), spokenMax);
}

const rules = { english, hindi, marathi };

/** A whole number in words, in lakh and crore. */
export function integerWords(value: number, language: keyof typeof rules): string {
  return rules[language].integer(value, true);
}
