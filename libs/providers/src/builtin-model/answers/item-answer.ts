import {
  amountRangesIn,
  amountsIn,
  askedTime,
  isStopWord,
  isUnit,
  type NumberSaid,
  numbersIn,
  saysPart,
  wordsOf,
} from '@parley/language';
import { isClock, isPrice, measureOf, priceOf, written, isMoney } from '../facts/amount';
import type { FactItem, ItemAttribute } from '../facts/base-facts';
import { isEnumerated } from '../question/idioms';
import { likeness, likenessToName, type TextWords, textWords } from '../question/likeness';
import {
  type AnalysedQuestion,
  asksOnlyWhether,
  isPriceWord,
  isQualifying,
  type NeededWord,
  needOf,
  type Want,
} from '../question/needs';
import { baseNameOf, sharesWord } from './named-items';
import { notSo } from './statement-answer';
import { type AnswerLanguage, listed, named, perUnit, phrases, unitOf } from './phrases';
import { timeUnit } from './told-prices';

/** Up to this many items are listed; of more, the number is told. */
export const toldMax = 3;
const listedMax = 6;
const examplesMax = 3;

/**
 * The fields of an item that a question asks for: those that it names and that are of the wanted kind; else those of the kind; else those
 * that it names.
 */
export function fieldsAsked(
  { needs, wants, muchOf, isOfAfterwards }: AnalysedQuestion,
  { kind, name, attributes: all }: FactItem,
): ItemAttribute[] {
  // A duration does not say when something is, or how long one has to wait for it.
  const isOfMoment = wants.has('TIME') && !wants.has('SPAN');
  const timed = isOfAfterwards || isOfMoment ? all.filter(({ name: field }) => field !== 'Duration') : all;
  const attributes = wants.has('SPAN') ? timed.filter(({ value }) => !isClock(value)) : timed;
  // A word of the item's name does not name a field, if another word does. A flat's number names the flat.
  const ofFields = bestNamed(
    needs.filter((need) => likenessToName(need, name) === 0),
    attributes,
  );
  const byName = (ofFields.length > 0 || wants.has('PRICE') ? ofFields : bestNamed(needs, attributes)).filter(
    ({ value }) => !wants.has('PRICE') || !name.includes(value),
  );
  const byWant = attributes.filter(
    (attribute) =>
      [...wants].some((want) => fits(want, attribute, needs)) || (kind === 'row' && wants.has('SPAN') && isSpan(attribute)),
  );
  const both = byName.filter((attribute) => byWant.includes(attribute));
  if (both.length > 0) return both;
  const isOfOtherPrice = needs.some((need) => isPriceWord(need) && need.concept !== 'PRICE');
  if (byWant.length > 0 && byName.every(isPrice)) return isOfOtherPrice ? byWant : plainOf(byWant);
  const isMuchOf = needs.some((need) => need.stem === muchOf && byName.some(({ name }) => isOfField(need, name)));
  if (wants.has('PRICE') && byWant.length > 0 && !isMuchOf) return isOfOtherPrice ? byWant : plainOf(byWant);
  // A number of lessons does not say who gives them.
  if (wants.has('WHO') || wants.has('PLACE')) return [];
  if (byName.length > 0) return byName;
  if (needs.some(isPriceWord)) return attributes.filter(isPrice).slice(0, 1);
  return byWant;
}

/** If a field is called just "price", the other prices are told only if named: a rent, a members' price. */
function plainOf(fields: readonly ItemAttribute[]): ItemAttribute[] {
  const plain = fields.filter((field) => isPrice(field) && plainPrice.test(field.name));
  return plain.length === 1 && fields.every(isPrice) ? plain : [...fields];
}

const plainPrice = /^(?:price|cost|mrp|कीमत|दाम|किंमत)$/iu;

/**
 * The fields whose names the question covers best, since "half day rent" is not the rent per day; and others of which it contains another
 * word.
 */
function bestNamed(needs: readonly NeededWord[], attributes: readonly ItemAttribute[]): ItemAttribute[] {
  const scored = attributes.map((attribute) => {
    const named = needs.filter((need) => isOfField(need, attribute.name) || isOfUnit(need, attribute));
    const isNamed = named.some(
      (need) => need.weight >= namingMin || isQualifying(need) || (isUnit(need.word) && perSpan.test(attribute.name)),
    );
    // The exact word decides: "dry clean" also means washing, and so does "wash and iron".
    const says = (need: NeededWord) =>
      Math.max(need.weight, halfNamed) * likeness(need, textWords(`${attribute.name} ${attribute.unit}`));
    return { attribute, named, score: isNamed ? named.reduce((sum, need) => sum + says(need), 0) : 0 };
  });
  const most = Math.max(0, ...scored.map(({ score }) => score));
  const best = scored.filter(({ score }) => score === most && most > 0);
  const used = new Set(best.flatMap(({ named }) => named));
  const others = scored.filter(({ score, named }) => score > 0 && named.some((need) => need.weight === 1 && !used.has(need)));
  return [...best, ...others.filter((one) => !best.includes(one))].map(({ attribute }) => attribute);
}

