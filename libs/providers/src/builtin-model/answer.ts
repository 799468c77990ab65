import { askedTime, goesOn, hasPronoun, inContext, wordsOf } from '@parley/language';
import { type ModelRequest, unknownMark } from '@parley/ports';
import { choiceAmong, computed, eitherOf } from './answers/computed-answer';
import { orderedAgain, totalOf } from './answers/counted-items';
import {
  asksInWhatWay,
  asksWhatThereIs,
  asksWhetherOtherwise,
  asksWhich,
  calledByAmount,
  fieldsAsked,
  isFieldOf,
  isMeantBy,
  ofAmount,
  ofCalled,
  rowOfColumns,
  saidOf,
  tellItems,
  toldMax,
  toldOfRows,
  unknownOf,
} from './answers/item-answer';
import { baseNameOf, isSaidItself, itemsOfNumber, itemsOfSpan, mentionedIn, namedItems, sharesWord } from './answers/named-items';
import { inDoubt, textsOf, withoutBeingSure } from './answers/nearest-answer';
import type { AnswerLanguage } from './answers/phrases';
import { followedOnDay, fromSchedule } from './answers/schedule-answer';
import {
  type FoundStatement,
  isSure,
  statementFor,
  statementOn,
  tellStatement,
  tellsWhatIsWanted,
} from './answers/statement-answer';
import { amongVariants, isOfVariants, withoutOthers } from './answers/variants';
import {
  conditionIn,
  isOfOneOnly,
  priceToldBefore,
  quantitiesIn,
  timesToldPrice,
  underCondition,
  withoutTotal,
} from './answers/told-prices';
import type { BaseFacts, FactItem } from './facts/base-facts';
import { factsOf } from './facts/read-facts';
import { likeness, likenessToName, saidIn } from './question/likeness';
import { isComparison, ofPerson, ownStatement, reasonGiven, withPlainOr } from './question/idioms';
import { type AnalysedQuestion, askedIn, asksOnlyWhether, isDeed, isPriceWord, type NeededWord } from './question/needs';
import type { SentenceMeanings, TextsToRead } from './answers/nearness';

interface BuiltinQuestion {
  readonly question: string;
  readonly language: AnswerLanguage;
  readonly facts: BaseFacts;
  /** The previous exchange, caller and agent: "it" refers to something in there. */
  readonly earlier: string;
}

/** What is asked, with what was asked before it where it goes on with that. */
function askedBy({ messages }: Pick<ModelRequest, 'messages'>) {
  const said = messages.filter(({ role }) => role === 'user').map(({ text }) => withPlainOr(text));
  const question = said.at(-1) ?? '';
  const before = said.slice(0, -1).slice(-questionsBefore);
  const continues = before.length > 0 && (goesOn(question) || hasPronoun(question) || opener.test(question));
  return { question, before, continues, inItsContext: continues ? inContext(question, before) : question };
}

/** The texts that a sentence model has to have read before it can say what of them is near to the question. */
export function textsToRead(request: ModelRequest): TextsToRead {
  const { question, inItsContext } = askedBy(request);
  const { knowledge, passages, schedule } = request.grounds;
  const { passages: told, questions } = textsOf(factsOf(knowledge ?? '', passages), schedule);
  return { passages: told, questions: [question, inItsContext, ...questions] };
}

/**
 * Answers a question from the facts of its grounds: computed, told or quoted; or says that it does not know and whom to ask. With what a
 * sentence model makes of them it knows better what comes near, and doubts what is told by words alone.
 */
export function answerFrom(request: ModelRequest, meanings?: SentenceMeanings): string {
  const { messages, grounds } = request;
  const { language, passages, knowledge, schedule } = grounds;
  const { question, before, continues, inItsContext } = askedBy(request);
  const all = factsOf(knowledge ?? '', passages);
  const meant = withoutOthers(all, inItsContext);
  const facts = { ...all, statements: meant.statements };
  const asking = {
    question,
    language,
    facts,
    earlier: messages
      .slice(-3, -1)
      .map(({ text }) => text)
      .join('\n'),
  };
  const asked = askedIn(question);
  const subject = subjectOf(facts);
  const ofHours = { question, asked, language, subject, isOffered: (need: NeededWord) => namesItem(need, facts.items) };
  const onDay = schedule && continues ? followedOnDay(ofHours, before.at(-1) ?? '', schedule) : undefined;
  const isOfPerson = continues && ofPerson.test(question);
  const scheduled = onDay ?? (schedule && !isOfPerson ? fromSchedule(ofHours, schedule) : undefined);
  if (scheduled !== undefined) return scheduled;
  const told = orderAfter(asking, before) ?? (continues ? followed(asking, before) : answered(asking, question));
  // "And for six months?" goes on with what costs so much for them.
  const mayCount = !continues || asked.wants.size > 0;
  if (told !== undefined && mayCount && isOfOneOnly(told, question, asked))
    return `${withoutTotal(told, language)}${unknownMark}`;
  const known = { facts: meant, language, subject, passages, schedule, meanings };
  const unsure = { ...known, question: inItsContext, bare: question, asked: continues ? askedIn(inItsContext) : asked };
  return told === undefined ? withoutBeingSure(unsure) : (inDoubt(told, unsure) ?? told);
}

