import { budgetIn, isStopWord, numbersIn, wordsOf } from '@parley/language';
import { isMoney, isPrice, type Measure, measureOf, priceOf, written } from '../facts/amount';
import type { BaseFacts, FactItem, ItemAttribute } from '../facts/base-facts';
import {
  biggerWords,
  cheaperWords,
  dearerWords,
  differenceWords,
  howMuchMore,
  isComparison,
  isEnumerated,
  lessWords,
  longerWords,
  says,
  sizeWords,
  smallerWords,
  soonerWords,
  totalWords,
} from '../question/idioms';
import { likeness, likenessToName, textWords } from '../question/likeness';
import { type AnalysedQuestion, askedIn, isAction, type NeededWord, needOf } from '../question/needs';
import { isOfField, ofAmount, tellField, unknownOf } from './item-answer';
import { baseNameOf, isSaidItself, namedItems } from './named-items';
import { ordered } from './counted-items';
import { affords } from './told-prices';
import { pricedByUnit } from './unit-prices';
import { type AnswerLanguage, named as nameOfField, phrases, unitOf } from './phrases';

const sizeNamed = /size|area|capacity|volume|weight|length|seat|carpet|litre|kg|sq|bed|guest|people|width|height|आकार|क्षेत्र/iu;

interface Wish {
  readonly question: string;
  readonly analysed: AnalysedQuestion;
  readonly items: readonly FactItem[];
  readonly language: AnswerLanguage;
}

/** Computes with several items, or a quantity of one. Undefined if there is nothing to compute. */
export function computed(wish: Wish): string | undefined {
  const { question } = wish;
  // "Two small ones and a large one" is an order, even if the question has a comparing word.
  const isOrder = isEnumerated(question) && numbersIn(question).length > 0 && !howMuchMore.test(question);
  const isSum = (says(question, totalWords) || isOrder) && !differs.test(question);
  return (
    (isSum ? ordered(wish) : undefined) ??
    compared(wish) ??
    fieldsCompared(wish) ??
    affordable(wish) ??
    divided(wish) ??
    ordered(wish)
  );
}

/** Words that compare. "One small and one large, total?" does not compare. */
const differs = /\b(?:which|than|difference|cheaper|dearer)\b|सस्त|महंग|फ़र्क़|फर्क|फरक|पेक्षा|स्वस्त|महाग|कौन|कोण/iu;

/** Tells how many of an item an amount of money buys. */
function affordable({ question, items, language }: Wish): string | undefined {
  const amount = budgetIn(question);
  const [item, second] = items;
  const price = item && priceOf(item);
  const each = price && measureOf(price);
  if (amount === undefined || !item || second || !each || each.to !== undefined || !isMoney(each.unit)) return undefined;
  return affords({ amount, name: item.name, each }, language);
}

const ofOne = /(?<![\p{L}\p{M}])(?:one|each|every|per|single|एक|प्रति|हर|ek|har)\s+([\p{L}\p{M}]+)/iu;

/** Tells the price of one unit of an item that has one price for several: a session of a package. Its duration is not a quantity. */
function divided({ question, items, language }: Wish): string | undefined {
  const [item, second] = items;
  const [, counted] = ofOne.exec(question) ?? [];
  const price = item && priceOf(item);
  const whole = price && measureOf(price);
  if (!item || second || counted === undefined || !whole || whole.to !== undefined || !isMoney(whole.unit)) return undefined;
  const need = needOf(wordsOf(counted)[0] ?? '');
  const field = item.attributes.find(
    (one) =>
      !isPrice(one) && one.name !== 'Duration' && (isOfField(need, one.name) || (one.unit !== '' && isOfField(need, one.unit))),
  );
  const count = field && measureOf(field);
  if (!field || !count || count.to !== undefined || count.value < 2) return undefined;
  const each = written({ value: Math.round((whole.value / count.value) * 100) / 100, unit: whole.unit });
  return `${phrases[language].field(item.name, `${nameOfField(price.name, language)} / ${counted}`, each)} ${tellField(item, price, language)} ${tellField(item, field, language)}`;
}

interface Field {
  readonly item: FactItem;
  readonly attribute: ItemAttribute;
  readonly measure: Measure;
}

const compared = (wish: Wish): string | undefined => (isComparison(wish.question) ? comparedAmong(wish) : undefined);