const namingMin = 0.5;
/** Units of time that distinguish prices: "price per year" and "price per month". */
const perSpan = /\bper (?:day|week|month|year)\b/iu;
const halfNamed = 0.5;

/** An item reduced to its prices for the amount asked for: half a kilo, six months. */
export function ofAmount(item: FactItem, { amounts, counted }: Pick<AnalysedQuestion, 'amounts' | 'counted'>): FactItem {
  const numbered = item.attributes.filter(({ name }) => counted.some((count) => isNumbered(name, count)));
  if (numbered.length > 0)
    return {
      ...item,
      attributes: item.attributes.filter(
        (one) => numbered.includes(one) || !numbersIn(one.name).some(({ following }) => following.length > 0),
      ),
    };
  if (amounts.length === 0) return item;
  const isSame = (attribute: ItemAttribute) =>
    amountsIn(attribute.name).some((own) => amounts.some(({ value, unit }) => value === own.value && unit === own.unit));
  const isOther = (attribute: ItemAttribute) => !isSame(attribute) && amountsIn(attribute.name).length > 0;
  return item.attributes.some(isSame) ? { ...item, attributes: item.attributes.filter((one) => !isOther(one)) } : item;
}

/** Whether a column is named after a quantity in the question: `Two rooms`. */
export function isNumbered(name: string, { value, following: [next = ''] }: NumberSaid): boolean {
  return numbersIn(name).some(
    ({ value: own, following: [named = ''] }) =>
      own === value && named !== '' && !isUnit(named) && likeness(needOf(next), textWords(named)) > 0,
  );
}

/** The items named after the amount asked for: the two day course. */
export function calledByAmount(items: readonly FactItem[], { amounts }: Pick<AnalysedQuestion, 'amounts'>): readonly FactItem[] {
  const called = items.filter(({ name }) =>
    amounts.some(
      ({ value, unit }) =>
        amountsIn(name).some((own) => value === own.value && unit === own.unit) ||
        amountRangesIn(name).some(({ from, to, unit: own }) => unit === own && from <= value && value <= to),
    ),
  );
  return called.length > 0 ? called : items;
}

/** Whether a word names a field. */
export function isOfField(need: NeededWord, name: string): boolean {
  return likeness(need, textWords(name)) >= 0.85;
}

/** "How many metres of it?" asks for a field in metres. */
const isOfUnit = (need: NeededWord, { unit }: ItemAttribute): boolean =>
  unit !== '' && need.weight === 1 && isOfField(need, unit);

const isSpan = ({ name, unit }: ItemAttribute): boolean =>
  [name, unit].some((one) => /^(?:minute|hour|day|week|month|year)s?$/iu.test(one));
const timeNamed = /time|timing|hour|day|when|duration|date|schedule|batch|ready|समय|वेळ|दिन|दिवस|घंट|तास|महीन|महिन|हफ्त|आठवड/iu;
const whoNamed = /teacher|doctor|who|by|person|contact|faculty|coach|trainer|guide|instructor|staff|चालक|शिक्षक/iu;
const placeNamed = /place|room|floor|location|where|rack|shelf|address|branch|area|hall/iu;
const countNamed = /seat|stock|number|count|capacity|quantity|pieces|total|beds|guests/iu;

function fits(want: Want, attribute: ItemAttribute, needs: readonly NeededWord[]): boolean {
  if (want === 'PRICE') return isPrice(attribute);
  // "When does it start?" names the column by its verb.
  const isTimeOf = isClock(attribute.value) && needs.some((need) => isOfField(need, attribute.name));
  if (want === 'TIME') return (timeNamed.test(attribute.name) || isTimeOf) && !isPrice(attribute);
  // A price per person does not name a person.
  if (want === 'WHO') return whoNamed.test(attribute.name) && !isPrice(attribute);
  if (want === 'PLACE') return placeNamed.test(attribute.name);
  return want === 'COUNT' && countNamed.test(attribute.name);
}

