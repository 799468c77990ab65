import type { BusinessSchedule } from '@parley/contracts';
import { clockTime, foldSpelling, groupedHours, type OpenDay, wordsOf } from '@parley/language';
import { dayOf, daysBetween, daysLater } from '@parley/service-kit';
import { likeness, likenessToName as likenessByName, type Said, saidIn } from '../question/likeness';
import { type Asked, askedIn, type Need } from '../question/needs';
import { isUnit } from '../question/numbers';
import { type Language, listed, phrases } from './phrases';

const fold = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(foldSpelling));
const hoursWords = fold(
  'open opens opening close closes closed closing shut hours timing timings holiday holidays off khula khuli khule band chhutti sutti bandh ' +
    'suru chalu ughda ughde ughdi late early सुरू चालू उघडी उघडा working ' +
    'खुला खुली खुले खुलता खुलती खुलते खोलते खोलता खोलती kholte khulta khulte बंद समय छुट्टी छुट्टियाँ उघडे उघडता उघड सुट्टी सुट्टीचा सुट्टीला वेळ अवकाश चालू',
);
const whichDay =
  /(?:which|what) (?:day|days)|weekly (?:off|holiday)|days? (?:off|of the week)|किस दिन|कौन से दिन|कोणत्या दिवशी|कोणत्या वारी|kis din|kaunse din|konta divas|konya divshi|साप्ताहिक/iu;
const closedWords = fold('close closes closed closing shut off holiday band bandh chhutti sutti बंद छुट्टी सुट्टी अवकाश');

interface Asking {
  readonly question: string;
  readonly asked: Asked;
  readonly language: Language;
  /** The business's name, which adds nothing to a question. */
  readonly subject: Said;
}

/** What the timetable answers: exceptions by their name, and which days are closed. Plain hours are answered before it. */
export function fromSchedule({ question, asked, language, subject }: Asking, schedule: BusinessSchedule): string | undefined {
  const words = wordsOf(question);
  const ahead = daysAhead(question);
  const isOfPresence =
    comes.test(question) &&
    (ahead !== undefined || asked.wants.has('TIME') || asked.needs.length > 0) &&
    !hasOther(asked, subject);
  // "Three hours of it" counts hours.
  const isOfHours =
    isOfPresence ||
    words.some((word) => hoursWords.has(word) && !(isUnit(word) && asked.amounts.length > 0)) ||
    asked.needs.some(({ concept }) => concept === 'OPEN' || concept === 'CLOSE');
  const holiday =
    schedule.holidays.find(({ note }) => isNamed(note, asked, { subject, isOfHours, words })) ??
    (isOfHours ? onDateOf(question, schedule.holidays) : undefined);
  if (holiday) return onHoliday(holiday, language);
  const isOfCalendar = isOfHours || (asked.wants.has('TIME') && /\d|बजे|वाजता|baje/iu.test(question));
  if (ahead !== undefined && isOfCalendar && !hasOther(asked, subject)) return onDayAhead(ahead, schedule, language);
  // What takes the most time is no hour of the day.
  if (asked.isComparing) return undefined;
  // "Do you work on Mondays?" speaks of nothing but the day.
  const day = hasOther(asked, subject) ? undefined : weekdayIn(asked);
  if (day) return ofComingDay(day, schedule, language);
  if (!(whichDay.test(question) || asked.wants.has('TIME')) || !isOfHours || hasOther(asked, subject)) return undefined;
  const isOfClosed = words.some((word) => closedWords.has(word));
  const grouped = groupedHours(schedule.working_hours.map(openDay), language);
  return isOfClosed ? (closedDays(schedule, language) ?? grouped) : grouped;
}

/** Asking when to come, or when a person is there, asks for the hours. */
const comes =
  /\b(?:come(?! (?:to|for|with|in|back|along)\b)|visit|be there|are you there|available|drop in|aa sak\w*|aau|yeu)\b|(?<![\p{L}\p{M}])(?:आ सक|आऊँ|आएँ|येऊ|आलो|येता)/iu;

const inTwoDays = /\bday after tomorrow\b|(?<![\p{L}\p{M}])(?:परवा|परसों)(?![\p{L}\p{M}])|\bpars[ou]n?\b|\bparva\b/iu;
const inOneDay = /\btomorrow\b|(?<![\p{L}\p{M}])उद्या(?![\p{L}\p{M}])|\budya\b/iu;
const onThisDay = /\btoday\b|(?<![\p{L}\p{M}])आज(?![\p{L}\p{M}])|\baaj\b/iu;

/** How many days from now a question names. */
function daysAhead(question: string): number | undefined {
  return inTwoDays.test(question) ? 2 : inOneDay.test(question) ? 1 : onThisDay.test(question) ? 0 : undefined;
}

