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

/** A piece of a text as a voice says it. */
export interface SpokenPiece {
  readonly spoken: string;
  /** How many characters of the text are spoken by its end, by the lengths of its sentences: a table is told in other words. */
  readonly until: number;
}

/** What a voice says of a text, in pieces that are prepared one at a time and spoken in about half a minute at most. */
export function* spokenPieces(text: string, language: keyof typeof speakableIn): Generator<SpokenPiece, undefined> {
  const sentences = sentencesOf(text);
  const all = sentences.reduce((sum, { length }) => sum + length, 0);
  const characters = [...text].length;
  let passed = 0;
  for (const sentence of sentences) {
    const pieces = shortened(speakableIn[language](sentence), spokenMax);
    for (const [at, spoken] of pieces.entries()) {
      const share = passed + (sentence.length * (at + 1)) / pieces.length;
      yield { spoken, until: Math.min(characters, Math.ceil((characters * share) / all)) };
    }
    passed += sentence.length;
  }
}

const rules = { english, hindi, marathi };

/** A whole number in words, in lakh and crore. */
export function integerWords(value: number, language: keyof typeof rules): string {
  return rules[language].integer(value, true);
}
