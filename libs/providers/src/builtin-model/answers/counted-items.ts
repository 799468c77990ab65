import {
  type Amount,
  amountRangesIn,
  amountsIn,
  isStopWord,
  isUnit,
  measureNamed,
  numbersIn,
  type NumberSaid,
  wordsOf,
} from '@parley/language';
import { isMoney, isPrice, type Measure, measureOf, priceOf, severalOf, withoutPack, written } from '../facts/amount';
import type { FactItem, ItemAttribute } from '../facts/base-facts';
import { likeness, likenessToName, textWords } from '../question/likeness';
import { isEnumerated, says, totalWords } from '../question/idioms';
import { type AnalysedQuestion, askedIn, type NeededWord, needOf } from '../question/needs';
import { asksHowMuchWholly, byHead, isPeople, packsAsked, perOf } from './counted-packs';
import { fieldsAsked, isNumbered, tellItems } from './item-answer';
import { baseNameOf } from './named-items';
import { type AnswerLanguage, listed, named as nameOfField, phrases, unitOf } from './phrases';
import { isPricedBy, quantitiesIn, timeUnit } from './told-prices';
import { partsOfUnit } from './unit-prices';
import { chosenAmong, isOfVariants, tellsVariant, variantsOf } from './variants';

const timeUnits =
  /^(?:month|months|year|years|day|days|week|weeks|hour|hours|minute|minutes|mahine|mahina|din|saal|divas|महीने|महीना|दिन|साल|घंटे|दिवस|महिने|वर्ष|तास)$/u;

/** An item and the quantity asked for. Numbers that belong to a name, or count days and months, are not quantities. */
interface Counted {
  readonly item: FactItem;
  readonly each: Measure;
  /** The field with the unit price. */
  readonly price: ItemAttribute;
  readonly count: number;
  /** Whether the quantity is one pair of an item sold in pairs. */
  readonly isPair: boolean;
  /** The unit of the quantity, if the question states it. */
  readonly measure: string | undefined;
  /** The number of single pieces asked for of an item sold in packs; `count` is then the number of packs. */
  readonly pieces?: number;
  /** The amount asked for of an item sold by a larger unit: half a kilo, 250 g. */
  readonly parts?: Amount;
  /** The factors of `count`, if nights or hours were stated beside a number of items: two rooms for three nights. */
  readonly factors?: readonly number[];
}

interface Order {
  readonly question: string;
  readonly analysed: AnalysedQuestion;
  readonly items: readonly FactItem[];
  readonly language: AnswerLanguage;
}

interface CountedIn {
  readonly question: string;
  readonly analysed: AnalysedQuestion;
  /** Whether it is the only item asked about. */
  readonly isOnly: boolean;
  /** The part of the question that names it. */
  readonly phrase?: string | undefined;
}

/** The price that the question names if an item has several: dry cleaning, not washing, which is listed before it. */
function priceAsked(item: FactItem, analysed: AnalysedQuestion): ItemAttribute | undefined {
  const [named, second] = fieldsAsked(analysed, item).filter(
    (field) => isPrice(field) && analysed.needs.some((need) => likeness(need, textWords(field.name)) > 0),
  );
  return named && !second ? named : priceOf(item);
}

/**
 * The quantity of an item: the number right before its name, or the only number. Undefined if it is unclear, for example for a few pieces
 * of an item sold in larger packs.
 */
