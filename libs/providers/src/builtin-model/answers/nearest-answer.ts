import type { BusinessSchedule } from '@parley/contracts';
import { type Amount, amountsIn, groupedHours, isUnit, languageOf, saysPart, wordsOf } from '@parley/language';
import { type ModelRequest, unknownMark } from '@parley/ports';
import type { BaseFacts, BusinessContact, FactItem, QuotableSentence } from '../facts/base-facts';
import { isEntry, isRow } from '../facts/read-facts';
import { type AskedThing, pricedAction, thingAskedFor } from '../question/idioms';
import { likeness, likenessToName, textWords } from '../question/likeness';
import { type AnalysedQuestion, askedIn, isPriceWord, type NeededWord, needOf } from '../question/needs';
import { isPeople } from './counted-packs';
import { asksOfAttribute } from './follow-up';
import { computed, namesTwo } from './computed-answer';
import { ofAmount, itemWords, tellItems } from './item-answer';
import { baseNameOf } from './named-items';
import { type QuestionContext, type AnswerCandidate, nearnessOf, type TextsToRead } from './nearness';
import { type AnswerLanguage, listed, phrases } from './phrases';
import {
  type FoundStatement,
  saidOfThing,
  saysOnlyThing,
  statementFor,
  tellsWhatIsWanted,
  withNeighbours,
} from './statement-answer';
import { isPricedBy, timesToldPrice } from './told-prices';

/** A second candidate that scores within this distance of the first is told too. */
const besideFirst = 3;
const toldMax = 4;

/** The answer if none is certain: a sentence that retrieval found, else the nearest fact, else that the answer is not known. */
export function withoutBeingSure(asking: QuestionContext): string {
  const { analysed, facts, language, passages, schedule, meanings } = asking;
  const unheard = unmentionedThing(asking);
  if (unheard) return unheardAnswer(asking, unheard);
  const first = meanings ? undefined : statementFor(analysed, facts);
  const excerpt = first || meanings ? undefined : excerptFor(passages, analysed, asking);
  if (excerpt !== undefined) return excerpt;
  const nearest = nearestTo(asking, first && quoteFound(first, analysed));
  const answer =
    nearest === undefined ? unknownAnswer(facts.contact, schedule, language) : withWays(nearest, facts.contact, language);
  return `${answer}${unknownMark}`;
}

/**
 * The item or quality that the question asks for, if no fact mentions all of it; the nearest facts are then about other things. Undefined
 * for a follow-up question, which says too little.
 */
function unmentionedThing(asking: QuestionContext): AskedThing | undefined {
  const { question, bare, subject } = asking;
  const ofAttribute = question !== bare && asksOfAttribute(bare) ? { words: question, isQuality: true } : undefined;
  const thing = question === bare ? thingAskedFor(question) : ofAttribute;
  const telling = askedIn(thing?.words ?? '').needs.filter(
    (need) => need.weight === 1 && !need.isVerb && !isPriceWord(need) && likeness(need, subject) === 0,
  );
  const says = (need: NeededWord, { item, own, heading }: AnswerCandidate) =>
    likeness(need, own) > 0 || likeness(need, heading) > 0 || (item !== undefined && likenessToName(need, item.name) > 0);
  const isSaid = (one: AnswerCandidate) => telling.every((need) => says(need, one));
  return telling.length === 0 || candidatesOf(asking).some(isSaid) ? undefined : thing;
}

const unheardAnswer = ({ facts, schedule, language }: QuestionContext, thing: AskedThing): string =>
  `${unknownAnswer(facts.contact, schedule, language, thing)}${unknownMark}`;

/**
 * Checks an answer that leaves part of the question open, or beside which another candidate fits as well, and phrases it as uncertain, with
 * that candidate. Undefined if nothing casts doubt on it.
 */
export function inDoubt(answer: string, asking: QuestionContext): string | undefined {
  const other = asking.meanings ? nearerThan(answer, asking) : sentenceBeside(answer, asking);
  if (other === undefined && !leavesOpen(answer, asking)) return undefined;
  const nearest = phrases[asking.language].nearest([...new Set([other, answer])].filter(Boolean).join(' '));
  return `${withWays(nearest, asking.facts.contact, asking.language)}${unknownMark}`;
}

const isComputed = /[×+]|फ़र्क़|फरक|difference/u;

