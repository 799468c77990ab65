import type { BusinessSchedule } from '@parley/contracts';
import { groupedHours, wordsOf } from '@parley/language';
import { type ModelRequest, unknownMark } from '@parley/ports';
import { type Contact, type Facts, isEntry, isRow, type Item, type Statement } from '../facts/read-facts';
import { likeness, type Said, saidIn } from '../question/likeness';
import { type Asked, isPriceWord, type Need } from '../question/needs';
import { tellItems } from './item-answer';
import { type Language, listed, phrases } from './phrases';
import { saysNot, statementFor, tellsWhatIsWanted } from './statement-answer';

/** A runner-up nearly as close as the first, with no fewer of the named things, is told beside it: one of them is meant. */
const besideFirst = 1;
const toldMax = 2;
const unknownWeight = 0.9;
const ofSubjectWeight = 0.25;
const tellingMin = 0.5;

interface Candidate {
  readonly kind: 'statement' | 'item';
  readonly own: Said;
  readonly heading: Said;
  readonly around: Said;
  readonly text: string;
  /** How many words it has. */
  readonly length: number;
  readonly isStored: boolean;
  readonly tell: () => string | undefined;
}

/** A question that nothing surely answers. */
interface Asking {
  readonly asked: Asked;
  readonly facts: Facts;
  readonly language: Language;
  /** What the business is about, which distinguishes none of its facts. */
  readonly subject: Said;
  readonly passages: ModelRequest['grounds']['passages'];
  readonly schedule: BusinessSchedule | null | undefined;
}

/** The answer when none is certain: a verbatim retrieval hit, else the nearest fact, else that nothing is known. */
export function withoutBeingSure(asking: Asking): string {
  const { asked, facts, language, passages, schedule } = asking;
  const first = statementFor(asked, facts)?.statement;
  const excerpt = first ? undefined : excerptFor(passages, asked, asking);
  if (excerpt !== undefined) return excerpt;
  const nearest = first ? phrases[language].nearest(quoteOf(first)) : nearestTo(asking);
  const said =
    nearest === undefined ? unknownAnswer(facts.contact, schedule, language) : withWays(nearest, facts.contact, language);
  return `${said}${unknownMark}`;
}

/**
 * The nearest fact for a question without a certain answer, quoted and introduced as only that; undefined if nothing is about the
 * question.
 */
function nearestTo(asking: Asking): string | undefined {
  // Which of several it is, no one of them tells.
  if (asking.asked.isComparing) return undefined;
  const candidates = candidatesOf(asking);
  const scored = nearnessOf(asking, candidates)
    .map((nearness, place) => ({ ...nearness, candidate: candidates[place] }))
    .toSorted((one, other) => other.score - one.score);
  const [first] = scored;
  const near = scored
    .filter(({ score, named }) => first && score >= first.score - besideFirst && named >= first.named)
    .slice(0, toldMax);
  const told = [...new Set(near.flatMap(({ candidate }) => candidate?.tell() ?? []))];
  return first && first.score >= 0 && told.length > 0 ? phrases[asking.language].nearest(told.join(' ')) : undefined;
}

/** Everything that might be told. */
function candidatesOf({ asked, facts, language }: Asking): Candidate[] {
  return [...facts.statements.map(ofStatement), ...facts.items.map((item) => ofItem(item, asked, language))];
}

/**
 * Features of a fact's closeness to a question and their weights: fitted on the tuning questions, where the fact that answers has
 * to rank first among its business's, and evaluated on businesses left out of the fit.
 */
const countsFor = {
  own: 1.53,
  heading: 2.07,
  around: 1.88,
  rarest: 1.08,
  namedShare: 1.31,
  unfit: -2.29,
  found: 0.51,
  isItem: -1.15,
  isItemPriced: 0.71,
  ownOfItem: 1.28,
  headingOfItem: 1.54,
  saysNoNot: -1.1,
  length: 0.75,
  coverage: 1.83,
  headingOfStored: 1.07,
  named: 1.48,
};
type Sign = keyof typeof countsFor;
const bias = -5;

