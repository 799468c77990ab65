import { askedTime, foldSpelling, isStopWord, wordsOf } from '@parley/language';
import type { BaseFacts, FactItem } from '../facts/base-facts';
import { isComparison, isEnumerated, ownStatement, reasonGiven } from '../question/idioms';
import { likeness, likenessToName, textWords } from '../question/likeness';
import { type AnalysedQuestion, askedIn, asksOnlyWhether, isAction, isPriceWord, type NeededWord } from '../question/needs';
import { computed, eitherOf } from './computed-answer';
import { totalOf } from './counted-items';
import { isPeople } from './counted-packs';
import {
  asksInWhatWay,
  asksWhatThereIs,
  asksWhetherOtherwise,
  asksWhich,
  fieldsAsked,
  isFieldOf,
  isMeantBy,
  ofAmount,
  ofCalled,
  rowOfColumns,
  itemWords,
  tellItems,
  toldMax,
  toldOfRows,
  unknownOf,
} from './item-answer';
import { itemsOfNumber, mentionedIn, namedItems, respelled } from './named-items';
import { type AnswerLanguage, phrases, weekdayNamed } from './phrases';
import { type FoundStatement, isSure, statementFor, tellStatement } from './statement-answer';
import { conditionIn, rulesOnTotal, timesToldPrice, underCondition, withoutTotal } from './told-prices';
import { amongVariants, isOfVariants } from './variants';

/** A question with the facts that may answer it. */
export interface BuiltinQuestion {
  readonly question: string;
  readonly language: AnswerLanguage;
  readonly facts: BaseFacts;
  /** The previous question and answer, to which "it" refers. */
  readonly earlier: string;
}

/** The certain answer to a question that is no follow-up. */
export function answered(asking: BuiltinQuestion, asked: string): string | undefined {
  const { facts, language } = asking;
  const question = withoutForWhom(asked, facts);
  const [aside] = isComparison(question) ? [] : (reasonGiven.exec(question) ?? []);
  const toTheThing = aside === undefined ? undefined : ofThingsNamed({ ...asking, question: question.slice(0, -aside.length) });
  if (toTheThing !== undefined) return toTheThing;
  const inPlain = askedIn(question);
  const conditioned = underItsCondition({ ...asking, question }, inPlain);
  if (conditioned !== undefined) return conditioned;
  const numbered = itemsOfNumber(question, facts.items);
  if (numbered.length > 0) return ofItems({ ...asking, question, analysed: inPlain, items: numbered });
  const ofEither = eitherOf({ question, analysed: inPlain, facts, language });
  if (ofEither) return ofEither.answer;
  const ofRows = toldOfRows({ question, analysed: inPlain, language }, facts.items);
  if (ofRows !== undefined) return ofRows;
  const ofDays = daysOfRows({ ...asking, question }, inPlain);
  if (ofDays !== undefined) return ofDays;
  const ofThings = ofThingsNamed({ ...asking, question }) ?? afterOwnStatement(asking, question);
  if (ofThings !== undefined) return ofThings;
  const found = statementFor(inPlain, facts);
  return found && ofStatement(found, { question, language, facts }, inPlain);
}

const asksForDay =
  /\b(?:which|what) (?:week)?days?\b|\bwhen\b|किस (?:दिन|वार)|कौन-?\s?से दिन|(?<![\p{L}\p{M}])(?:कब|कधी)(?![\p{L}\p{M}])|कोणत्या (?:दिवशी|वारी)|\b(?:kis din|kaunse din|kab|kadhi|konty?a (?:divshi|vari))\b/iu;
const timeColumn = /time|timing|समय|वेळ/iu;
const wordsOnly = (text: string): boolean => !/\d/u.test(text);

