import type { BusinessSchedule } from '@parley/contracts';
import type { ModelRequest } from '@parley/ports';
import type { BaseFacts, FactItem } from '../facts/base-facts';
import { likeness, type TextWords } from '../question/likeness';
import { type AnalysedQuestion, isPriceWord, type NeededWord } from '../question/needs';
import type { AnswerLanguage } from './phrases';
import { saysNot, tellsWhatIsWanted } from './statement-answer';

/** The texts for a question: its possible answers, and the questions with which these are compared. */
export interface TextsToRead {
  readonly passages: readonly string[];
  readonly questions: readonly string[];
}

/** A question, or a possible answer. */
export type TextKind = 'question' | 'passage';

/** The sentence model's view of the texts that it has read. */
export interface SentenceMeanings {
  of(text: string, as: TextKind): Float32Array | undefined;
  /** How close a text is in meaning to the question; 0 if either was not read. */
  closeness(asked: Float32Array | undefined, text: string, as: TextKind): number;
}

/** A candidate for the answer. */
export interface AnswerCandidate {
  readonly kind: 'statement' | 'item';
  /** The texts that the sentence model reads: with and without the headings. */
  readonly whole: string;
  readonly alone: string;
  /** The question that it answers, if stored. */
  readonly answers: string | undefined;
  readonly item: FactItem | undefined;
  readonly own: TextWords;
  readonly heading: TextWords;
  readonly around: TextWords;
  readonly text: string;
  /** Its number of words. */
  readonly length: number;
  readonly isStored: boolean;
  readonly compose: () => string | undefined;
}

/** A question with its candidates. */
export interface QuestionContext {
  /** Completed with the question before, if this is a follow-up. */
  readonly question: string;
  /** As asked. */
  readonly bare: string;
  readonly analysed: AnalysedQuestion;
  readonly facts: BaseFacts;
  readonly language: AnswerLanguage;
  /** What the business does, which does not distinguish its facts. */
  readonly subject: TextWords;
  readonly passages: ModelRequest['grounds']['passages'];
  readonly schedule: BusinessSchedule | null | undefined;
  /** The sentence model's view of the texts. Undefined without such a model. */
  readonly meanings: SentenceMeanings | undefined;
}

const unknownWeight = 0.9;
const ofSubjectWeight = 0.25;
const tellingMin = 0.5;

/**
 * The weights of the signs that a fact answers a question. They were fitted to the tuning questions, so that the right fact of a business
 * comes first, and evaluated on businesses that were left out.
 */
const countsFor = {
  own: 1.53,
  heading: 2.07,
  around: 1.88,
  rarest: 1.08,
  namedShare: 1.31,
  unfit: -2.29,
  found: 0.51,
  isItem: -1.15,
  isItemPriced: 0.71,
  ownOfItem: 1.28,
  headingOfItem: 1.54,
  saysNoNot: -1.1,
  length: 0.75,
  coverage: 1.83,
  headingOfStored: 1.07,
  named: 1.48,
};
type Sign = keyof typeof countsFor;
const bias = -4;

/** The weights if a multilingual sentence model is used besides the words. */
const countsForBeside = {
  own: 3.05,
  heading: 3.74,
  around: 2.69,
  rarest: 0.42,
  namedShare: 0.15,
  unfit: -2.03,
  isItem: -0.89,
  isItemPriced: 0.78,
  ownOfItem: 0.3,
  headingOfItem: 2.34,
  saysNoNot: -3.03,
  length: 0.89,
  coverage: 2.82,
  headingOfStored: 0.21,
  named: 0.55,
  isStrange: 0.48,
  besideOthers: 0.31,
  behind: 0.39,
  aloneBehind: 0.34,
  bareBehind: 0.37,
  bestBehind: 0.3,
  asStored: 0.16,
  inOrder: 0.18,
  close: 0.46,
  itemBehind: 0.13,
  itemAloneBehind: 0.13,
};
/** Chosen so that unanswerable questions of the left-out businesses are answered as often as without the sentence model. */
const biasBeside = -4.5;

/** The weighted sum of the signs. */
function weighedBy<Name extends string>(
  weights: Readonly<Record<Name, number>>,
  signs: Readonly<Record<NoInfer<Name>, number>>,
): number {
  let sum = 0;
  for (const name in weights) sum += weights[name] * signs[name];
  return sum;
}

/** How well a fact matches a word: in its own text, in its heading, and in the sentences beside it. */
interface Met {
  readonly own: number;
  readonly heading: number;
  readonly around: number;
}

const metBy = (need: NeededWord, { own, heading, around }: AnswerCandidate): Met => ({
  own: likeness(need, own),
  heading: likeness(need, heading),
  around: likeness(need, around),
});

