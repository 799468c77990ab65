import type { SpeechLanguage } from '@parley/contracts';
import { type NamedClock, type Weekday, weekdays } from './asked-time';

/** One span of a weekday, with times such as `09:30 AM`. */
export interface OpenDay {
  readonly day: string;
  readonly isOpen: boolean;
  readonly opens: string;
  readonly closes: string;
}

type Span = Pick<OpenDay, 'opens' | 'closes'>;

/** A day in a sentence: every such weekday, a date with the note of its exception, or today. */
export type SaidDay =
  | { readonly every: Weekday }
  | { readonly date: string; readonly note?: string }
  | { readonly near: 'today' | 'tomorrow'; readonly weekday: Weekday };

interface Words {
  readonly days: readonly string[];
  readonly through: string;
  readonly span: (from: string, to: string) => string;
  readonly and: string;
  readonly open: (days: string, spans: string) => string;
  readonly closed: (days: string) => string;
  readonly end: string;
  /** The hours of a whole week as one sentence. */
  readonly week: (open: string, closed: string) => string;
  readonly near: Record<'today' | 'tomorrow', string>;
  readonly locale: string;
  /** The words for the parts of a day; absent in English, which uses AM and PM. */
  readonly parts: readonly [night: string, morning: string, noon: string, evening: string] | undefined;
  readonly at: (time: string) => string;
  readonly opened: (day: Named, spans: string) => string;
  readonly shut: (day: Named) => string;
}

/** The name of a day, and whether every such weekday is meant. */
interface Named {
  readonly name: string;
  readonly isEvery: boolean;
  readonly isNear: boolean;
}

const hindiDays = 'सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार'.split(' ');
const marathiDays = hindiDays.map((day) => day.replace('मंगलवार', 'मंगळवार'));
/** "On Sundays", for which Marathi has a case ending. */
const onEvery: Record<SpeechLanguage, (day: string) => string> = {
  english: (day) => `On ${day}s`,
  hindi: (day) => `${day} को`,
  marathi: (day) => `${day}ी`,
};

const words: Record<SpeechLanguage, Words> = {
  english: {
    days: weekdays,
    through: ' to ',
    span: (from, to) => `${from} to ${to}`,
    and: ' and ',
    open: (days, spans) => `${days}, ${spans}`,
    closed: (days) => `closed on ${days}`,
    end: '.',
    week: (open, closed) => `We are open ${open}${closed && `; ${closed}`}.`,
    near: { today: 'Today', tomorrow: 'Tomorrow' },
    locale: 'en-IN',
    parts: undefined,
    at: (time) => `at ${time}`,
    opened: ({ name, isEvery, isNear }, spans) => `${isEvery || isNear ? name : `On ${name}`} we are open from ${spans}.`,
    shut: ({ name, isEvery, isNear }) => (isEvery || isNear ? `${name} we are closed.` : `We are closed on ${name}.`),
  },
  hindi: {
    days: hindiDays,
    through: ' से ',
    span: (from, to) => `${from} बजे से ${to} बजे तक`,
    and: ' और ',
    open: (days, spans) => `${days} ${spans}`,
    closed: (days) => `${days} को बंद`,
    end: '।',
    week: (open, closed) => `हम ${open} खुले रहते हैं${closed && `; ${closed} रहते हैं`}।`,
    near: { today: 'आज', tomorrow: 'कल' },
    locale: 'hi-IN',
    parts: ['रात', 'सुबह', 'दोपहर', 'शाम'],
    at: (time) => `${time} बजे`,
    opened: ({ name, isEvery, isNear }, spans) =>
      `${isEvery || isNear ? name : `${name} को`} हम ${spans} खुले ${isEvery ? 'रहते ' : ''}हैं।`,
    shut: ({ name, isEvery, isNear }) => `${isEvery || isNear ? name : `${name} को`} हम बंद ${isEvery ? 'रहते ' : ''}हैं।`,
  },
  marathi: {
    days: marathiDays,
    through: ' ते ',
    span: (from, to) => `${from} ते ${to} पर्यंत`,
    and: ' आणि ',
    open: (days, spans) => `${days} ${spans}`,
    closed: (days) => `${days} बंद`,
    end: '.',
    week: (open, closed) => `आम्ही ${open} उघडे असतो${closed && `; ${closed} असतो`}.`,
    near: { today: 'आज', tomorrow: 'उद्या' },
    locale: 'mr-IN',
    parts: ['रात्री', 'सकाळी', 'दुपारी', 'संध्याकाळी'],
    at: (time) => `${time} वाजता`,
    opened: ({ name, isEvery, isNear }, spans) =>
      `${isEvery || isNear ? name : `${name} रोजी`} आम्ही ${spans} उघडे ${isEvery ? 'असतो' : 'आहोत'}.`,
    shut: ({ name, isEvery, isNear }) => `${isEvery || isNear ? name : `${name} रोजी`} आम्ही बंद ${isEvery ? 'असतो' : 'आहोत'}.`,
  },
};

