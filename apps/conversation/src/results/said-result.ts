import type { CallResult, ResultField, ResultSchema } from '@parley/contracts';
import { contentTerms, foldSpelling, wordsOf } from '@parley/language';
import { daysLater } from '@parley/service-kit';

/** What the caller said, and what the agent had said right before. */
interface Reply {
  readonly said: string;
  readonly asked: string;
}

interface Field extends ResultField {
  readonly name: string;
}

const months = 'january february march april may june july august september october november december'.split(' ');
const monthPattern = months.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?`).join('|');
const isoDay = /\b(\d{4})-(\d{2})-(\d{2})\b/g;
const dayMonth = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${monthPattern})\\b,?(?: (\\d{4})\\b)?`, 'g');
const monthDay = new RegExp(`\\b(${monthPattern}) (\\d{1,2})(?:st|nd|rd|th)?\\b,?(?: (\\d{4})\\b)?`, 'g');
const byToday: Readonly<Record<string, number>> = { today: 0, tomorrow: 1, उद्या: 1 };

const yes = new Set(words('yes yeah yep yup sure certainly definitely absolutely haan ha han ji hoy हाँ हां जी होय हो'));
const no = new Set(
  words('no nope not never nahi nahin nako mat dont wont cant cannot didnt doesnt isnt havent नहीं नही ना मत नको नाही'),
);
const firstPerson = new Set(words('i we im ive ill मैं हम मी आम्ही'));
const auxiliaries = new Set(words('will shall can could would do did am are have had want to like going gladly already also'));
const unsure = new Set(words('maybe perhaps if know unsure think depends शायद कदाचित'));
const questionWords = new Set(
  words('what when where why how who which do does did is are can could will would क्या कब कैसे किती काय कधी'),
);
/** Words too general to tell fields apart. */
const nameless = new Set(words('value date day number count amount flag field customer caller person whether'));
const spokenDigits: Readonly<Record<string, number>> = Object.fromEntries(
  'zero one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, index) => [word, index]),
);
const lettersReadMax = 2_000;

/**
 * Fills in, without a model, what the caller said plainly: a choice, yes or no, a number or a day, if the caller or the agent's
 * question right before mentioned the field. Anything else is null. Of several answers the last counts, since people correct
 * themselves.
 */
export function saidResult(
  { properties }: ResultSchema,
  { turns, today }: { readonly turns: readonly { readonly question: string; readonly answer: string }[]; readonly today: string },
): CallResult {
  const replies = turns.map(({ question }, place) => ({
    said: question.slice(0, lettersReadMax),
    asked: (turns[place - 1]?.answer ?? '').slice(-lettersReadMax),
  }));
  const results = Object.entries(properties).map(
    ([name, field]) => [name, lastSaid({ name, ...field }, replies, today)] as const,
  );
  return Object.fromEntries(results);
}

function lastSaid(field: Field, replies: readonly Reply[], today: string): CallResult[string] {
  const subject = subjectOf(field);
  for (const reply of replies.toReversed()) {
    const value = valueIn(field, reply, { subject, today });
    if (value !== null) return value;
  }
  return null;
}

/** The words that tell what a field is about: of its name, or of its description if the name has none. */
function subjectOf({ name, description = '' }: Field): ReadonlySet<string> {
  const spelledOut = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  const termsOf = (text: string): string[] =>
    contentTerms(
      wordsOf(text)
        .filter((word) => !nameless.has(word))
        .join(' '),
    );
  const named = termsOf(spelledOut);
  return new Set(named.length > 0 ? named : termsOf(description));
}

interface Reading {
  readonly subject: ReadonlySet<string>;
  readonly today: string;
}

function valueIn(field: Field, reply: Reply, { subject, today }: Reading): CallResult[string] {
  const isAsked = isAbout(lastSentence(reply.asked), subject);
  if (!isAsked && !isAbout(reply.said, subject)) return null;
  if (field.type === 'boolean') return yesOrNo(reply.said, { subject, isAsked });
  if (field.type === 'number' || field.type === 'integer') return numberIn(reply.said, field.type === 'integer');
  if (field.enum) return choiceIn(reply.said, field.enum);
  if (field.format === 'date') return dayIn(reply.said, today);
  return null;
}

function isAbout(text: string, subject: ReadonlySet<string>): boolean {
  const terms = new Set(contentTerms(text));
  return subject.size > 0 && [...subject].every((term) => terms.has(term));
}

/** The last sentence, which contains the question that is answered. */
function lastSentence(text: string): string {
  return (
    text
      .trim()
      .split(/(?<=[.!?।])\s+/u)
      .at(-1) ?? ''
  );
}