const questionsBefore = 3;
const opener = /^(?:and|what about|how about|aur|ani|aani|और|आणि|अन)\s/iu;

/** "And for braces?" asks the same of another thing, "is it in stock?" something else of the same. */
function followed(asking: BuiltinQuestion, before: readonly string[]): string | undefined {
  const { question, earlier, facts } = asking;
  const asked = askedIn(question);
  const beforeAsked = askedIn(before.at(-1) ?? '');
  const earlierItems = namedItems(beforeAsked.needs, facts.items, namingIn(before.at(-1) ?? '', facts)).items;
  const lastTold = mentionedIn(earlier, facts.items);
  const siblingOf = lastTold.length > 0 ? lastTold : earlierItems;
  const again = priceToldBefore(asked, { facts, earlier, wants: beforeAsked.wants });
  if (again !== undefined) return again;
  const ofSpan = itemsOfSpan(question, facts.items).filter(({ category }) => siblingOf.some((one) => one.category === category));
  if (ofSpan.length > 0 && ofSpan.length <= toldMax && unknownOf(asked.needs, ofSpan).length === 0)
    return ofItems({
      ...asking,
      asked: { ...asked, wants: asked.wants.size > 0 ? asked.wants : beforeAsked.wants },
      items: ofSpan,
    });
  const ofOtherAmount = siblingOf.filter((item) => ofAmount(item, asked) !== item);
  if (ofOtherAmount.length > 0 && ofOtherAmount.length <= toldMax && !asked.needs.some((need) => namesItem(need, facts.items)))
    return ofItems({ ...asking, asked: { ...asked, wants: beforeAsked.wants }, items: ofOtherAmount });
  const ofSpoken = facts.items.filter((one) =>
    siblingOf.some((other) => other.category === one.category && sharesWord(one, other)),
  );
  const called = asked.amounts.length > 0 ? calledByAmount(ofSpoken, asked) : ofSpoken;
  if (called.length > 0 && called.length < ofSpoken.length && !asked.needs.some((need) => namesItem(need, facts.items)))
    return ofItems({ ...asking, asked: { ...asked, needs: [], wants: beforeAsked.wants }, items: called });
  const counted = ofStatementCounted(asking, { asked, beforeAsked });
  if (counted !== undefined) return counted;
  const toldOfSibling = asked.wants.size === 0 ? ofSibling(asking, { asked, beforeAsked, earlierItems: siblingOf }) : undefined;
  if (toldOfSibling !== undefined) return toldOfSibling;
  const needs = [...asked.needs, ...beforeAsked.needs];
  const ofRows = toldOfRows(
    { question, asked: { ...asked, needs, wants: beforeAsked.wants }, language: asking.language },
    facts.items,
  );
  if (ofRows !== undefined) return ofRows;
  const named = namedItems(asked.needs, facts.items, namingIn(question, facts));
  // A scooter is a vehicle; where a thing is called scooter, it names that thing and no column of vehicles.
  const isField = (need: NeededWord) =>
    isFieldOf(need, earlierItems) &&
    (!named.items.some(({ name }) => isSaidItself(need, name)) ||
      earlierItems.some(({ attributes }) => attributes.some(({ name }) => isSaidItself(need, name))));
  const isNamed =
    named.items.length > 0 && asked.needs.some((need) => need.weight === 1 && !named.rest.includes(need) && !isField(need));
  if (isNamed) {
    const siblings = named.items.filter((item) => earlierItems.some((other) => baseNameOf(other) === baseNameOf(item)));
    const items = siblings.length > 0 ? siblings : named.items;
    const wants = asked.wants.size > 0 ? asked.wants : beforeAsked.wants;
    const fields = beforeAsked.needs.filter((need) => isFieldOf(need, items) && !isOfNames(need, earlierItems));
    const unknown = unknownOf(named.rest, items);
    const ofThese =
      unknown.length > 0
        ? undefined
        : ofItems({ ...asking, asked: { ...asked, needs: [...asked.needs, ...fields], wants }, items });
    if (ofThese !== undefined) return ofThese;
  }
  const onSame = isNamed ? undefined : statementOn(asked, facts, earlier);
  // "And for a bus?" inherits what was asked about the car.
  const wanted = asked.wants.size > 0 || hasPronoun(question) ? asked.wants : beforeAsked.wants;
  if (onSame && tellsWhatIsWanted(onSame.statement.text, wanted)) return toldOf(onSame, asking, asked);
  const mentioned =
    earlierItems.length > 0 && earlierItems.length <= mentionedMax ? earlierItems : mentionedIn(earlier, facts.items);
  if (!isNamed && mentioned.length > 0 && unknownOf(asked.needs, mentioned).length === 0) {
    const items = chosenOf(question, mentioned, asked);
    const isChosen = items.length < mentioned.length;
    const ofMentioned = ofItems({ ...asking, asked: isChosen ? { ...asked, isComparing: false } : asked, items });
    if (ofMentioned !== undefined) return ofMentioned;
  }
  const told = answered(asking, inContext(question, before)) ?? answered(asking, question);
  return told === undefined || tellsWhatIsWanted(told, wanted) ? told : undefined;
}