/** Tells what was asked about an item, or else its price and availability. */
function tellItem(item: FactItem, analysed: AnalysedQuestion, language: AnswerLanguage): string {
  const fields = fieldsAsked(analysed, item);
  const words = phrases[language];
  const missing = analysed.wants.has('PRICE') ? item.attributes.filter((field) => isStock(field) && isOut(field.value)) : [];
  if (fields.length > 0)
    return [...new Set([...fields, ...missing].map((field) => tellField(item, field, language)))].slice(0, toldMax).join(' ');
  const price = priceOf(item);
  const stock = item.attributes.find(isStock);
  const sentences = [price, stock].flatMap((field) => (field ? [tellField(item, field, language)] : []));
  // A weekday as the name of a timetable row is not something on offer.
  const isOfDay = item.kind === 'row' && askedTime(item.name).weekday !== undefined;
  if (isOfDay && sentences.length === 0)
    return item.attributes
      .slice(0, toldMax)
      .map((field) => tellField(item, field, language))
      .join(' ');
  if (sentences.length === 0) return `${words.offered(item.name)} ${item.description}`.trim();
  return sentences.join(' ');
}

const isStock = ({ name }: ItemAttribute): boolean => /stock|availab|स्टॉक|उपलब्ध/iu.test(name);
const isOut = (value: string): boolean => /^(?:0|no|none|nil)$|out of|not |unavail|sold|नहीं|नाही/iu.test(value);

const priceColumn =
  /^(?:price|cost|rate|mrp|fee|fees|rent|charge|charges|tariff|fare|कीमत|क़ीमत|दाम|दर|भाव|रेट|किंमत|शुल्क|फ़ीस|फीस|फी|भाडे|किराया)(?: (?:per|a|प्रति) (?:\d+ )?\p{L}[\p{L}\p{M}]*(?: \p{L}[\p{L}\p{M}]*)?)?$/iu;

const isYesOrNo = /^(?:yes|no|y|n|हाँ|हां|नहीं|हो|नाही|included|not included)$/iu;
const isYes = /^(?:yes|y|हाँ|हां|हो|included)$/iu;

const saysWhether: Record<AnswerLanguage, (name: string, field: string, isSo: boolean) => string> = {
  english: (name, field, isSo) => (isSo ? `Yes, ${name} has it: ${field}.` : `No, ${name} does not have it: ${field}.`),
  hindi: (name, field, isSo) => (isSo ? `हाँ, ${name} में ${field} है।` : `नहीं, ${name} में ${field} नहीं है।`),
  marathi: (name, field, isSo) => (isSo ? `हो, ${name} मध्ये ${field} आहे.` : `नाही, ${name} मध्ये ${field} नाही.`),
};

/** Tells one field of an item as a sentence. */
export function tellField(item: FactItem, field: ItemAttribute, language: AnswerLanguage): string {
  const words = phrases[language];
  if (field.description !== undefined) return `${item.name}: ${field.description}`;
  if (isStock(field)) {
    if (isOut(field.value)) return words.outOfStock(item.name);
    return words.inStock(item.name, /\d/u.test(field.value) ? valueOf(field, language) : '');
  }
  if (field.name === 'Booking') return words.needsBooking;
  if (isYesOrNo.test(field.value)) return saysWhether[language](item.name, named(field.name, language), isYes.test(field.value));
  const value = valueOf(field, language);
  const remark = field.remark === undefined ? '' : ` (${field.remark})`;
  if (isPrice(field) && priceColumn.test(field.name))
    return words.costs(item.name, `${value}${perUnit(field.name, language)}${packOf(item)}${remark}`);
  if (field.name === 'Duration' && item.kind === 'entry') return words.lasts(item.name, value);
  if (/^\d+$/u.test(field.value) && field.unit === '' && /[^s]s$/u.test(field.name))
    return words.has(item.name, `${field.value} ${named(field.name, language)}`);
  // "Starts" is a verb and needs another sentence.
  if (language === 'english' && beginsOrEnds.test(field.name)) return `${item.name} ${field.name.toLowerCase()} at ${value}.`;
  return words.field(item.name, named(field.name, language), `${value}${remark}`);
}

const beginsOrEnds = /^(?:starts|begins|ends|opens|closes|leaves|departs|arrives)$/iu;

/** The pack, "(Box of 100)", if the name does not contain it. */
const packOf = ({ name, pack }: FactItem): string =>
  pack === undefined || name.includes(pack.written)
    ? ''
    : ` (${pack.written.replace(/^[A-Z](?=[a-z])/u, (letter) => letter.toLowerCase())})`;

