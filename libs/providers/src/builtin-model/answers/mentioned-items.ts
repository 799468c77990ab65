import { measureNamed, type NumberSaid, numbersIn } from '@parley/language';
import type { ModelMessage } from '@parley/ports';
import { isMoney, isPrice, measureOf, priceOf, written } from '../facts/amount';
import type { FactItem } from '../facts/base-facts';
import {
  cheaperWords,
  dearerWords,
  differenceWords,
  howMuchMore,
  isComparison,
  says,
  sizeWords,
  soonerWords,
  totalWords,
} from '../question/idioms';
import { likenessToName } from '../question/likeness';
import { type AnalysedQuestion, askedIn, isPriceWord } from '../question/needs';
import { comparedAmong } from './computed-answer';
import { sumTold } from './counted-items';
import { perOf } from './counted-packs';
import { isFieldOf, tellItems, unknownOf } from './item-answer';
import { mentionedIn } from './named-items';
import { type AnswerLanguage, phrases } from './phrases';
import { type BuiltinQuestion, ofItems } from './plain-answer';
import { isPricedBy, timeUnit } from './told-prices';

/** The items of one answer, in the order in which the conversation first mentioned them. */
type Group = readonly FactItem[];

const end = '(?![\\p{L}\\p{M}])';
const begin = '(?<![\\p{L}\\p{M}])';
const word = (forms: string): RegExp => new RegExp(`${begin}(?:${forms})${end}`, 'giu');
const anyEnding = '[\\p{L}\\p{M}]*';

/** Pronouns that state a number of items. */
const sized: readonly (readonly [size: number, form: RegExp])[] = [
  [
    2,
    word(
      `both(?: of (?:them|these|those))?|(?:the|these|those) two|two of (?:them|these|those)|दोनों|दोन्ही${anyEnding}|donon?|donhi\\p{L}*`,
    ),
  ],
  [3, word(`(?:all|the|these|those) three|three of (?:them|these|those)|तीनों|तिन्ही${anyEnding}|teenon?|tinhi\\p{L}*`)],
  [4, word(`(?:all|the|these|those) four|चारों|चारही|चार्‍?ही|chaa?ron?`)],
];
/** Pronouns for all items mentioned. */
const all = word(
  `all(?: of (?:them|these|those|it))?|everything|सब(?:का|के|की)?|सभी|सगळ${anyEnding}|सर्व(?!ात)${anyEnding}|sab(?:ka|ke|ki)?|sabhi|sagl\\p{L}*|sarva`,
);
/** Pronouns for an unspecified number of items. */
const several = word(
  `them|these|those|they|इनमें|उनमें|इन|उन|इनका|इनके|इनकी|उनका|उनके|यात|यांत|यातल${anyEnding}|यांचे|यांची|यांच्यात|त्यात|त्या|त्यांचे|त्यांची|या(?:ं|त)?पैकी|inme|unme|in|un|inka|inke|unka|unke|yat|yatl\\p{L}*|tyat|tya|tyanche|yanche`,
);
const each = word(`(?:of )?each(?: of (?:them|these|those))?|apiece|प्रत्येकी|प्रत्येक|हर एक|एक-एक|pratyeki|har ek`);

const places: readonly RegExp[] = [
  `first|पहल[ाेी]|पहिल${anyEnding}|peh?l[aei]|pahil\\p{L}*`,
  `second|दूसर[ाेी]|दुस[रऱ]${anyEnding}|d[uo]o?sr\\p{L}*`,
  `third|तीसर[ाेी]|तिस[रऱ]${anyEnding}|tees?r[aei]|tisr\\p{L}*`,
  `fourth|चौथ${anyEnding}|chauth\\p{L}*`,
  `last|आख़?िरी|शेवटच${anyEnding}|aakh?ri|shevatch\\p{L}*`,
].map((forms) => word(`(?:the )?(?:${forms})(?:[\\s-](?:ones?|वाल[ाेी]|w[ao]l[aei]))?`));
const lastPlace = places.length - 1;

