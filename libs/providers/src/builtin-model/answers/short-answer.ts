import type { Asked } from '../question/needs';
import { type Language, listed, named, phrases } from './phrases';

const numbers: Readonly<Record<string, string>> = {
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  twelve: '12',
  fifteen: '15',
  twenty: '20',
  thirty: '30',
  forty: '40',
  fifty: '50',
  एक: '1',
  दो: '2',
  तीन: '3',
};
const counted = new RegExp(
  `(?<![\\p{L}\\d.,])(\\d+(?:[.,]\\d+)*|${Object.keys(numbers).join('|')})(?:\\s?(?:[-–]|to)\\s?(\\d+))? (?:\\p{L}+ )?(minute|hour|day|week|month|year|percent)s?(?![\\p{L}])`,
  'giu',
);
const amount = /(?:₹|Rs\.?)\s?\d+(?:,\d+)*(?:\.\d+)?/gu;
const weekday = /(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day/gu;
const weekdays: Readonly<Record<string, readonly [hindi: string, marathi: string]>> = {
  Monday: ['सोमवार', 'सोमवार'],
  Tuesday: ['मंगलवार', 'मंगळवार'],
  Wednesday: ['बुधवार', 'बुधवार'],
  Thursday: ['गुरुवार', 'गुरुवार'],
  Friday: ['शुक्रवार', 'शुक्रवार'],
  Saturday: ['शनिवार', 'शनिवार'],
  Sunday: ['रविवार', 'रविवार'],
};

/**
 * The amount, the time or the days that a question asks for, in its own language, where a sentence of another language has them and no
 * second of the kind. What the rest of the sentence says is left to its own words.
 */
export function shortAnswer(sentence: string, { wants }: Asked, language: Language): string | undefined {
  if (language === 'english') return undefined;
  if (wants.has('PRICE'))
    return only(
      [...sentence.matchAll(amount)].map(([found]) => found),
      language,
    );
  if (!wants.has('TIME') && !wants.has('COUNT')) return undefined;
  const spans = [...sentence.matchAll(counted)].map(([, from = '', to, unit = '']) => {
    const figure = numbers[from.toLowerCase()] ?? from;
    return `${figure}${to === undefined ? '' : `–${to}`} ${named(unit.toLowerCase(), language)}`;
  });
  const days = [...sentence.matchAll(weekday)].map(([day]) => weekdays[day]?.[language === 'hindi' ? 0 : 1] ?? day);
  if (spans.length === 0 && days.length > 0) return ended(listed(days, phrases[language].and), language);
  return days.length === 0 ? only(spans, language) : undefined;
}

function only(found: readonly string[], language: Language): string | undefined {
  const [first, second] = found;
  return first === undefined || second !== undefined ? undefined : ended(first, language);
}

const ended = (text: string, language: Language): string => `${text}${language === 'hindi' ? '।' : '.'}`;