/** The weekdays of a timetable entry, whose row may be named by the day: "on which day is the walk?" */
function daysOfRows({ question, facts, language }: BuiltinQuestion, analysed: AnalysedQuestion): string | undefined {
  if (!asksForDay.test(question) || analysed.wants.has('PRICE')) return undefined;
  const named = analysed.needs.filter((need) => need.weight === 1 && !isAction(need) && !need.meanings.has('teach'));
  const isDay = ({ word }: NeededWord) => weekdayIn(word) !== undefined;
  // If the question names nothing else, its possible verbs are taken as names.
  const telling = (named.length > 0 ? named : analysed.needs.filter((need) => need.isVerb)).filter((need) => !isDay(need));
  const rows = facts.items.flatMap((item) => {
    const texts = item.kind === 'row' ? [item.name.replace(/ \(.*$/u, ''), ...item.attributes.map(({ value }) => value)] : [];
    const days = texts.map(weekdayIn);
    const day = days.find((one) => one !== undefined);
    return day === undefined
      ? []
      : [{ item, day, words: texts.filter((text, place) => days[place] === undefined && wordsOnly(text)) }];
  });
  const says = (need: NeededWord, text: string) => Math.max(likenessToName(need, text), likeness(need, textWords(text))) > 0;
  const held = rows.flatMap((row) => {
    const [text] = row.words
      .map((one) => ({ one, score: analysed.needs.filter((need) => says(need, one)).length }))
      .filter(({ one }) => telling.some((need) => says(need, one)))
      .toSorted((one, other) => other.score - one.score);
    const isWhole = telling.every(
      (need) => says(need, [...row.words, row.item.category].join(' ')) || isFieldOf(need, [row.item]),
    );
    return text && isWhole ? [{ ...row, named: text.one, score: text.score }] : [];
  });
  const most = Math.max(...held.map(({ score }) => score));
  const best = held.filter(({ score }) => score === most);
  const [first] = best;
  if (!first || best.some((row) => row.named !== first.named)) return undefined;
  const days = [...new Set(best.map(({ day }) => weekdayNamed(day, language)))];
  const times = new Set(best.map(({ item }) => item.attributes.find(({ name }) => timeColumn.test(name))?.value ?? ''));
  return phrases[language].onDays(first.named, days, times.size === 1 ? ([...times][0] ?? '') : '');
}

/** The weekday, if a text consists of only that. */
const weekdayIn = (text: string): string | undefined => {
  const { weekday, rest } = askedTime(text);
  return wordsOf(rest).length === 0 ? weekday : undefined;
};

/**
 * The price of an item with a condition, such as a tax or a surcharge at certain hours: with the rule applied, or with the rule beside it.
 */
function underItsCondition(asking: BuiltinQuestion, analysed: AnalysedQuestion): string | undefined {
  const condition = isComparison(asking.question) ? undefined : conditionIn(asking.question, asking.facts);
  if (condition === undefined || !(analysed.wants.has('PRICE') || asksOnlyWhether(asking.question))) return undefined;
  const { rest: question, rules } = condition;
  const named = thingsNamed({ ...asking, question });
  if (!named || named.items.length > toldMax) return undefined;
  const ofPrice = { ...named.analysed, wants: new Set(['PRICE'] as const) };
  const answer = ofItems({ ...asking, question, analysed: ofPrice, items: named.items });
  if (answer === undefined) return undefined;
  if (rules.length === 0) return withoutTotal(answer, asking.language);
  const base = analysed.wants.has('PRICE') ? totalOf({ question, analysed: ofPrice, items: named.items }) : undefined;
  return underCondition(condition, { answer, base, language: asking.language });
}

const forWhom = /\s(?:for|of) (?:my|our|his|her) (\p{L}+)(?=[\s,?.!]|$)/iu;

/** Removes "for my clients" and the like if the knowledge does not mention them. */
function withoutForWhom(question: string, { items, statements }: BaseFacts): string {
  const [phrase, whom = ''] = forWhom.exec(question) ?? [];
  const need = phrase === undefined ? undefined : askedIn(whom).needs[0];
  if (phrase === undefined || need === undefined) return question;
  const isKnown =
    items.some((item) => likeness(need, itemWords(item)) > 0) ||
    statements.some(({ text, heading }) => likeness(need, textWords(`${heading}\n${text}`)) > 0);
  return isKnown ? question : question.replace(phrase, '');
}

function afterOwnStatement(asking: BuiltinQuestion, question: string): string | undefined {
  const [phrase] = isComparison(question) ? [] : (ownStatement.exec(question) ?? []);
  const { date, daysAhead, clock, rest: undated } = askedTime(question);
  const isDated = date !== undefined || daysAhead !== undefined || clock !== undefined;
  if (phrase === undefined && !isDated) return undefined;
  const rest = phrase === undefined ? undated : question.slice(phrase.length);
  const isOfPrice = askedIn(rest).wants.has('PRICE');
  return isOfPrice ? ofThingsNamed({ ...asking, question: rest }, { itemsMax: 1 }) : undefined;
}

/** Tells about the items that a question names, if it names nothing else. */
function ofThingsNamed(asking: BuiltinQuestion, { itemsMax = Infinity } = {}): string | undefined {
  const named = thingsNamed(asking);
  return named && named.items.length <= itemsMax ? ofItems({ ...asking, ...named }) : undefined;
}

/** The items that a question names, if it names nothing else. */
function thingsNamed({ question, facts }: BuiltinQuestion): Pick<OfItems, 'analysed' | 'items'> | undefined {
  const read = askedIn(question);
  const analysed = { ...read, needs: read.needs.map((need) => respelled(need, facts.items)) };
  // A number of people does not name a group.
  const naming = analysed.needs.filter(({ word }) => !isPeople(word) || analysed.counted.length === 0);
  const named = namedItems(naming.length > 0 ? naming : analysed.needs, facts.items, {
    subject: subjectOf(facts),
    isChoice: isComparison(question),
    words: new Set(wordsOf(question)),
  });
  const meant = offeredAlone({ question, needs: analysed.needs, items: named.items }, facts.items);
  if (meant === undefined) return undefined;
  const called = ofCalled(rowOfColumns(meant), { question, analysed });
  const items = amongVariants(called, question, facts.items);
  // A word that matched only items that are not meant remains unmatched.
  const isLeft = (need: NeededWord) =>
    named.rest.includes(need) ||
    (meant !== named.items && !meant.some((item) => likeness(need, itemWords(item)) > 0 || likenessToName(need, item.name) > 0));
  const rest = analysed.needs.filter((need) => isLeft(need) && !isOfVariants(need.word, items));
  const isAboutThings =
    items.length > 0 && unknownOf(rest, items, analysed).length === 0 && !asksWhetherOtherwise(question, analysed, items);
  return isAboutThings ? { analysed, items } : undefined;
}

type Telling = Pick<BuiltinQuestion, 'question' | 'language' | 'facts'>;

/** Tells a statement if it is a certain answer. One whose price is multiplied is certain if it contains every name in the question. */
function ofStatement(found: FoundStatement, telling: Telling, analysed: AnalysedQuestion): string | undefined {
  const { question, language, facts } = telling;
  const comparable = textWords(`${found.statement.heading} ${found.statement.text}`);
  // If the tables have an item whose name contains a word that the sentence does not, the question is about that item's price.
  const isAboutAll = !analysed.needs.some(
    (need) =>
      (need.weight === 1 || need.isVerb) &&
      !isPriceWord(need) &&
      likeness(need, comparable) === 0 &&
      facts.items.some(({ name }) => likenessToName(need, name) > 0),
  );
  const isCounted = isAboutAll && timesToldPrice({ question, analysed, language }, found.statement) !== undefined;
  return isCounted || isSure(found, { analysed, question, language, subject: subjectOf(facts), facts })
    ? toldOf(found, telling, analysed)
    : undefined;
}

/** Tells a sentence, and the total if the question asks for several of the item that it prices. */
export function toldOf(found: FoundStatement, { question, language }: Telling, analysed: AnalysedQuestion): string {
  const total = timesToldPrice({ question, analysed, language }, found.statement);
  const answer = tellStatement(found, { analysed, question, language });
  return total === undefined ? answer : `${total} ${answer}`;
}

/** The settings for finding items that a question names. */
export const namingIn = (question: string, facts: BaseFacts) => ({
  subject: subjectOf(facts),
  isChoice: false,
  words: new Set(wordsOf(question)),
});

/** What the business does. */
export const subjectOf = ({ contact }: BaseFacts) => textWords(`${contact.Name} ${contact.Kind}`);

/** A question about known items. */
export interface OfItems extends BuiltinQuestion {
  readonly analysed: AnalysedQuestion;
  readonly items: readonly FactItem[];
}

/** Tells about items from the tables and the catalogue. */
export function ofItems({ question, analysed, items: named, language }: OfItems): string | undefined {
  const items = named.map((item) => ofAmount(item, analysed));
  const result = computed({ question, analysed, items, language });
  if (result !== undefined) return result;
  if (
    analysed.wants.size === 0 &&
    (asksInWhatWay.test(question) || analysed.needs.some((need) => isAction(need) && !isFieldOf(need, items)))
  )
    return undefined;
  // The price of one item does not answer a comparison.
  if (analysed.isComparing) return undefined;
  if (items.length > toldMax && !analysed.wants.has('PRICE') && !asksWhatThereIs.test(question)) return undefined;
  const isAsked = items.some((item) => fieldsAsked(analysed, item).length > 0);
  if (isAsked) return tellItems(items, analysed, language);
  // If the question names no field, an item is described only if it is certainly meant: a question about what a guarantee covers is not
  // about a phone cover.
  const isMeant =
    analysed.wants.size === 0 &&
    !analysed.isOfWhatIsNot &&
    (asksWhich.test(question) || items.every((item) => isMeantBy(item, { question, analysed })));
  return isMeant ? tellItems(items, analysed, language) : undefined;
}

/** Adds the business's rules on the total of an answer, except those about other items. */
export function withRules(answer: string, { facts: { statements, items }, language }: BuiltinQuestion): string {
  const isOfOthers = ({ text, of }: BaseFacts['statements'][number]) => {
    const named = mentionedIn(text, items);
    return of === undefined ? named.length > 0 && !named.some(({ name }) => answer.includes(name)) : !answer.includes(of);
  };
  const rules = rulesOnTotal(answer, statements, language);
  const others = rules.length === 0 ? [] : statements.filter(isOfOthers).map(({ text }) => text);
  return [answer, ...rules.filter((rule) => !others.some((other) => rule.includes(other)))].join(' ');
}

const onlyWords: ReadonlySet<string> = new Set(
  'only just alone solely sirf keval fakt phakt सिर्फ सिर्फ़ केवल फक्त फ़क्त'.split(' ').map(foldSpelling),
);
const saysAlone = (text: string): boolean => wordsOf(text).some((word) => onlyWords.has(word));
const joinsTwo = /\s(?:and|with|plus|और|आणि|व|तथा|के साथ|सह|aur|ani)\s|[&+]/iu;

interface ItemsInQuestion {
  readonly question: string;
  readonly needs: readonly NeededWord[];
  /** The items that the question names. */
  readonly items: readonly FactItem[];
}

/**
 * Chooses between services such as "Polish only" and "Wash and polish": a question that names only polishing means the first, and one that
 * names both parts means the second. Undefined if the question names one part, and that part is not offered alone.
 */
function offeredAlone({ question, needs, items }: ItemsInQuestion, all: readonly FactItem[]): readonly FactItem[] | undefined {
  const isSaid = (word: string) => needs.some((need) => likenessToName(need, word) > 0);
  const alone = all.filter(({ kind, name }) => kind === 'entry' && saysAlone(name) && contentOf(name).every(isSaid));
  const isOnly = saysAlone(question);
  if (alone.length === 0) return isOnly && items.some(({ name }) => isSaidInPart(name, isSaid)) ? undefined : items;
  const shares = ({ name }: FactItem) => needs.some((need) => [name, ...alone.map((one) => one.name)].every(isHeld(need)));
  const isWhole = (item: FactItem) => shares(item) && contentOf(item.name).every(isSaid);
  const others = items.filter((item) => !alone.includes(item));
  if (!isOnly && others.some(isWhole)) return others;
  return [...alone, ...(isEnumerated(question) ? others.filter((item) => !shares(item)) : [])];
}

const isHeld = (need: NeededWord) => (name: string) => likenessToName(need, name) > 0;

/** Whether a name joins two services, and the question names one of them. */
function isSaidInPart(name: string, isSaid: (word: string) => boolean): boolean {
  const parts = name.split(joinsTwo).map(contentOf);
  return parts.length > 1 && parts.some((part) => part.some(isSaid)) && parts.some((part) => !part.some(isSaid));
}

const contentOf = (name: string): string[] =>
  wordsOf(name).filter((word) => !isStopWord(word) && !onlyWords.has(word) && word.length > 1);