interface FollowUp {
  readonly asked: AnalysedQuestion;
  readonly beforeAsked: AnalysedQuestion;
  readonly earlierItems: readonly FactItem[];
}

/** Another quantity or variant of what was asked for before, where that was a price. */
function orderAfter(asking: BuiltinQuestion, before: readonly string[]): string | undefined {
  const { question, earlier, facts } = asking;
  const last = before.at(-1);
  if (last === undefined) return undefined;
  const asked = askedIn(question);
  const { needs, wants } = askedIn(last);
  const isOfPrice = asked.wants.has('PRICE') || (asked.wants.size === 0 && pricesTold.test(earlier));
  if (!isOfPrice || (wants.size > 0 && !wants.has('PRICE'))) return undefined;
  const told = mentionedIn(earlier, facts.items);
  const items =
    told.length > 0 ? told : amongVariants(namedItems(needs, facts.items, namingIn(last, facts)).items, last, facts.items);
  const compare = (both: readonly FactItem[]) =>
    computed({ ...asking, asked: { ...asked, wants: new Set(['PRICE'] as const) }, items: both });
  return orderedAgain({ ...asking, asked, items, all: facts.items, compare });
}

const pricesTold = /[₹$€£]\s?\d/u;

/**
 * "And for NEET?", after the price of the JEE course: among the items whose names say NEET, the one with the most similar name.
 */
function ofSibling(asking: BuiltinQuestion, { asked, beforeAsked, earlierItems }: FollowUp): string | undefined {
  const telling = asked.needs.filter(({ weight }) => weight === 1);
  if (telling.length === 0 || earlierItems.length === 0) return undefined;
  const said = asking.facts.items.filter(({ name }) => telling.every((need) => likenessToName(need, name) > 0));
  const alikeOf = ({ name }: FactItem) => {
    const words = new Set(wordsOf(name));
    return Math.max(...earlierItems.map((earlier) => wordsOf(earlier.name).filter((word) => words.has(word)).length));
  };
  const most = Math.max(0, ...said.map(alikeOf));
  const items = said.filter((item) => alikeOf(item) === most && !earlierItems.includes(item));
  if (most === 0 || items.length !== 1) return undefined;
  const needs = beforeAsked.needs.filter((need) => isFieldOf(need, items) && !isOfNames(need, earlierItems));
  return ofItems({ ...asking, asked: { ...beforeAsked, needs }, items });
}

/** "And for three hours?", after a sentence with the price of one. */
function ofStatementCounted(
  { question, language, facts, earlier }: BuiltinQuestion,
  { asked, beforeAsked }: Pick<FollowUp, 'asked' | 'beforeAsked'>,
): string | undefined {
  if (asked.needs.some((need) => need.weight === 1) || quantitiesIn(question, '').length === 0) return undefined;
  const told = facts.statements.find(({ text }) => earlier.includes(text));
  return told && timesToldPrice({ question, asked: { ...beforeAsked, amounts: asked.amounts }, language }, told);
}