/** The hours of a day by the business's calendar, where an exception overrides the weekday. */
function onDayAhead(ahead: number, schedule: BusinessSchedule, language: Language): string {
  const date = daysLater(dayOf(new Date(), schedule.timezone), ahead);
  const holiday = schedule.holidays.find((one) => one.date === date);
  return holiday ? onHoliday(holiday, language) : ofDay(weekdayOf(date), schedule, language);
}

/** "And on Sunday?", after a question for the hours of another day. */
export function followedOnDay(asking: Asking, before: string, schedule: BusinessSchedule): string | undefined {
  const day = weekdayIn(asking.asked);
  const isOfHours = wordsOf(before).some((word) => hoursWords.has(word));
  if (!day || !isOfHours || hasOther(asking.asked, asking.subject)) return undefined;
  return hasOther(askedIn(before), asking.subject) ? undefined : ofComingDay(day, schedule, asking.language);
}

/** The usual hours of a weekday, and the exception on the next two of them: "on Wednesday" may mean either. */
function ofComingDay(day: Weekday, schedule: BusinessSchedule, language: Language): string {
  const from = dayOf(new Date(), schedule.timezone);
  const next = daysBetween(from, daysLater(from, daysComing - 1)).filter((date) => weekdayOf(date) === day);
  const [coming] = next.flatMap((date) => schedule.holidays.filter((one) => one.date === date));
  const usual = ofDay(day, schedule, language);
  return coming ? `${onHoliday(coming, language)} ${usual}` : usual;
}

const daysComing = 14;

const weekdayOf = (date: string): Weekday => english[(new Date(date).getUTCDay() + 6) % english.length] ?? 'Monday';

const english = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
type Weekday = (typeof english)[number];

/** The single weekday that a question names. */
function weekdayIn({ needs }: Asked): Weekday | undefined {
  const [only, another] = english.filter((day) => needs.some((need) => isDay(need, day)));
  return another ? undefined : only;
}

const isDay = (need: Need, day: Weekday): boolean => likeness(need, saidIn(day)) >= 0.85;

function ofDay(day: Weekday, { working_hours }: BusinessSchedule, language: Language): string {
  const name = dayNames[language].get(day) ?? day;
  const open = working_hours.filter((one) => one.day === day && one.is_open);
  if (open.length === 0) return closedOn[language](name);
  return openOn[language](
    name,
    listed(
      open.map((one) => spanWords[language](clockTime(one.open_time), clockTime(one.close_time))),
      phrases[language].and,
    ),
  );
}

const spanWords: Record<Language, (opens: string, closes: string) => string> = {
  english: (opens, closes) => `from ${opens} to ${closes}`,
  hindi: (opens, closes) => `${opens} से ${closes} तक`,
  marathi: (opens, closes) => `${opens} ते ${closes}`,
};

const openOn: Record<Language, (day: string, hours: string) => string> = {
  english: (day, hours) => `On ${day} we are open ${hours}.`,
  hindi: (day, hours) => `${day} को हम ${hours} खुले हैं।`,
  marathi: (day, hours) => `${day} आम्ही ${hours} उघडे असतो.`,
};

const openDay = ({ day, is_open, open_time, close_time }: BusinessSchedule['working_hours'][number]): OpenDay => ({
  day,
  isOpen: is_open,
  opens: open_time,
  closes: close_time,
});

/** Another thing than the business: its library, its doctor. */
function hasOther({ needs }: Asked, subject: Said): boolean {
  return needs.some(
    (need) =>
      need.weight === 1 &&
      !hoursWords.has(need.word) &&
      need.concept !== 'OPEN' &&
      need.concept !== 'CLOSE' &&
      !english.some((day) => isDay(need, day)) &&
      likeness(need, subject) === 0,
  );
}

const surelyNamed = 0.85;
const ofAnyHoliday = fold('day holiday festival closed leave off the and for दिवस दिन छुट्टी सुट्टी');

/** Whether a question says at least half of what an exception is called, and nothing else that it could be about. */
function isNamed(note: string, asked: Asked, about: About): boolean {
  return note.split(/[()/,]/u).some((name) => isCalled(name, asked, about));
}

interface About {
  readonly subject: Said;
  /** All words of the question: some exceptions are called by words that say nothing elsewhere. */
  readonly words: readonly string[];
  /** Whether hours are asked for in so many words. */
  readonly isOfHours: boolean;
}

