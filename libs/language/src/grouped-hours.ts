import type { SpeechLanguage } from '@parley/contracts';
import { weekdays } from './asked-time';

/** One span of a weekday, its times as they are written: `09:30 AM`. */
export interface OpenDay {
  readonly day: string;
  readonly isOpen: boolean;
  readonly opens: string;
  readonly closes: string;
}

interface Words {
  readonly days: readonly string[];
  readonly through: string;
  readonly span: (from: string, to: string) => string;
  readonly and: string;
  readonly open: (days: string, spans: string) => string;
  readonly closed: (days: string) => string;
  readonly end: string;
}

const hindiDays = 'सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार'.split(' ');
const words: Record<SpeechLanguage, Words> = {
  english: {
    days: weekdays,
    through: ' to ',
    span: (from, to) => `${from} to ${to}`,
    and: ' and ',
    open: (days, spans) => `${days}, ${spans}`,
    closed: (days) => `closed on ${days}`,
    end: '.',
  },
  hindi: {
    days: hindiDays,
    through: ' से ',
    span: (from, to) => `${from} से ${to} तक`,
    and: ' और ',
    open: (days, spans) => `${days} ${spans}`,
    closed: (days) => `${days} को बंद`,
    end: '।',
  },
  marathi: {
    days: hindiDays.map((day) => day.replace('मंगलवार', 'मंगळवार')),
    through: ' ते ',
    span: (from, to) => `${from} ते ${to}`,
    and: ' आणि ',
    open: (days, spans) => `${days} ${spans}`,
    closed: (days) => `${days} बंद`,
    end: '.',
  },
};

/** A time of the clock as people write it: the hour `09:30 AM` of a timetable is half past nine. */
export function clockTime(time: string): string {
  return time.replace(/^0(?=\d:)/u, '');
}

/** `09:30 PM` of a timetable in minutes since midnight. */
export function minuteOf(time: string): number {
  const [, hours = '0', minutes = '0', half] = /^(\d{1,2}):(\d{2}) (AM|PM)$/u.exec(time) ?? [];
  return (Number(hours) % 12) * 60 + Number(minutes) + (half === 'PM' ? 12 * 60 : 0);
}

/** A weekly timetable as people say it: days of the same hours together, closed days last. `Monday to Saturday, 9:30 AM to 7:00 PM; closed on Sunday.` */
export function groupedHours(hours: readonly OpenDay[], language: SpeechLanguage): string {
  const { days, through, span, and, open, closed, end } = words[language];
  const runs: { first: number; last: number; said: string }[] = [];
  weekdays.forEach((day, place) => {
    const spans = hours.filter((one) => one.day === day && one.isOpen);
    const said = spans.map(({ opens, closes }) => span(clockTime(opens), clockTime(closes))).join(and);
    const run = runs.at(-1);
    if (run && run.said === said && run.last === place - 1) run.last = place;
    else runs.push({ first: place, last: place, said });
  });
  const named = ({ first, last }: { first: number; last: number }): string => {
    const [from = '', to = ''] = [days[first], days[last]];
    return first === last ? from : last === first + 1 ? `${from}${and}${to}` : `${from}${through}${to}`;
  };
  const bySpans = Map.groupBy(
    runs.filter(({ said }) => said !== ''),
    ({ said }) => said,
  );
  const opened = [...bySpans].map(([spans, of]) => open(of.map(named).join(and), spans));
  const shut = runs.filter(({ said }) => said === '').map(named);
  return `${[...opened, ...(shut.length > 0 ? [closed(shut.join(and))] : [])].join('; ')}${end}`;
}