/** Compares several items by the field that the question names, or by price. */
export function comparedAmong({ question, analysed, items: named, language }: Wish): string | undefined {
  const items = pricedByUnit(question, named);
  if (!items || items.length < 2) return undefined;
  const isOfPrice = says(question, cheaperWords) || says(question, dearerWords) || analysed.wants.has('PRICE');
  const found = comparable({ question, analysed, items }, isOfPrice ? isPrice : undefined);
  // A question for the difference that names no field is about prices.
  const fields = found.length < 2 && says(question, differenceWords) ? comparable({ question, analysed, items }, isPrice) : found;
  if (fields.length < 2 || new Set(fields.map(({ measure }) => measure.unit)).size > 1) return undefined;
  // A daily and a monthly rent cannot be compared.
  if (new Set(fields.map(({ attribute }) => spanNamed.exec(attribute.name)?.[0].toLowerCase())).size > 1) return undefined;
  const sorted = fields.toSorted((one, other) => one.measure.value - other.measure.value);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (!least || !most) return undefined;
  const words = phrases[language];
  if (least.measure.value === most.measure.value && fields.length === 2)
    return words.same(least.item.name, most.item.name, valueOf(least, language));
  if (fields.length === 2) return setAgainst({ least, most, question }, language);
  // A difference can be stated for two items only.
  if (howMuchMore.test(question) || says(question, differenceWords)) return undefined;
  const chosen = wantsLeast(question) && !tellsSpeed(least.attribute) ? least : most;
  return words.most(chosen.item.name, tellField(chosen.item, chosen.attribute, language));
}

/** Compares two prices of one item: how much more dry cleaning costs than washing. */
function fieldsCompared({ question, analysed, items, language }: Wish): string | undefined {
  const [item, second] = items;
  if (!item || second || !isComparison(question)) return undefined;
  const named = item.attributes.filter((field) => isPrice(field) && analysed.needs.some((need) => isOfField(need, field.name)));
  const measured = named.flatMap((attribute) => {
    const measure = measureOf(attribute);
    return measure && measure.to === undefined ? [{ item, attribute, measure }] : [];
  });
  const [least, most, third] = measured.toSorted((one, other) => one.measure.value - other.measure.value);
  if (!least || !most || third || named.length > 2 || least.measure.unit !== most.measure.unit) return undefined;
  const difference = written({ value: most.measure.value - least.measure.value, unit: most.measure.unit });
  const sentences = [least, most].map(({ attribute }) => tellField(item, attribute, language));
  return `${tellsDifference[language](difference)} ${sentences.join(' ')}`;
}

const tellsDifference: Record<AnswerLanguage, (difference: string) => string> = {
  english: (difference) => `The difference is ${difference}.`,
  hindi: (difference) => `फ़र्क़ ${difference} का है।`,
  marathi: (difference) => `फरक ${difference} चा आहे.`,
};

/** The item that has the most or the least of what the question compares. Undefined if the items cannot be compared. */
export function choiceAmong(question: string, items: readonly FactItem[]): FactItem | undefined {
  const isOfPrice = says(question, cheaperWords) || says(question, dearerWords);
  const fields = comparable(
    {
      question,
      analysed: {
        needs: [],
        wants: new Set(),
        isComparing: true,
        isOfWhatIsNot: false,
        isOfAfterwards: false,
        counted: [],
        amounts: [],
        muchOf: undefined,
      },
      items,
    },
    isOfPrice ? isPrice : undefined,
  );
  const sorted = fields.toSorted((one, other) => one.measure.value - other.measure.value);
  return (wantsLeast(question) ? sorted[0] : sorted.at(-1))?.item;
}

const wantsLeast = (question: string): boolean =>
  says(question, cheaperWords) ||
  says(question, soonerWords) ||
  says(question, lessWords) ||
  (says(question, smallerWords) && !says(question, dearerWords));

function setAgainst(
  { least, most, question }: { least: Field; most: Field; question: string },
  language: AnswerLanguage,
): string {
  const both = [least, most].map((one) => tellField(one.item, one.attribute, language));
  const chosen = wantsLeast(question) && !tellsSpeed(least.attribute) ? least : most;
  const difference = valueOf(
    { ...most, measure: { value: most.measure.value - least.measure.value, unit: most.measure.unit } },
    language,
  );
  const asserted = assertedOf(question, [least.item, most.item]);
  if (asserted === undefined && !choosesBetween(question)) return `${tellsDifference[language](difference)} ${both.join(' ')}`;
  const whether = asserted === undefined ? '' : `${yesOrNo[language][asserted === chosen.item ? 0 : 1]} `;
  return `${whether}${chosenWords[language](chosen.item.name, difference)} ${both.join(' ')}`;
}

