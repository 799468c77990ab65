import type { BusinessSchedule } from '@parley/contracts';
import { groupedHours, wordsOf } from '@parley/language';
import { type ModelRequest, unknownMark } from '@parley/ports';
import { type Contact, type Facts, isEntry, isRow, type Item, type Statement } from '../facts/read-facts';
import { likeness, type Said, saidIn } from '../question/likeness';
import { type Asked, isPriceWord, type Need } from '../question/needs';
import { tellItems } from './item-answer';
import { type Language, listed, phrases } from './phrases';
import { saysNot, statementFor, tellsWhatIsWanted } from './statement-answer';

/** So much of what is asked has to be said by what is told without being sure. */
const shareMin = { statement: 0.3, item: 0.5 };
/** A thing with its price says little to somebody who asks whether something can be done with it. */
const shareOfThingMin = 0.75;
/** What says nearly as much as the first is told beside it: one of them is meant. */
const besideFirst = 0.85;
const toldMax = 2;
const headingWeight = 0.9;
const aroundWeight = 0.4;
const unknownWeight = 0.9;
const ofSubjectWeight = 0.25;
const unfitWeight = 0.6;
const tellingMin = 0.5;
const deedMin = 0.15;
/** What retrieval found near in meaning is nearer than its words alone tell. */
const foundWeight = 0.4;

interface Candidate {
  readonly kind: 'statement' | 'item';
  readonly own: Said;
  readonly heading: Said;
  readonly around: Said;
  readonly text: string;
  readonly tell: () => string | undefined;
}

/** A question that nothing surely answers. */
interface Asking {
  readonly asked: Asked;
  readonly facts: Facts;
  readonly language: Language;
  /** What the business is about, which tells no fact of it from another. */
  readonly subject: Said;
  readonly passages: ModelRequest['grounds']['passages'];
  readonly schedule: BusinessSchedule | null | undefined;
}

/** What is said where nothing surely answers: what retrieval found word for word, else what comes nearest, or that nothing is known. */
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
 * What comes nearest to a question that nothing surely answers, in the words of the knowledge, to be told as no more than that; undefined
 * where nothing speaks of what was asked.
 */
function nearestTo({ asked, facts, language, subject, passages }: Asking): string | undefined {
  // Which of several it is, no one of them tells.
  if (asked.isComparing) return undefined;
  const candidates = [
    ...facts.statements.filter(({ text }) => !asked.isOfWhatIsNot || saysNot.test(text)).map(ofStatement),
    ...facts.items.map((item) => ofItem(item, asked, language)),
  ];
  const weighed = asked.needs.map((need) => ({ need, weight: weightOf(need, candidates, subject) }));
  // Where nothing is named, what is done with it has to tell.
  const isNamed = weighed.some(({ need }) => need.weight >= tellingMin);
  const least = isNamed ? tellingMin : deedMin;
  if (weighed.length === 0 || (!isNamed && asked.wants.size === 0)) return undefined;
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  const scored = candidates
    .map((candidate) => {
      const said = weighed.reduce((sum, { need, weight }) => sum + weight * likenessTo(need, candidate), 0);
      const isTelling = weighed.some(({ need, weight }) => weight >= least && likenessTo(need, candidate) > aroundWeight);
      const isFit = tellsWhatIsWanted(candidate.text, asked.wants) && !(candidate.kind === 'item' && asked.wants.has('WHO'));
      const fit = isFit ? 1 : unfitWeight;
      const share = said / total;
      const isPoor = candidate.kind === 'item' && (fit < 1 || (asked.wants.size === 0 && share < shareOfThingMin));
      const found = passages.find(({ text }) => text.includes(candidate.text));
      const score = (share + (found?.score ?? 0) * foundWeight) * fit;
      return { candidate, score: isTelling && !isPoor ? score : 0 };
    })
    .filter(({ candidate, score }) => score >= shareMin[candidate.kind])
    .toSorted((one, other) => other.score - one.score);
  const [first] = scored;
  const near = scored.filter(({ score }) => first && score >= first.score * besideFirst).slice(0, toldMax);
  const told = [...new Set(near.flatMap(({ candidate }) => candidate.tell() ?? []))];
  return told.length > 0 ? phrases[language].nearest(told.join(' ')) : undefined;
}

function ofStatement(statement: Statement): Candidate {
  const { text, heading, before, after } = statement;
  return {
    kind: 'statement',
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
    own: saidIn(item.name),
    heading: saidIn(`${item.category} ${text}`),
    around: saidIn(''),
    text,
    tell: () => tellItems([item], asked, language),
  };
}

function likenessTo(need: Need, { own, heading, around }: Candidate): number {
  return Math.max(likeness(need, own), likeness(need, heading) * headingWeight, likeness(need, around) * aroundWeight);
}

/** A word that few facts have tells more than one that many have, and what the business is about tells little. */
function weightOf(need: Need, candidates: readonly Candidate[], subject: Said): number {
  const count = candidates.filter((candidate) => likenessTo(need, candidate) > aroundWeight).length;
  if (isPriceWord(need)) return need.weight * ofSubjectWeight;
  if (count > 0 && likeness(need, subject) > 0) return need.weight * ofSubjectWeight;
  const rarity = Math.log(1 + candidates.length / (count + 0.5)) / Math.log(1 + candidates.length / 0.5);
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

/** What retrieval found word for word is said as it stands where it is said by somebody: rows, entries and headings are not. */
function isSentence(excerpt: string): boolean {
  const [line = ''] = excerpt.split('\n');
  return !isEntry(line) && !isRow(line) && wordsOf(excerpt).length >= sentenceWordsMin && /[.!?।]["”')]?$/u.test(excerpt.trim());
}

/** What meaning alone found, in other words or another language, has to say something of what was asked as well. */
function saysEnough(excerpt: string, { needs }: Asked, subject: Said): boolean {
  const said = saidIn(excerpt);
  const telling = needs.filter((need) => need.weight === 1 && likeness(need, subject) === 0);
  // What the business is about, all its sentences may say.
  if (telling.length === 0 && needs.some(({ weight }) => weight === 1)) return false;
  return telling.length === 0 || telling.filter((need) => likeness(need, said) > 0).length * 2 > telling.length;
}

const sentenceWordsMin = 4;

/** What comes nearest, and whom to ask for more. */
function withWays(nearest: string, contact: Contact, language: Language): string {
  const words = phrases[language];
  const ways = waysOf(contact);
  return ways.length === 0 ? nearest : `${nearest} ${words.callBack(listed(ways, words.or))}`;
}

const waysOf = (contact: Contact): string[] => [contact.Telephone, contact['E-mail']].filter((way) => way !== '');

/** Says that the answer is not known, and how to reach somebody who knows it, as far as the profile tells. */
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
