import type { SpeechLanguage } from '@parley/contracts';
import {
  type AskedTime,
  askedTime,
  clockTime,
  dateMeant,
  foldSpelling,
  groupedHours,
  saysOnly,
  type Weekday,
  weekdays,
  wordsOf,
} from '@parley/language';
import { dateOf, minuteOfWeek, openStateAt, spansOfDay, weekdayOf, type OpenSpan, type Holiday } from './opening-hours';

type HoursQuestion =
  | { readonly about: 'now' }
  | { readonly about: 'week' }
  | { readonly about: 'day'; readonly day: Weekday }
  | { readonly about: 'date'; readonly time: AskedTime }
  | { readonly about: 'today' | 'tomorrow' };

const dayNames: readonly (readonly string[])[] = [
  ['monday', 'mon', 'सोमवार'],
  ['tuesday', 'tue', 'मंगलवार', 'मंगळवार'],
  ['wednesday', 'wed', 'बुधवार'],
  ['thursday', 'thu', 'गुरुवार', 'बृहस्पतिवार'],
  ['friday', 'fri', 'शुक्रवार'],
  ['saturday', 'sat', 'शनिवार'],
  ['sunday', 'sun', 'रविवार', 'इतवार'],
];

const fold = (words: string) => words.split(' ').map(foldSpelling);

const dayForms = dayNames.map((names) => names.map(foldSpelling));

const nowWords = new Set(fold('now currently presently right abhi अभी इस आत्ता आता सध्या'));

const todayWords = new Set(fold('today tonight aaj आज'));

const tomorrowWords = new Set(fold('tomorrow kal udya कल उद्या'));

const openWords = fold(
  'open opens opened close closes closed closing opening khula khuli khule khulta khulti band ughade ughada खुल खुला खुले खुली खुलता खुलती खुलेगी बंद उघड उघडे उघडा उघडी उघडते उघडता चालू',
);

const timeWords = new Set(fold('hours timing timings time times when kab kadhi समय टाइम टाइमिंग वेळ वेळा बजे वाजता कब कधी किती'));

/** How people name a business in general. */
const ofBusiness = new Set(
  fold(
    'you your yours shop store office showroom branch business clinic place hours timing timings aap aapki aapka dukan dukaan opening open working दुकान ऑफिस कार्यालय शोरूम आप आपकी आपका आपके लोग स्टोर तुम्ही तुमचे तुमची तुमचा तुमच्या',
  ),
);

interface Timetable {
  readonly hours: readonly OpenSpan[];
  readonly timeZone: string;
  readonly holidays?: readonly Holiday[];
  /** Its words may occur in a question. */
  readonly businessName?: string;
}

interface Phrases {
  readonly day: (day: Weekday) => string;
  readonly openUntil: (time: string) => string;
  readonly alwaysOpen: string;
  readonly closedUntil: (day: string, time: string) => string;
  readonly closed: string;
  readonly dayHours: (day: string, spans: string) => string;
  readonly dayClosed: (day: string) => string;
  readonly span: (from: string, to: string) => string;
  readonly today: string;
  readonly tomorrow: string;
}

const devanagariDays = {
  Monday: 'सोमवार',
  Tuesday: 'मंगलवार',
  Wednesday: 'बुधवार',
  Thursday: 'गुरुवार',
  Friday: 'शुक्रवार',
  Saturday: 'शनिवार',
  Sunday: 'रविवार',
};
const marathiDays = { ...devanagariDays, Tuesday: 'मंगळवार' };