function countedOf(
  item: FactItem,
  { question, analysed, isOnly, phrase = isOnly ? question : phraseOf(item, question) }: CountedIn,
): Counted | undefined {
  const price = priceAsked(item, analysed);
  const each = price && measureOf(price);
  if (!price || !each || each.to !== undefined || !isMoney(each.unit)) return undefined;
  const name = textWords(`${item.name} ${item.category}`);
  const isOfName = (word: string) => likeness(needOf(word), name) > 0;
  const priced = `${pricedBy(item)} ${price.name} ${price.value} ${price.unit}`;
  if (phrase === undefined) return undefined;
  const all = quantitiesIn(phrase, priced).filter(
    (one) =>
      !analysed.counted.some(
        ({ value }) => one.value === value && item.attributes.some((field) => isNumbered(field.name, one)),
      ) &&
      (!isNamedBy(item, one, price.name) || isSaidTwice(one, phrase)) &&
      !amountRangesIn(item.name).some(({ from, to }) => from <= one.value && one.value <= to) &&
      (isOnly || phrase !== question || one.following.slice(0, 2).some(isOfName)),
  );
  const counting = all.filter(({ following }) => countsThings(following, priced));
  // In "a room for four people", four is not the number of rooms.
  if (all.some(({ following: [next = ''] }) => isPeople(next)) && !byHead.test(priced)) return undefined;
  const parts = partsOfUnit(phrase, price.name);
  const [more, third] = parts ? counting.filter(({ following: [next = ''] }) => !isUnit(next)) : [];
  // In "three bicycles for half an hour", there may be one more number besides the half. With two more it is unclear.
  if (parts && third) return undefined;
  if (parts) {
    const count = parts.count * (more?.value ?? 1);
    return { item, each, price, count, isPair: false, measure: undefined, parts, ...(more && { factors: [more.value] }) };
  }
  const [first, another] = counting;
  // It is unclear what a number of nights means for an item that is not priced by the night.
  if (first && all.some((one) => !counting.includes(one)) && !isTime(first)) return undefined;
  if (first && isOtherMeasure(first.following, `${pricedBy(item)} ${price.name}`)) return undefined;
  const measure = amountsIn(phrase).find(({ unit }) => !timeUnits.test(unit))?.unit;
  if (first?.pairs !== undefined && !item.pack && isSoldInPairs(priced))
    return { item, each, price, count: first.pairs, isPair: first.pairs === 1, measure };
  if (first && item.pack) {
    const packed = packsAsked(item, item.pack, { phrase, numbers: counting });
    return packed && { item, each, price, isPair: false, measure, ...packed };
  }
  if (first && another && isTime(first) !== isTime(another)) {
    const factors = [first.value, another.value];
    return { item, each, price, count: first.value * another.value, isPair: false, measure, factors };
  }
  // For "Rate per 100", the quantity is divided by 100.
  const per = Number(perNumber.exec(price.name)?.[1] ?? 1);
  const count = (first?.value ?? per) / per;
  return Number.isInteger(count) ? { item, each, price, count, isPair: false, measure } : undefined;
}

const isTime = ({ following: [next = ''] }: NumberSaid): boolean => timeUnit(next) !== undefined;

/** Whether a number belongs to the name: 350 in "350 ml", 3 in "3 BHK". */
function isNamedBy(item: FactItem, { value, following: [next = ''] }: NumberSaid, column: string): boolean {
  const name = item.name.replace(item.pack?.written ?? '', ' ');
  // In "Two cupboards", the number is a quantity, although there is a "Cupboard, two doors".
  const isOfAll = numbersIn(name).some(
    (own) =>
      own.value === value &&
      !own.following.some((word) => likeness(needOf(next), textWords(word)) > 0) &&
      likenessToName(needOf(next), name.split(',')[0] ?? '') > 0,
  );
  if (next !== '' && isOfAll && !isUnit(next)) return false;
  return (
    wordsOf(name).includes(String(value)) ||
    numbersIn(name).some((own) => own.value === value) ||
    amountsIn(`${name} ${column}`).some((own) => own.value === value)
  );
}

/** Whether a number appears twice. In "Two 2 BHK flats", only one belongs to the name. */
const isSaidTwice = ({ value, following }: NumberSaid, phrase: string): boolean => {
  const equal = numbersIn(phrase).filter((one) => one.value === value);
  return equal.length > 1 && equal[0]?.following.join(' ') === following.join(' ');
};

/** A part of a question and the items that it may mean: one, or several variants if it does not say which. */
interface OrderLine {
  readonly phrase: string;
  readonly items: readonly FactItem[];
  /** The variant asked for that does not exist. */
  readonly missing: string | undefined;
}

/**
 * The lines of an order: "two small ones and a large one" has two variants of one item. Items named by exactly the same words are
 * alternatives and are not added up.
 */