/** Whether the question states an amount or action that decides the answer, and the answer does not mention it. */
function leavesOpen(answer: string, { question, analysed, facts }: QuestionContext): boolean {
  const done = analysed.wants.has('PRICE') ? pricedAction(question) : undefined;
  if (done !== undefined && likeness(needOf(done), textWords(answer)) === 0 && !answer.includes(done)) return true;
  if (!isComputed.test(answer) && analysed.amounts.some((amount) => isOfOtherAmount(amount, answer))) return true;
  const things = facts.items.filter((item) => answer.includes(baseNameOf(item)));
  const comparables = [textWords(answer), ...things.map(itemWords)];
  // A word that looks like a verb may be a name in the other script.
  const isSaid = (need: NeededWord) =>
    comparables.some((one) => likeness(need, one) > 0) || things.some(({ name }) => likenessToName(need, name) > 0);
  return things.length > 0 && analysed.needs.some((need) => need.isVerb && !isCounting(need.word) && !isSaid(need));
}

/** Words for quantities, as opposed to actions. */
const isCounting = (word: string): boolean => saysPart(word) || isUnit(word) || isPeople(word);

/** Whether a text states another amount of the unit: delivery to 20 km is not answered by the price of the first 15. */
function isOfOtherAmount({ value, unit }: Amount, answer: string): boolean {
  const own = amountsIn(answer).filter((one) => one.unit === unit);
  if (own.some((one) => one.value === value)) return false;
  return own.length > 0 || isPricedBy(unit, answer);
}

/** A candidate that the sentence model finds much nearer to the question than the answer of a rule. */
function nearerThan(answer: string, asking: QuestionContext): string | undefined {
  const ranked = rankedFor(asking);
  const [first] = ranked;
  const own = ranked.filter(({ candidate }) => isToldIn(answer, candidate));
  const best = Math.max(...own.map(({ score }) => score));
  return first && own.length > 0 && first.score - best >= doubtMin ? first.candidate.compose() : undefined;
}

/** A sentence that tells what is wanted and covers at least as much of the question as the answer from a table or the catalogue. */
function sentenceBeside(answer: string, { analysed, facts }: QuestionContext): string | undefined {
  if (facts.statements.some(({ text }) => answer.includes(withoutStop(text)))) return undefined;
  const found = statementFor(analysed, facts);
  if (!found || !tellsWhatIsWanted(found.statement.text, analysed.wants)) return undefined;
  const saysOf = (text: string) => sharedWith(analysed, text);
  const more = saysOf(`${found.statement.heading} ${found.statement.text}`) - saysOf(answer);
  // A question for a price is answered by the item's price, unless the sentence covers more.
  return more > 0 || (more === 0 && !analysed.wants.has('PRICE')) ? quoteFound(found, analysed) : undefined;
}

/** How much of a question a text covers, apart from words for prices. */
function sharedWith({ needs }: AnalysedQuestion, text: string): number {
  const comparable = textWords(text);
  return needs.reduce((sum, need) => sum + (isPriceWord(need) ? 0 : need.weight * likeness(need, comparable)), 0);
}

const withoutStop = (text: string): string => text.replace(/[.।]$/u, '');

const doubtMin = 1;

const isToldIn = (answer: string, { item, alone }: AnswerCandidate): boolean =>
  answer.includes(item ? baseNameOf(item) : withoutStop(alone));

/** The nearest fact for a question without a certain answer, introduced as only that. Undefined if no fact is about the question. */
function nearestTo(asking: QuestionContext, found?: string): string | undefined {
  const { question, analysed, language, meanings } = asking;
  const ranked = rankedFor(asking);
  const [first] = ranked;
  if (!first || first.score < 0) return found && phrases[language].nearest(found);
  // If two are named, both are told. No single fact tells which of all it is.
  if (analysed.isComparing && !namesTwo(question)) {
    const chosen = chosenLike(first.candidate.item, asking) ?? (meanings ? undefined : found);
    if (chosen !== undefined || !meanings) return chosen && phrases[language].nearest(chosen);
  }
  const near = inOneLanguage(
    ranked.filter(({ score }) => score >= first.score - besideFirst),
    language,
  ).slice(0, toldMax);
  const others = near.flatMap(({ candidate }) => (found?.includes(candidate.text) ? [] : (candidate.compose() ?? [])));
  const sentences = [...new Set([found ?? [], others].flat())].slice(0, toldMax);
  return sentences.length > 0 ? phrases[language].nearest(sentences.join(' ')) : undefined;
}

