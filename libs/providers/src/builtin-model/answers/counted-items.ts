import { amountRangesIn, amountsIn, isSmall, isUnit, measureNamed, wordsOf } from '@parley/language';
import { isMoney, isPrice, type Measure, measureOf, priceOf } from '../facts/amount';
import type { ItemAttribute, FactItem } from '../facts/read-facts';
import { likeness, likenessToName, saidIn } from '../question/likeness';
import { type AnalysedQuestion, askedIn, needOf } from '../question/needs';
import { fieldsAsked, isNumbered } from './item-answer';
import { baseNameOf } from './named-items';
import { isPricedBy, quantitiesIn } from './told-prices';

const timeUnits =
  /^(?:month|months|year|years|day|days|week|weeks|hour|hours|minute|minutes|mahine|mahina|din|saal|divas|महीने|महीना|दिन|साल|घंटे|दिवस|महिने|वर्ष|तास)$/u;

/** A thing and how many of it are asked for. Numbers that belong to a name, or count days and months, do not multiply. */
export interface Counted {
  readonly item: FactItem;
  readonly each: Measure;
  readonly count: number;
  /** Whether it is one pair of what is sold in pairs. */
  readonly isPair: boolean;
  /** What it is measured in, where the question says so. */
  readonly measure: string | undefined;
}

interface CountedIn {
  readonly question: string;
  readonly asked: AnalysedQuestion;
  /** Whether it is the only thing that is asked about. */
  readonly isOnly: boolean;
}

/** Of an item's several prices the one that the question names: dry cleaning, not the washing before it. */
function priceAsked(item: FactItem, asked: AnalysedQuestion): ItemAttribute | undefined {
  const [named, second] = fieldsAsked(asked, item).filter(
    (field) => isPrice(field) && asked.needs.some((need) => likeness(need, saidIn(field.name)) > 0),
  );
  return named && !second ? named : priceOf(item);
}

/** How many of an item are asked for: the number right before its name, or the only number. Undefined where that cannot be said. */
export function countedOf(item: FactItem, { question, asked, isOnly }: CountedIn): Counted | undefined {
  const price = priceAsked(item, asked);
  const each = price && measureOf(price);
  if (!price || !each || each.to !== undefined || !isMoney(each.unit)) return undefined;
  const name = saidIn(`${item.name} ${item.category}`);
  const isOfName = (word: string) => likeness(needOf(word), name) > 0;
  const priced = `${pricedBy(item)} ${price.name} ${price.value} ${price.unit}`;
  const phrase = isOnly ? question : phraseOf(item, question);
  if (phrase === undefined) return undefined;
  const said = quantitiesIn(phrase, priced).find(
    (one) =>
      !asked.counted.some(({ value }) => one.value === value && item.attributes.some((field) => isNumbered(field.name, one))) &&
      !name.stems.has(String(one.value)) &&
      !amountsIn(`${item.name} ${price.name}`).some((own) => own.value === one.value) &&
      !amountRangesIn(item.name).some(({ from, to }) => from <= one.value && one.value <= to) &&
      countsThings(one.following, priced) &&
      (isOnly || phrase !== question || one.following.slice(0, 2).some(isOfName)),
  );
  if (said && isOtherMeasure(said.following, `${pricedBy(item)} ${price.name}`)) return undefined;
  const measure = amountsIn(phrase).find(({ unit }) => !timeUnits.test(unit))?.unit;
  if (said?.isPair && isSoldInPairs(priced))
    return { item, each, count: said.value === 2 ? 1 : said.value, isPair: said.value === 2, measure };
  // "Rate per 100": so many hundreds of them.
  const per = Number(perNumber.exec(price.name)?.[1] ?? 1);
  const count = (said?.value ?? per) / per;
  return Number.isInteger(count) ? { item, each, count, isPair: false, measure } : undefined;
}

export const pricedBy = ({ name, description }: FactItem): string => `${name} ${description}`;

const joining = /(?:,|\+|(?<![\p{L}\p{M}])(?:and|plus|with|aur|ani|aani|और|आणि|तथा|व|एवं|प्लस|सोबत)(?![\p{L}\p{M}]))/giu;

/** The part of a question that names a thing, where it names others in other parts: a quantity counts what is in its phrase. */
function phraseOf({ name }: FactItem, question: string): string | undefined {
  const phrases = question.split(joining).filter((phrase) => phrase.trim() !== '');
  const telling = wordsOf(baseNameOf({ name })).filter((word) => !isSmall(word) && !isUnit(word));
  const held = phrases.map((phrase) => {
    const { needs } = askedIn(phrase);
    return telling.filter((word) => needs.some((need) => likenessToName(need, word) > 0)).length;
  });
  const most = Math.max(...held);
  const places = held.flatMap((count, place) => (count === most ? [place] : []));
  return most === 0 || places.length > 1 ? question : phrases[places[0] ?? 0];
}

/** A litre is no quantity of what is sold by the kilo. */
function isOtherMeasure([next = '']: readonly string[], priced: string): boolean {
  const asked = measureNamed(next);
  if (asked === undefined || timeUnits.test(next)) return false;
  const told = new Set(wordsOf(priced).flatMap((word) => measureNamed(word) ?? []));
  return told.size > 0 && !told.has(asked);
}

const perNumber = /\bper (\d{2,})\b/iu;
const isSoldInPairs = (priced: string): boolean => /\bpairs?\b|जोड़ी|जोडी|जोड़ा|\bjodi\b/iu.test(priced);

/** Days and months multiply what is priced by them, and nothing that is called by how many of them it lasts. */
const countsThings = ([next = '']: readonly string[], priced: string): boolean =>
  !timeUnits.test(next) || isPricedBy(next, priced);