/** Whether the question asks for one of the items. "Compare the two" and "how much more?" do not. */
const choosesBetween = (question: string): boolean =>
  !howMuchMore.test(question) &&
  [cheaperWords, dearerWords, lessWords, longerWords, sizeWords, smallerWords, soonerWords, biggerWords].some((words) =>
    says(question, words),
  );

const yesOrNo: Record<AnswerLanguage, readonly [yes: string, no: string]> = {
  english: ['Yes.', 'No.'],
  hindi: ['हाँ।', 'नहीं।'],
  marathi: ['हो.', 'नाही.'],
};

const asksWhether = /^\s*(?:is|are|does|do|was|kya)\b|^\s*क्या\s|\s(?:का|ka)\s*\??\s*$/iu;
const thanThis = /\bthan\b|पेक्षा|(?<![\p{L}\p{M}])से(?![\p{L}\p{M}])|\bse\b|\bpeksha\b/iu;

/** The item of two of which the question asks whether it has more or less than the other. Undefined if the question asks which. */
function assertedOf(question: string, items: readonly [FactItem, FactItem]): FactItem | undefined {
  const than = thanThis.exec(question);
  if (!than || !asksWhether.test(question)) return undefined;
  const words = wordsOf(question.slice(0, than.index));
  // In English, the first item named is the one asserted. In Hindi and Marathi, the item right before the comparing word is the one it is
  // compared to.
  const placed = items.map(({ name }, place) => ({
    item: items[place],
    place: words.findLastIndex(
      (word) =>
        likeness(needOf(word), textWords(name)) > 0 && likeness(needOf(word), textWords(items[1 - place]?.name ?? '')) === 0,
    ),
  }));
  const named = placed.filter(({ place }) => place >= 0).toSorted((one, other) => one.place - other.place);
  const isEnglish = than[0].toLowerCase() === 'than';
  if (isEnglish || named.length === 2) return named[0]?.item;
  return items.find((item) => item !== named[0]?.item);
}

const chosenWords: Record<AnswerLanguage, (name: string, difference: string) => string> = {
  english: (name, difference) => `It is ${name}; the difference is ${difference}.`,
  hindi: (name, difference) => `वह ${name} है; फ़र्क़ ${difference} का है।`,
  marathi: (name, difference) => `ते ${name} आहे; फरक ${difference} चा आहे.`,
};

/** Whether the question asks for the fastest: the highest value if a speed is stored, else the shortest time. */
const isOfSpeed = (question: string): boolean => /\bfast(?:er|est)\b|\btez\b|तेज़|तेज|वेगवान/iu.test(question);
const tellsSpeed = ({ name, unit }: ItemAttribute): boolean =>
  /speed|\b[kmg]bps\b|km\/?h|\brpm\b|गति|वेग|रफ़्तार/iu.test(`${name} ${unit}`);

const spanNamed = /\b(?:half[- ])?(?:hour|day|night|week|month|year|session|lesson)/iu;

type Compared = Pick<Wish, 'question' | 'analysed' | 'items'>;

const timeField = /time|minute|hour|day|week|month|duration|ready|समय|वेळ|दिन|दिवस/iu;

/** A numeric field that all items have: the one asked for, a size, or the price. */
function comparable(
  { question, analysed, items }: Compared,
  wanted: ((attribute: ItemAttribute) => boolean) | undefined,
): Field[] {
  const isAsked = ({ name }: ItemAttribute) => analysed.needs.some((need) => likeness(need, textWords(name)) >= 0.85);
  const isOfTime = (field: ItemAttribute) => timeField.test(`${field.name} ${field.unit}`) && !isPrice(field);
  const isLength = ({ name, unit }: ItemAttribute) => timeField.test(`${name} ${unit}`) || /length|long/iu.test(name);
  const choices =
    says(question, soonerWords) || analysed.wants.has('TIME')
      ? [...(isOfSpeed(question) ? [tellsSpeed] : []), isOfTime]
      : says(question, longerWords)
        ? [isAsked, isLength]
        : wanted
          ? [(attribute: ItemAttribute) => wanted(attribute) && isAsked(attribute), wanted]
          : [
              isAsked,
              ...(says(question, sizeWords) ? [({ name, unit }: ItemAttribute) => sizeNamed.test(`${name} ${unit}`)] : []),
            ];
  for (const isWanted of choices) {
    const fields = items.flatMap((item) => fieldOf(item, isWanted) ?? []);
    // Catalogue entries do not have the columns of a table.
    const { kind } = fields[0]?.item ?? {};
    const isOfOneTable =
      fields.length > 1 && items.every((item) => item.kind !== kind || fields.some((field) => field.item === item));
    if (fields.length === items.length || isOfOneTable) return fields;
  }
  return [];
}

