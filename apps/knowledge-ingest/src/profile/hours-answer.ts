import type { SpeechLanguage } from '@parley/contracts';
import { hoursQuestionOf } from './hours-question';
import { minuteOfWeek, openStateAt, spansOfDay, weekdays, type OpenSpan } from './opening-hours';

export interface Timetable {
  readonly hours: readonly OpenSpan[];
  readonly timeZone: string;
}

type Weekday = (typeof weekdays)[number];

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

/** The answer to a question about opening hours, computed on the clocks of the business; undefined for other questions. */
export function answerHours(
  question: string,
  { hours, timeZone }: Timetable,
  { language, atMs }: { language: SpeechLanguage; atMs: number },
): string | undefined {
  const asked = hoursQuestionOf(question);
  if (!asked || hours.length === 0) return undefined;
  const words = phrases[language];
  if (asked.about === 'now') return nowAnswer({ hours, timeZone }, words, atMs);
  if (asked.about === 'week')
    return [
      nowAnswer({ hours, timeZone }, words, atMs),
      ...weekdays.map((day) => dayAnswer(hours, day, words.day(day), words)),
    ].join(' ');
  if (asked.about === 'day') return dayAnswer(hours, asked.day, words.day(asked.day), words);
  const today = Math.floor(minuteOfWeek(timeZone, atMs) / (24 * 60));
  const day = weekdays[(today + (asked.about === 'tomorrow' ? 1 : 0)) % 7] ?? 'Monday';
  const named = `${words[asked.about]} (${words.day(day)})`;
  return dayAnswer(hours, day, named[0]?.toUpperCase() + named.slice(1), words);
}

function nowAnswer({ hours, timeZone }: Timetable, words: Phrases, atMs: number): string {
  const state = openStateAt(hours, timeZone, atMs);
  if (state.isOpen) return state.isAlwaysOpen ? words.alwaysOpen : words.openUntil(state.closesAt);
  if (!state.opensAt) return words.closed;
  const { day, time, daysAhead } = state.opensAt;
  const named = daysAhead === 0 ? words.today : daysAhead === 1 ? words.tomorrow : words.day(day);
  return words.closedUntil(named, time);
}

function dayAnswer(hours: readonly OpenSpan[], day: Weekday, named: string, words: Phrases): string {
  const spans = spansOfDay(hours, day).map(({ open_time, close_time }) => words.span(open_time, close_time));
  return spans.length > 0 ? words.dayHours(named, spans.join(', ')) : words.dayClosed(named);
}