const namesItem = (need: NeededWord, items: readonly FactItem[]): boolean =>
  need.weight === 1 && items.some(({ name }) => isSaidItself(need, name));

const mentionedMax = 4;

/** "How many beds has the bigger one?" chooses first and asks then. */
function chosenOf(question: string, mentioned: readonly FactItem[], asked: AnalysedQuestion): readonly FactItem[] {
  if (!isComparison(question) || mentioned.length < 2) return mentioned;
  if (!mentioned.some((item) => fieldsAsked(asked, item).length > 0)) return mentioned;
  const chosen = choiceAmong(question, mentioned);
  return chosen ? [chosen] : mentioned;
}

function answered(asking: BuiltinQuestion, asked: string): string | undefined {
  const { facts, language } = asking;
  const question = withoutForWhom(asked, facts);
  const [aside] = isComparison(question) ? [] : (reasonGiven.exec(question) ?? []);
  const toTheThing = aside === undefined ? undefined : ofThingsNamed({ ...asking, question: question.slice(0, -aside.length) });
  if (toTheThing !== undefined) return toTheThing;
  const inPlain = askedIn(question);
  const conditioned = underItsCondition({ ...asking, question }, inPlain);
  if (conditioned !== undefined) return conditioned;
  const numbered = itemsOfNumber(question, facts.items);
  if (numbered.length > 0) return ofItems({ ...asking, question, asked: inPlain, items: numbered });
  const ofEither = eitherOf({ question, asked: inPlain, facts, language });
  if (ofEither) return ofEither.told;
  const ofRows = toldOfRows({ question, asked: inPlain, language }, facts.items);
  if (ofRows !== undefined) return ofRows;
  const ofThings = ofThingsNamed({ ...asking, question }) ?? afterOwnStatement(asking, question);
  if (ofThings !== undefined) return ofThings;
  const found = statementFor(inPlain, facts);
  return found && ofStatement(found, { question, language, facts }, inPlain);
}

/** The price of a thing with a tax, or at an hour that costs more: with what the rules add, or the rule beside the price. */
function underItsCondition(asking: BuiltinQuestion, asked: AnalysedQuestion): string | undefined {
  const condition = isComparison(asking.question) ? undefined : conditionIn(asking.question, asking.facts);
  if (condition === undefined || !(asked.wants.has('PRICE') || asksOnlyWhether(asking.question))) return undefined;
  const { rest: question, rules } = condition;
  const named = thingsNamed({ ...asking, question });
  if (!named || named.items.length > toldMax) return undefined;
  const ofPrice = { ...named.asked, wants: new Set(['PRICE'] as const) };
  const told = ofItems({ ...asking, question, asked: ofPrice, items: named.items });
  if (told === undefined) return undefined;
  if (rules.length === 0) return withoutTotal(told, asking.language);
  const base = asked.wants.has('PRICE') ? totalOf({ question, asked: ofPrice, items: named.items }) : undefined;
  return underCondition(condition, { told, base, language: asking.language });
}

const forWhom = /\s(?:for|of) (?:my|our|his|her) (\p{L}+)(?=[\s,?.!]|$)/iu;

/** "For my clients" adds nothing when the knowledge mentions no clients. */
function withoutForWhom(question: string, { items, statements }: BaseFacts): string {
  const [said, whom = ''] = forWhom.exec(question) ?? [];
  const need = said === undefined ? undefined : askedIn(whom).needs[0];
  if (said === undefined || need === undefined) return question;
  const isKnown =
    items.some((item) => likeness(need, saidOf(item)) > 0) ||
    statements.some(({ text, heading }) => likeness(need, saidIn(`${heading}\n${text}`)) > 0);
  return isKnown ? question : question.replace(said, '');
}

function afterOwnStatement(asking: BuiltinQuestion, question: string): string | undefined {
  const [said] = isComparison(question) ? [] : (ownStatement.exec(question) ?? []);
  const { date, daysAhead, clock, rest: undated } = askedTime(question);
  const isDated = date !== undefined || daysAhead !== undefined || clock !== undefined;
  if (said === undefined && !isDated) return undefined;
  const rest = said === undefined ? undated : question.slice(said.length);
  const isOfPrice = askedIn(rest).wants.has('PRICE');
  return isOfPrice ? ofThingsNamed({ ...asking, question: rest }, { itemsMax: 1 }) : undefined;
}