/** Formats the value of a field with its unit in the language. */
export function valueOf(field: ItemAttribute, language: AnswerLanguage): string {
  const measure = measureOf(field);
  if (!measure || /[\p{L}].*\d.*[\p{L}]/u.test(field.value)) return field.value;
  if (isMoney(measure.unit)) return written(measure);
  return written({ ...measure, unit: unitOf(measure.unit, measure.to ?? measure.value, language) });
}

/** Tells what was asked about several items: about each of a few, the lowest and highest of many. */
export function tellItems(items: readonly FactItem[], analysed: AnalysedQuestion, language: AnswerLanguage): string | undefined {
  if (items.length === 0) return undefined;
  if (items.length <= toldMax) return items.map((item) => tellItem(item, analysed, language)).join(' ');
  const words = phrases[language];
  const prices = items.flatMap((item) => {
    const price = priceOf(item);
    const measure = price && measureOf(price);
    return measure ? [measure] : [];
  });
  const sorted = prices.toSorted((one, other) => one.value - other.value);
  const [least, most] = [sorted[0], sorted.at(-1)];
  const isPriced = least && most && prices.length === items.length && new Set(prices.map(({ unit }) => unit)).size === 1;
  const range = isPriced && least.value < most.value ? ([written(least), written(most)] as const) : undefined;
  const name = commonName(items);
  if (analysed.wants.has('PRICE') && range && name !== '') return words.from(name, ...range);
  const names = [...new Set(items.map((item) => item.name))];
  const isAll = names.length <= listedMax;
  return words.among({
    count: items.length,
    names: listed(isAll ? names : names.slice(0, examplesMax), words.and),
    isAll,
    range,
  });
}

