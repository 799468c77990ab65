import {
  askedTime,
  foldSpelling,
  formsOf,
  hasPronoun,
  inContext,
  inLatinLetters,
  isBusinessNoun,
  wordsOf,
} from '@parley/language';
import { isPrice } from '../facts/amount';
import type { BaseFacts, FactItem } from '../facts/base-facts';
import { isComparison } from '../question/idioms';
import { likeness, likenessToName, textWords } from '../question/likeness';
import { type AnalysedQuestion, askedIn, isPriceWord, type NeededWord, needOf } from '../question/needs';
import { choiceAmong, computed } from './computed-answer';
import { orderedAgain } from './counted-items';
import { calledByAmount, fieldsAsked, isFieldOf, ofAmount, tellField, toldMax, toldOfRows, unknownOf } from './item-answer';
import {
  baseNameOf,
  isSaidItself,
  itemsOfSpan,
  mentionedIn,
  type NamedItems,
  namedItems,
  respelled,
  sharesWord,
} from './named-items';
import { answered, type BuiltinQuestion, namingIn, ofItems, toldOf } from './plain-answer';
import { statementOn, tellsWhatIsWanted } from './statement-answer';
import { priceToldBefore, quantitiesIn, timesToldAgain, timesToldPrice } from './told-prices';
import { amongVariants } from './variants';

/** How a follow-up question begins. */
export const opener = /^(?:and|what about|how about|aur|ani|aani|और|आणि|अन)\s/iu;

/** A follow-up question completed with the question before it. A day replaces the day of that question. */
export function inItsContext(question: string, before: readonly string[]): string {
  const fullQuestion = inContext(before.at(-1) ?? '', before.slice(0, -1));
  // A question for an attribute, such as the deposit, keeps the item of the question before.
  if (asksOfAttribute(question)) return `${fullQuestion} ${question}`;
  return namesOnlyTime(question) ? `${askedTime(fullQuestion).rest} ${question}` : inContext(question, before);
}

/** Whether a question states a day, a date or a time and nothing else: "on Sunday too?" */
export function namesOnlyTime(question: string): boolean {
  const { date, daysAhead, weekday, clock, rest } = askedTime(question);
  const isTimed = date !== undefined || daysAhead !== undefined || weekday !== undefined || clock !== undefined;
  return isTimed && wordsOf(rest).every((word) => besideTime.has(word));
}

const besideTime = new Set(
  'and what how about on at in the too also as well then or aur ani aani bhi pan ko la par और आणि भी पण तो को ला पर सुद्धा फिर मग वे ve'
    .split(' ')
    .map(foldSpelling),
);

/** Answers a follow-up. "And for braces?" asks the same about another item, "is it in stock?" asks something else about the same item. */
export function followed(asking: BuiltinQuestion, before: readonly string[]): string | undefined {
  const { question, earlier, facts } = asking;
  const respelledIn = (text: string) => {
    const read = askedIn(text);
    return { ...read, needs: read.needs.map((need) => respelled(need, facts.items)) };
  };
  const analysed = respelledIn(question);
  const last = before.at(-1) ?? '';
  const beforeAsked = respelledIn(last);
  const earlierItems = namedItems(beforeAsked.needs, facts.items, namingIn(last, facts)).items;
  const lastTold = mentionedIn(earlier, facts.items);
  const follow = { analysed, beforeAsked, earlierItems, lastItems: lastTold.length > 0 ? lastTold : earlierItems };
  const ofAttribute = asksOfAttribute(question) ? attributeOfThings(asking, follow) : undefined;
  if (ofAttribute) return ofAttribute.answer;
  const again = priceToldBefore(analysed, { facts, earlier, wants: beforeAsked.wants }) ?? ofThingsTold(asking, follow);
  if (again !== undefined) return again;
  const isBare = analysed.wants.size === 0;
  const ofAnother =
    ofStatementCounted(asking, follow) ??
    (isBare && opener.test(question) ? ofReplaced(asking, before) : undefined) ??
    (isBare ? ofSibling(asking, follow) : undefined);
  if (ofAnother !== undefined) return ofAnother;
  const needs = [...analysed.needs, ...beforeAsked.needs];
  const asBefore = { ...analysed, needs, wants: beforeAsked.wants };
  const ofRows = toldOfRows({ question, analysed: asBefore, language: asking.language }, facts.items);
  if (ofRows !== undefined) return ofRows;
  const named = thingsNamedAnew(question, follow, facts);
  const ofNamed = named && ofNewThings(asking, follow, named);
  if (ofNamed !== undefined) return ofNamed;
  const onSame = named ? undefined : statementOn(analysed, facts, earlier);
  // "And for a bus?" asks what was asked about the car.
  const wanted = analysed.wants.size > 0 || hasPronoun(question) ? analysed.wants : beforeAsked.wants;
  if (onSame && tellsWhatIsWanted(onSame.statement.text, wanted)) return toldOf(onSame, asking, analysed);
  const ofMentioned = named ? undefined : ofThingsMentioned(asking, follow);
  if (ofMentioned !== undefined) return ofMentioned;
  const answer =
    answered(asking, inItsContext(question, before)) ?? (namesOnlyTime(question) ? undefined : answered(asking, question));
  return answer === undefined || tellsWhatIsWanted(answer, wanted) ? answer : undefined;
}

