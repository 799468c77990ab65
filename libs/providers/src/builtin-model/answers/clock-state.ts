import type { BusinessSchedule } from '@parley/contracts';
import {
  atTime,
  type ClockState,
  hoursOfDay,
  type NamedClock,
  type OpenDay,
  stateAt,
  type Weekday,
  weekdays,
} from '@parley/language';
import type { AnswerLanguage } from './phrases';

/** The time of day that a question asks for, and whether it wants Yes or No. */
export interface Clocked {
  readonly clock: NamedClock | undefined;
  readonly isWhether: boolean;
  /** Whether only the next such weekday is meant: "this Sunday". */
  readonly isNext?: boolean;
}

/** Converts opening hours of the profile. */
export const openDay = ({ day, is_open, open_time, close_time }: BusinessSchedule['working_hours'][number]): OpenDay => ({
  day,
  isOpen: is_open,
  opens: open_time,
  closes: close_time,
});

/** The opening hours of a weekday. */
export const spansOn = (day: Weekday, { working_hours }: BusinessSchedule): OpenDay[] =>
  working_hours.filter((one) => one.day === day && one.is_open).map(openDay);

/**
 * Answers for a time after midnight if the business is open then on the night before the day, but not on the night after it, or the
 * reverse. In English the former is meant; "रात एक बजे" may mean either, so the hours of both are told.
 */
export function ofEitherNight(
  day: Weekday,
  clocked: Clocked,
  schedule: BusinessSchedule,
  language: AnswerLanguage,
): string | undefined {
  const { clock } = clocked;
  if (!clock || clock.isOfEither || clock.bound !== undefined || clock.minutes >= noon) return undefined;
  const before = weekdays.at(weekdays.indexOf(day) - 1) ?? day;
  const [eve, own] = [spansOn(before, schedule), spansOn(day, schedule)];
  // A time at or after midnight belongs to the night only if the hours continue past midnight.
  const isOfNight = (spans: readonly OpenDay[]) => stateAt(clock, spans.filter(goesPastMidnight))?.isOpen === true;
  const isByDay =
    stateAt(
      clock,
      own.filter((span) => !goesPastMidnight(span)),
    )?.isOpen === true;
  if (isByDay || isOfNight(eve) === isOfNight(own)) return undefined;
  const hours = [hoursOfDay({ every: before }, eve, language), hoursOfDay({ every: day }, own, language)].join(' ');
  return language === 'english'
    ? `${atClock({ isOpen: isOfNight(eve), minutes: clock.minutes }, clocked, language)} ${hours}`
    : hours;
}

const noon = 12 * 60;
const goesPastMidnight = ({ opens, closes }: OpenDay): boolean => /pm$/iu.test(opens) && /am$/iu.test(closes);

/** Tells whether the business is open at the time asked for. */
export function atClock({ isOpen, minutes }: ClockState, { isWhether }: Clocked, language: AnswerLanguage): string {
  const hour = Math.floor(minutes / 60);
  const written = `${hour % 12 || 12}:${String(minutes % 60).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
  const sentence = atClockWords[language](atTime(written, language), isOpen);
  return isWhether ? replied(isOpen, sentence, language) : sentence.replace(/^at/u, 'At');
}

const replies: Record<AnswerLanguage, readonly [yes: string, no: string]> = {
  english: ['Yes', 'No'],
  hindi: ['हाँ', 'नहीं'],
  marathi: ['हो', 'नाही'],
};

/** Yes or No, followed by the text. */
export function replied(isSo: boolean, statement: string, language: AnswerLanguage): string {
  const [yes, no] = replies[language];
  return `${isSo ? yes : no}, ${statement.replace(/^(?:We|On)(?= )/u, (word) => word.toLowerCase())}`;
}

const atClockWords: Record<AnswerLanguage, (at: string, isOpen: boolean) => string> = {
  english: (at, isOpen) => `${at} we are ${isOpen ? 'open' : 'closed'}.`,
  hindi: (at, isOpen) => `${at} हम ${isOpen ? 'खुले' : 'बंद'} रहते हैं।`,
  marathi: (at, isOpen) => `${at} आम्ही ${isOpen ? 'उघडे' : 'बंद'} असतो.`,
};