/** What the tables tell of the things that a question names, where it speaks of nothing else. */
function ofThingsNamed(asking: BuiltinQuestion, { itemsMax = Infinity } = {}): string | undefined {
  const named = thingsNamed(asking);
  return named && named.items.length <= itemsMax ? ofItems({ ...asking, ...named }) : undefined;
}

/** The things that a question names, where it speaks of nothing else. */
function thingsNamed({ question, facts }: BuiltinQuestion): Pick<OfItems, 'asked' | 'items'> | undefined {
  const asked = askedIn(question);
  const named = namedItems(asked.needs, facts.items, {
    subject: subjectOf(facts),
    isChoice: isComparison(question),
    words: new Set(wordsOf(question)),
  });
  const called = ofCalled(rowOfColumns(named.items), { question, asked });
  const items = amongVariants(called, question, facts.items);
  const rest = named.rest.filter(({ word }) => !isOfVariants(word, items));
  const isAboutThings =
    items.length > 0 && unknownOf(rest, items, asked).length === 0 && !asksWhetherOtherwise(question, asked, items);
  return isAboutThings ? { asked, items } : undefined;
}

type Telling = Pick<BuiltinQuestion, 'question' | 'language' | 'facts'>;

/** A statement that surely answers. One whose price is computed with is certainly about the item, where it says all that is named. */
function ofStatement(found: FoundStatement, telling: Telling, asked: AnalysedQuestion): string | undefined {
  const { question, language, facts } = telling;
  const said = saidIn(`${found.statement.heading} ${found.statement.text}`);
  // What a thing of the tables is called by, and the sentence does not say, is that thing's price.
  const isAboutAll = !asked.needs.some(
    (need) =>
      (need.weight === 1 || need.isVerb) &&
      !isPriceWord(need) &&
      likeness(need, said) === 0 &&
      facts.items.some(({ name }) => likenessToName(need, name) > 0),
  );
  const isCounted = isAboutAll && timesToldPrice({ question, asked, language }, found.statement) !== undefined;
  return isCounted || isSure(found, { asked, question, language, subject: subjectOf(facts), facts })
    ? toldOf(found, telling, asked)
    : undefined;
}

/** A sentence, and what several of a thing come to whose price it tells. */
function toldOf(found: FoundStatement, { question, language }: Telling, asked: AnalysedQuestion): string {
  const total = timesToldPrice({ question, asked, language }, found.statement);
  const told = tellStatement(found, { asked, question, language });
  return total === undefined ? told : `${total} ${told}`;
}

const namingIn = (question: string, facts: BaseFacts) => ({
  subject: subjectOf(facts),
  isChoice: false,
  words: new Set(wordsOf(question)),
});

const subjectOf = ({ contact }: BaseFacts) => saidIn(`${contact.Name} ${contact.Kind}`);

interface OfItems extends BuiltinQuestion {
  readonly asked: AnalysedQuestion;
  readonly items: readonly FactItem[];
}

/** A word that named an item earlier does not name another item's column. */
const isOfNames = (need: NeededWord, items: readonly FactItem[]): boolean =>
  items.some(({ name }) => likenessToName(need, name) > 0);

function ofItems({ question, asked, items: named, language }: OfItems): string | undefined {
  const items = named.map((item) => ofAmount(item, asked));
  const told = computed({ question, asked, items, language });
  if (told !== undefined) return told;
  if (
    asked.wants.size === 0 &&
    (asksInWhatWay.test(question) || asked.needs.some((need) => isDeed(need) && !isFieldOf(need, items)))
  )
    return undefined;
  // The price of one thing does not tell which of several is meant.
  if (asked.isComparing) return undefined;
  if (items.length > toldMax && !asked.wants.has('PRICE') && !asksWhatThereIs.test(question)) return undefined;
  const isAsked = items.some((item) => fieldsAsked(asked, item).length > 0);
  if (isAsked) return tellItems(items, asked, language);
  // Without a named field, an item is described only when it is certainly meant: what a guarantee covers is no phone cover.
  const isMeant =
    asked.wants.size === 0 &&
    !asked.isOfWhatIsNot &&
    (asksWhich.test(question) || items.every((item) => isMeantBy(item, { question, asked })));
  return isMeant ? tellItems(items, asked, language) : undefined;
}
