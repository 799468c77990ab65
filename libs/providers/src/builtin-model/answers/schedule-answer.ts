import type { BusinessSchedule } from '@parley/contracts';
import {
  askedTime,
  type ClockState,
  dateMeant,
  foldSpelling,
  formsOf,
  hoursOfDay,
  isBusinessNoun,
  isUnit,
  type NamedClock,
  type OpenDay,
  type SaidDay,
  stateAt,
  type Weekday,
  weekdays,
  weeklyHours,
  wordsOf,
} from '@parley/language';
import { dayOf, daysBetween, daysLater } from '@parley/service-kit';
import { likeness, likenessToName as likenessByName, type Said, saidIn } from '../question/likeness';
import { type AnalysedQuestion, askedIn, asksForSomething, asksOnlyWhether, type NeededWord, needOf } from '../question/needs';
import { atClock, type Clocked, ofEitherNight, openDay, replied, spansOn } from './clock-state';
import type { AnswerLanguage } from './phrases';
import { notSo } from './statement-answer';

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
  /** Whether a word names something that the business has. */
  readonly isOffered: (need: NeededWord) => boolean;
  /** The question that this one goes on with. */
  readonly before?: string | undefined;
}

/** What the timetable answers: exceptions by their name, days and hours that are asked for, and which days are closed. */
export function fromSchedule(asking: ScheduleQuestion, schedule: BusinessSchedule): string | undefined {
  const { question, asked, language, subject, before } = asking;
  const followed = before === undefined ? undefined : followedOnDay(asking, before, schedule);
  if (followed !== undefined) return followed;
  const time = askedTime(question);
  const date = dateMeant(time, dayOf(new Date(), schedule.timezone));
  const isTimed = date !== undefined || time.clock !== undefined;
  // The hours of another house are not ours, whichever day it is.
  if (namesOtherHouse(question, subject)) return undefined;
  // "And on Sunday?" goes on with what was asked about before.
  const isOfBefore = before !== undefined && hasOther(askedIn(askedTime(before).rest), subject);
  if (isOfBefore && !wordsOf(question).some((word) => hoursWords.has(word))) return undefined;
  // A month or an hour is nothing else that the question could be about.
  const inTime = isTimed ? askedIn(time.rest) : asked;
  const isOther = hasOther(inTime, subject);
  const words = wordsOf(question);
  const isOfPresence = comes.test(question) && (isTimed || asked.wants.has('TIME') || asked.needs.length > 0) && !isOther;
  // "Three hours of it" counts hours.
  const isOfHours =
    isOfPresence ||
    words.some((word) => hoursWords.has(word) && !(isUnit(word) && asked.amounts.length > 0)) ||
    asked.needs.some(({ concept }) => concept === 'OPEN' || concept === 'CLOSE');
  const clocked = { clock: time.clock, isWhether: asksWhetherOpen(question), isNext: thisDay.test(question) };
  const named =
    whichDay.test(question) && date === undefined
      ? undefined
      : schedule.holidays.find(({ note }) =>
          isNamed(note, inTime, { subject, isOfHours: isOfHours || isOfVisit(question), words }),
        );
  const holiday = named ?? exceptionOn(date, { asking, inTime, isOfHours }, schedule);
  if (holiday) return onHoliday(holiday, clocked, language);
  // "What about the 6th?" asks for nothing but the day.
  const isOfDateOnly = inTime.needs.every(({ weight }) => weight < dayOnlyMax) && inTime.wants.size === 0;
  const isOfCalendar = isOfDateOnly || isOfHours || time.clock !== undefined || (asked.wants.has('TIME') && /\d/u.test(question));
  if (date !== undefined && isOfCalendar && !isOther) return onDate(date, clocked, schedule, language);
  // What takes the most time is no hour of the day.
  if (asked.isComparing) return undefined;
  // "Do you work on Mondays?" speaks of nothing but the day.
  const day = isOther ? undefined : (time.weekday ?? weekdayIn(asked));
  if (day) return ofComingDay(day, clocked, schedule, language);
  if (isOther || !isOfHours) return undefined;
  if (words.some((word) => holidayWords.has(word)) && !whichDay.test(question) && !asked.wants.has('PRICE')) {
    const coming = comingHolidays(schedule, language);
    if (coming !== undefined) return coming;
  }
  if (time.clock) return atAnyDay({ ...clocked, clock: time.clock }, schedule, language);
  const isOfPart = partOfDay.test(question) && words.some((word) => hoursWords.has(word)) && !asked.wants.has('PRICE');
  if (!(whichDay.test(question) || asked.wants.has('TIME') || isOfPart)) return undefined;
  const isOfClosed = words.some((word) => closedWords.has(word));
  const weekly = weeklyHours(schedule.working_hours.map(openDay), language);
  return isOfClosed ? (closedDays(schedule, language) ?? weekly) : weekly;
}

