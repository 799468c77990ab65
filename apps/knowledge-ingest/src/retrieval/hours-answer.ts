import type { SpeechLanguage } from '@parley/contracts';
import {
  type AskedTime,
  askedTime,
  atTime,
  clockTime,
  dateMeant,
  foldSpelling,
  hoursOfDay,
  isHouse,
  type OpenDay,
  saysOnly,
  stemOf,
  type Weekday,
  weekdays,
  weeklyHours,
  wordsOf,
} from '@parley/language';
import { dateOf, minuteOfWeek, openStateAt, spansOfDay, weekdayOf, type OpenSpan, type Holiday } from '../profile/opening-hours';

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

/** Who asks for a reason or a person is not told by a timetable. */
const otherWords = new Set(fold('why who whom whose kyon kyun kyu kaun kon क्यों क्यूँ कौन किसने कोण कुणी कशाला कशामुळे'));

/** In Marathi का before a verb asks why; at the end it only makes a question, and in Hindi it joins two words. */
const marathiVerbs = new Set(fold('असता असते असतात असतो आहे आहात आहेत ठेवता'));

const pastWords = new Set(fold('was were did had yesterday tha thi था थी थे'));

/** Past in Marathi; in Hindi the same words with है say what is usual. */
const pastWithoutIs = new Set(fold('hota hoti hote होता होती होते'));
const isWords = new Set(fold('hai hain है हैं'));

/** What stands between "open" and the thing that is opened. */
const beforeObject = new Set(fold('the a an your our this that of'));

/** How people name a business in general. */
const ofBusiness = new Set(
  fold(
    'you your yours shop store office showroom business place hours timing timings aap aapki aapka dukan dukaan opening open working दुकान ऑफिस कार्यालय शोरूम आप आपकी आपका आपके लोग स्टोर तुम्ही तुमचे तुमची तुमचा तुमच्या',
  ),
);

interface Timetable {
  readonly hours: readonly OpenSpan[];
  readonly timeZone: string;
  readonly holidays?: readonly Holiday[];
  /** Its name and its kind, whose words may occur in a question. */
  readonly ownWords?: string;
}

interface Phrases {
  readonly day: (day: Weekday) => string;
  readonly openUntil: (time: string) => string;
  readonly alwaysOpen: string;
  readonly closedUntil: (day: string, time: string) => string;
  readonly closed: string;
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
    closedUntil: (day, time) => `We are closed now. We open ${day} ${time}.`,
    closed: 'We are closed now.',
    today: 'today',
    tomorrow: 'tomorrow',
  },
  hindi: {
    day: (day) => `${devanagariDays[day]} को`,
    openUntil: (time) => `हम अभी खुले हैं, ${time} बजे तक।`,
    alwaysOpen: 'हम चौबीसों घंटे खुले हैं।',
    closedUntil: (day, time) => `हम अभी बंद हैं। हम ${day} ${time} खुलेंगे।`,
    closed: 'हम अभी बंद हैं।',
    today: 'आज',
    tomorrow: 'कल',
  },
  marathi: {
    day: (day) => `${marathiDays[day]}ी`,
    openUntil: (time) => `आम्ही आता ${time} पर्यंत उघडे आहोत.`,
    alwaysOpen: 'आम्ही चोवीस तास उघडे आहोत.',
    closedUntil: (day, time) => `आम्ही आता बंद आहोत. आम्ही ${day} ${time} उघडू.`,
    closed: 'आम्ही आता बंद आहोत.',
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
  { hours, timeZone, holidays = [], ownWords = '' }: Timetable,
  { language, atMs }: { language: SpeechLanguage; atMs: number },
): string | undefined {
  const asked = hoursQuestionOf(question, ownWords);
  if (!asked || hours.length === 0) return undefined;
  const today = Math.floor(minuteOfWeek(timeZone, atMs) / (24 * 60));
  const onDate = (daysAhead: number) => holidays.find(({ date }) => date === dateOf(timeZone, atMs, daysAhead));
  const dayAhead = (daysAhead: number) => weekdays[(today + daysAhead) % 7] ?? 'Monday';
  if (asked.about === 'today' || asked.about === 'tomorrow') {
    const daysAhead = asked.about === 'tomorrow' ? 1 : 0;
    const weekday = dayAhead(daysAhead);
    return hoursOfDay({ near: asked.about, weekday }, hoursOn(hours, weekday, onDate(daysAhead)), language);
  }
  if (asked.about === 'date') return dateAnswer(asked.time, { hours, timeZone, holidays }, { language, atMs });
  if (asked.about === 'day') {
    const daysAhead = (weekdays.indexOf(asked.day) - today + 7) % 7;
    return onDate(daysAhead) ? undefined : hoursOfDay({ every: asked.day }, hoursOn(hours, asked.day, undefined), language);
  }
  if (onDate(0) || onDate(1)) return undefined;
  const now = nowAnswer({ hours, timeZone }, language, atMs);
  if (asked.about === 'now') return now;
  const spans = hours.map(({ day, is_open, open_time, close_time }) => ({
    day,
    isOpen: is_open,
    opens: open_time,
    closes: close_time,
  }));
  return `${now} ${weeklyHours(spans, language)}`;
}