const minutesPerHour = 60;
const [dawn, noon, evening, night] = [4, 12, 16, 20];

/**
 * A time as people say it: `09:30 AM` of a timetable becomes `9:30 AM`, `सुबह 9:30` or `सकाळी 9:30`, and `02:00 PM` becomes `दोपहर 2`.
 */
export function clockTime(time: string, language: SpeechLanguage): string {
  const { parts } = words[language];
  if (!parts || !/^\d{1,2}:\d{2} [AP]M$/u.test(time)) return time.replace(/^0(?=\d:)/u, '');
  const minutes = minuteOf(time);
  const hour = Math.floor(minutes / minutesPerHour);
  const part = hour < dawn || hour >= night ? parts[0] : hour < noon ? parts[1] : hour < evening ? parts[2] : parts[3];
  const rest = minutes % minutesPerHour;
  return `${part} ${hour % noon || noon}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** A time with its preposition: `at 2:00 PM`, `दोपहर 2 बजे`. */
export function atTime(time: string, language: SpeechLanguage): string {
  return words[language].at(clockTime(time, language));
}

/** A time such as `09:30 PM` in minutes since midnight. */
export function minuteOf(time: string): number {
  const [, hours = '0', minutes = '0', half] = /^(\d{1,2}):(\d{2}) (AM|PM)$/u.exec(time) ?? [];
  return (Number(hours) % 12) * minutesPerHour + Number(minutes) + (half === 'PM' ? 12 * minutesPerHour : 0);
}

function spansOf(spans: readonly Span[], language: SpeechLanguage, between = words[language].and): string {
  const { span } = words[language];
  return spans.map(({ opens, closes }) => span(clockTime(opens, language), clockTime(closes, language))).join(between);
}

/** Lists things: "a, b and c". */
export function listed(things: readonly string[], between: string): string {
  return things.length <= 1 ? (things[0] ?? '') : `${things.slice(0, -1).join(', ')}${between}${things.at(-1) ?? ''}`;
}

/** A sentence about the hours of a day. */
export function hoursOfDay(day: SaidDay, spans: readonly Span[], language: SpeechLanguage): string {
  const { opened, shut } = words[language];
  const name = nameOf(day, language);
  const called = { name, isEvery: 'every' in day, isNear: 'near' in day };
  return spans.length > 0 ? opened(called, spansOf(spans, language, andFrom[language])) : shut(called);
}

/** What joins two spans of a day: "from seven to eleven and from three to six". */
const andFrom: Record<SpeechLanguage, string> = { english: ' and from ', hindi: ' और ', marathi: ' आणि ' };

function nameOf(day: SaidDay, language: SpeechLanguage): string {
  const { days, near, locale } = words[language];
  const dayName = (one: Weekday) => days[weekdays.indexOf(one)] ?? one;
  if ('every' in day) return onEvery[language](dayName(day.every));
  if ('near' in day) return `${near[day.near]} (${dayName(day.weekday)})`;
  const fields = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  const written = new Intl.DateTimeFormat(`${locale}-u-nu-latn`, fields).format(new Date(`${day.date}T00:00:00Z`));
  return day.note ? `${written} (${day.note})` : written;
}

/** Groups days with the same hours, and the closed days. */
function groupsOf(hours: readonly OpenDay[], language: SpeechLanguage) {
  const { days, through, and, open, closed } = words[language];
  const runs: { first: number; last: number; spans: string }[] = [];
  weekdays.forEach((day, place) => {
    const spokenSpans = spansOf(
      hours.filter((one) => one.day === day && one.isOpen),
      language,
    );
    const run = runs.at(-1);
    if (run && run.spans === spokenSpans && run.last === place - 1) run.last = place;
    else runs.push({ first: place, last: place, spans: spokenSpans });
  });
  const namesOf = ({ first, last }: { first: number; last: number }): string[] => {
    const [from = '', to = ''] = [days[first], days[last]];
    return first === last ? [from] : last === first + 1 ? [from, to] : [`${from}${through}${to}`];
  };
  const bySpans = Map.groupBy(
    runs.filter(({ spans }) => spans !== ''),
    ({ spans }) => spans,
  );
  const opened = [...bySpans].map(([spans, of]) => open(listed(of.flatMap(namesOf), and), spans));
  const shut = runs.filter(({ spans }) => spans === '').flatMap(namesOf);
  return { opened: opened.join('; '), closed: shut.length > 0 ? closed(listed(shut, and)) : '' };
}

/** A concise weekly timetable, closed days last: `Monday to Saturday, 9:30 AM to 7:00 PM; closed on Sunday.` */
export function groupedHours(hours: readonly OpenDay[], language: SpeechLanguage): string {
  const { opened, closed } = groupsOf(hours, language);
  return `${[opened, closed].filter(Boolean).join('; ')}${words[language].end}`;
}

/** The same as a full sentence. */
export function weeklyHours(hours: readonly OpenDay[], language: SpeechLanguage): string {
  const { opened, closed } = groupsOf(hours, language);
  return opened === '' ? groupedHours(hours, language) : words[language].week(opened, closed);
}

/** Whether the business is open at an hour, and which of two possible hours is meant. */
export interface ClockState {
  readonly isOpen: boolean;
  readonly minutes: number;
}

const halfDay = 12 * 60;
const wholeDay = 2 * halfDay;
/** The earliest hour that a bare "at seven" can mean, since nobody asks about the night that way. */
const earliestBare = 7 * 60;

/** Whether the business is open at an hour; undefined if that differs between morning and evening. */
export function stateAt(clock: NamedClock, spans: readonly OpenDay[]): ClockState | undefined {
  const isOpenAt = (minute: number) => spans.some((span) => isWithin((minute + wholeDay) % wholeDay, span));
  const { minutes, isOfEither, bound, end } = clock;
  if (bound === 'until') return { isOpen: isOpenAt(endMeant(clock, spans) - 1), minutes };
  if (bound === 'from')
    return { isOpen: isOpenAt(beginningMeant(clock, spans)) && (!end || isOpenAt(endMeant(end, spans) - 1)), minutes };
  if (!isOfEither) return { isOpen: isOpenAt(minutes), minutes };
  const [early, late] = [minutes % halfDay, (minutes % halfDay) + halfDay];
  if (isOpenAt(early) === isOpenAt(late)) return { isOpen: isOpenAt(late), minutes: early < earliestBare ? late : early };
  return !isOpenAt(early) && early < earliestBare ? { isOpen: true, minutes: late } : undefined;
}

type Hour = Pick<NamedClock, 'minutes' | 'isOfEither'>;

/** Resolves an ambiguous end: "until nine" is nine in the evening if that is when a span ends. */
function endMeant({ minutes, isOfEither }: Hour, spans: readonly OpenDay[]): number {
  const early = minutes % halfDay;
  if (!isOfEither) return minutes;
  const isOurs = (minute: number) => spans.some(({ closes }) => minuteOf(closes) === minute);
  return isOurs(early) && !isOurs(early + halfDay) ? early : early + halfDay;
}

/** Resolves an ambiguous beginning: "from eight" is the morning, unless a span begins in the evening. */
function beginningMeant({ minutes, isOfEither }: Hour, spans: readonly OpenDay[]): number {
  const early = minutes % halfDay;
  const isLate = early === 0 || spans.every(({ opens }) => minuteOf(opens) >= halfDay);
  return isOfEither && isLate ? early + halfDay : isOfEither ? early : minutes;
}

/** Whether a time is within a span; one that ends before it begins continues after midnight. */
function isWithin(minute: number, { opens: from, closes: to }: OpenDay): boolean {
  const [opens, closes] = [minuteOf(from), minuteOf(to)];
  return closes > opens ? opens <= minute && minute < closes : minute >= opens || minute < closes;
}
