import { meaningsOf, stemOf, wordsOf } from '@parley/language';
import { isMoney, isPrice, type Measure, measureOf, priceOf, written } from '../facts/amount';
import type { Attribute, Item } from '../facts/read-facts';
import { likeness, saidIn } from '../question/likeness';
import {
  type Asked,
  cheaperWords,
  dearerWords,
  isComparison,
  needOf,
  numbersIn,
  says,
  smallerWords,
  totalWords,
} from '../question/needs';
import { tellField } from './item-answer';
import { type Language, listed, phrases, unitOf } from './phrases';

const timeUnits =
  /^(?:month|months|year|years|day|days|week|weeks|hour|hours|minute|minutes|mahine|mahina|din|saal|divas|महीने|महीना|दिन|साल|घंटे|दिवस|महिने|वर्ष|तास)$/u;
const sizeNamed = /size|area|capacity|volume|weight|length|seat|carpet|litre|kg|sq|bed|guest|people|width|height|आकार|क्षेत्र/iu;

interface Wish {
  readonly question: string;
  readonly asked: Asked;
  readonly items: readonly Item[];
  readonly language: Language;
}

/** What is worked out of several things or of a number of one; undefined where nothing is to be worked out. */
export function computed(wish: Wish): string | undefined {
  return compared(wish) ?? multiplied(wish);
}

interface Field {
  readonly item: Item;
  readonly attribute: Attribute;
  readonly measure: Measure;
}

function compared({ question, asked, items, language }: Wish): string | undefined {
  if (items.length < 2 || !isComparison(question)) return undefined;
  const isOfPrice = says(question, cheaperWords) || says(question, dearerWords) || asked.wants.has('PRICE');
  const fields = comparable(items, isOfPrice ? isPrice : undefined, asked);
  if (fields.length < 2 || new Set(fields.map(({ measure }) => measure.unit)).size > 1) return undefined;
  const sorted = fields.toSorted((one, other) => one.measure.value - other.measure.value);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (!least || !most) return undefined;
  const words = phrases[language];
  if (least.measure.value === most.measure.value && fields.length === 2)
    return words.same(least.item.name, most.item.name, valueOf(least, language));
  if (fields.length === 2) return setAgainst({ least, most, question }, language);
  const chosen = wantsLeast(question) ? least : most;
  return words.most(chosen.item.name, tellField(chosen.item, chosen.attribute, language));
}

/** The one of several things that has the most or the least of what a question compares; undefined where they cannot be compared. */
export function choiceAmong(question: string, items: readonly Item[]): Item | undefined {
  const isOfPrice = says(question, cheaperWords) || says(question, dearerWords);
  const fields = comparable(items, isOfPrice ? isPrice : undefined, { needs: [], wants: new Set() });
  const sorted = fields.toSorted((one, other) => one.measure.value - other.measure.value);
  return (wantsLeast(question) ? sorted[0] : sorted.at(-1))?.item;
}

const wantsLeast = (question: string): boolean =>
  says(question, cheaperWords) || (says(question, smallerWords) && !says(question, dearerWords));

function setAgainst({ least, most, question }: { least: Field; most: Field; question: string }, language: Language): string {
  const both = [least, most].map((one) => tellField(one.item, one.attribute, language));
  const chosen = wantsLeast(question) ? least : most;
  const difference = valueOf(
    { ...most, measure: { value: most.measure.value - least.measure.value, unit: most.measure.unit } },
    language,
  );
  return `${chosenWords[language](chosen.item.name, difference)} ${both.join(' ')}`;
}

const chosenWords: Record<Language, (name: string, difference: string) => string> = {
  english: (name, difference) => `It is ${name}; the difference is ${difference}.`,
  hindi: (name, difference) => `वह ${name} है; फ़र्क़ ${difference} का है।`,
  marathi: (name, difference) => `ते ${name} आहे; फरक ${difference} चा आहे.`,
};