/** Attributes that an item may have besides its price. */
const attributes = 'deposit advance warranty guarantee insurance weight size colour discount fine'
  .split(' ')
  .map((word) => formsOf(word).stem);

/** Whether a follow-up question names only an attribute: "and the deposit?" */
export function asksOfAttribute(question: string): boolean {
  const telling = askedIn(question.replace(opener, '')).needs.filter(({ weight }) => weight === 1);
  return telling.length > 0 && telling.every(isAttribute);
}

const isAttribute = ({ stem, meanings }: NeededWord): boolean =>
  attributes.some((attribute) => stem === attribute || meanings.has(attribute));

/**
 * Answers a question for an attribute, such as the deposit, of the items mentioned before: from an item whose name contains both, or from a
 * sentence that mentions both. Other items' attributes are no answer. Undefined if the item has a field of that name, or is not known.
 */
function attributeOfThings(
  asking: BuiltinQuestion,
  { analysed, earlierItems, lastItems }: FollowUp,
): { readonly answer: string | undefined } | undefined {
  const { facts } = asking;
  const spoken = earlierItems.length > 0 ? earlierItems : lastItems;
  const named = analysed.needs.filter(isAttribute);
  if (spoken.length === 0 || spoken.length > toldMax || named.some((need) => isFieldOf(need, spoken))) return undefined;
  const ofNames = askedIn(spoken.map(baseNameOf).join(' ')).needs.filter((need) => !isPriceWord(need) && !isAttribute(need));
  const isOfThing = (name: string) => ofNames.some((need) => need.weight === 1 && isSaidItself(need, name));
  // A word such as "class" may be in every item's name.
  const own = ofNames.filter((need) => facts.items.every((item) => spoken.includes(item) || !isSaidItself(need, item.name)));
  const telling = (own.length > 0 ? own : ofNames).filter(({ weight }) => weight === 1);
  const called = facts.items.filter(({ name }) => named.every((need) => likenessToName(need, name) > 0));
  const items = called.filter(({ name }) => isOfThing(name));
  const wants = new Set(['PRICE' as const]);
  if (items.length > 0) return { answer: ofItems({ ...asking, analysed: { ...analysed, wants }, items }) };
  const about = facts.statements.filter(({ text, heading, isStored }) => {
    const comparable = textWords(isStored ? `${heading} ${text}` : text);
    return [...named, ...telling].every((need) => likeness(need, comparable) > 0);
  });
  const [statement, another] = about;
  if (another) return undefined;
  const found = statement && { statement, needed: { before: false, after: false }, share: 1, own: 1, isAlone: true };
  return { answer: found && toldOf(found, asking, analysed) };
}

interface FollowUp {
  readonly analysed: AnalysedQuestion;
  readonly beforeAsked: AnalysedQuestion;
  /** The items that were asked about before. */
  readonly earlierItems: readonly FactItem[];
  /** Those that were told, if any. */
  readonly lastItems: readonly FactItem[];
}