const dayOnlyMax = 0.3;

const thisDay =
  /\b(?:this|coming|upcoming) (?:\w+day)\b|(?<![\p{L}\p{M}])(?:इस|आने ?वाले|अगले|या|येत्या|ह्या)\s(?:[\p{L}\p{M}]+वार)|\b(?:is|iss|aane wale|ya|yetya)\s\w+v?w?ar\b/iu;

/** Whether a question is answered by Yes where somebody is there, and by No where nobody is. */
function asksWhetherOpen(question: string): boolean {
  return !asksForSomething(question) && !notSo.test(question) && !wordsOf(question).some((word) => closedWords.has(word));
}

const isOfVisit = (question: string): boolean => comes.test(question) || /\bcome to\b/iu.test(question);

const holidayWords = fold(
  'holiday holidays vacation vacations chhutti chhuttiyan sutti suttya छुट्टी छुट्टियाँ छुट्टियां सुट्टी सुट्ट्या अवकाश',
);
const holidaysTold = 5;

/** The exceptions to come, and the weekly closed day. */
function comingHolidays(schedule: BusinessSchedule, language: AnswerLanguage): string | undefined {
  const today = dayOf(new Date(), schedule.timezone);
  const coming = schedule.holidays
    .filter(({ date }) => date >= today)
    .toSorted((one, other) => one.date.localeCompare(other.date))
    .slice(0, holidaysTold);
  if (coming.length === 0) return undefined;
  const told = coming.map((one) => onHoliday(one, { clock: undefined, isWhether: false }, language));
  return [...told, closedDays(schedule, language)].filter(Boolean).join(' ');
}

type Exception = BusinessSchedule['holidays'][number];
interface OfDate {
  readonly asking: ScheduleQuestion;
  /** What is asked beside the time. */
  readonly inTime: AnalysedQuestion;
  readonly isOfHours: boolean;
}

/** Who asks something of the business speaks of himself or of it. */
const ofUs =
  /\b(?:i|we|me|us|my|our|you|your|yours|anybody|anyone|somebody|someone|main|hum|aap\w*|mi|mai|tumh?i|amhi|aamhi)\b|(?<![\p{L}\p{M}])(?:मैं|हम|आप|मुझे|मी|आम्ही|तुम्ही|तुमच|आमच|आपल)/iu;

/**
 * The exception of a date that is asked for. On a day on which nobody is there nothing can be brought or collected either, by the
 * caller or of what is on offer; what a train does on it is not known.
 */
function exceptionOn(
  date: string | undefined,
  { asking: { question, asked, subject, isOffered }, inTime, isOfHours }: OfDate,
  { holidays }: BusinessSchedule,
): Exception | undefined {
  const holiday = holidays.find((one) => one.date === date);
  if (!holiday) return undefined;
  const others = othersIn(inTime, subject).filter((need) => likenessByName(need, holiday.note) === 0);
  if (isOfHours && others.length === 0) return holiday;
  const isOfBusiness = ofUs.test(question) || (others.length > 0 && others.every(isOffered));
  const isOfDeed = holiday.opens === '' && asksOnlyWhether(question) && !asked.wants.has('PRICE');
  return isOfBusiness && isOfDeed ? holiday : undefined;
}