const phrases: Record<SpeechLanguage, Phrases> = {
  english: {
    day: (day) => day,
    openUntil: (time) => `We are open now, until ${time}.`,
    alwaysOpen: 'We are open around the clock.',
    closedUntil: (day, time) => `We are closed now. We open ${day} at ${time}.`,
    closed: 'We are closed now.',
    dayHours: (day, spans) => `${day}: open ${spans}.`,
    dayClosed: (day) => `${day}: closed.`,
    span: (from, to) => `${from} to ${to}`,
    today: 'today',
    tomorrow: 'tomorrow',
  },
  hindi: {
    day: (day) => devanagariDays[day],
    openUntil: (time) => `हम अभी खुले हैं, ${time} तक।`,
    alwaysOpen: 'हम चौबीसों घंटे खुले हैं।',
    closedUntil: (day, time) => `हम अभी बंद हैं। हम ${day} ${time} पर खुलेंगे।`,
    closed: 'हम अभी बंद हैं।',
    dayHours: (day, spans) => `${day}: ${spans} खुला।`,
    dayClosed: (day) => `${day}: बंद।`,
    span: (from, to) => `${from} से ${to}`,
    today: 'आज',
    tomorrow: 'कल',
  },
  marathi: {
    day: (day) => marathiDays[day],
    openUntil: (time) => `आम्ही आता ${time} पर्यंत उघडे आहोत.`,
    alwaysOpen: 'आम्ही चोवीस तास उघडे आहोत.',
    closedUntil: (day, time) => `आम्ही आता बंद आहोत. आम्ही ${day} ${time} वाजता उघडू.`,
    closed: 'आम्ही आता बंद आहोत.',
    dayHours: (day, spans) => `${day}: ${spans} उघडे.`,
    dayClosed: (day) => `${day}: बंद.`,
    span: (from, to) => `${from} ते ${to}`,
    today: 'आज',
    tomorrow: 'उद्या',
  },
};

/**
 * Answers a question about the opening hours and nothing else, computed in the business's time zone; undefined for other
 * questions, and for those that an exception in these days may affect.
 */
export function answerHours(
  question: string,
  { hours, timeZone, holidays = [], businessName = '' }: Timetable,
  { language, atMs }: { language: SpeechLanguage; atMs: number },
): string | undefined {
  const asked = hoursQuestionOf(question, businessName);
  if (!asked || hours.length === 0) return undefined;
  const words = phrases[language];
  const today = Math.floor(minuteOfWeek(timeZone, atMs) / (24 * 60));
  const onDate = (daysAhead: number) => holidays.find(({ date }) => date === dateOf(timeZone, atMs, daysAhead));
  const dayAhead = (daysAhead: number) => weekdays[(today + daysAhead) % 7] ?? 'Monday';
  if (asked.about === 'today' || asked.about === 'tomorrow') {
    const daysAhead = asked.about === 'tomorrow' ? 1 : 0;
    const day = dayAhead(daysAhead);
    const named = `${words[asked.about]} (${words.day(day)})`;
    return dayAnswer(hoursOn(hours, day, onDate(daysAhead)), day, named.slice(0, 1).toUpperCase() + named.slice(1), words);
  }
  if (asked.about === 'date') return dateAnswer(asked.time, { hours, timeZone, holidays }, { language, atMs });
  if (asked.about === 'day') {
    const daysAhead = (weekdays.indexOf(asked.day) - today + 7) % 7;
    return onDate(daysAhead) ? undefined : dayAnswer(hours, asked.day, words.day(asked.day), words);
  }
  if (onDate(0) || onDate(1)) return undefined;
  const now = nowAnswer({ hours, timeZone }, words, atMs);
  if (asked.about === 'now') return now;
  const spans = hours.map(({ day, is_open, open_time, close_time }) => ({
    day,
    isOpen: is_open,
    opens: open_time,
    closes: close_time,
  }));
  return `${now} ${groupedHours(spans, language)}`;
}

type Dated = Required<Pick<Timetable, 'hours' | 'timeZone' | 'holidays'>>;

/** The hours of a date, with the note of the exception that it is. */
function dateAnswer(
  time: AskedTime,
  { hours, timeZone, holidays }: Dated,
  { language, atMs }: { language: SpeechLanguage; atMs: number },
): string | undefined {
  const date = dateMeant(time, dateOf(timeZone, atMs));
  if (date === undefined) return undefined;
  const holiday = holidays.find((one) => one.date === date);
  const locale = { english: 'en-IN', hindi: 'hi-IN', marathi: 'mr-IN' }[language];
  const fields = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  const named = new Intl.DateTimeFormat(`${locale}-u-nu-latn`, fields).format(new Date(`${date}T00:00:00Z`));
  const note = holiday && holiday.note !== '' ? ` (${holiday.note})` : '';
  const day = weekdayOf(date);
  return dayAnswer(hoursOn(hours, day, holiday), day, `${named}${note}`, phrases[language]);
}