/** Answers about one of the items told before, or another of their kind: "the second one", "the one for two days". */
function ofThingsTold(asking: BuiltinQuestion, follow: FollowUp): string | undefined {
  const { question, facts } = asking;
  const { analysed, beforeAsked, lastItems } = follow;
  const picked = itemPicked(question, lastItems, facts.items);
  const ofPick = picked && ofPicked(asking, follow, picked);
  if (ofPick !== undefined) return ofPick;
  const wants = analysed.wants.size > 0 ? analysed.wants : beforeAsked.wants;
  const ofSpan = itemsOfSpan(question, facts.items).filter(({ category }) => lastItems.some((one) => one.category === category));
  if (ofSpan.length > 0 && ofSpan.length <= toldMax && unknownOf(analysed.needs, ofSpan).length === 0)
    return ofItems({ ...asking, analysed: { ...analysed, wants }, items: ofSpan });
  if (analysed.needs.some((need) => namesItem(need, facts.items))) return undefined;
  const ofOtherAmount = lastItems.filter((item) => ofAmount(item, analysed) !== item);
  if (ofOtherAmount.length > 0 && ofOtherAmount.length <= toldMax)
    return ofItems({ ...asking, analysed: { ...analysed, wants: beforeAsked.wants }, items: ofOtherAmount });
  const ofSpoken = facts.items.filter((one) =>
    lastItems.some((other) => other.category === one.category && sharesWord(one, other)),
  );
  const called = analysed.amounts.length > 0 ? calledByAmount(ofSpoken, analysed) : ofSpoken;
  return called.length > 0 && called.length < ofSpoken.length
    ? ofItems({ ...asking, analysed: { ...analysed, needs: [], wants: beforeAsked.wants }, items: called })
    : undefined;
}

/** The items that the follow-up names itself, and the rest of the question. Undefined if it only names fields of the earlier items. */
function thingsNamedAnew(question: string, { analysed, earlierItems }: FollowUp, facts: BaseFacts): NamedItems | undefined {
  const named = namedItems(analysed.needs, facts.items, namingIn(question, facts));
  // If an item is called scooter, then "scooter" names that item and not the column "vehicle".
  const isField = (need: NeededWord) =>
    isFieldOf(need, earlierItems) &&
    (!named.items.some(({ name }) => isSaidItself(need, name)) ||
      earlierItems.some(({ attributes }) => attributes.some(({ name }) => isSaidItself(need, name))));
  const isNamed = analysed.needs.some((need) => need.weight === 1 && !named.rest.includes(need) && !isField(need));
  return named.items.length > 0 && isNamed ? named : undefined;
}

/** Answers the same question, or the new one, about other items. */
function ofNewThings(
  asking: BuiltinQuestion,
  { analysed, beforeAsked, earlierItems, lastItems }: FollowUp,
  named: NamedItems,
): string | undefined {
  const siblings = named.items.filter((item) => earlierItems.some((other) => baseNameOf(other) === baseNameOf(item)));
  const items = siblings.length > 0 ? siblings : named.items;
  // If the caller asked for a price, and the answer also told the stock, the follow-up asks for the price.
  const isOfFields = analysed.wants.size === 0 && !beforeAsked.wants.has('PRICE');
  const same = isOfFields ? sameFieldsOf(items, lastItems, asking) : undefined;
  if (same !== undefined) return same;
  if (unknownOf(named.rest, items).length > 0) return undefined;
  const wants = analysed.wants.size > 0 ? analysed.wants : beforeAsked.wants;
  const fields = beforeAsked.needs.filter((need) => isFieldOf(need, items) && !isOfNames(need, earlierItems));
  return ofItems({ ...asking, analysed: { ...analysed, needs: [...analysed.needs, ...fields], wants }, items });
}

/** Answers another question about the items mentioned before. */
function ofThingsMentioned(asking: BuiltinQuestion, { analysed, earlierItems }: FollowUp): string | undefined {
  const { question, earlier, facts } = asking;
  const isFew = earlierItems.length > 0 && earlierItems.length <= mentionedMax;
  const mentioned = isFew ? earlierItems : mentionedIn(earlier, facts.items);
  if (mentioned.length === 0 || unknownOf(analysed.needs, mentioned).length > 0) return undefined;
  const items = chosenOf(question, mentioned, analysed);
  return ofItems({
    ...asking,
    analysed: items.length < mentioned.length ? { ...analysed, isComparing: false } : analysed,
    items,
  });
}

/** "First", "second" and "third" in the three languages and in Latin letters. */
const places = [
  ['first', 'पहल[ाीे]', 'pah?l[aie]', 'पहिल(?:ा|ी|े|्या)'],
  ['second', 'दूसर[ाीे]', 'd[uo]o?sr[aie]', 'दुस(?:रा|री|रे|र्या|ऱ्या)'],
  ['third', 'तीसर[ाीे]', 'teesr[aie]', 'तिस(?:रा|री|रे|र्या|ऱ्या)'],
  ['last', 'आख़?िरी', 'aakh?ri', 'शेवटच(?:ा|ी|े|्या)'],
].map(
  ([english, hindi, inLatin, marathi]) =>
    new RegExp(
      `\\b${english} (?:one|of (?:them|these|those|the two))\\b|\\bthe ${english}\\s*\\??$|${hindi} ?वाल[ाीे]|\\b${inLatin} ?w[ao]l[aie]\\b|` +
        `(?<![\\p{L}\\p{M}])${marathi}(?! (?:दिव|वेळ|आठव|महि))`,
      'iu',
    ),
);
/** Choosing by a name: "the Hindi one", "मराठी वाला". */
const calledOne =
  /\b(?:the )(?!other|same|only|right)([\p{L}\d]+) one\b|([\p{L}\p{M}\d]+) (?:वाल[ाीे]|w[ao]l[aie])(?![\p{L}\p{M}])/iu;