const daysKnownMax = 366;

type Dated = Required<Pick<Timetable, 'hours' | 'timeZone' | 'holidays'>>;

/** The hours of a date, with the note of the exception that it is. */
function dateAnswer(
  time: AskedTime,
  { hours, timeZone, holidays }: Dated,
  { language, atMs }: { language: SpeechLanguage; atMs: number },
): string | undefined {
  const today = dateOf(timeZone, atMs);
  const date = dateMeant(time, today);
  // The timetable is that of now, and the exceptions of other years are not entered yet.
  if (date === undefined || date < today || date > dateOf(timeZone, atMs, daysKnownMax)) return undefined;
  const holiday = holidays.find((one) => one.date === date);
  const note = holiday?.note ?? '';
  return hoursOfDay({ date, note }, hoursOn(hours, weekdayOf(date), holiday), language);
}

/** The spans of a weekday, or those of the exception that it falls on. */
function hoursOn(hours: readonly OpenSpan[], day: Weekday, holiday: Holiday | undefined): Pick<OpenDay, 'opens' | 'closes'>[] {
  if (holiday) return holiday.opens === '' ? [] : [holiday];
  return spansOfDay(hours, day).map(({ open_time: opens, close_time: closes }) => ({ opens, closes }));
}

function nowAnswer({ hours, timeZone }: Timetable, language: SpeechLanguage, atMs: number): string {
  const words = phrases[language];
  const state = openStateAt(hours, timeZone, atMs);
  if (state.isOpen) return state.isAlwaysOpen ? words.alwaysOpen : words.openUntil(clockTime(state.closesAt, language));
  if (!state.opensAt) return words.closed;
  const { day, time, daysAhead } = state.opensAt;
  const named = daysAhead === 0 ? words.today : daysAhead === 1 ? words.tomorrow : words.day(day);
  return words.closedUntil(named, atTime(time, language));
}

const why = foldSpelling('का');
const isOpenWord = (word: string) => openWords.includes(word);

/** What a question asks about the opening hours; undefined when it is about something else or more. */
export function hoursQuestionOf(question: string, ownWords = ''): HoursQuestion | undefined {
  const words = wordsOf(question);
  const has = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  if (has(otherWords) || words.some((word, place) => word === why && marathiVerbs.has(words[place + 1] ?? ''))) return undefined;
  const saysOpen = words.some(isOpenWord);
  const saysHours = words.some((word) => hourWords.has(word));
  if (!saysOpen && !saysHours && !asksForTheTimeOf(words)) return undefined;
  if (isPast(words) || opensAThing(words, wordsOf(ownWords))) return undefined;
  const named = new Set(wordsOf(ownWords));
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

function isPast(words: readonly string[]): boolean {
  return words.some((word, place) => pastWords.has(word) || (pastWithoutIs.has(word) && !isWords.has(words[place + 1] ?? '')));
}

/** Who opens a kiln does not open the Kiln Studio: one word of a name behind "open" is a thing, unless it says what the business is. */
function opensAThing(words: readonly string[], named: readonly string[]): boolean {
  return words.some((word, place) => {
    if (!isOpenWord(word)) return false;
    const behind = words.slice(place + 1);
    const object = behind.slice(behind.findIndex((one) => !beforeObject.has(one)));
    const end = object.findIndex((one) => !named.includes(one));
    const [thing, ...others] = end === -1 ? object : object.slice(0, end);
    return thing !== undefined && named.length > 1 && others.length === 0 && thing !== named.at(-1) && !isHouse(stemOf(thing));
  });
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
