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
import { likeness, likenessToName as likenessByName, type TextWords, textWords } from '../question/likeness';
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
  readonly analysed: AnalysedQuestion;
  readonly language: AnswerLanguage;
  /** The business's name and kind, which a question may contain without asking about anything else. */
  readonly subject: TextWords;
  /** Whether a word names something that the business offers. */
  readonly isOffered: (need: NeededWord) => boolean;
  /** The question to which this is a follow-up. */
  readonly before?: string | undefined;
}

/** Answers from the business schedule: exceptions by name, days and times asked for, and weekly closed days. */
export function fromSchedule(asking: ScheduleQuestion, schedule: BusinessSchedule): string | undefined {
  const { question, analysed, language, subject, before } = asking;
  const areHoursKnown = schedule.working_hours.length > 0;
  const followed = before === undefined || !areHoursKnown ? undefined : followedOnDay(asking, before, schedule);
  if (followed !== undefined) return followed;
  const time = askedTime(question);
  const date = dateMeant(time, dayOf(new Date(), schedule.timezone));
  const isTimed = date !== undefined || time.clock !== undefined;
  // The schedule has no hours of another business.
  if (namesOtherBusiness(question, subject)) return undefined;
  // A follow-up such as "And on Sunday?" is about the subject of the question before.
  const isOfBefore = before !== undefined && hasOther(askedIn(askedTime(before).rest), subject);
  if (isOfBefore && !wordsOf(question).some((word) => hoursWords.has(word))) return undefined;
  // Words for a month or a time of day cannot be another subject of the question.
  const inTime = isTimed ? askedIn(time.rest) : analysed;
  const isOther = hasOther(inTime, subject);
  const words = wordsOf(question);
  const isOfPresence = comes.test(question) && (isTimed || analysed.wants.has('TIME') || analysed.needs.length > 0) && !isOther;
  // "Three hours of it" states a duration, not opening hours.
  const isOfHours =
    isOfPresence ||
    words.some((word) => hoursWords.has(word) && !(isUnit(word) && analysed.amounts.length > 0)) ||
    analysed.needs.some(({ concept }) => concept === 'OPEN' || concept === 'CLOSE');
  const clocked = { clock: time.clock, isWhether: asksWhetherOpen(question), isNext: thisDay.test(question) };
  const named =
    whichDay.test(question) && date === undefined
      ? undefined
      : schedule.holidays.find(({ note }) =>
          isNamed(note, inTime, { subject, isOfHours: isOfHours || isOfVisit(question), words }),
        );
  const holiday = named ?? exceptionOn(date, { asking, inTime, isOfHours }, schedule);
  if (holiday) return onHoliday(holiday, clocked, language);
  // Whether the question asks only about a date: "What about the 6th?"
  const isOfDateOnly = inTime.needs.every(({ weight }) => weight < dayOnlyMax) && inTime.wants.size === 0;
  const isOfCalendar =
    isOfDateOnly || isOfHours || time.clock !== undefined || (analysed.wants.has('TIME') && /\d/u.test(question));
  const isKnown = areHoursKnown || schedule.holidays.some((one) => one.date === date);
  if (date !== undefined && isOfCalendar && !isOther && isKnown) return onDate(date, clocked, schedule, language);
  if (!areHoursKnown) return undefined;
  // A comparison, such as of durations, does not ask for opening hours.
  if (analysed.isComparing) return undefined;
  // Whether the question names a weekday and nothing else: "Do you work on Mondays?"
  const day = isOther ? undefined : (time.weekday ?? weekdayIn(analysed));
  if (day) return ofComingDay(day, clocked, schedule, language);
  if (isOther || !isOfHours) return undefined;
  if (words.some((word) => holidayWords.has(word)) && !whichDay.test(question) && !analysed.wants.has('PRICE')) {
    const coming = comingHolidays(schedule, language);
    if (coming !== undefined) return coming;
  }
  if (time.clock) return atAnyDay({ ...clocked, clock: time.clock }, schedule, language);
  const isOfPart = partOfDay.test(question) && words.some((word) => hoursWords.has(word)) && !analysed.wants.has('PRICE');
  if (!(whichDay.test(question) || analysed.wants.has('TIME') || isOfPart)) return undefined;
  const isOfClosed = words.some((word) => closedWords.has(word));
  const weekly = weeklyHours(schedule.working_hours.map(openDay), language);
  return isOfClosed ? (closedDays(schedule, language) ?? weekly) : weekly;
}

const dayOnlyMax = 0.3;

const thisDay =
  /\b(?:this|coming|upcoming) (?:\w+day)\b|(?<![\p{L}\p{M}])(?:इस|आने ?वाले|अगले|या|येत्या|ह्या)\s(?:[\p{L}\p{M}]+वार)|\b(?:is|iss|aane wale|ya|yetya)\s\w+v?w?ar\b/iu;

/** Whether Yes would mean that the business is open, and No that it is closed. */
function asksWhetherOpen(question: string): boolean {
  return !asksForSomething(question) && !notSo.test(question) && !wordsOf(question).some((word) => closedWords.has(word));
}