/** Whether a question points at one of several items told before: "the second one". */
export const picksOne = (question: string): boolean => places.some((form) => form.test(question));

/** The item that a question picks from those told before: by its position, or by a word that no other one of its kind has. */
function itemPicked(question: string, lastItems: readonly FactItem[], items: readonly FactItem[]): FactItem | undefined {
  const place = places.findIndex((form) => form.test(question));
  if (place >= 0 && lastItems.length > 1) return lastItems.at(place < places.length - 1 ? place : -1);
  const [, english, other] = calledOne.exec(question) ?? [];
  const word = wordsOf(english ?? other ?? '')[0];
  if (word === undefined || isComparison(question)) return undefined;
  const need = needOf(word);
  const alike = items.filter(({ kind, category }) => lastItems.some((one) => one.kind === kind && one.category === category));
  const called = alike.filter((item) => isSaidItself(need, item.name) || isSaidByValues(need, item));
  const [only, second] = called;
  return second ? undefined : only;
}

const isSaidByValues = (need: NeededWord, { kind, attributes }: FactItem): boolean =>
  kind === 'row' && attributes.some(({ value }) => isSaidItself(need, value));

/** Tells about the picked item what is asked, or else what was told about the others. */
function ofPicked(asking: BuiltinQuestion, { analysed, beforeAsked, lastItems }: FollowUp, item: FactItem): string | undefined {
  const same = analysed.wants.size === 0 ? sameFieldsOf([item], lastItems, asking) : undefined;
  const wants = analysed.wants.size > 0 ? analysed.wants : beforeAsked.wants;
  return same ?? ofItems({ ...asking, analysed: { ...analysed, wants, isComparing: false }, items: [item] });
}

/** The same fields of other items, without prices, which may be for another quantity. */
function sameFieldsOf(
  items: readonly FactItem[],
  lastItems: readonly FactItem[],
  { earlier, language }: BuiltinQuestion,
): string | undefined {
  const isTold = (sentence: string) => [sentence, inLatinLetters(sentence)].some((form) => earlier.includes(form));
  const names = new Set(
    lastItems.flatMap((item) =>
      item.attributes.filter((field) => !isPrice(field) && isTold(tellField(item, field, language))).map(({ name }) => name),
    ),
  );
  const same = items.flatMap((item) =>
    item.attributes.filter(({ name }) => names.has(name)).map((field) => tellField(item, field, language)),
  );
  return same.length === 0 || items.length > toldMax ? undefined : [...new Set(same)].join(' ');
}

/**
 * Answers "And colleges?" after a sentence about schools: of the sentences that mention the new word, the one that covers the rest of the
 * question before, without the replaced word.
 */
function ofReplaced(asking: BuiltinQuestion, before: readonly string[]): string | undefined {
  const { question, facts, earlier } = asking;
  const named = newlyNamed(question);
  if (named.length === 0 || !facts.statements.some(({ text }) => earlier.includes(text))) return undefined;
  const analysed = askedIn(inContext(before.at(-1) ?? '', before.slice(0, -1)));
  const carried = analysed.needs.filter((need) => need.weight >= carriedMin && !named.some(({ stem }) => stem === need.stem));
  const scored = facts.statements
    .map((statement) => {
      const comparables = [textWords(statement.text), ...(statement.isStored ? [textWords(statement.heading)] : [])];
      const says = (need: NeededWord) => Math.max(...comparables.map((one) => likeness(need, one)));
      const held = carried.filter((need) => says(need) > 0);
      const score = held.reduce((sum, need) => sum + need.weight * says(need), 0);
      return { statement, score, isNamed: named.every((need) => says(need) > 0), left: carried.length - held.length };
    })
    .filter(({ statement, score, isNamed }) => isNamed && score > 0 && tellsWhatIsWanted(statement.text, analysed.wants))
    .toSorted((one, other) => other.score - one.score);
  const [best, second] = scored;
  if (!best || best.left > 1 || (second && second.score === best.score)) return undefined;
  const found = { statement: best.statement, needed: { before: false, after: false }, share: 1, own: 1, isAlone: true };
  return toldOf(found, asking, analysed);
}

