import type { BusinessSchedule } from '@parley/contracts';
import {
  askedTime,
  clockTime,
  dateMeant,
  foldSpelling,
  groupedHours,
  isUnit,
  minuteOf,
  type NamedClock,
  type OpenDay,
  type Weekday,
  weekdays,
  wordsOf,
} from '@parley/language';
import { dayOf, daysBetween, daysLater } from '@parley/service-kit';
import { likeness, likenessToName as likenessByName, type Said, saidIn } from '../question/likeness';
import { type AnalysedQuestion, askedIn, asksOnlyWhether, type NeededWord } from '../question/needs';
import { type AnswerLanguage, listed, phrases } from './phrases';

const fold = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(foldSpelling));
const hoursWords = fold(
  'open opens opening close closes closed closing shut hours timing timings holiday holidays off khula khuli khule band chhutti sutti bandh ' +
    'suru chalu ughda ughde ughdi late early सुरू चालू उघडी उघडा working ' +
    'खुला खुली खुले खुलता खुलती खुलते खोलते खोलता खोलती kholte khulta khulte बंद समय छुट्टी छुट्टियाँ उघडे उघडता उघड सुट्टी सुट्टीचा सुट्टीला वेळ अवकाश चालू',
);
const whichDay =
  /(?:which|what) (?:day|days)|weekly (?:off|holiday)|days? (?:off|of the week)|किस दिन|कौन से दिन|कोणत्या दिवशी|कोणत्या वारी|kis din|kaunse din|konta divas|konya divshi|साप्ताहिक/iu;
const partOfDay =
  /\b(?:morning|afternoon|evening|night|lunch|subah|dopahar|shaam|raat|sakali|dupari|sandhyakali|ratri)s?\b|सुबह|दोपहर|शाम|रात|सकाळी|दुपारी|संध्याकाळी|रात्री/iu;
const closedWords = fold('close closes closed closing shut off holiday band bandh chhutti sutti बंद छुट्टी सुट्टी अवकाश');

interface ScheduleQuestion {
  readonly question: string;
  readonly asked: AnalysedQuestion;
  readonly language: AnswerLanguage;
  /** The business's name, which adds nothing to a question. */
  readonly subject: Said;
}

/** What the timetable answers: exceptions by their name, days and hours that are asked for, and which days are closed. */
export function fromSchedule(
  { question, asked, language, subject }: ScheduleQuestion,
  schedule: BusinessSchedule,
): string | undefined {
  const time = askedTime(question);
  const date = dateMeant(time, dayOf(new Date(), schedule.timezone));
  const isTimed = date !== undefined || time.clock !== undefined;
  // A month or an hour is nothing else that the question could be about.
  const isOther = hasOther(isTimed ? askedIn(time.rest) : asked, subject);
  const words = wordsOf(question);
  const isOfPresence = comes.test(question) && (isTimed || asked.wants.has('TIME') || asked.needs.length > 0) && !isOther;
  // "Three hours of it" counts hours.
  const isOfHours =
    isOfPresence ||
    words.some((word) => hoursWords.has(word) && !(isUnit(word) && asked.amounts.length > 0)) ||
    asked.needs.some(({ concept }) => concept === 'OPEN' || concept === 'CLOSE');
  const holiday =
    whichDay.test(question) && date === undefined
      ? undefined
      : (schedule.holidays.find(({ note }) => isNamed(note, asked, { subject, isOfHours, words })) ??
        exceptionOn(date, { question, asked, isOfHours }, schedule));
  if (holiday) return onHoliday(holiday, language);
  const isOfCalendar = isOfHours || time.clock !== undefined || (asked.wants.has('TIME') && /\d/u.test(question));
  if (date !== undefined && isOfCalendar && !isOther) return onDate({ date, clock: time.clock }, schedule, language);
  // What takes the most time is no hour of the day.
  if (asked.isComparing) return undefined;
  // "Do you work on Mondays?" speaks of nothing but the day.
  const day = isOther ? undefined : (time.weekday ?? weekdayIn(asked));
  if (day) return ofComingDay({ day, clock: time.clock }, schedule, language);
  if (isOther || !isOfHours) return undefined;
  if (time.clock) return atAnyDay(time.clock, schedule, language);
  const isOfPart = partOfDay.test(question) && words.some((word) => hoursWords.has(word)) && !asked.wants.has('PRICE');
  if (!(whichDay.test(question) || asked.wants.has('TIME') || isOfPart)) return undefined;
  const isOfClosed = words.some((word) => closedWords.has(word));
  const grouped = groupedHours(schedule.working_hours.map(openDay), language);
  return isOfClosed ? (closedDays(schedule, language) ?? grouped) : grouped;
}