interface Nearness {
  readonly score: number;
  /** How many of the words that name something it says. */
  readonly named: number;
}

/** How much of a word a fact says, in its own words, in those over it and in those around it. */
interface Met {
  readonly own: number;
  readonly heading: number;
  readonly around: number;
}

const metBy = (need: Need, { own, heading, around }: Candidate): Met => ({
  own: likeness(need, own),
  heading: likeness(need, heading),
  around: likeness(need, around),
});

/** How near each is to the question, by the weights above; below nothing it is not told. */
function nearnessOf(asking: Asking, candidates: readonly Candidate[]): Nearness[] {
  const weighed = asking.asked.needs.map((need) => {
    const met = candidates.map((candidate) => metBy(need, candidate));
    return { need, met, weight: weightOf(need, met, asking.subject) };
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const heaviest = Math.max(leastWeight, ...weighed.map(({ weight }) => weight));
  const telling = weighed.filter(({ need }) => need.weight >= tellingMin).length;
  return candidates.map((candidate, place) => {
    const sums = { own: 0, heading: 0, around: 0, rarest: 0, held: 0, inOwn: 0 };
    for (const { need, met, weight } of weighed) {
      const { own = 0, heading = 0, around = 0 } = met[place] ?? {};
      sums.own += own * weight;
      sums.heading += Math.max(0, heading - own) * weight;
      sums.around += Math.max(0, around - Math.max(own, heading)) * weight;
      if (own > 0) sums.rarest = Math.max(sums.rarest, weight);
      if (own > 0) sums.inOwn += 1;
      if (need.weight >= tellingMin && Math.max(own, heading) > 0) sums.held += 1;
    }
    const shares = { own: sums.own / total, heading: sums.heading / total, around: sums.around / total };
    if ((sums.rarest === 0 && sums.held === 0) || isPoor(candidate, shares, asking.asked)) return { score: bias, named: 0 };
    const signs: Record<Sign, number> = {
      ...shares,
      ...signsOfKind(candidate, shares, asking),
      rarest: sums.rarest / heaviest,
      namedShare: telling === 0 ? 0 : sums.held / telling,
      coverage: sums.inOwn / (Math.log(1 + candidate.length) + 1),
      named: Math.min(namedMax, sums.held),
    };
    return { score: signNames.reduce((sum, name) => sum + signs[name] * countsFor[name], bias), named: sums.held };
  });
}

/** An item with its price hardly answers who does something or whether something can be done with it. */
function isPoor({ kind, text }: Candidate, { own, heading }: Pick<Met, 'own' | 'heading'>, { wants }: Asked): boolean {
  if (kind !== 'item') return false;
  if (own + heading < (wants.size === 0 ? shareOfThingMin.whether : shareOfThingMin.asked)) return true;
  return wants.has('WHO') || !tellsWhatIsWanted(text, wants);
}

const shareOfThingMin = { asked: 0.5, whether: 0.75 };

/** What does not tell of single words: whether it is a thing or a sentence, and of the kind that was asked for. */
function signsOfKind(
  { kind, text, length, isStored }: Candidate,
  { own, heading }: Pick<Met, 'own' | 'heading'>,
  { asked, passages }: Asking,
) {
  const isItem = kind === 'item' ? 1 : 0;
  return {
    isItem,
    isItemPriced: asked.wants.has('PRICE') ? isItem : 0,
    ownOfItem: isItem * own,
    headingOfItem: isItem * heading,
    headingOfStored: isStored ? heading : 0,
    unfit: tellsWhatIsWanted(text, asked.wants) ? 0 : 1,
    saysNoNot: asked.isOfWhatIsNot && !saysNot.test(text) ? 1 : 0,
    found: passages.find((one) => one.text.includes(text))?.score ?? 0,
    length: Math.log(1 + length),
  };
}

const leastWeight = 0.01;
const namedMax = 3;
const signNames: readonly Sign[] = Object.keys(countsFor).filter((name): name is Sign => name in countsFor);

function ofStatement(statement: Statement): Candidate {
  const { text, heading, before, after } = statement;
  return {
    kind: 'statement',
    length: wordsOf(text).length,
    isStored: statement.isStored,
    own: saidIn(text),
    heading: saidIn(heading),
    around: saidIn(`${before} ${after}`),
    text,
    tell: () => quoteOf(statement),
  };
}

/** An answer that is stored says little without its question. */
const quoteOf = ({ text, heading, isStored }: Statement): string => (isStored ? `${heading} ${text}` : text);

function ofItem(item: Item, asked: Asked, language: Language): Candidate {
  const text = [item.description, ...item.attributes.flatMap(({ name, value, unit }) => [name, value, unit])].join(' ');
  return {
    kind: 'item',
    length: wordsOf(text).length,
    isStored: false,
    own: saidIn(item.name),
    heading: saidIn(`${item.category} ${text}`),
    around: saidIn(''),
    text,
    tell: () => tellItems([item], asked, language),
  };
}

/** A word in few facts weighs more than one in many, and what the business is about weighs little. */
function weightOf(need: Need, met: readonly Met[], subject: Said): number {
  const count = met.filter((one) => one.own > 0 || one.heading > 0).length;
  if (isPriceWord(need)) return need.weight * ofSubjectWeight;
  if (count > 0 && likeness(need, subject) > 0) return need.weight * ofSubjectWeight;
  const rarity = Math.log(1 + met.length / (count + 0.5)) / Math.log(1 + met.length / 0.5);
  return need.weight * (count === 0 ? unknownWeight : 0.4 + 0.6 * rarity);
}

/** A sentence that retrieval found word for word. */
function excerptFor(
  passages: ModelRequest['grounds']['passages'],
  asked: Asked,
  { subject }: Pick<Asking, 'subject'>,
): string | undefined {
  return passages
    .map(({ excerpt }) => excerpt)
    .find((excerpt) => isSentence(excerpt) && tellsWhatIsWanted(excerpt, asked.wants) && saysEnough(excerpt, asked, subject));
}

/** A verbatim hit is quoted if it is a sentence: rows, entries and headings are not. */
function isSentence(excerpt: string): boolean {
  const [line = ''] = excerpt.split('\n');
  return !isEntry(line) && !isRow(line) && wordsOf(excerpt).length >= sentenceWordsMin && /[.!?।]["”')]?$/u.test(excerpt.trim());
}

/** A hit found by meaning only, in other words or another language, must also match something of the question. */
function saysEnough(excerpt: string, { needs }: Asked, subject: Said): boolean {
  const said = saidIn(excerpt);
  const telling = needs.filter((need) => need.weight === 1 && likeness(need, subject) === 0);
  // What the business is about, all its sentences may say.
  if (telling.length === 0 && needs.some(({ weight }) => weight === 1)) return false;
  return telling.length === 0 || telling.filter((need) => likeness(need, said) > 0).length * 2 > telling.length;
}

const sentenceWordsMin = 4;

/** The nearest fact, and whom to ask for more. */
function withWays(nearest: string, contact: Contact, language: Language): string {
  const words = phrases[language];
  const ways = waysOf(contact);
  return ways.length === 0 ? nearest : `${nearest} ${words.callBack(listed(ways, words.or))}`;
}

const waysOf = (contact: Contact): string[] => [contact.Telephone, contact['E-mail']].filter((way) => way !== '');

/** Says that the answer is not known, and how to reach a person who knows, as far as the profile tells. */
function unknownAnswer(contact: Contact, schedule: BusinessSchedule | null | undefined, language: Language): string {
  const words = phrases[language];
  const ways = waysOf(contact);
  if (ways.length === 0) return `${words.unknown} ${words.nothingElse}`;
  const hours = schedule?.working_hours.some(({ is_open }) => is_open)
    ? groupedHours(
        schedule.working_hours.map(({ day, is_open, open_time, close_time }) => ({
          day,
          isOpen: is_open,
          opens: open_time,
          closes: close_time,
        })),
        language,
      )
    : '';
  return [words.unknown, words.callBack(listed(ways, words.or)), hours && words.openHours(hours.replace(/[.।]$/u, ''))]
    .filter(Boolean)
    .join(' ');
}
