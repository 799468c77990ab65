import { saidInLatinLetters } from '../latin-letters';
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

/** The scripts that a voice says, by their names in Unicode; `any` if it takes whatever is written. */
export type SaidScripts = 'any' | readonly string[];

const lettersBeyond = new Map<string, RegExp>();

/** A letter that is in none of these scripts. Letters of no script in particular, such as mathematical ones, are left to each voice. */
function letterBeyond(scripts: readonly string[]): RegExp {
  const name = scripts.join('|');
  const known = lettersBeyond.get(name);
  if (known) return known;
  const own = ['Common', 'Inherited', ...scripts].map((script) => `\\p{Script=${script}}`).join('');
  const letter = new RegExp(`[^\\P{L}${own}]`, 'u');
  lettersBeyond.set(name, letter);
  return letter;
}

/** Whether a voice of these scripts says every letter of a text. */
export function saysAll(text: string, scripts: SaidScripts): boolean {
  return scripts === 'any' || !letterBeyond(scripts).test(text);
}

/** A sentence or a part of one: for the voice that was asked for, or for one that says what this one does not. */
export interface ScriptPart {
  readonly text: string;
  readonly isOwn: boolean;
}

/**
 * What a voice of these scripts says of a sentence. Single words of Devanagari are written in Latin letters for one that has only
 * those, so that its sentence stays whole; a sentence that is mostly in other letters is for another voice.
 */
export function forScripts(sentence: string, scripts: readonly string[]): ScriptPart {
  if (saysAll(sentence, scripts)) return { text: sentence, isOwn: true };
  const words = sentence.match(/[\p{L}\p{M}]+/gu) ?? [];
  const others = words.filter((word) => !saysAll(word, scripts));
  const latin = others.length * 2 <= words.length ? latinFor(sentence, scripts) : undefined;
  return { text: latin ?? sentence, isOwn: latin !== undefined };
}

/** A text in the Latin letters of a voice; undefined if it has none, or if the text is in a third script. */
export function latinFor(text: string, scripts: readonly string[]): string | undefined {
  const isKnown = scripts.includes('Latin') && saysAll(text, ['Devanagari', ...scripts]);
  return isKnown ? saidInLatinLetters(text) : undefined;
}

/** A text cut where letters begin that a voice of these scripts does not say, and where they end. */
export function cutByScript(text: string, scripts: readonly string[]): ScriptPart[] {
  const parts: { text: string; isOwn: boolean | undefined }[] = [];
  for (const sign of text) {
    const isOwn = /\p{L}/u.test(sign) && !/\p{Script=Common}/u.test(sign) ? saysAll(sign, scripts) : undefined;
    const last = parts.at(-1);
    if (!last || (isOwn !== undefined && last.isOwn !== undefined && last.isOwn !== isOwn)) parts.push({ text: sign, isOwn });
    else Object.assign(last, { text: last.text + sign, isOwn: last.isOwn ?? isOwn });
  }
  return parts.map((part) => ({ text: part.text.trim(), isOwn: part.isOwn ?? true }));
}

const rules = { english, hindi, marathi };

/** A whole number in words, in lakh and crore. */
export function integerWords(value: number, language: keyof typeof rules): string {
  return rules[language].integer(value, true);
}