const joining = /\s*(?:,|\+)\s*|\s+(?:and|plus|aur|ani|aani|और|आणि|व|तथा)\s+/iu;
/** Words for buying and taking. */
const taking = word(
  `and|so|then|what|would|come|comes|came|to|for|how|much|of|it|take|buy|want|get|order|please|mean|i|me|people|price|cost|piece|pieces|लूँ|लूं|लें|ले|लिए|लिया|तो|घेतले|घेतल्यास|घेतली|घेऊ|तर|झाले|हुआ|हुए|ghetle|ghetlyas|loon|lun|le|to|tar|hua|jhale|zale|milun|milakar|milake|milke|मिलाके|एक|total|kul|टोटल|कितीचा|कितीचे|कितीने|किती`,
);

/** What a question does with the items mentioned. */
type Task = 'compare' | 'difference' | 'sum' | 'describe';

const superlative = /\b\w{2,}est\b|\b(?:most|least)\b|सबसे|सर्वात|सगळ्यात|\b(?:sabse|sarvat|sagalyat|saglyat)\b/iu;
const byHowMuch = /\bby how much\b|कितन[ाेी] का फ|kitne ka (?:fark|farak)|कितीचा फरक|कितीने/iu;
const chooses = (question: string): boolean =>
  [cheaperWords, dearerWords, soonerWords, sizeWords].some((words) => says(question, words)) || isComparison(question);

/** What a question does with items that it does not name. Undefined if it does none of these. */
function taskOf(question: string, analysed: AnalysedQuestion): Task | undefined {
  if (says(question, differenceWords) || howMuchMore.test(question) || byHowMuch.test(question)) return 'difference';
  if (chooses(question)) return 'compare';
  return says(question, totalWords) || analysed.wants.has('PRICE') ? 'sum' : undefined;
}

/** Which of the items mentioned a question means. */
interface Reference {
  readonly size: number | undefined;
  readonly isAll: boolean;
  readonly isSeveral: boolean;
  readonly isEach: boolean;
  /** The question without these pronouns. */
  readonly rest: string;
}

function referenceIn(question: string): Reference {
  const isSaid = (form: RegExp) => question.search(form) >= 0;
  const size = sized.find(([, form]) => isSaid(form))?.[0];
  const forms = [...sized.map(([, form]) => form), each, all, several];
  return {
    size,
    isAll: isSaid(all),
    isSeveral: isSaid(several),
    isEach: isSaid(each) || repeated.test(question),
    rest: forms.reduce((text, form) => text.replace(form, ' '), question),
  };
}

/** A repeated number means that quantity of each: "दो-दो", "teen teen". */
const repeated = /(?<![\p{L}\p{M}\d])([\p{L}\p{M}\d]+)[\s-]\1(?![\p{L}\p{M}\d])/iu;

/** The items of each answer, the latest answer first. */
function mentionedGroups(messages: readonly ModelMessage[], items: readonly FactItem[]): readonly Group[] {
  const answers = messages
    .slice(0, -1)
    .filter(({ role }) => role === 'assistant')
    .slice(-exchangesMax);
  const named = answers.map(({ text }) => mentionedIn(text, items).map((item) => asTold(item, text)));
  const order = [...new Set(named.flat().map(({ name }) => name))];
  return named
    .map((group) => group.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name)))
    .map((group, place) => (group.length === 0 && priced.test(answers[place]?.text ?? '') ? unnamed : group))
    .filter((group) => group === unnamed || (group.length > 0 && group.length <= membersMax))
    .toReversed();
}

const exchangesMax = 8;
const membersMax = 6;
const priced = /[₹$€£]\s?\d/u;
/** An answer with a price that belongs to no known item. */
const unnamed: Group = [];

/** An item reduced to the price that was told. */
function asTold(item: FactItem, text: string): FactItem {
  const prices = item.attributes.filter(isPrice);
  const isSaid = (one: FactItem['attributes'][number]) => {
    const measure = measureOf(one);
    return measure !== undefined && text.includes(written(measure));
  };
  const [only, another] = prices.length > 1 ? prices.filter(isSaid) : [];
  return only && !another ? { ...item, attributes: item.attributes.filter((one) => one === only || !isPrice(one)) } : item;
}