/** The common part of the names of many items, such as rows of one part for several models. */
function commonName(items: readonly FactItem[]): string {
  const [first = ''] = items.map(({ name }) => name.replace(/ \(.*$/u, ''));
  return items.every(({ name }) => name.replace(/ \(.*$/u, '') === first) ? first : '';
}

interface OfRows {
  readonly question: string;
  readonly analysed: AnalysedQuestion;
  readonly language: AnswerLanguage;
}

/** Tells a field that has the same value in all rows of a kind: "the carpet area of a 3 BHK", for every flat. */
export function toldOfRows({ question, analysed, language }: OfRows, items: readonly FactItem[]): string | undefined {
  const words = ` ${wordsOf(question).join(' ')} `;
  const kinds = items.flatMap((item) => {
    const called = item.attributes.filter(
      ({ value }) => value.length >= kindLettersMin && words.includes(` ${wordsOf(value).join(' ')} `),
    );
    const kind = called.toSorted((one, other) => other.value.length - one.value.length)[0];
    return item.kind === 'row' && kind && /\p{L}/u.test(kind.value) ? [{ item, kind }] : [];
  });
  const longest = Math.max(0, ...kinds.map(({ kind }) => kind.value.length));
  const rows = kinds.filter(({ kind }) => kind.value.length === longest);
  const [first] = rows;
  if (!first || rows.length < 2) return undefined;
  const inKind = textWords(first.kind.value);
  const fields = fieldsAsked({ ...analysed, needs: analysed.needs.filter((need) => likeness(need, inKind) === 0) }, first.item);
  const [field] = fields;
  const isOther = (need: NeededWord) =>
    need.weight === 1 && likeness(need, inKind) === 0 && !fields.some(({ name }) => isOfField(need, name));
  if (!field || fields.length > 1 || analysed.needs.some(isOther)) return undefined;
  const values = new Set(rows.map(({ item }) => item.attributes.find(({ name }) => name === field.name)?.value));
  if (values.size > 1) return undefined;
  return phrases[language].field(first.kind.value, named(field.name, language), valueOf(field, language));
}

const kindLettersMin = 3;

/** The words of a question that do not match these items. If there are any, the question is not about them. */
export function unknownOf(
  rest: readonly NeededWord[],
  items: readonly FactItem[],
  analysed?: AnalysedQuestion,
): readonly NeededWord[] {
  const isOther = (need: NeededWord) =>
    isQualifying(need) && !analysed?.isComparing && !items.some((item) => likeness(need, itemWords(item)) > 0);
  // Units are no such words: "Five metres of it" of an item sold by the metre, or "cheaper per metre", which is computed from package
  // sizes.
  const isMeasure = ({ word }: NeededWord) => isUnit(word) && timeUnit(word) === undefined;
  const isPart = ({ word }: NeededWord) => analysed !== undefined && analysed.amounts.length > 0 && saysPart(word);
  return rest.filter(
    (need) =>
      !isPart(need) &&
      (need.weight === 1 || isOther(need)) &&
      !isPriceWord(need) &&
      !isFieldOf(need, items) &&
      !(isMeasure(need) && (analysed?.isComparing || items.every((item) => likeness(need, itemWords(item)) > 0))),
  );
}

/** Everything that a table or the catalogue says about an item. */
export function itemWords({ name, category, description, attributes }: FactItem): TextWords {
  return textWords(
    [name, category, description, ...attributes.flatMap((field) => [field.name, field.value, field.unit])].join(' '),
  );
}

/** Whether a word names a column of these items, or its unit. */
export const isFieldOf = (need: NeededWord, items: readonly FactItem[]): boolean =>
  items.some(({ attributes }) =>
    attributes.some(({ name, unit }) => isOfField(need, name) || (unit !== '' && isOfField(need, unit))),
  );

/** Questions that no price answers: "How does it work?" */
export const asksInWhatWay =
  /\bhow (?!much|many|about|big|large|high|tall|wide|deep|hard|difficult|long|old|far|heavy|easy|fast)|\bwhy\b|कैसे|क्यों|(?<![\p{L}\p{M}])(?:कसे|कशी|कसा|का बरं)(?![\p{L}\p{M}])|\b(?:kaise|kyun|kyon|kasa|kase|kashi)\b/iu;

/** Questions for what is on offer. Only these are answered by a list of many items. */
export const asksWhatThereIs =
  /\b(?:what|which|have|sell|offer|list|kinds?|types?|kaun\w*|kya kya|kont\w*|milta|milte)\b|कौन|कोणत|क्या-?क्या|काय काय|मिलत|मिळत|बेचत|विकत/iu;

/** Questions for one of several. */
export const asksWhich = /\bwhich\b|\bkaun\w*|\bkont\w*|कौन|कोणत/iu;

/**
 * Questions whether something is on offer. "Do you have kettles?" means every item with that word in its name; other questions must contain
 * the whole name.
 */
const asksIfThere =
  /\b(?:have|sell|offer|stock|available|kinds?|types?|milta|milte|milti|milega|milegi|bechte)\b|मिलत|मिलेग|मिळ|बेचत|विकत|उपलब्ध|है क्या|आहे का|आहेत का/iu;

/** Whether a question means this item, and not only uses a word of its name. */
export function isMeantBy(item: FactItem, { question, analysed }: { question: string; analysed: AnalysedQuestion }): boolean {
  const words = wordsOf(baseNameOf(item)).filter((word) => !isStopWord(word) && !/^\d/u.test(word) && word.length > 1);
  const met = words.filter(
    (word) => analysed.needs.some((need) => likenessToName(need, word) > 0) || wordsOf(question).includes(word),
  );
  return met.length === words.length || (item.kind === 'entry' && asksIfThere.test(question) && met.length * 2 >= words.length);
}

/** The items that the question distinguishes by an amount in their names; "video of one day" does not mean a one-day wedding. */
export function ofCalled(
  items: readonly FactItem[],
  { question, analysed }: Pick<OfRows, 'question' | 'analysed'>,
): readonly FactItem[] {
  const called = calledByAmount(items, analysed);
  if (called.length === items.length) return items;
  // In "Two sessions and the package of seven days", the days choose only among packages.
  const others = items.filter((item) => !called.includes(item) && !called.some((one) => sharesWord(one, item)));
  if (!analysed.isComparing && isEnumerated(question) && others.length > 0) return [...others, ...called];
  const named = items.filter(({ name }) => analysed.needs.some((need) => need.weight === 1 && likenessToName(need, name) > 0));
  return calledByAmount(named.length > 0 ? named : items, analysed);
}

/** Keeps only the item that has all others as its columns, if there is one: a route, whose prices are those of cars. */
export function rowOfColumns(items: readonly FactItem[]): readonly FactItem[] {
  const isColumnOf = (one: FactItem, row: FactItem) =>
    row.attributes.some(({ name }) => name.toLowerCase() === baseNameOf(one).toLowerCase());
  const row = items.length < 2 ? undefined : items.find((item) => items.every((one) => one === item || isColumnOf(one, item)));
  return row ? [row] : items;
}

/** Whether no price answers the question: "Can it be rented?" and "is there none?", unless there is a rent among the columns. */
export function asksWhetherOtherwise(question: string, { needs }: AnalysedQuestion, items: readonly FactItem[]): boolean {
  if (!asksOnlyWhether(question)) return false;
  const ofOther = needs.some((need) => need.concept !== 'PRICE' && isPriceWord(need) && !isFieldOf(need, items));
  return ofOther || (notSo.test(question) && !needs.some((need) => isFieldOf(need, items)));
}