/** ScheduleQuestion when to come, or when a person is there, asks for the hours. */
const comes =
  /\b(?:come(?! (?:to|for|with|in|back|along)\b)|visit|be there|are you there|available|drop in|aa sak\w*|aana (?:hoga|padega|chahiye)|aau|yeu|yave|yayche)\b|(?<![\p{L}\p{M}])(?:आ सक|आना (?:हो|पड़|चाहि)|आऊँ|आएँ|येऊ|आलो|येता|यावे|यायच)/iu;

/** The hours of a day by the business's calendar, where an exception overrides the weekday. */
function onDate(date: string, clocked: Clocked, schedule: BusinessSchedule, language: AnswerLanguage): string {
  const holiday = schedule.holidays.find((one) => one.date === date);
  if (holiday) return onHoliday(holiday, clocked, language);
  const isAfterHoliday = schedule.holidays.some((one) => daysLater(one.date, 1) === date);
  const night = isAfterHoliday ? undefined : ofEitherNight(weekdayOf(date), clocked, schedule, language);
  return night ?? toldAt(clocked, { day: { date }, spans: spansOn(weekdayOf(date), schedule) }, language);
}

/** "And on Sunday?", after a question for the hours of another day. */
function followedOnDay(asking: ScheduleQuestion, before: string, schedule: BusinessSchedule): string | undefined {
  const { question, subject, language } = asking;
  if (namesOtherHouse(question, subject) || namesOtherHouse(before, subject)) return undefined;
  const time = askedTime(question);
  const date = dateMeant(time, dayOf(new Date(), schedule.timezone));
  const day = time.weekday ?? weekdayIn(asking.asked);
  const isOfHours = wordsOf(before).some((word) => hoursWords.has(word));
  if ((!day && date === undefined) || !isOfHours || hasOther(askedIn(time.rest), subject)) return undefined;
  if (hasOther(askedIn(askedTime(before).rest), subject)) return undefined;
  const clocked = { clock: time.clock, isWhether: asksWhetherOpen(question), isNext: thisDay.test(question) };
  if (date !== undefined) return onDate(date, clocked, schedule, language);
  return day && ofComingDay(day, clocked, schedule, language);
}

/** The usual hours of a weekday, and the exception on the next two of them: "on Wednesday" may mean either. */
function ofComingDay(day: Weekday, clocked: Clocked, schedule: BusinessSchedule, language: AnswerLanguage): string {
  const from = dayOf(new Date(), schedule.timezone);
  const next = daysBetween(from, daysLater(from, daysComing - 1)).filter((date) => weekdayOf(date) === day);
  if (clocked.isNext && next[0] !== undefined) return onDate(next[0], clocked, schedule, language);
  const [coming] = next.flatMap((date) => schedule.holidays.filter((one) => one.date === date));
  const usual =
    ofEitherNight(day, clocked, schedule, language) ??
    toldAt(clocked, { day: { every: day }, spans: spansOn(day, schedule) }, language);
  return coming ? `${onHoliday(coming, { ...clocked, isWhether: false }, language)} ${usual}` : usual;
}

const daysComing = 14;

/** Whether somebody is there at an hour of any day, with the hours of the week. */
function atAnyDay(clocked: Clocked & { clock: NamedClock }, schedule: BusinessSchedule, language: AnswerLanguage): string {
  const open = schedule.working_hours.filter(({ is_open }) => is_open);
  const states = weekdays
    .map((day) => open.filter((one) => one.day === day).map(openDay))
    .filter((spans) => spans.length > 0)
    .map((spans) => stateAt(clocked.clock, spans));
  const [state] = states;
  const isSame = states.every((one) => one?.isOpen === state?.isOpen);
  const hours = weeklyHours(schedule.working_hours.map(openDay), language);
  const weekly = state && isSame ? withState(state, clocked, { hours, language }) : hours;
  const today = schedule.holidays.find(({ date }) => date === dayOf(new Date(), schedule.timezone));
  return [today && onHoliday(today, { ...clocked, isWhether: false }, language), weekly].filter(Boolean).join(' ');
}