/**
 * A plain yes or no to the question, or a statement of the caller about themselves. A counter-question or a doubt is not an answer.
 */
function yesOrNo(said: string, { subject, isAsked }: Pick<Reading, 'subject'> & { readonly isAsked: boolean }): boolean | null {
  const spoken = wordsOf(said);
  if (said.trim().endsWith('?') || questionWords.has(spoken[0] ?? '') || spoken.some((word) => unsure.has(word))) return null;
  const isNegative = spoken.some((word) => no.has(word));
  if (isNegative && spoken.includes('sure')) return null;
  const own = saidOfOneself(spoken, subject);
  if (own !== null || !isAsked) return own;
  const first = spoken.slice(0, 2);
  const isNo = first.some((word) => no.has(word));
  return first.some((word) => yes.has(word)) === isNo ? null : !isNo;
}

/** "I will pay", "we cannot come": only auxiliaries come between the person and the subject of the field. */
function saidOfOneself(spoken: readonly string[], subject: ReadonlySet<string>): boolean | null {
  for (const [place, word] of spoken.entries()) {
    if (!firstPerson.has(word)) continue;
    const rest = spoken.slice(place + 1);
    const at = rest.findIndex((each) => !auxiliaries.has(each) && !no.has(each));
    const [term] = contentTerms(rest[at] ?? '');
    if (at !== -1 && term !== undefined && subject.has(term)) return !rest.slice(0, at).some((each) => no.has(each));
  }
  return null;
}

/** The only number: of two it is unclear which is meant. Numbers of dates do not count. */
function numberIn(said: string, isWhole: boolean): number | null {
  const withoutDays = [isoDay, dayMonth, monthDay].reduce((rest, days) => rest.replace(days, ' '), foldSpelling(said));
  const numbers = new Set(wordsOf(withoutDays).flatMap((word) => numberOf(word) ?? []));
  const [number] = numbers;
  if (number === undefined || numbers.size > 1) return null;
  return isWhole && !Number.isSafeInteger(number) ? null : number;
}

function numberOf(word: string): number | undefined {
  if (/^\d/.test(word)) return Number.isFinite(Number(word)) ? Number(word) : undefined;
  // `one` is as often a pronoun as a number.
  return word !== 'one' && Object.hasOwn(spokenDigits, word) ? spokenDigits[word] : undefined;
}

/** The only choice that was named. With a negation it is unclear what was denied. */
function choiceIn(said: string, choices: readonly string[]): string | null {
  const spoken = wordsOf(said);
  const text = ` ${spoken.join(' ')} `;
  const named = choices.filter((choice) => {
    const asWords = wordsOf(choice.replaceAll('_', ' '));
    return asWords.length > 0 && text.includes(` ${asWords.join(' ')} `);
  });
  const [choice] = named;
  if (choice === undefined || named.length > 1) return null;
  const isDenied = spoken.some((word) => no.has(word)) && !wordsOf(choice).some((word) => no.has(word));
  return isDenied ? null : choice;
}

/** The only date that was named. Without a year it is the next such day. */
function dayIn(said: string, today: string): string | null {
  const text = foldSpelling(said);
  const found = [
    ...[...text.matchAll(isoDay)].map(([, year = '', month = '', day = '']) => dated(Number(year), Number(month), Number(day))),
    ...[...text.matchAll(dayMonth)].map(([, day = '', month = '', year]) => namedDay({ day, month, year }, today)),
    ...[...text.matchAll(monthDay)].map(([, month = '', day = '', year]) => namedDay({ day, month, year }, today)),
    ...wordsOf(said).flatMap((word) => (Object.hasOwn(byToday, word) ? daysLater(today, byToday[word] ?? 0) : [])),
  ];
  const days = new Set(found);
  const [day = null] = days;
  return days.size === 1 ? day : null;
}

interface NamedDay {
  readonly day: string;
  readonly month: string;
  readonly year: string | undefined;
}

function namedDay({ day, month, year }: NamedDay, today: string): string | null {
  const monthNumber = months.findIndex((each) => each.startsWith(month.slice(0, 3))) + 1;
  const thisYear = Number(today.slice(0, 4));
  if (year !== undefined) return dated(Number(year), monthNumber, Number(day));
  const next = dated(thisYear, monthNumber, Number(day));
  return next !== null && next >= today ? next : dated(thisYear + 1, monthNumber, Number(day));
}

/** Null if there is no such day. */
function dated(year: number, month: number, day: number): string | null {
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.toISOString().slice(0, 10) : null;
}

function words(text: string): string[] {
  return text.split(' ').map(foldSpelling);
}