/** One field that all of them have as a number: the one that was asked for, the one that tells a size, or the price. */
function comparable(items: readonly Item[], wanted: ((attribute: Attribute) => boolean) | undefined, asked: Asked): Field[] {
  const isAsked = ({ name }: Attribute) => asked.needs.some((need) => likeness(need, saidIn(name)) >= 0.85);
  const choices = wanted ? [wanted] : [isAsked, ({ name, unit }: Attribute) => sizeNamed.test(`${name} ${unit}`), isPrice];
  for (const isWanted of choices) {
    const fields = items.flatMap((item) => fieldOf(item, isWanted) ?? []);
    if (fields.length === items.length) return fields;
  }
  return [];
}

function fieldOf(item: Item, isWanted: (attribute: Attribute) => boolean): Field | undefined {
  const ordered = [priceOf(item), ...item.attributes].filter((attribute) => attribute !== undefined);
  for (const attribute of ordered.filter(isWanted)) {
    const measure = measureOf(attribute);
    if (measure) return { item, attribute, measure };
  }
  return undefined;
}

/** So many of one thing. A number that belongs to a name, or counts days and months, multiplies nothing. */
interface Counted {
  readonly item: Item;
  readonly each: Measure;
  readonly count: number;
}

/** So many of one thing, or several things together. A number that belongs to a name, or counts other days than prices do, multiplies nothing. */
function multiplied({ question, asked, items, language }: Wish): string | undefined {
  if (!asked.wants.has('PRICE') || items.length > addedMax) return undefined;
  const counted = items.flatMap((item) => countedOf(item, { question, isOnly: items.length === 1 }) ?? []);
  const [first] = counted;
  if (!first || counted.length < items.length || counted.some(({ each }) => each.unit !== first.each.unit)) return undefined;
  const words = phrases[language];
  const { unit } = first.each;
  const total = written({ value: counted.reduce((sum, { each, count }) => sum + each.value * count, 0), unit });
  if (counted.length === 1)
    return first.count > 1 ? words.times(first.count, first.item.name, total, written(first.each)) : undefined;
  if (!says(question, totalWords) && counted.every(({ count }) => count === 1)) return undefined;
  const named = counted.map(({ item, count }) => (count > 1 ? `${count} × ${item.name}` : item.name));
  const parts = counted.map(({ each, count }) => written({ value: each.value * count, unit }));
  return words.sum(listed(named, words.and), total, parts.join(' + '));
}

const addedMax = 5;
const countMax = 100_000;

/** How many of a thing are asked for: the number right before its name, or the only one that there is. */
function countedOf(item: Item, { question, isOnly }: { question: string; isOnly: boolean }): Counted | undefined {
  const price = priceOf(item);
  const each = price && measureOf(price);
  if (!price || !each || each.to !== undefined || !isMoney(each.unit)) return undefined;
  const name = saidIn(`${item.name} ${item.category}`);
  const isOfName = (word: string) => likeness(needOf(word), name) > 0;
  const said = numbersIn(question).find(
    ({ value, following }) =>
      value > 1 &&
      Number.isInteger(value) &&
      value <= countMax &&
      !name.stems.has(String(value)) &&
      countsThings(following, price) &&
      (isOnly || following.slice(0, 2).some(isOfName)),
  );
  return { item, each, count: said?.value ?? 1 };
}

function countsThings([next = '']: readonly string[], price: Attribute): boolean {
  if (!timeUnits.test(next)) return true;
  const unit = meaningsOf(next);
  const per = wordsOf(`${price.name} ${price.value} ${price.unit}`).map(stemOf);
  return per.some((word) => word === stemOf(next) || unit.has(word));
}

function valueOf({ measure }: Pick<Field, 'measure'>, language: Language): string {
  return isMoney(measure.unit) ? written(measure) : written({ ...measure, unit: unitOf(measure.unit, measure.value, language) });
}