function linesOf(question: string, items: readonly FactItem[]): OrderLine[] {
  const groups = groupsOf(question, items);
  const phrases = question.split(joining).filter((phrase) => phrase.trim() !== '');
  const [only, second] = groups;
  if (only && !second) {
    const choosing = phrases.filter(
      (phrase) => tellsVariant(phrase, only) && countsOne.test(phrase + (numbersIn(phrase).length > 0 ? ' 1' : '')),
    );
    const lines = choosing.length > 1 ? choosing.map((phrase) => ({ phrase, ...chosenAmong(phrase, only) })) : [];
    const areApart = new Set(lines.flatMap((line) => line.items)).size === lines.length;
    return lines.length > 1 && areApart ? lines : [{ phrase: question, ...chosenAmong(question, only) }];
  }
  return groups.map((group) => {
    const own = phraseOf(group[0] ?? { name: '' }, question);
    const phrase = own ?? question;
    return { phrase, ...chosenAmong(phrase, group) };
  });
}

const countsOne = /\d|(?<![\p{L}\p{M}])(?:an?|one|एक|ek)(?![\p{L}\p{M}])/iu;

/** Groups items. Two are in the same group if they are variants, or if no word of the question names one of them better than the other. */
function groupsOf(question: string, items: readonly FactItem[]): FactItem[][] {
  const { needs } = askedIn(question);
  const groups: FactItem[][] = [];
  for (const item of items) {
    const isOwn = (one: FactItem, other: FactItem) =>
      needs.some((need) => likenessToName(need, one.name) > likenessToName(need, other.name));
    const areVariants = (one: FactItem) => variantsOf(one, items).includes(item);
    const group = groups.find((known) => known.some((one) => areVariants(one) || !(isOwn(one, item) && isOwn(item, one))));
    if (group) group.push(item);
    else groups.push([item]);
  }
  return groups;
}

const pricedBy = ({ name, description }: FactItem): string => `${name} ${description}`;

const joining = /(?:,|\+|(?<![\p{L}\p{M}])(?:and|plus|with|aur|ani|aani|और|आणि|तथा|व|एवं|प्लस|सोबत)(?![\p{L}\p{M}]))/giu;

/** The part of the question that names this item, if its other parts name others. A quantity belongs to the item in its part. */
function phraseOf({ name }: Pick<FactItem, 'name'>, question: string): string | undefined {
  const phrases = question.split(joining).filter((phrase) => phrase.trim() !== '');
  const telling = wordsOf(baseNameOf({ name })).filter((word) => !isStopWord(word) && !isUnit(word));
  const held = phrases.map((phrase) => {
    const { needs } = askedIn(phrase);
    // An exact word counts more than one with nearly the same meaning.
    return telling.reduce((sum, word) => sum + Math.max(0, ...needs.map((need) => likenessToName(need, word))), 0);
  });
  const most = Math.max(...held);
  const places = held.flatMap((count, place) => (count === most ? [place] : []));
  return most === 0 || places.length > 1 ? question : phrases[places[0] ?? 0];
}

/** Whether a unit does not fit the price: litres of an item sold by the kilo. */
function isOtherMeasure([next = '']: readonly string[], priced: string): boolean {
  const measure = measureNamed(next);
  if (measure === undefined || timeUnits.test(next)) return false;
  const measures = new Set(wordsOf(priced).flatMap((word) => measureNamed(word) ?? []));
  return measures.size > 0 && !measures.has(measure);
}

const perNumber = /\bper (\d{2,})\b/iu;
const isSoldInPairs = (priced: string): boolean => /\bpairs?\b|जोड़ी|जोडी|जोड़ा|\bjodi\b/iu.test(priced);

/**
 * Whether a number counts units of the price. Days and months do so if the price is per day or month, but not if the item is named after
 * its number of them.
 */
const countsThings = ([next = '']: readonly string[], priced: string): boolean =>
  !timeUnits.test(next) || isPricedBy(next, priced);

/**
 * Tells the total for a quantity of one item, or for several items, each in its own quantity. If the question does not choose among
 * variants, each is told separately. Numbers that belong to a name, or count days for which there is no price, are ignored.
 */