/** The items that a reference means, or those among which it is unclear. */
type Meant = { readonly members: Group } | { readonly unclear: Group } | undefined;

function membersOf(groups: readonly Group[], { size, isAll }: Reference): Meant {
  const [latest = []] = groups;
  if (latest === unnamed) return undefined;
  const everything = [
    ...new Map(
      groups
        .toReversed()
        .flat()
        .map((item) => [item.name, item] as const),
    ).values(),
  ];
  if (size === undefined) {
    const members = latest.length > 1 && !isAll ? latest : everything;
    return members.length > 1 ? { members } : undefined;
  }
  if (latest.length === size) return { members: latest };
  if (latest.length < size && everything.length === size) return { members: everything };
  return everything.length > size ? { unclear: everything } : undefined;
}

/**
 * Answers a question about items mentioned before, which it names by pronouns, by position or not at all: "both together?", "the
 * difference?"
 */
export function ofMentionedItems(
  asking: BuiltinQuestion,
  messages: readonly ModelMessage[],
  before: readonly string[],
): string | undefined {
  const { question, facts, language } = asking;
  const reference = referenceIn(question);
  const analysed = askedIn(question);
  const isNamed = reference.size !== undefined || reference.isAll || reference.isSeveral || reference.isEach;
  const isPlaced = places.some((form) => question.search(form) >= 0);
  const own = taskOf(reference.rest, analysed);
  const isBare = !isNamed && !isPlaced && own !== undefined && (own !== 'sum' || says(question, totalWords));
  if (!isNamed && !isPlaced && !isBare) return undefined;
  const groups = mentionedGroups(messages, facts.items);
  // "The cheapest" may be of all items, unless several were just told.
  if (isBare && superlative.test(question) && (groups[0]?.length ?? 0) < 2) return undefined;
  const meant = groups.length > 0 ? membersOf(groups, reference) : undefined;
  if (meant === undefined) return undefined;
  const members = 'members' in meant ? meant.members : meant.unclear;
  const wish = { question, reference, analysed, members, language };
  const leftOut = 'members' in meant && without.test(question) ? sumOfOthers(wish) : undefined;
  if (leftOut !== undefined) return leftOut;
  if (saysMore((isPlaced ? withoutPlaces(reference.rest) : reference.rest).replace(repeated, ' '), members)) return undefined;
  // "How many beds has the bigger one?" asks for a field of one of them.
  const isOfField = analysed.needs.some(
    (need) => isFieldOf(need, members) && !isPriceWord(need) && !members.some((item) => isSoldBy(item, need.word)),
  );
  if (isBare && isOfField) return undefined;
  if ('unclear' in meant) return whichOf(members, language);
  if (!isPlaced && ofStock.test(question)) return tellItems(members, askedIn(''), language);
  const task = own ?? (isOfField || asksForOther(analysed) ? 'describe' : taskBefore(reference, analysed, before));
  if (isPlaced) return task === 'describe' ? undefined : ofPlaces(wish, task);
  if (task === 'difference' || task === 'compare') return comparison(wish);
  if (task === 'sum') return sumOfAll(wish);
  return unknownOf(askedIn(reference.rest).needs, members).length > 0
    ? undefined
    : ofItems({ ...asking, analysed, items: members });
}

/** Whether the question asks for something other than a sum: "How long do both take?" "How many" may ask for a sum. */
const asksForOther = ({ wants, muchOf }: AnalysedQuestion): boolean =>
  [...wants].some((want) => want !== 'PRICE' && want !== 'COUNT') || (wants.has('COUNT') && muchOf !== undefined);

/**
 * What a question does with the items if it does not say so: with a quantity of each it asks for the sum, and "all three" asks the same as
 * the question before.
 */
function taskBefore(reference: Reference, { wants }: AnalysedQuestion, before: readonly string[]): Task {
  if (hasCount(reference) || (reference.size !== undefined && wants.has('COUNT'))) return 'sum';
  const tasks = before.toReversed().flatMap((one) => taskOf(one, askedIn(one)) ?? []);
  return reference.size === undefined ? 'describe' : (tasks[0] ?? 'sum');
}