/** Without the sentences in other languages, if one in the caller's is as near: they tell the same once more, or cannot be understood. */
function inOneLanguage(near: readonly Ranked[], language: AnswerLanguage): readonly Ranked[] {
  const isOwn = ({ candidate }: Ranked): boolean => languageOf(candidate.text) === language;
  const isQuoted = ({ candidate }: Ranked): boolean => candidate.kind === 'statement';
  return near.some((one) => isQuoted(one) && isOwn(one)) ? near.filter((one) => !isQuoted(one) || isOwn(one)) : near;
}

/** The item that the question chooses from a table or category, if the nearest fact is one of its items. */
function chosenLike(item: FactItem | undefined, { question, analysed, facts, language }: QuestionContext): string | undefined {
  if (!item) return undefined;
  const items = facts.items.filter(({ kind, category }) => kind === item.kind && category === item.category);
  return items.length < 2 ? undefined : computed({ question, analysed, items, language });
}

interface Ranked {
  readonly candidate: AnswerCandidate;
  readonly score: number;
}

function rankedFor(asking: QuestionContext): Ranked[] {
  const candidates = candidatesOf(asking);
  const scores = nearnessOf(asking, candidates);
  return candidates
    .map((candidate, place) => ({ candidate, score: scores[place] ?? -Infinity }))
    .toSorted((one, other) => other.score - one.score);
}

/** The texts of a knowledge base that the sentence model reads. */
export function textsOf(facts: BaseFacts, schedule: BusinessSchedule | null | undefined): TextsToRead {
  const statements = facts.statements.map(textsOfStatement);
  const hours = textsOfStatement({ text: hoursIn(schedule, 'english'), heading: hoursHeading, isStored: false });
  const all = [...statements, ...facts.items.map(textsOfItem), hours];
  return {
    passages: all.flatMap(({ whole, alone }) => [whole, alone]),
    questions: statements.flatMap(({ answers }) => answers ?? []),
  };
}

type Texts = Pick<AnswerCandidate, 'whole' | 'alone' | 'answers'>;

function textsOfStatement({ text, heading, isStored }: Pick<QuotableSentence, 'text' | 'heading' | 'isStored'>): Texts {
  const over = heading.replaceAll(' › ', '. ');
  return { whole: over === '' ? text : `${over}. ${text}`, alone: text, answers: isStored ? heading : undefined };
}

function textsOfItem({ name, category, description, attributes }: FactItem): Texts {
  const fields = attributes.map(({ name: field, value, unit }) => `${field}: ${value} ${unit}`.trim()).join(', ');
  const whole = [name, category, description, fields].filter((part) => part !== '').join('. ');
  return { whole, alone: name, answers: undefined };
}

/** All candidates for an answer. */
function candidatesOf(asking: QuestionContext): AnswerCandidate[] {
  const { statements, items } = asking.facts;
  return [
    ...statements.map((statement) => ofStatement(statement, asking)),
    ...items.map((item) => ofItem(item, asking)),
    ...(asking.meanings ? hoursOf(asking) : []),
  ];
}

/** The weekly opening hours, which no sentence of the knowledge contains. */
function hoursOf({ question, schedule, language }: QuestionContext): AnswerCandidate[] {
  // A date may have other opening hours.
  if (/\d/u.test(question) && (schedule?.holidays ?? []).length > 0) return [];
  const [text, spokenHours] = [hoursIn(schedule, 'english'), hoursIn(schedule, language)];
  if (text === '') return [];
  const compose = () => phrases[language].openHours(spokenHours.replace(/[.।]$/u, ''));
  const statement = { text, heading: hoursHeading, before: '', after: '', isStored: false };
  return [{ ...ofText(statement), compose }];
}

const hoursHeading = 'Opening hours: when we open, when we close';

function hoursIn(schedule: BusinessSchedule | null | undefined, language: AnswerLanguage): string {
  const hours = schedule?.working_hours ?? [];
  if (!hours.some(({ is_open }) => is_open)) return '';
  return groupedHours(
    hours.map(({ day, is_open, open_time, close_time }) => ({ day, isOpen: is_open, opens: open_time, closes: close_time })),
    language,
  );
}

function ofStatement(statement: QuotableSentence, { question, analysed, language }: QuestionContext): AnswerCandidate {
  const total = () => timesToldPrice({ question, analysed, language }, statement);
  return { ...ofText(statement), compose: () => [total(), quoteOf(statement)].filter(Boolean).join(' ') };
}