export function ordered(order: Order): string | undefined {
  const wish = asksHowMuchWholly(order)
    ? { ...order, analysed: { ...order.analysed, wants: new Set(['PRICE' as const]) } }
    : order;
  const { question, analysed, items, language } = wish;
  if (!analysed.wants.has('PRICE') || items.length === 0) return undefined;
  const lines = linesOf(question, items);
  const lacking = lines.find(({ missing }) => missing !== undefined);
  if (lacking?.missing !== undefined) return toldMissing(lacking.missing, { ...wish, items: lacking.items });
  const [line, second] = lines;
  if (line && !second)
    return line.items.length === 1 ? timesOne({ ...wish, items: line.items }) : eachOf({ ...wish, items: line.items });
  if (lines.length > addedMax) return undefined;
  if (lines.some((one) => one.items.length > 1))
    return items.length > variantsMax ? undefined : items.map((item) => tellItems([item], analysed, language) ?? '').join(' ');
  const counted = lines.flatMap(({ items: [item], phrase }) =>
    item ? (countedOf(item, { question, analysed, isOnly: false, phrase }) ?? []) : [],
  );
  const [first] = counted;
  if (!first || counted.length < lines.length || counted.some(({ each }) => each.unit !== first.each.unit)) return undefined;
  // In "two kilos of this, and that", the quantity of the second item is unclear.
  const measure = counted.find((one) => one.measure !== undefined)?.measure;
  if (measure !== undefined && counted.some((one) => one.measure === undefined && isPricedBy(measure, pricedBy(one.item))))
    return undefined;
  const sum = sumTold(counted, language);
  if (says(question, totalWords) || counted.some(({ count }) => count !== 1)) return sum;
  // "How much are the lake room and the garden room?" may ask for either price.
  const countedItems = lines.flatMap((one) => one.items);
  return isEnumerated(question) ? `${tellItems(countedItems, analysed, language) ?? ''} ${sum}`.trim() : undefined;
}

/** Tells several items, each in its own quantity, and the total. */
export function sumTold(counted: readonly Pick<Counted, 'item' | 'each' | 'count'>[], language: AnswerLanguage): string {
  const words = phrases[language];
  const parts = counted.map(({ each: { value, unit }, count }) => ({ value: value * count, unit }));
  const total = { value: parts.reduce((sum, { value }) => sum + value, 0), unit: parts[0]?.unit ?? '' };
  const named = counted.map(({ item, count }) => (count === 1 ? item.name : `${count} × ${item.name}`));
  return words.sum(listed(named, words.and), written(total), parts.map(written).join(' + '));
}

/** The total of an order of one item, to which something is added. */
export function totalOf({ question, analysed, items }: Omit<Order, 'language'>): Measure | undefined {
  const [line, second] = linesOf(question, items);
  const [item, another] = line?.items ?? [];
  if (!line || second || !item || another || line.missing !== undefined) return undefined;
  const counted = countedOf(item, { question, analysed, isOnly: true });
  return counted && { value: counted.each.value * counted.count, unit: counted.each.unit };
}

interface Again extends Order {
  readonly all: readonly FactItem[];
  /** Compares two variants: "which of the two is cheaper?" */
  readonly compare: (both: readonly FactItem[]) => string | undefined;
}

/** Answers "And ten?", "2 BHK?" or "And for a child?" after the price of an item: another quantity or variant. */
export function orderedAgain(order: Again): string | undefined {
  const { question, analysed, items, language, all, compare } = order;
  const [first] = items;
  if (!first || items.length > variantsMax) return undefined;
  const family = variantsOf(first, all);
  const isOfIt = (need: NeededWord) =>
    isOfVariants(need.word, family) || likenessToName(need, first.name) > 0 || isPricedBy(need.word, priceOf(first)?.name ?? '');
  if (analysed.needs.some((need) => need.weight === 1 && !isOfIt(need))) return undefined;
  const ofPrice = { ...analysed, needs: [], wants: new Set(['PRICE' as const]) };
  if (tellsVariant(question, family)) {
    const { items: chosen } = chosenAmong(question, family);
    return ordered({ ...order, analysed: ofPrice, items: chosen }) ?? tellItems(chosen, ofPrice, language);
  }
  const other = family.find((item) => item !== first);
  if (analysed.isComparing && family.length === 2 && other) return compare([first, other]);
  if (analysed.amounts.length > 0 || quantitiesIn(question, pricedBy(first)).length !== 1) return undefined;
  return items.length === 1 ? timesOne({ ...order, analysed: ofPrice }) : eachOf({ ...order, analysed: ofPrice });
}

