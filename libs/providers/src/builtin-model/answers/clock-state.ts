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

/** A time that is asked for, and whether a Yes or a No is wanted. */
export interface Clocked {
  readonly clock: NamedClock | undefined;
  readonly isWhether: boolean;
  /** Whether a weekday is the next one: "this Sunday". */
  readonly isNext?: boolean;
}

/** A span of the profile as the hours are told. */
export const openDay = ({ day, is_open, open_time, close_time }: BusinessSchedule['working_hours'][number]): OpenDay => ({
  day,
  isOpen: is_open,
  opens: open_time,
  closes: close_time,
});

/** The hours of a weekday. */
export const spansOn = (day: Weekday, { working_hours }: BusinessSchedule): OpenDay[] =>
  working_hours.filter((one) => one.day === day && one.is_open).map(openDay);

/**
 * An hour after midnight of a day, where the night before it and the night that it begins differ: English means the first, and "रात एक
 * बजे" may mean either, so both are told.
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
  // Midnight and what is before the next opening is of the night only where the hours go on after it.
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

/** Whether somebody is there at a time that is asked for. */
export function atClock({ isOpen, minutes }: ClockState, { isWhether }: Clocked, language: AnswerLanguage): string {
  const hour = Math.floor(minutes / 60);
  const written = `${hour % 12 || 12}:${String(minutes % 60).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
  const said = atClockWords[language](atTime(written, language), isOpen);
  return isWhether ? replied(isOpen, said, language) : said.replace(/^at/u, 'At');
}

const replies: Record<AnswerLanguage, readonly [yes: string, no: string]> = {
  english: ['Yes', 'No'],
  hindi: ['हाँ', 'नहीं'],
  marathi: ['हो', 'नाही'],
};

/** Yes or No, with what is said on it. */
export function replied(isSo: boolean, said: string, language: AnswerLanguage): string {
  const [yes, no] = replies[language];
  return `${isSo ? yes : no}, ${said.replace(/^(?:We|On)(?= )/u, (word) => word.toLowerCase())}`;
}

const atClockWords: Record<AnswerLanguage, (at: string, isOpen: boolean) => string> = {
  english: (at, isOpen) => `${at} we are ${isOpen ? 'open' : 'closed'}.`,
  hindi: (at, isOpen) => `${at} हम ${isOpen ? 'खुले' : 'बंद'} रहते हैं।`,
  marathi: (at, isOpen) => `${at} आम्ही ${isOpen ? 'उघडे' : 'बंद'} असतो.`,
};
