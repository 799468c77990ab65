import { inIndianPlaces, type ClockTime, type SpokenRules } from './spoken-rules';
import { speakable } from './speakable';

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const months = 'January February March April May June July August September October November December'.split(' ');
const irregularOrdinals: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

const belowHundred = Array.from({ length: 100 }, (_, value) => {
  if (value < 20) return small[value] ?? '';
  return [tens[Math.floor(value / 10)], value % 10 > 0 ? small[value % 10] : ''].join(' ').trim();
});

function internationally(value: number): string {
  if (value < 100) return belowHundred[value] ?? '';
  const [size, name] = (
    [
      [1_000_000_000, 'billion'],
      [1_000_000, 'million'],
      [1000, 'thousand'],
      [100, 'hundred'],
    ] as const
  ).find(([unit]) => value >= unit) ?? [1, ''];
  const rest = value % size;
  return `${internationally(Math.floor(value / size))} ${name}${rest > 0 ? ` ${internationally(rest)}` : ''}`;
}

function integer(value: number, inLakhs: boolean): string {
  if (!inLakhs) return internationally(value);
  return inIndianPlaces(value, {
    belowHundred,
    thousand: 'thousand',
    lakh: 'lakh',
    crore: 'crore',
    hundreds: (count) => `${small[count]} hundred`,
  });
}