/** Tells the total for a quantity of one item. */
function timesOne({ question, analysed, items, language }: Order): string | undefined {
  const [item] = items;
  const counted = item && countedOf(item, { question, analysed, isOnly: true });
  if (!counted) return undefined;
  const { each, price, count, pieces, factors, isPair, parts } = counted;
  const fields = summedFields({ question, analysed, item, language });
  if (fields !== undefined) return fields;
  // For a pair of an item that is sold in pairs, the description is told, which says so.
  if (isPair) return `${tellItems(items, analysed, language) ?? ''} ${item.description}`.trim();
  const total = written({ value: each.value * count, unit: each.unit });
  const { pack, description } = item;
  const { packs, times } = phrases[language];
  // There is no price for less than the minimum quantity.
  if (leastSaid.test(description) && numbersIn(description).some(({ value }) => value > count))
    return `${tellItems(items, analysed, language) ?? ''} ${description}`.trim();
  if (pieces !== undefined && pack)
    return packs({
      pieces,
      name: withoutPack(item),
      packs: severalOf(pack, count),
      isOne: count === 1,
      total,
      each: written(each),
    });
  if (count < 2 && !parts) return undefined;
  const amount = parts && written({ value: parts.value, unit: unitOf(parts.unit, parts.value, language) });
  const factorsText = [...(factors ?? (parts ? [] : [count])), ...(amount === undefined ? [] : [amount])].join(' × ');
  return times({ count: factorsText, name: item.name, sum: total, each: written(each), per: perOf(item, price, language) });
}

const leastSaid = /\b(?:at least|minimum)\b|कम से कम|न्यूनतम|किमान|कमीत कमी/iu;
/** Tells the total for each of several variants, or the price of each, because the question does not say which is meant. */
function eachOf(wish: Order): string | undefined {
  const { analysed, items, language } = wish;
  if (items.length > variantsMax) return undefined;
  const totals = items.map((item) => timesOne({ ...wish, items: [item] }));
  if (totals.every((total) => total !== undefined)) return totals.join(' ');
  if (!items.every(({ kind }) => kind === 'entry')) return undefined;
  return items
    .map((item) => tellItems([item], analysed, language) ?? '')
    .join(' ')
    .trim();
}

const variantsMax = 6;

function toldMissing(missing: string, { analysed, items, language }: Order): string | undefined {
  const there = items.slice(0, variantsMax).map((item) => tellItems([item], analysed, language) ?? '');
  return `${notThere[language](missing)} ${there.join(' ')}`.trim();
}

const notThere: Record<AnswerLanguage, (phrase: string) => string> = {
  english: (phrase) => `“${phrase}” is not on our list. This is:`,
  hindi: (phrase) => `“${phrase}” हमारी सूची में नहीं है। जो है:`,
  marathi: (phrase) => `“${phrase}” आमच्या यादीत नाही. जे आहे ते:`,
};

interface OfOne {
  readonly question: string;
  readonly analysed: AnalysedQuestion;
  readonly item: FactItem;
  readonly language: AnswerLanguage;
}

/** Adds two prices of one item: a bath and nail clipping for a rabbit. */
function summedFields({ question, analysed, item, language }: OfOne): string | undefined {
  const fields = fieldsAsked(analysed, item).filter(
    (field) => isPrice(field) && analysed.needs.some((need) => likeness(need, textWords(field.name)) > 0),
  );
  const measures = fields.flatMap((field) => measureOf(field) ?? []);
  const [first] = measures;
  if (!first || fields.length < 2 || measures.length < fields.length || !isEnumerated(question)) return undefined;
  if (measures.some(({ unit, to }) => unit !== first.unit || to !== undefined)) return undefined;
  const total = written({ value: measures.reduce((sum, { value }) => sum + value, 0), unit: first.unit });
  const names = listed(
    fields.map(({ name }) => nameOfField(name, language)),
    phrases[language].and,
  );
  return phrases[language].sum(`${item.name}: ${names}`, total, measures.map(written).join(' + '));
}

const addedMax = 5;
