import { isUnit, type NumberSaid, saysPart, wordsOf } from '@parley/language';
import { isPackWord, kindOfPack } from '../facts/amount';
import type { FactItem, ItemAttribute, Pack } from '../facts/base-facts';
import { likeness, likenessToName, textWords } from '../question/likeness';
import { type AnalysedQuestion, needOf } from '../question/needs';
import { type AnswerLanguage, perUnit } from './phrases';

/** A number of packs, and the number of single pieces if those were asked for. */
interface CountedPacks {
  readonly count: number;
  readonly pieces?: number;
}

interface SaidOfPacks {
  /** The part of the question that names the item. */
  readonly phrase: string;
  /** Its numbers that count things. */
  readonly numbers: readonly NumberSaid[];
}

/**
 * The number of packs asked for, as in "three boxes", or the whole packs that a number of pieces fills. Undefined if another kind of pack
 * is asked for, or fewer pieces than a pack holds.
 */
export function packsAsked({ name }: FactItem, pack: Pack, { phrase, numbers }: SaidOfPacks): CountedPacks | undefined {
  const inPairs = pack.size === pairSize ? numbers.find(({ pairs }) => pairs !== undefined)?.pairs : undefined;
  if (inPairs !== undefined) return { count: inPairs };
  const ofName = textWords(name.replace(pack.written, ' '));
  const isOfPacks = (word: string) => (isPackWord(word) || isSoldBy(word, pack)) && likeness(needOf(word), ofName) === 0;
  const ofPacks = numbers.length === 1 ? numbers[0] : numbers.find(({ following }) => following.some(isOfPacks));
  const named = (numbers.length === 1 ? wordsOf(phrase) : (ofPacks?.following ?? [])).find(isOfPacks);
  if (ofPacks && named !== undefined) return pack.word !== '' && !isSoldBy(named, pack) ? undefined : { count: ofPacks.value };
  const [only, second] = numbers;
  if (!only || second) return undefined;
  // "Eight tables" does not count sets of four chairs.
  const isOfOther =
    pack.of !== '' &&
    likeness(needOf(wordsOf(pack.of)[0] ?? ''), ofName) === 0 &&
    !only.following.some((word) => likeness(needOf(word), textWords(pack.of)) > 0);
  if (isOfOther || only.value < pack.size) return undefined;
  return { count: Math.ceil(only.value / pack.size), pieces: only.value };
}

const pairSize = 2;

/** Whether a word is the kind of pack in which an item is sold, in any language. */
export const isSoldBy = (word: string, pack: Pack): boolean => kindOfPack(word) === kindOfPack(pack.word);

/** What a price is for: one unit, or a pack. */
export const perOf = ({ pack }: FactItem, { name }: ItemAttribute, language: AnswerLanguage): string =>
  perUnit(name, language) || (pack?.word ? perUnit(`per ${pack.word}`, language) : '');

/** Prices per person. */
export const byHead =
  /(?<![\p{L}\p{M}])(?:per|each|a|प्रति|हर|दर) (?:person|head|guest|adult|child|seat|plate|व्यक्ति|व्यक्ती|मेहमान|जण|माण|प्लेट)|माणशी|tickets?\b|टिकट|तिकीट/iu;
const people = /^(?:persons?|people|pax|guests?|visitors?|लोग|व्यक्ति|मेहमान|जण|पाहुण|माणस|माणूस|लोक|log|logon|jan|mehman)/u;

/** Whether a word counts people. */
export const isPeople = (word: string): boolean => people.test(word);

interface AskedOf {
  readonly question: string;
  readonly analysed: AnalysedQuestion;
  readonly items: readonly FactItem[];
}

/** Whether a question asks only for the price of things, as in "Three torches, किती?" */
export const asksHowMuchWholly = ({ question, analysed, items }: AskedOf): boolean =>
  !analysed.wants.has('PRICE') &&
  /किती(?:ला|चे|चा|ची)?\s*\??\s*$/u.test(question) &&
  analysed.counted.length + analysed.amounts.length > 0 &&
  analysed.needs.every(
    (need) =>
      need.weight < 1 ||
      saysPart(need.word) ||
      isUnit(need.word) ||
      isPeople(need.word) ||
      items.some(({ name }) => likenessToName(need, name) > 0),
  );
