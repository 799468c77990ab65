import type { SpeechLanguage } from '@parley/contracts';
import {
  type AskedTime,
  atTime,
  clockTime,
  dateMeant,
  hoursOfDay,
  type OpenDay,
  type Weekday,
  weekdays,
  weeklyHours,
} from '@parley/language';
import { dateOf, minuteOfWeek, openStateAt, spansOfDay, weekdayOf, type OpenSpan, type Holiday } from '../profile/opening-hours';
import type { HoursQuestion } from './table-questions';

interface Timetable {
  readonly hours: readonly OpenSpan[];
  readonly timeZone: string;
  readonly holidays?: readonly Holiday[];
}

interface HoursPhrases {
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

const phrases: Record<SpeechLanguage, HoursPhrases> = {
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
 * Answers a question about opening hours, computed in the business's time zone; undefined if an exception in the next days may
 * affect the answer.
 */
export function answerHours(
  asked: HoursQuestion,
  { hours, timeZone, holidays = [] }: Timetable,
  { language, atMs }: { language: SpeechLanguage; atMs: number },
): string | undefined {
  if (hours.length === 0) return undefined;
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

/** The hours of a date, with the note if it is an exception. */
function dateAnswer(
  time: AskedTime,
  { hours, timeZone, holidays }: Dated,
  { language, atMs }: { language: SpeechLanguage; atMs: number },
): string | undefined {
  const today = dateOf(timeZone, atMs);
  const date = dateMeant(time, today);
  // The timetable is the current one, and exceptions for other years have not been entered yet.
  if (date === undefined || date < today || date > dateOf(timeZone, atMs, daysKnownMax)) return undefined;
  const holiday = holidays.find((one) => one.date === date);
  const note = holiday?.note ?? '';
  return hoursOfDay({ date, note }, hoursOn(hours, weekdayOf(date), holiday), language);
}

/** The spans of a weekday, or of the exception on that date. */
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