const ofStock = /\b(?:available|in stock|milega|milegi|milel|miltil|uplabdh)\b|उपलब्ध|मिलेग[ाी]|मिळ[ेत]ल/iu;

const without =
  /\b(?:without|except|minus|excluding|bina|chhodkar|sodun|shivay)\b|(?<![\p{L}\p{M}])(?:बिना|छोड़कर|सोडून)(?![\p{L}\p{M}])|शिवाय/iu;

/** Answers "And without the last one?" */
function sumOfOthers({ question, analysed, members, language }: SetWish): string | undefined {
  const isNamed = (item: FactItem) => analysed.needs.some((need) => need.weight === 1 && likenessToName(need, item.name) > 0);
  const out = [...placedIn(question, members), ...members.filter(isNamed)];
  const left = members.filter((item) => !out.includes(item));
  if (out.length === 0 || left.length === 0) return undefined;
  const each = left.map((item) => ({ item, count: 1, unit: undefined }));
  return left.length === 1 ? tellItems(left, ofPrice, language) : sumOf(each, language);
}

const ofPrice: AnalysedQuestion = { ...askedIn(''), wants: new Set(['PRICE'] as const) };

/** The items that a text names by position. */
const placedIn = (text: string, members: Group): FactItem[] =>
  places.flatMap((form, place) => (text.search(form) < 0 ? [] : (members.at(place === lastPlace ? -1 : place) ?? missing)));

const withoutPlaces = (text: string): string => places.reduce((rest, form) => rest.replace(form, ' '), text);
const hasCount = ({ isEach, rest }: Reference): boolean => isEach || countsIn(rest).length > 0;

/** Whether a question mentions anything other than these items, their prices and quantities. */
function saysMore(rest: string, members: Group): boolean {
  return askedIn(rest.replace(taking, ' ')).needs.some(
    (need) =>
      need.weight === 1 &&
      need.isVerb !== true &&
      !isPriceWord(need) &&
      !isFieldOf(need, members) &&
      !members.every((item) => isSoldBy(item, need.word)),
  );
}

interface SetWish {
  readonly question: string;
  readonly reference: Reference;
  readonly analysed: AnalysedQuestion;
  readonly members: Group;
  readonly language: AnswerLanguage;
}

function comparison({ question, analysed, members, language }: SetWish): string | undefined {
  return comparedAmong({
    question,
    analysed: { ...analysed, needs: analysed.needs.filter((need) => !isPriceWord(need)) },
    items: members,
    language,
  });
}

/** The quantities in a text. "One" in "the first one" is not a quantity. */
const countsIn = (text: string): NumberSaid[] =>
  numbersIn(text.replace(/\bwhich one\b/giu, ' ')).filter(({ value }) => Number.isInteger(value));

const isOfPeople = ({ following: [next = ''] }: NumberSaid): boolean =>
  /^(?:people|persons?|pax|guests?|लोग|व्यक्ति|जण|माणस|log|logon|jan|mansan)/u.test(next);

/** Tells the total of all items, or of a quantity of each. */
function sumOfAll({ reference, analysed, members, language }: SetWish): string | undefined {
  const counts = [...new Map(countsIn(reference.rest).map((count) => [count.value, count] as const)).values()];
  // "For three people, one of each" means three of each.
  const [first, another] = reference.isEach && counts.some(isOfPeople) ? counts.filter((one) => one.value !== 1) : counts;
  if (another) return undefined;
  // "Five of those" does not say of which.
  if (first && first.value > 1 && !reference.isEach && !repeated.test(reference.rest)) return whichOf(members, language);
  const sum = sumOf(
    members.map((item) => ({ item, count: first?.value ?? 1, unit: first?.following[0] })),
    language,
  );
  return sum ?? tellItems(members, { ...analysed, needs: [], wants: new Set(['PRICE'] as const) }, language);
}