type Exception = BusinessSchedule['holidays'][number];
type OfDate = Pick<ScheduleQuestion, 'question' | 'asked'> & { readonly isOfHours: boolean };

/** The exception of a date that is asked for. On a day on which nobody is there nothing can be brought or collected either. */
function exceptionOn(
  date: string | undefined,
  { question, asked, isOfHours }: OfDate,
  { holidays }: BusinessSchedule,
): Exception | undefined {
  const holiday = holidays.find((one) => one.date === date);
  if (!holiday || isOfHours) return holiday;
  return holiday.opens === '' && asksOnlyWhether(question) && !asked.wants.has('PRICE') ? holiday : undefined;
}

/** ScheduleQuestion when to come, or when a person is there, asks for the hours. */
const comes =
  /\b(?:come(?! (?:to|for|with|in|back|along)\b)|visit|be there|are you there|available|drop in|aa sak\w*|aau|yeu)\b|(?<![\p{L}\p{M}])(?:आ सक|आऊँ|आएँ|येऊ|आलो|येता)/iu;

/** The hours of a day by the business's calendar, where an exception overrides the weekday. */
function onDate(
  { date, clock }: { date: string; clock: NamedClock | undefined },
  schedule: BusinessSchedule,
  language: AnswerLanguage,
): string {
  const holiday = schedule.holidays.find((one) => one.date === date);
  if (holiday) return onHoliday(holiday, language);
  const day = weekdayOf(date);
  const name = language === 'marathi' ? `${dateName(date, language)} रोजी` : dateName(date, language);
  return [atClock(clock, [day], schedule, language), ofDay({ day, name }, schedule, language)].filter(Boolean).join(' ');
}

/** "And on Sunday?", after a question for the hours of another day. */
export function followedOnDay(asking: ScheduleQuestion, before: string, schedule: BusinessSchedule): string | undefined {
  const time = askedTime(asking.question);
  const date = dateMeant(time, dayOf(new Date(), schedule.timezone));
  const day = time.weekday ?? weekdayIn(asking.asked);
  const isOfHours = wordsOf(before).some((word) => hoursWords.has(word));
  if ((!day && date === undefined) || !isOfHours || hasOther(askedIn(time.rest), asking.subject)) return undefined;
  if (hasOther(askedIn(askedTime(before).rest), asking.subject)) return undefined;
  if (date !== undefined) return onDate({ date, clock: time.clock }, schedule, asking.language);
  return day && ofComingDay({ day, clock: time.clock }, schedule, asking.language);
}

/** The usual hours of a weekday, and the exception on the next two of them: "on Wednesday" may mean either. */
function ofComingDay(
  { day, clock }: { day: Weekday; clock: NamedClock | undefined },
  schedule: BusinessSchedule,
  language: AnswerLanguage,
): string {
  const from = dayOf(new Date(), schedule.timezone);
  const next = daysBetween(from, daysLater(from, daysComing - 1)).filter((date) => weekdayOf(date) === day);
  const [coming] = next.flatMap((date) => schedule.holidays.filter((one) => one.date === date));
  const usual = ofDay({ day, name: dayNames[language].get(day) ?? day }, schedule, language);
  return [coming && onHoliday(coming, language), atClock(clock, [day], schedule, language), usual].filter(Boolean).join(' ');
}

const daysComing = 14;

/** Whether somebody is there at an hour of any day, with the hours of the week. */
function atAnyDay(clock: NamedClock, schedule: BusinessSchedule, language: AnswerLanguage): string {
  const days = weekdays.filter((day) => schedule.working_hours.some((one) => one.day === day && one.is_open));
  const grouped = groupedHours(schedule.working_hours.map(openDay), language);
  const today = schedule.holidays.find(({ date }) => date === dayOf(new Date(), schedule.timezone));
  return [today && onHoliday(today, language), atClock(clock, days, schedule, language), grouped].filter(Boolean).join(' ');
}