const isOfVisit = (question: string): boolean => comes.test(question) || /\bcome to\b/iu.test(question);

const holidayWords = fold(
  'holiday holidays vacation vacations chhutti chhuttiyan sutti suttya छुट्टी छुट्टियाँ छुट्टियां सुट्टी सुट्ट्या अवकाश',
);
const holidaysTold = 5;

/** The upcoming exceptions, and the weekly closed day. */
function comingHolidays(schedule: BusinessSchedule, language: AnswerLanguage): string | undefined {
  const today = dayOf(new Date(), schedule.timezone);
  const coming = schedule.holidays
    .filter(({ date }) => date >= today)
    .toSorted((one, other) => one.date.localeCompare(other.date))
    .slice(0, holidaysTold);
  if (coming.length === 0) return undefined;
  const sentences = coming.map((one) => onHoliday(one, { clock: undefined, isWhether: false }, language));
  return [...sentences, closedDays(schedule, language)].filter(Boolean).join(' ');
}

type Exception = BusinessSchedule['holidays'][number];
interface OfDate {
  readonly asking: ScheduleQuestion;
  /** The question without its words for time. */
  readonly inTime: AnalysedQuestion;
  readonly isOfHours: boolean;
}

/** Words for the caller or the business. A question with one of them is about the business. */
const ofUs =
  /\b(?:i|we|me|us|my|our|you|your|yours|anybody|anyone|somebody|someone|main|hum|aap\w*|mi|mai|tumh?i|amhi|aamhi)\b|(?<![\p{L}\p{M}])(?:मैं|हम|आप|मुझे|मी|आम्ही|तुम्ही|तुमच|आमच|आपल)/iu;

/**
 * Answers with an exception of the schedule on the date asked for. On a closed day, nothing can be brought or collected either, if the
 * question is about the caller or something on offer. It does not say, for example, whether a train runs.
 */
function exceptionOn(
  date: string | undefined,
  { asking: { question, analysed, subject, isOffered }, inTime, isOfHours }: OfDate,
  { holidays }: BusinessSchedule,
): Exception | undefined {
  const holiday = holidays.find((one) => one.date === date);
  if (!holiday) return undefined;
  const others = othersIn(inTime, subject).filter((need) => likenessByName(need, holiday.note) === 0);
  if (isOfHours && others.length === 0) return holiday;
  const isOfBusiness = ofUs.test(question) || (others.length > 0 && others.every(isOffered));
  const isOfAction = holiday.opens === '' && asksOnlyWhether(question) && !analysed.wants.has('PRICE');
  return isOfBusiness && isOfAction ? holiday : undefined;
}

/** Words for coming or being there, which ask for opening hours. */
const comes =
  /\b(?:come(?! (?:to|for|with|in|back|along)\b)|visit|be there|are you there|available|drop in|aa sak\w*|aana (?:hoga|padega|chahiye)|aau|yeu|yave|yayche)\b|(?<![\p{L}\p{M}])(?:आ सक|आना (?:हो|पड़|चाहि)|आऊँ|आएँ|येऊ|आलो|येता|यावे|यायच)/iu;

/** The hours on a date, on which an exception overrides the weekday. */
function onDate(date: string, clocked: Clocked, schedule: BusinessSchedule, language: AnswerLanguage): string {
  const holiday = schedule.holidays.find((one) => one.date === date);
  if (holiday) return onHoliday(holiday, clocked, language);
  const isAfterHoliday = schedule.holidays.some((one) => daysLater(one.date, 1) === date);
  const night = isAfterHoliday ? undefined : ofEitherNight(weekdayOf(date), clocked, schedule, language);
  return night ?? toldAt(clocked, { day: { date }, spans: spansOn(weekdayOf(date), schedule) }, language);
}

/** Answers "And on Sunday?" after a question about the hours of another day. */
function followedOnDay(asking: ScheduleQuestion, before: string, schedule: BusinessSchedule): string | undefined {
  const { question, subject, language } = asking;
  if (namesOtherBusiness(question, subject) || namesOtherBusiness(before, subject)) return undefined;
  const time = askedTime(question);
  const date = dateMeant(time, dayOf(new Date(), schedule.timezone));
  const day = time.weekday ?? weekdayIn(asking.analysed);
  const isOfHours = wordsOf(before).some((word) => hoursWords.has(word));
  if ((!day && date === undefined) || !isOfHours || hasOther(askedIn(time.rest), subject)) return undefined;
  if (hasOther(askedIn(askedTime(before).rest), subject)) return undefined;
  const clocked = { clock: time.clock, isWhether: asksWhetherOpen(question), isNext: thisDay.test(question) };
  if (date !== undefined) return onDate(date, clocked, schedule, language);
  return day && ofComingDay(day, clocked, schedule, language);
}

/** The usual hours of a weekday, and an exception on either of the next two, since "on Wednesday" may mean either. */
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

/** Whether the business is open at a time on any day, with the hours of the week. */
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

/** The hours of a day, preceded by whether the business is open at the time asked for. */
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