/** The hours of a day, and before them whether somebody is there at the time that is asked for. */
function toldAt(
  clocked: Clocked,
  { day, spans }: { readonly day: SaidDay; readonly spans: readonly OpenDay[] },
  language: AnswerLanguage,
): string {
  const hours = hoursOfDay(day, spans, language);
  if (!clocked.clock) return hours;
  if (spans.length === 0) return clocked.isWhether ? replied(false, hours, language) : hours;
  const state = stateAt(clocked.clock, spans);
  return state ? withState(state, clocked, { hours, language }) : hours;
}

/** Hours behind the state at the hour that is asked for. A span needs no more than Yes or No before them. */
function withState(
  state: ClockState,
  clocked: Clocked,
  { hours, language }: { hours: string; language: AnswerLanguage },
): string {
  if (clocked.clock?.bound === undefined) return `${atClock(state, clocked, language)} ${hours}`;
  return clocked.isWhether ? replied(state.isOpen, hours, language) : hours;
}

const weekdayOf = (date: string): Weekday => weekdays[(new Date(date).getUTCDay() + 6) % weekdays.length] ?? 'Monday';

/** The single weekday that a question names. */
function weekdayIn({ needs }: AnalysedQuestion): Weekday | undefined {
  const [only, another] = weekdays.filter((day) => needs.some((need) => isDay(need, day)));
  return another ? undefined : only;
}

const isDay = (need: NeededWord, day: Weekday): boolean => likeness(need, saidIn(day)) >= 0.85;

/** Another house than this one: a bank, the school. It is this one if its own name or kind says so. */
function namesOtherHouse(question: string, subject: Said): boolean {
  return wordsOf(question).some(
    (word) => isBusinessNoun(formsOf(word).stem) && !ofHouse.has(word) && likeness(needOf(word), subject) === 0,
  );
}

const hasOther = (asked: AnalysedQuestion, subject: Said): boolean => othersIn(asked, subject).length > 0;

/** Other things than the business: its library, its doctor. */
function othersIn({ needs }: AnalysedQuestion, subject: Said): NeededWord[] {
  return needs.filter(
    (need) =>
      need.weight === 1 &&
      !hoursWords.has(need.word) &&
      !ofHouse.has(need.word) &&
      !besideDays.has(need.word) &&
      need.concept !== 'OPEN' &&
      need.concept !== 'CLOSE' &&
      !weekdays.some((day) => isDay(need, day)) &&
      likeness(need, subject) === 0,
  );
}

/** What Hindi and Marathi say of a day to come beside its name: this one, the next, and that somebody will be there. */
const besideDays = fold(
  'इस या ह्या येत्या आने वाले वाला अगले होंगे होगा होगी होगे रहेंगे रहेगा रहेगी रहोगे असाल असेल असतील राहील honge hoga hogi rahenge rahega rahegi rahoge asal asel asteel',
);
const surelyNamed = 0.85;
/** What notes say of a day beside its name: that it is one, which part of it, and that nobody is there. */
const ofAnyHoliday = fold(
  'day holiday festival closed open leave off the and for half full morning afternoon evening night noon only ' +
    'दिवस दिन छुट्टी सुट्टी बंद चालू खुला दुपारी दुपारनंतर सकाळी संध्याकाळी रात्री सुबह दोपहर शाम रात अर्धा आधा फक्त सिर्फ',
);
/** What a question calls the business itself; some trainings are workshops. */
const ofHouse = fold(
  'workshop mill shop store garage centre center company business office branch factory place dukan गिरणी दुकान केंद्र कार्यशाला कारखाना सेंटर ऑफिस कार्यालय दफ़्तर कंपनी शोरूम',
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

/** The weekly closed days, where they are few. */
function closedDays({ working_hours }: BusinessSchedule, language: AnswerLanguage): string | undefined {
  const open = new Set(working_hours.filter(({ is_open }) => is_open).map(({ day }) => day));
  const closed = weekdays.filter((day) => !open.has(day));
  if (closed.length === 0 || closed.length > 3) return undefined;
  return closed.map((every) => hoursOfDay({ every }, [], language)).join(' ');
}

function onHoliday({ date, opens, closes, note }: Exception, clocked: Clocked, language: AnswerLanguage): string {
  const spans = opens === '' ? [] : [{ day: '', isOpen: true, opens, closes }];
  return toldAt(clocked, { day: { date, note }, spans }, language);
}