function ordinal(value: number): string {
  const words = internationally(value).split(' ');
  const last = words.pop() ?? '';
  const ending = irregularOrdinals[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return [...words, ending].join(' ');
}

/** Years as they are said: 1998 as two pairs, 2024 as a number. */
function yearOf(value: number): string {
  const isPaired = value >= 1100 && value < 2000 && value % 100 >= 10;
  return isPaired ? `${belowHundred[Math.floor(value / 100)]} ${belowHundred[value % 100]}` : internationally(value);
}

function time({ hour, minute, half = hour < 12 ? 'am' : 'pm' }: ClockTime): string {
  const minutes = minute === 0 ? '' : minute < 10 ? ` oh ${small[minute]}` : ` ${belowHundred[minute]}`;
  return `${belowHundred[hour % 12 || 12]}${minutes} ${half === 'am' ? 'a m' : 'p m'}`;
}

/** A time with "half past" and "quarter to". */
function shortTime({ hour, minute }: ClockTime): string {
  const spoken = belowHundred[hour % 12 || 12] ?? '';
  const next = belowHundred[(hour % 12) + 1] ?? '';
  if (minute === 0) return spoken;
  if (minute === 30) return `half past ${spoken}`;
  if (minute === 15) return `quarter past ${spoken}`;
  return minute === 45 ? `quarter to ${next}` : `${spoken} ${minute < 10 ? `oh ${small[minute]}` : belowHundred[minute]}`;
}

/**
 * A span from morning to evening is said without "a m" and "p m" unless it is twelve hours or longer, when "ten to eleven" would sound
 * like one hour. A span within half a day says it once.
 */
function timeRange(from: ClockTime, to: ClockTime): string {
  const [first, last] = [halfOf(from), halfOf(to)];
  const range = `${shortTime(from)} to ${shortTime(to)}`;
  if (first === 'am' && last === 'pm')
    return inHalfDay(to) < inHalfDay(from) ? range : `${shortTime(from)} ${partOfDay(from)} to ${shortTime(to)} ${partOfDay(to)}`;
  return first === last ? `${range} ${last === 'am' ? 'a m' : 'p m'}` : `${time(from)} to ${time(to)}`;
}

const inHalfDay = ({ hour, minute }: ClockTime): number => (hour % 12) * 60 + minute;

function partOfDay(time: ClockTime): string {
  const hour = (time.hour % 12) + (halfOf(time) === 'pm' ? 12 : 0);
  if (hour < 4 || hour >= 21) return 'at night';
  if (hour < 12) return 'in the morning';
  return hour < 17 ? 'in the afternoon' : 'in the evening';
}

const halfOf = ({ hour, half }: ClockTime): 'am' | 'pm' => half ?? (hour < 12 ? 'am' : 'pm');

function fraction(numerator: number, denominator: number): string {
  if (numerator === 1 && denominator === 2) return 'half';
  const part = denominator === 2 ? 'half' : denominator === 4 ? 'quarter' : ordinal(denominator);
  return `${internationally(numerator)} ${part}${numerator === 1 ? '' : 's'}`;
}

/** Indian business English: rupees in lakh and crore, other numbers as they were grouped. */
export const english: SpokenRules = {
  integer,
  ordinal,
  time,
  timeRange,
  months,
  day: ordinal,
  year: yearOf,
  digits: small.slice(0, 10),
  fraction,
  square: 'square',
  cubic: 'cubic',
  lengths: { m: 'meters', km: 'kilometers', cm: 'centimeters', mm: 'millimeters', ft: 'feet', in: 'inches', yd: 'yards' },
  point: 'point',
  minus: 'minus',
  percent: 'percent',
  to: 'to',
  and: 'and',
  currencies: {
    INR: { one: 'rupee', many: 'rupees', hundredthOne: 'paisa', hundredthMany: 'paise' },
    USD: { one: 'dollar', many: 'dollars', hundredthOne: 'cent', hundredthMany: 'cents' },
    EUR: { one: 'euro', many: 'euros', hundredthOne: 'cent', hundredthMany: 'cents' },
    GBP: { one: 'pound', many: 'pounds', hundredthOne: 'penny', hundredthMany: 'pence' },
    AED: { one: 'dirham', many: 'dirhams', hundredthOne: 'fils', hundredthMany: 'fils' },
  },
  per: 'per',
  perUnits: {
    h: 'hour',
    s: 'second',
    min: 'minute',
    kg: 'kilogram',
    km: 'kilometer',
    g: 'gram',
    m: 'meter',
    cm: 'centimeter',
    l: 'liter',
    ltr: 'liter',
    pc: 'piece',
    hr: 'hour',
    'sq ft': 'square foot',
    sqft: 'square foot',
  },
  address: { '@': 'at', '.': 'dot', '/': 'slash', '-': 'dash', _: 'underscore' },
  abbreviations: {
    'Dr.': 'Doctor',
    'Mr.': 'Mister',
    'Mrs.': 'Missus',
    'Ms.': 'Miss',
    'Prof.': 'Professor',
    'Shri.': 'Shri',
    'Smt.': 'Shrimati',
    'Pvt.': 'Private',
    'Ltd.': 'Limited',
    'Co.': 'Company',
    'Dept.': 'Department',
    'Govt.': 'Government',
    'approx.': 'approximately',
    'e.g.': 'for example',
    'i.e.': 'that is',
    'etc.': 'et cetera',
    'vs.': 'versus',
    'No.': 'Number',
    'no.': 'number',
    'a.m.': 'a m',
    'p.m.': 'p m',
    km: 'kilometers',
    kg: 'kilograms',
    cm: 'centimeters',
    mm: 'millimeters',
    GB: 'gigabytes',
    MB: 'megabytes',
  },
  signs: {
    '&': 'and',
    '+': 'plus',
    '=': 'equals',
    '@': 'at',
    '°': 'degrees',
    '°C': 'degrees Celsius',
    '×': 'times',
    '#': 'number',
    '/': 'by',
    '≤': 'at most',
    '≥': 'at least',
    '<': 'less than',
    '>': 'more than',
    '±': 'plus or minus',
    '÷': 'divided by',
    '≈': 'about',
    '≠': 'not equal to',
    '°F': 'degrees Fahrenheit',
    '‰': 'per thousand',
    '§': 'section',
    '№': 'number',
    '→': 'to',
    '√': 'square root of',
    '∞': 'infinity',
    '²': 'squared',
    '³': 'cubed',
    '^': 'to the power',
    '′': 'feet',
    '″': 'inches',
    '¢': 'cents',
    '¥': 'yen',
    '₩': 'won',
    '₽': 'rubles',
    '₺': 'lira',
    '₫': 'dong',
    '₦': 'naira',
    '₪': 'shekels',
    '฿': 'baht',
    '₱': 'pesos',
    '৳': 'taka',
    '₿': 'bitcoin',
  },
};

/** Prepares English text for a voice: without digits, signs, markup or emoji. */
export function speakableEnglish(text: string): string {
  return speakable(text, english);
}