function ofText(statement: QuotableSentence): Omit<AnswerCandidate, 'compose'> {
  const { text, heading, before, after, isStored } = statement;
  return {
    kind: 'statement',
    ...textsOfStatement(statement),
    item: undefined,
    length: wordsOf(text).length,
    isStored,
    own: textWords(text),
    heading: textWords(heading),
    around: textWords(`${before} ${after}`),
    text,
  };
}

/** Quotes a statement with the sentences that it refers to. */
const quoteFound = (found: FoundStatement, analysed: AnalysedQuestion): string =>
  found.statement.isStored ? quoteOf(found.statement) : saidOfThing(found.statement, withNeighbours(found, analysed));

/** Quotes a statement. A stored answer is quoted with its question, without which it means little. */
const quoteOf = (statement: QuotableSentence): string =>
  statement.isStored ? `${statement.heading} ${statement.text}` : saidOfThing(statement, statement.text);

function ofItem(item: FactItem, { question, analysed, language }: QuestionContext): AnswerCandidate {
  const text = [item.description, ...item.attributes.flatMap(({ name, value, unit }) => [name, value, unit])].join(' ');
  return {
    kind: 'item',
    ...textsOfItem(item),
    item,
    length: wordsOf(text).length,
    isStored: false,
    own: textWords(item.name),
    heading: textWords(`${item.category} ${text}`),
    around: textWords(''),
    text,
    compose: () => {
      const items = [ofAmount(item, analysed)];
      return computed({ question, analysed, items, language }) ?? tellItems(items, analysed, language);
    },
  };
}

type About = Pick<QuestionContext, 'subject' | 'language'>;

/** A sentence that retrieval found by its words. */
function excerptFor(passages: ModelRequest['grounds']['passages'], analysed: AnalysedQuestion, about: About): string | undefined {
  return passages
    .map(({ excerpt }) => excerpt)
    .find((excerpt) => isSentence(excerpt) && tellsWhatIsWanted(excerpt, analysed.wants) && saysEnough(excerpt, analysed, about));
}

/** Only whole sentences are quoted: table rows, entries and headings are not. */
function isSentence(excerpt: string): boolean {
  const [line = ''] = excerpt.split('\n');
  return !isEntry(line) && !isRow(line) && wordsOf(excerpt).length >= sentenceWordsMin && /[.!?।]["”')]?$/u.test(excerpt.trim());
}

/** Whether a passage that was found by meaning, in other words or another language, also matches some word of the question. */
function saysEnough(excerpt: string, { needs }: AnalysedQuestion, { subject, language }: About): boolean {
  const comparable = textWords(excerpt);
  const telling = needs.filter((need) => need.weight === 1 && likeness(need, subject) === 0);
  // Any sentence of a business may mention what the business does.
  if (telling.length === 0 && needs.some(({ weight }) => weight === 1)) return false;
  if (languageOf(excerpt) === language && !saysOnlyThing(needs, [comparable], subject)) return false;
  return telling.length === 0 || telling.filter((need) => likeness(need, comparable) > 0).length * 2 > telling.length;
}

const sentenceWordsMin = 4;

/** Phrases the nearest fact, and whom to ask for more. */
function withWays(nearest: string, contact: BusinessContact, language: AnswerLanguage): string {
  const words = phrases[language];
  const ways = waysOf(contact);
  return ways.length === 0 ? nearest : `${nearest} ${words.callBack(listed(ways, words.or))}`;
}

const waysOf = (contact: BusinessContact): string[] => [contact.Telephone, contact['E-mail']].filter((way) => way !== '');

/** Says that the answer is not known, and how to reach a person, if the profile says so. */
function unknownAnswer(
  contact: BusinessContact,
  schedule: BusinessSchedule | null | undefined,
  language: AnswerLanguage,
  thing?: AskedThing,
): string {
  const words = phrases[language];
  const ways = waysOf(contact);
  const unknown = thing && !thing.isQuality ? words.unknownThing(thing.words) : words.unknown;
  if (ways.length === 0) return `${unknown} ${words.nothingElse}`;
  const hours = hoursIn(schedule, language);
  return [unknown, words.callBack(listed(ways, words.or)), hours && words.openHours(hours.replace(/[.।]$/u, ''))]
    .filter(Boolean)
    .join(' ');
}