const carriedMin = 0.35;

/** The words of a short question that name something, including words that say little in a whole question, such as "school". */
function newlyNamed(question: string): NeededWord[] {
  const telling = askedIn(question).needs.filter(({ weight, isVerb }) => weight === 1 && isVerb !== true);
  if (telling.length > 0) return telling;
  return wordsOf(question.replace(opener, ''))
    .filter((word) => word.length > 2 && isBusinessNoun(formsOf(word).stem))
    .map(needOf);
}

/** The price of another quantity or variant, if the question before asked for a price. */
export function orderAfter(asking: BuiltinQuestion, before: readonly string[]): string | undefined {
  const { question, earlier, facts } = asking;
  const last = before.at(-1);
  if (last === undefined) return undefined;
  const analysed = askedIn(question);
  const { needs, wants } = askedIn(last);
  const isOfPrice = analysed.wants.has('PRICE') || (analysed.wants.size === 0 && pricesTold.test(earlier));
  if (!isOfPrice) return undefined;
  const sentence = facts.statements.find(({ text, of }) => of === undefined && earlier.includes(text) && pricesTold.test(text));
  const again = sentence && timesToldAgain({ question, analysed, language: asking.language }, sentence);
  if (again !== undefined) return again;
  if (wants.size > 0 && !wants.has('PRICE')) return undefined;
  const mentioned = mentionedIn(earlier, facts.items);
  const items =
    mentioned.length > 0
      ? mentioned
      : amongVariants(namedItems(needs, facts.items, namingIn(last, facts)).items, last, facts.items);
  const compare = (both: readonly FactItem[]) =>
    computed({ ...asking, analysed: { ...analysed, wants: new Set(['PRICE'] as const) }, items: both });
  return orderedAgain({ ...asking, analysed, items, all: facts.items, compare });
}

const pricesTold = /[₹$€£]\s?\d/u;

/** Answers "And for NEET?" after the price of the JEE course: of the items with NEET in their names, the one with the most similar name. */
function ofSibling(asking: BuiltinQuestion, { analysed, beforeAsked, lastItems }: FollowUp): string | undefined {
  const telling = analysed.needs.filter(({ weight }) => weight === 1);
  if (telling.length === 0 || lastItems.length === 0) return undefined;
  const named = asking.facts.items.filter(({ name }) => telling.every((need) => likenessToName(need, name) > 0));
  const alikeOf = ({ name }: FactItem) => {
    const words = new Set(wordsOf(name));
    return Math.max(...lastItems.map((earlier) => wordsOf(earlier.name).filter((word) => words.has(word)).length));
  };
  const most = Math.max(0, ...named.map(alikeOf));
  const items = named.filter((item) => alikeOf(item) === most && !lastItems.includes(item));
  if (most === 0 || items.length !== 1) return undefined;
  const needs = beforeAsked.needs.filter((need) => isFieldOf(need, items) && !isOfNames(need, lastItems));
  return ofItems({ ...asking, analysed: { ...beforeAsked, needs }, items });
}

/** Answers "And for three hours?" after a sentence with the price of one. */
function ofStatementCounted(
  { question, language, facts, earlier }: BuiltinQuestion,
  { analysed, beforeAsked }: Pick<FollowUp, 'analysed' | 'beforeAsked'>,
): string | undefined {
  if (analysed.needs.some((need) => need.weight === 1) || quantitiesIn(question, '').length === 0) return undefined;
  const statement = facts.statements.find(({ text }) => earlier.includes(text));
  return statement && timesToldPrice({ question, analysed: { ...beforeAsked, amounts: analysed.amounts }, language }, statement);
}

/** A word that named an item before does not name a column of another item. */
const isOfNames = (need: NeededWord, items: readonly FactItem[]): boolean =>
  items.some(({ name }) => likenessToName(need, name) > 0);

/** Whether a word is in the name of an item. */
export const namesItem = (need: NeededWord, items: readonly FactItem[]): boolean =>
  need.weight === 1 && items.some(({ name }) => isSaidItself(need, name));

const mentionedMax = 4;

/** The items that a question such as "How many beds has the bigger one?" is about: of those mentioned, the bigger one. */
function chosenOf(question: string, mentioned: readonly FactItem[], analysed: AnalysedQuestion): readonly FactItem[] {
  if (!isComparison(question) || mentioned.length < 2) return mentioned;
  if (!mentioned.some((item) => fieldsAsked(analysed, item).length > 0)) return mentioned;
  const chosen = choiceAmong(question, mentioned);
  return chosen ? [chosen] : mentioned;
}