function isCalled(note: string, { needs }: Asked, { subject, isOfHours, words }: About): boolean {
  // A fort may sound like a training: only who asks whether something is open means a day that merely sounds so.
  const likenessToName = (need: Need, name: string) => {
    const like = likenessByName(need, name);
    return isOfHours || like >= surelyNamed ? like : 0;
  };
  const telling = wordsOf(note).filter((word) => word.length > 2 && !ofAnyHoliday.has(word));
  // Marathi writes "Gudi Padwa" as one word.
  const joined = telling.join('');
  if (telling.length > 1 && needs.some((need) => likenessToName(need, joined) > 0)) return true;
  const said = telling.filter(
    (word) => (isOfHours && words.includes(word)) || needs.some((need) => need.weight === 1 && likenessToName(need, word) > 0),
  );
  const others = needs.filter(
    (need) => need.weight === 1 && !hoursWords.has(need.word) && !ofAnyHoliday.has(need.word) && likeness(need, subject) === 0,
  );
  const isAllOfNote = others.every((need) => likenessToName(need, note) > 0);
  // "Who is the owner?" is not about the day of the owner's wedding.
  const isEnough = isOfHours || said.length === telling.length;
  return said.length > 0 && isEnough && isAllOfNote;
}

const months = [
  'january jan जनवरी जानेवारी',
  'february feb फरवरी फेब्रुवारी',
  'march mar मार्च',
  'april apr अप्रैल एप्रिल',
  'may मई मे',
  'june jun जून',
  'july jul जुलाई जुलै',
  'august aug अगस्त ऑगस्ट',
  'september sep sept सितंबर सप्टेंबर',
  'october oct अक्टूबर ऑक्टोबर',
  'november nov नवंबर नोव्हेंबर',
  'december dec दिसंबर डिसेंबर',
].map(fold);

/** The exception of a date that a question names: "26 November", "November 26th". */
function onDateOf(question: string, holidays: BusinessSchedule['holidays']): BusinessSchedule['holidays'][number] | undefined {
  const words = wordsOf(question).filter((word) => !/^(?:st|nd|rd|th|of)$/u.test(word));
  const place = words.findIndex((word) => months.some((names) => names.has(word)));
  const month = months.findIndex((names) => names.has(words[place] ?? '')) + 1;
  const day = [words[place - 1], words[place + 1]].map(Number).find((value) => value >= 1 && value <= daysMax);
  return place === -1
    ? undefined
    : holidays.find(({ date }) => Number(date.slice(5, 7)) === month && Number(date.slice(8)) === day);
}

const daysMax = 31;

const closedOn: Record<Language, (days: string) => string> = {
  english: (days) => `We are closed on ${days}.`,
  hindi: (days) => `${days} को हम बंद रहते हैं।`,
  marathi: (days) => `${days} आम्ही बंद असतो.`,
};

function closedDays({ working_hours }: BusinessSchedule, language: Language): string | undefined {
  const open = new Set(working_hours.filter(({ is_open }) => is_open).map(({ day }) => day));
  const closed = [...dayNames[language]].flatMap(([day, name]) => (open.has(day) ? [] : [name]));
  return closed.length === 0 || closed.length > 3 ? undefined : closedOn[language](closed.join(', '));
}

const hindi = 'सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार'.split(' ');
const marathi = 'सोमवारी मंगळवारी बुधवारी गुरुवारी शुक्रवारी शनिवारी रविवारी'.split(' ');
const dayNames: Record<Language, ReadonlyMap<Weekday, string>> = {
  english: new Map(english.map((day) => [day, day])),
  hindi: new Map(english.map((day, place) => [day, hindi[place] ?? day])),
  marathi: new Map(english.map((day, place) => [day, marathi[place] ?? day])),
};

function onHoliday({ date, opens, closes, note }: BusinessSchedule['holidays'][number], language: Language): string {
  const locale = { english: 'en-IN', hindi: 'hi-IN', marathi: 'mr-IN' }[language];
  const day = new Intl.DateTimeFormat(`${locale}-u-nu-latn`, {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(new Date(`${date}T00:00:00Z`));
  return holidayWords[language]({ note, day, hours: opens === '' ? undefined : [clockTime(opens), clockTime(closes)] });
}

interface HolidaySaid {
  readonly note: string;
  readonly day: string;
  readonly hours: readonly [string, string] | undefined;
}

const holidayWords: Record<Language, (said: HolidaySaid) => string> = {
  english: ({ note, day, hours }) =>
    hours ? `On ${day} (${note}) we are open from ${hours[0]} to ${hours[1]}.` : `We are closed on ${day} (${note}).`,
  hindi: ({ note, day, hours }) =>
    hours ? `${day} (${note}) को हम ${hours[0]} से ${hours[1]} तक खुले हैं।` : `${day} (${note}) को हम बंद हैं।`,
  marathi: ({ note, day, hours }) =>
    hours ? `${day} (${note}) रोजी आम्ही ${hours[0]} ते ${hours[1]} उघडे आहोत.` : `${day} (${note}) रोजी आम्ही बंद आहोत.`,
};