/** Scores each candidate by the weights above. One with a score below 0 is not told. */
export function nearnessOf(asking: QuestionContext, candidates: readonly AnswerCandidate[]): number[] {
  const weighed = asking.analysed.needs.map((need) => {
    const met = candidates.map((candidate) => metBy(need, candidate));
    return { need, met, weight: weightOf(need, met, asking.subject) };
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const heaviest = Math.max(leastWeight, ...weighed.map(({ weight }) => weight));
  const telling = weighed.filter(({ need }) => need.weight >= tellingMin).length;
  const close = asking.meanings && closenessOf(candidates, asking, asking.meanings);
  return candidates.map((candidate, place) => {
    const sums = { own: 0, heading: 0, around: 0, rarest: 0, held: 0, inOwn: 0 };
    for (const { need, met, weight } of weighed) {
      const { own = 0, heading = 0, around = 0 } = met[place] ?? {};
      sums.own += own * weight;
      sums.heading += Math.max(0, heading - own) * weight;
      sums.around += Math.max(0, around - Math.max(own, heading)) * weight;
      if (own > 0) sums.rarest = Math.max(sums.rarest, weight);
      if (own > 0) sums.inOwn += 1;
      if (need.weight >= tellingMin && Math.max(own, heading) > 0) sums.held += 1;
    }
    const shares = { own: sums.own / total, heading: sums.heading / total, around: sums.around / total };
    const isStrange = (sums.rarest === 0 && sums.held === 0) || isPoor(candidate, shares, asking.analysed);
    if (isStrange && !close) return bias;
    const signs: Record<Sign, number> = {
      ...shares,
      ...signsOfKind(candidate, shares, asking),
      rarest: sums.rarest / heaviest,
      namedShare: telling === 0 ? 0 : sums.held / telling,
      coverage: sums.inOwn / (Math.log(1 + candidate.length) + 1),
      named: Math.min(namedMax, sums.held),
    };
    const inMeaning = close?.[place];
    return inMeaning
      ? weighedBy(countsForBeside, { ...signs, ...inMeaning, isStrange: isStrange ? 1 : 0 }) + biasBeside
      : weighedBy(countsFor, signs) + bias;
  });
}

/** Whether an item is a poor answer: the question asks who does something or whether something is possible, or little of it matches. */
function isPoor(
  { kind, text }: AnswerCandidate,
  { own, heading }: Pick<Met, 'own' | 'heading'>,
  { wants }: AnalysedQuestion,
): boolean {
  if (kind !== 'item') return false;
  if (own + heading < (wants.size === 0 ? shareOfThingMin.whether : shareOfThingMin.asked)) return true;
  return wants.has('WHO') || !tellsWhatIsWanted(text, wants);
}

const shareOfThingMin = { asked: 0.5, whether: 0.75 };

/** The signs that do not depend on single words: whether the candidate is an item or a sentence, and of the kind asked for. */
function signsOfKind(
  { kind, text, length, isStored }: AnswerCandidate,
  { own, heading }: Pick<Met, 'own' | 'heading'>,
  { analysed, passages }: QuestionContext,
) {
  const isItem = kind === 'item' ? 1 : 0;
  return {
    isItem,
    isItemPriced: analysed.wants.has('PRICE') ? isItem : 0,
    ownOfItem: isItem * own,
    headingOfItem: isItem * heading,
    headingOfStored: isStored ? heading : 0,
    unfit: tellsWhatIsWanted(text, analysed.wants) ? 0 : 1,
    saysNoNot: analysed.isOfWhatIsNot && !saysNot.test(text) ? 1 : 0,
    found: passages.find((one) => one.text.includes(text))?.score ?? 0,
    length: Math.log(1 + length),
  };
}

const leastWeight = 0.01;
const namedMax = 3;

/** The signs from the sentence model: closeness relative to the other candidates and to the nearest. */
function closenessOf(candidates: readonly AnswerCandidate[], { question, bare }: QuestionContext, meanings: SentenceMeanings) {
  const [sought, alone] = [meanings.of(question, 'question'), meanings.of(bare, 'question')];
  const whole = candidates.map((one) => meanings.closeness(sought, one.whole, 'passage'));
  const toBare = candidates.map((one) => meanings.closeness(alone, one.whole, 'passage'));
  const own = candidates.map((one) => meanings.closeness(sought, one.alone, 'passage'));
  const best = whole.map((close, place) => Math.max(close, own[place] ?? 0));
  const mean = whole.reduce((sum, close) => sum + close, 0) / (whole.length || 1);
  const spread = Math.sqrt(whole.reduce((sum, close) => sum + (close - mean) ** 2, 0) / (whole.length || 1)) || 1;
  const [wholeMax, bareMax, ownMax, bestMax] = [whole, toBare, own, best].map((all) => Math.max(...all));
  return candidates.map(({ kind, answers }, place) => {
    const [close = 0, near = 0] = [whole[place], own[place]];
    const isItem = kind === 'item' ? 1 : 0;
    const behind = (close - (wholeMax ?? 0)) * closenessScale;
    const aloneBehind = (near - (ownMax ?? 0)) * closenessScale;
    return {
      besideOthers: (close - mean) / spread,
      behind,
      aloneBehind,
      bareBehind: ((toBare[place] ?? 0) - (bareMax ?? 0)) * closenessScale,
      bestBehind: ((best[place] ?? 0) - (bestMax ?? 0)) * closenessScale,
      asStored:
        answers === undefined ? 0 : Math.max(0, meanings.closeness(sought, answers, 'question') - storedMin) * closenessScale,
      inOrder: 1 / (1 + whole.filter((other) => other > close).length),
      close: (close - closeUsual) * closenessScale,
      itemBehind: isItem * behind,
      itemAloneBehind: isItem * aloneBehind,
    };
  });
}

/** This model's closeness ranges from 0.75 to 0.92. */
const closenessScale = 20;
const closeUsual = 0.8;
const storedMin = 0.85;

/** The weight of a word: higher if few facts contain it, lower for what the business does. */
function weightOf(need: NeededWord, met: readonly Met[], subject: TextWords): number {
  const count = met.filter((one) => one.own > 0 || one.heading > 0).length;
  if (isPriceWord(need)) return need.weight * ofSubjectWeight;
  if (count > 0 && likeness(need, subject) > 0) return need.weight * ofSubjectWeight;
  const rarity = Math.log(1 + met.length / (count + 0.5)) / Math.log(1 + met.length / 0.5);
  return need.weight * (count === 0 ? unknownWeight : 0.4 + 0.6 * rarity);
}