/** Whether somebody is there at an hour of these days; undefined where that differs among them, or between morning and evening. */
function atClock(
  clock: NamedClock | undefined,
  days: readonly Weekday[],
  { working_hours }: BusinessSchedule,
  language: AnswerLanguage,
): string | undefined {
  if (!clock || days.length === 0) return undefined;
  const halfDay = 12 * 60;
  const minutes = clock.isOfEither ? [clock.minutes % halfDay, (clock.minutes % halfDay) + halfDay] : [clock.minutes];
  const states = new Set(
    days.flatMap((day) => {
      const spans = working_hours.filter((one) => one.day === day && one.is_open);
      return minutes.map((minute) => spans.some((span) => isWithin(minute, span)));
    }),
  );
  const [isOpen, another] = states;
  if (isOpen === undefined || another !== undefined) return undefined;
  const [hours, rest] = [Math.floor(clock.minutes / 60), String(clock.minutes % 60).padStart(2, '0')];
  const half = clock.isOfEither ? '' : hours < 12 ? ' AM' : ' PM';
  return atClockWords[language](`${hours % 12 || 12}:${rest}${half}`, isOpen);
}

/** Hours that end before they begin go on after midnight. */
function isWithin(minute: number, { open_time, close_time }: BusinessSchedule['working_hours'][number]): boolean {
  const [opens, closes] = [minuteOf(open_time), minuteOf(close_time)];
  return closes > opens ? opens <= minute && minute < closes : minute >= opens || minute < closes;
}

const atClockWords: Record<AnswerLanguage, (time: string, isOpen: boolean) => string> = {
  english: (time, isOpen) => `At ${time} we are ${isOpen ? 'open' : 'closed'}.`,
  hindi: (time, isOpen) => `${time} ${/M$/u.test(time) ? 'पर' : 'बजे'} हम ${isOpen ? 'खुले' : 'बंद'} रहते हैं।`,
  marathi: (time, isOpen) => `${time} वाजता आम्ही ${isOpen ? 'उघडे' : 'बंद'} असतो.`,
};

const weekdayOf = (date: string): Weekday => weekdays[(new Date(date).getUTCDay() + 6) % weekdays.length] ?? 'Monday';

/** The single weekday that a question names. */
function weekdayIn({ needs }: AnalysedQuestion): Weekday | undefined {
  const [only, another] = weekdays.filter((day) => needs.some((need) => isDay(need, day)));
  return another ? undefined : only;
}

const isDay = (need: NeededWord, day: Weekday): boolean => likeness(need, saidIn(day)) >= 0.85;

interface NamedDay {
  readonly day: Weekday;
  /** How it is called: a weekday or a date. */
  readonly name: string;
}