/** Puts whether the business is open at the time asked for before the hours. Only Yes or No is put before a single span of hours. */
function withState(
  state: ClockState,
  clocked: Clocked,
  { hours, language }: { hours: string; language: AnswerLanguage },
): string {
  if (clocked.clock?.bound === undefined) return `${atClock(state, clocked, language)} ${hours}`;
  return clocked.isWhether ? replied(state.isOpen, hours, language) : hours;
}

const weekdayOf = (date: string): Weekday => weekdays[(new Date(date).getUTCDay() + 6) % weekdays.length] ?? 'Monday';

/** The weekday in the question, if there is exactly one. */
function weekdayIn({ needs }: AnalysedQuestion): Weekday | undefined {
  const [only, another] = weekdays.filter((day) => needs.some((need) => isDay(need, day)));
  return another ? undefined : only;
}

const isDay = (need: NeededWord, day: Weekday): boolean => likeness(need, textWords(day)) >= 0.85;

/** Whether the question names another business or institution, such as a bank or school, which does not match this one's name or kind. */
function namesOtherBusiness(question: string, subject: TextWords): boolean {
  return wordsOf(question).some(
    (word) => isBusinessNoun(formsOf(word).stem) && !ownBusinessNouns.has(word) && likeness(needOf(word), subject) === 0,
  );
}

const hasOther = (analysed: AnalysedQuestion, subject: TextWords): boolean => othersIn(analysed, subject).length > 0;

/** The words that name anything other than the business: its library, its doctor. */
function othersIn({ needs }: AnalysedQuestion, subject: TextWords): NeededWord[] {
  return needs.filter(
    (need) =>
      need.weight === 1 &&
      !hoursWords.has(need.word) &&
      !ownBusinessNouns.has(need.word) &&
      !besideDays.has(need.word) &&
      need.concept !== 'OPEN' &&
      need.concept !== 'CLOSE' &&
      !weekdays.some((day) => isDay(need, day)) &&
      likeness(need, subject) === 0,
  );
}

/** Words beside a future day in Hindi and Marathi: "this", "next" and "will be there". */
const besideDays = fold(
  'इस या ह्या येत्या आने वाले वाला अगले होंगे होगा होगी होगे रहेंगे रहेगा रहेगी रहोगे असाल असेल असतील राहील honge hoga hogi rahenge rahega rahegi rahoge asal asel asteel',
);
const surelyNamed = 0.85;
/**
 * Words in notes on exceptions that do not belong to the name: that the day is a holiday, which part of the day, and that the business is
 * closed.
 */
const ofAnyHoliday = fold(
  'day holiday festival closed open leave off the and for half full morning afternoon evening night noon only ' +
    'दिवस दिन छुट्टी सुट्टी बंद चालू खुला दुपारी दुपारनंतर सकाळी संध्याकाळी रात्री सुबह दोपहर शाम रात अर्धा आधा फक्त सिर्फ',
);
/** Words for the business itself. "Workshop" is among them, although some trainings are called workshops. */
const ownBusinessNouns = fold(
  'workshop mill shop store garage centre center company business office branch factory place dukan गिरणी दुकान केंद्र कार्यशाला कारखाना सेंटर ऑफिस कार्यालय दफ़्तर कंपनी शोरूम',
);

/** Whether a question contains at least half of an exception's name, and no other subject. */
function isNamed(note: string, analysed: AnalysedQuestion, about: About): boolean {
  return note.split(/[()/,]/u).some((name) => isCalled(name, analysed, about));
}

interface About {
  readonly subject: TextWords;
  /** All words of the question, because the names of some exceptions consist of unspecific words. */
  readonly words: readonly string[];
  /** Whether the question explicitly asks for hours. */
  readonly isOfHours: boolean;
}

function isCalled(note: string, { needs: all }: AnalysedQuestion, { subject, isOfHours, words }: About): boolean {
  // Words that only sound like the name, as "fort" may sound like a training, count only if the question explicitly asks for hours.
  const likenessToName = (need: NeededWord, name: string) => {
    const like = likenessByName(need, name);
    return isOfHours || like >= surelyNamed ? like : 0;
  };
  const needs = all.filter(({ word }) => !ownBusinessNouns.has(word));
  const telling = wordsOf(note).filter((word) => word.length > 2 && !ofAnyHoliday.has(word));
  // Marathi writes "Gudi Padwa" as one word.
  const joined = telling.join('');
  if (telling.length > 1 && needs.some((need) => likenessToName(need, joined) > 0)) return true;
  const named = telling.filter(
    (word) => (isOfHours && words.includes(word)) || needs.some((need) => need.weight === 1 && likenessToName(need, word) > 0),
  );
  const others = needs.filter(
    (need) => need.weight === 1 && !hoursWords.has(need.word) && !ofAnyHoliday.has(need.word) && likeness(need, subject) === 0,
  );
  const isAllOfNote = others.every((need) => likenessToName(need, note) > 0);
  // "Who is the owner?" does not ask about the day of the owner's wedding.
  const isEnough = isOfHours || named.length === telling.length;
  return named.length > 0 && isEnough && isAllOfNote;
}

/** The weekly closed days, if there are few. */
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