/** Answers "three of the first and one of the second" or "is the first dearer than the second?" */
function ofPlaces(wish: SetWish, task: Task): string | undefined {
  const { question, reference, analysed, members, language } = wish;
  const oneOfEach = { ...wish, reference: { ...reference, rest: '' } };
  const placed = (text: string) => placedIn(text, members);
  const chosen = placed(question);
  if (chosen.includes(missing)) return undefined;
  const [, english, other] = firstFew.exec(question) ?? [];
  const few = numbersIn(english ?? other ?? '')[0]?.value;
  // "The first two" means the first and the second, not two of the first.
  if (few !== undefined) return few < members.length ? sumOfAll({ ...oneOfEach, members: members.slice(0, few) }) : undefined;
  if (task === 'difference' || task === 'compare') {
    const both = chosen.length > 1 ? chosen : members;
    const named = places.reduce((text, form, place) => text.replace(form, members[place]?.name ?? ' '), question);
    return both.length === 2 ? comparison({ question: named, reference, analysed, members: both, language }) : undefined;
  }
  const lines = question.split(joining).flatMap((phrase): (OrderedThing | undefined)[] => {
    const things = placed(phrase);
    const [first, another] = countsIn(withoutPlaces(phrase));
    if (another || (first && things.length > 1)) return [undefined];
    return things.map((item) => ({ item, count: first?.value ?? 1, unit: first?.following[0] }));
  });
  const known = lines.filter((line) => line !== undefined);
  const isOrder = known.length > 1 || known.some(({ count }) => count > 1);
  return isOrder && known.length === lines.length && known.length === chosen.length ? sumOf(known, language) : undefined;
}

const firstFew =
  /\bfirst (two|three|four|\d)\b|(?<![\p{L}\p{M}])(?:पहले|पहिले|पहिल्या|pehle|pahile) (दो|दोन|तीन|चार|do|don|teen|\d)(?![\p{L}\p{M}])/iu;
const missing: FactItem = { kind: 'entry', name: '', category: '', description: '', attributes: [], pack: undefined };

/** Tells the prices of all items that may be meant, and asks which is. */
function whichOf(members: Group, language: AnswerLanguage): string | undefined {
  const sentences = members.flatMap((item) => (priceOf(item) ? (tellItems([item], ofPrice, language) ?? []) : []));
  return sentences.length < members.length ? undefined : `${sentences.join(' ')} ${asksWhich[language]}`;
}

const asksWhich: Record<AnswerLanguage, string> = {
  english: 'Which of them do you mean?',
  hindi: 'आप इनमें से कौन-से पूछ रहे हैं?',
  marathi: 'तुम्ही यांपैकी कोणते विचारत आहात?',
};

/** An ordered item with its quantity, and its unit, as in "five metres". */
interface OrderedThing {
  readonly item: FactItem;
  readonly count: number;
  readonly unit: string | undefined;
}

const isSoldBy = (item: FactItem, unit: string): boolean => isPricedBy(unit, priceOf(item)?.name ?? '');

/** Tells the total. Undefined if an item has no single price, or is sold by a unit that is not stated. */
function sumOf(things: readonly OrderedThing[], language: AnswerLanguage): string | undefined {
  const counted = things.flatMap(({ item, count, unit }) => {
    const price = priceOf(item);
    const each = price && measureOf(price);
    if (!each || each.to !== undefined || !isMoney(each.unit)) return [];
    const isMeasured = unit !== undefined && (measureNamed(unit) !== undefined || timeUnit(unit) !== undefined);
    const isUnclear = isMeasured ? !isSoldBy(item, unit) : perMeasure.test(price.name) || (item.pack !== undefined && count > 1);
    return isUnclear ? [] : [{ item, each, price, count }];
  });
  const [first, second] = counted;
  if (!first || counted.length < things.length || counted.some(({ each }) => each.unit !== first.each.unit)) return undefined;
  if (second) return sumTold(counted, language);
  const { item, each, price, count } = first;
  const sum = written({ ...each, value: each.value * count });
  return phrases[language].times({
    count: String(count),
    name: item.name,
    sum,
    each: written(each),
    per: perOf(item, price, language),
  });
}

/** Prices per unit of measure. "Both" does not state how many metres or hours. */
const perMeasure = /(?<![\p{L}\p{M}])(?:per|प्रति)\s(?!piece|plate|person|head|नग|पीस|प्लेट)/iu;