function ofDay({ day, name }: NamedDay, { working_hours }: BusinessSchedule, language: AnswerLanguage): string {
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

const spanWords: Record<AnswerLanguage, (opens: string, closes: string) => string> = {
  english: (opens, closes) => `from ${opens} to ${closes}`,
  hindi: (opens, closes) => `${opens} से ${closes} तक`,
  marathi: (opens, closes) => `${opens} ते ${closes}`,
};

const openOn: Record<AnswerLanguage, (day: string, hours: string) => string> = {
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
function hasOther({ needs }: AnalysedQuestion, subject: Said): boolean {
  return needs.some(
    (need) =>
      need.weight === 1 &&
      !hoursWords.has(need.word) &&
      !ofHouse.has(need.word) &&
      need.concept !== 'OPEN' &&
      need.concept !== 'CLOSE' &&
      !weekdays.some((day) => isDay(need, day)) &&
      likeness(need, subject) === 0,
  );
}

const surelyNamed = 0.85;
/** What notes say of a day beside its name: that it is one, which part of it, and that nobody is there. */
const ofAnyHoliday = fold(
  'day holiday festival closed open leave off the and for half full morning afternoon evening night noon only ' +
    'दिवस दिन छुट्टी सुट्टी बंद चालू खुला दुपारी दुपारनंतर सकाळी संध्याकाळी रात्री सुबह दोपहर शाम रात अर्धा आधा फक्त सिर्फ',
);
/** What a question calls the business itself; some trainings are workshops. */
const ofHouse = fold(
  'workshop mill shop store garage centre center clinic office factory salon school place गिरणी दुकान केंद्र कार्यशाला कारखाना सेंटर ऑफिस',
);

/** Whether a question says at least half of what an exception is called, and nothing else that it could be about. */
function isNamed(note: string, asked: AnalysedQuestion, about: About): boolean {
  return note.split(/[()/,]/u).some((name) => isCalled(name, asked, about));
}

interface About {
  readonly subject: Said;
  /** All words of the question: some exceptions are called by words that say nothing elsewhere. */
  readonly words: readonly string[];
  /** Whether hours are asked for in so many words. */
  readonly isOfHours: boolean;
}

function isCalled(note: string, { needs: all }: AnalysedQuestion, { subject, isOfHours, words }: About): boolean {
  // A fort may sound like a training: only who asks whether something is open means a day that merely sounds so.
  const likenessToName = (need: NeededWord, name: string) => {
    const like = likenessByName(need, name);
    return isOfHours || like >= surelyNamed ? like : 0;
  };
  const needs = all.filter(({ word }) => !ofHouse.has(word));
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

const closedOn: Record<AnswerLanguage, (days: string) => string> = {
  english: (days) => `We are closed on ${days}.`,
  hindi: (days) => `${days} को हम बंद रहते हैं।`,
  marathi: (days) => `${days} आम्ही बंद असतो.`,
};

function closedDays({ working_hours }: BusinessSchedule, language: AnswerLanguage): string | undefined {
  const open = new Set(working_hours.filter(({ is_open }) => is_open).map(({ day }) => day));
  const closed = [...dayNames[language]].flatMap(([day, name]) => (open.has(day) ? [] : [name]));
  return closed.length === 0 || closed.length > 3 ? undefined : closedOn[language](closed.join(', '));
}

const hindi = 'सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार'.split(' ');
const marathi = 'सोमवारी मंगळवारी बुधवारी गुरुवारी शुक्रवारी शनिवारी रविवारी'.split(' ');
const dayNames: Record<AnswerLanguage, ReadonlyMap<Weekday, string>> = {
  english: new Map(weekdays.map((day) => [day, day])),
  hindi: new Map(weekdays.map((day, place) => [day, hindi[place] ?? day])),
  marathi: new Map(weekdays.map((day, place) => [day, marathi[place] ?? day])),
};

function onHoliday({ date, opens, closes, note }: BusinessSchedule['holidays'][number], language: AnswerLanguage): string {
  const day = dateName(date, language);
  return holidayWords[language]({ note, day, hours: opens === '' ? undefined : [clockTime(opens), clockTime(closes)] });
}

function dateName(date: string, language: AnswerLanguage): string {
  const locale = { english: 'en-IN', hindi: 'hi-IN', marathi: 'mr-IN' }[language];
  const fields = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(`${locale}-u-nu-latn`, fields).format(new Date(`${date}T00:00:00Z`));
}

interface HolidaySaid {
  readonly note: string;
  readonly day: string;
  readonly hours: readonly [string, string] | undefined;
}

const holidayWords: Record<AnswerLanguage, (said: HolidaySaid) => string> = {
  english: ({ note, day, hours }) =>
    hours ? `On ${day} (${note}) we are open from ${hours[0]} to ${hours[1]}.` : `We are closed on ${day} (${note}).`,
  hindi: ({ note, day, hours }) =>
    hours ? `${day} (${note}) को हम ${hours[0]} से ${hours[1]} तक खुले हैं।` : `${day} (${note}) को हम बंद हैं।`,
  marathi: ({ note, day, hours }) =>
    hours ? `${day} (${note}) रोजी आम्ही ${hours[0]} ते ${hours[1]} उघडे आहोत.` : `${day} (${note}) रोजी आम्ही बंद आहोत.`,
};