/** The spans of a weekday, or those of the exception that it falls on. */
function hoursOn(hours: readonly OpenSpan[], day: Weekday, holiday: Holiday | undefined): readonly OpenSpan[] {
  if (!holiday) return hours;
  return [{ day, is_open: holiday.opens !== '', open_time: holiday.opens, close_time: holiday.closes }];
}

function nowAnswer({ hours, timeZone }: Timetable, words: Phrases, atMs: number): string {
  const state = openStateAt(hours, timeZone, atMs);
  if (state.isOpen) return state.isAlwaysOpen ? words.alwaysOpen : words.openUntil(clockTime(state.closesAt));
  if (!state.opensAt) return words.closed;
  const { day, time, daysAhead } = state.opensAt;
  const named = daysAhead === 0 ? words.today : daysAhead === 1 ? words.tomorrow : words.day(day);
  return words.closedUntil(named, clockTime(time));
}

function dayAnswer(hours: readonly OpenSpan[], day: Weekday, named: string, words: Phrases): string {
  const spans = spansOfDay(hours, day).map(({ open_time, close_time }) =>
    words.span(clockTime(open_time), clockTime(close_time)),
  );
  return spans.length > 0 ? words.dayHours(named, spans.join(', ')) : words.dayClosed(named);
}

const isOpenWord = (word: string) => openWords.includes(word);

/** What a question asks about the opening hours; undefined when it is about something else or more. */
export function hoursQuestionOf(question: string, businessName = ''): HoursQuestion | undefined {
  const words = wordsOf(question);
  const has = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  const saysOpen = words.some(isOpenWord);
  const saysHours = words.some((word) => hourWords.has(word));
  if (!saysOpen && !saysHours && !asksForTheTimeOf(words)) return undefined;
  const named = new Set(wordsOf(businessName));
  const isOfHours = (word: string) =>
    [...knownSets, named].some((known) => known.has(word)) || isOpenWord(word) || Boolean(weekdayIn(word));
  // Any other word makes another question of it: "not", "which day", "library", "Dr Rao".
  const time = askedTime(question);
  if (time.date && !time.clock && saysOpen && saysOnly(time.rest, isOfHours)) return { about: 'date', time };
  if (!saysOnly(question, isOfHours)) return undefined;
  const days = new Set(words.flatMap((word) => weekdayIn(word) ?? []));
  if (days.size > 1) return undefined;
  const [day] = days;
  const isAboutUs = has(ofBusiness) || day !== undefined || [nowWords, todayWords, tomorrowWords, timeWords].some(has);
  if (!isAboutUs) return undefined;
  if (has(tomorrowWords)) return day ? undefined : { about: 'tomorrow' };
  if (day) return { about: 'day', day };
  if (has(timeWords) || saysHours) return { about: has(todayWords) ? 'today' : 'week' };
  return { about: has(todayWords) && !has(nowWords) ? 'today' : 'now' };
}

const hourWords = new Set(fold('hours timing timings टाइमिंग'));
const knownSets = [nowWords, todayWords, tomorrowWords, timeWords, ofBusiness, hourWords];

function weekdayIn(word: string): Weekday | undefined {
  const isForm = (form: string) => form === word || (form.length > 4 && word.startsWith(form));
  return weekdays[dayForms.findIndex((forms) => forms.some(isForm))];
}

/** "दुकान का समय" says neither open nor close. */
function asksForTheTimeOf(words: readonly string[]): boolean {
  const houses = fold('दुकान ऑफिस कार्यालय शोरूम स्टोर दुकानाची दुकानाचा दुकानाचे store shop office showroom');
  const times = fold('समय टाइम वेळ वेळा hours timing timings');
  return words.some((word) => houses.includes(word)) && words.some((word) => times.includes(word));
}