/** The numbers in a description, "Holds 20 guests.", as fields named after what they count. */
function figuresOf({ description }: FactItem): ItemAttribute[] {
  return numbersIn(description).flatMap(({ value, following: [name] }) =>
    name === undefined ? [] : [{ name, value: String(value), unit: '', description }],
  );
}

function fieldOf(item: FactItem, isWanted: (attribute: ItemAttribute) => boolean): Field | undefined {
  const fields = [priceOf(item), ...item.attributes, ...figuresOf(item)].filter((attribute) => attribute !== undefined);
  for (const attribute of fields.filter(isWanted)) {
    const measure = measureOf(attribute);
    if (measure) return { item, attribute, measure };
  }
  return undefined;
}

function valueOf({ measure }: Pick<Field, 'measure'>, language: AnswerLanguage): string {
  return isMoney(measure.unit) ? written(measure) : written({ ...measure, unit: unitOf(measure.unit, measure.value, language) });
}

const either = /,?\s(?:or|and|या|किंवा|और|आणि|ya|kiva|aur|ani|aani)\s/iu;
/** Whether a question compares two named items. */
export const namesTwo = (question: string): boolean => either.test(question);

const oneOrOther = /\s(?:or|या|किंवा|ya|kiva)\s/iu;
const behindBoth = /\s(?:में|मे|मध्ये|पैकी|यात[\p{L}\p{M}]*|यांत[\p{L}\p{M}]*|mein|me|madhe|yat)(?:\s|$)/iu;
/**
 * Answers "Which is cheaper, this or that?" about these two only. Undefined if the question does not name two items. If one is unknown,
 * nothing is said about the other.
 */
export function eitherOf({
  question,
  analysed,
  facts,
  language,
}: Omit<Wish, 'items'> & { readonly facts: BaseFacts }): { readonly answer: string | undefined } | undefined {
  if (!isComparison(question)) return undefined;
  const [before = '', after = '', third] = question.split(either);
  if (after === '' || third !== undefined) return undefined;
  const subject = textWords(`${facts.contact.Name} ${facts.contact.Kind}`);
  const [one, other] = [before.split(/[,:]\s/u).at(-1) ?? '', after.split(behindBoth)[0] ?? ''].map((text) => {
    const needs = askedIn(text).needs.filter(
      (need) => need.weight === 1 || facts.items.some(({ name }) => isSaidItself(need, name)),
    );
    const { items } = namedItems(needs, facts.items, { subject, isChoice: false, words: new Set(wordsOf(text)) });
    return items.filter((item) => isSurelyCalled(item, needs));
  });
  const [first, second] = [one?.[0], other?.[0]];
  if ((one?.length ?? 0) > 1 || (other?.length ?? 0) > 1) return undefined;
  if (!first || !second) return oneOrOther.test(question) ? { answer: undefined } : undefined;
  if (first === second) return undefined;
  const both = [first, second].map((item) => ofAmount(item, analysed));
  const isDescribed = (need: NeededWord) => both.every(({ description }) => likeness(need, textWords(description)) > 0);
  const rest = analysed.needs.filter(
    (need) => !both.some(({ name }) => likenessToName(need, name) > 0) && !isAction(need) && !isDescribed(need),
  );
  const answer = unknownOf(rest, both, analysed).length > 0 ? undefined : computed({ question, analysed, items: both, language });
  return answer === undefined ? undefined : { answer };
}

/** Whether an item is certainly meant. Matching half of a name by meaning is not enough: a paper bill is not a bill book. */
function isSurelyCalled(item: FactItem, needs: readonly NeededWord[]): boolean {
  const held = needs.map((need) => likenessToName(need, item.name)).filter((like) => like > 0);
  const words = wordsOf(baseNameOf(item)).filter((word) => !isStopWord(word));
  return held.length * 2 > words.length || held.some((like) => like !== byMeaning);
}

const byMeaning = 0.9;
