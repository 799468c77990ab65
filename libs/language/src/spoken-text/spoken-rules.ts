/** A currency's names: the unit and its hundredth, singular and plural. */
interface CurrencyNames {
  readonly one: string;
  readonly many: string;
  readonly hundredthOne: string;
  readonly hundredthMany: string;
}

export type CurrencyCode = 'INR' | 'USD' | 'EUR' | 'GBP' | 'AED';

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** Absent if the text has neither AM nor PM. */
  readonly half?: 'am' | 'pm';
}

/** How a language says what is not written in words. */
export interface SpokenRules {
  /** A whole number below 999 crore. `inLakhs` chooses lakh and crore if the language has both systems. */
  integer(value: number, inLakhs: boolean): string;
  ordinal(value: number): string;
  /** The months from January on, in the form used next to digits. */
  readonly months: readonly string[];
  day(value: number): string;
  year(value: number): string;
  /** A time. With `isOfSpan` the word for "at" is omitted, since "to" or "until" follows. */
  time(time: ClockTime, isOfSpan?: boolean): string;
  /** Words after a time that make it part of a span, in languages that say such a time differently. */
  readonly spanGoesOn?: RegExp;
  /** A number and a half, in languages with special words for it. */
  readonly andHalf?: (whole: number) => string | undefined;
  /** From one time to another of the same day. */
  timeRange(from: ClockTime, to: ClockTime): string;
  readonly digits: readonly string[];
  /** The names of Latin letters from A on; absent if voices can read them. */
  readonly letters?: readonly string[];
  /** A part of a whole: a half, three quarters. */
  fraction(numerator: number, denominator: number): string;
  /** The words for units with ² and ³, and the units' names. */
  readonly square: string;
  readonly cubic: string;
  readonly lengths: Readonly<Record<string, string>>;
  readonly point: string;
  readonly minus: string;
  readonly percent: string;
  readonly currencies: Record<CurrencyCode, CurrencyNames>;
  /** The word for the slash in ₹80/kg. */
  readonly per: string;
  /** The singular of abbreviated units. */
  readonly perUnits: Readonly<Record<string, string>>;
  /** The word between the ends of a range. */
  readonly to: string;
  /** The word between rupees and paise. */
  readonly and: string;
  /** The words for `@`, `.`, `/`, `-`, `_` in addresses. */
  readonly address: Readonly<Record<string, string>>;
  /** Abbreviations and what is said for them. Keys are whole words; a final dot is optional in the text. */
  readonly abbreviations: Readonly<Record<string, string>>;
  /** The words for signs between words; … is where the amount is said that follows the sign. */
  readonly signs: Readonly<Record<string, string>>;
}

interface IndianPlaces {
  readonly belowHundred: readonly string[];
  readonly thousand: string;
  readonly lakh: string;
  readonly crore: string;
  hundreds(count: number, isRound: boolean): string;
}

/** A whole number in crores, lakhs, thousands, hundreds and the rest. */
export function inIndianPlaces(value: number, places: IndianPlaces): string {
  if (value === 0) return places.belowHundred[0] ?? '';
  const words: string[] = [];
  const crores = Math.floor(value / 10_000_000);
  if (crores > 0) words.push(inIndianPlaces(crores, places), places.crore);
  const lakhs = Math.floor(value / 100_000) % 100;
  if (lakhs > 0) words.push(places.belowHundred[lakhs] ?? '', places.lakh);
  const thousands = Math.floor(value / 1000) % 100;
  if (thousands > 0) words.push(places.belowHundred[thousands] ?? '', places.thousand);
  const hundreds = Math.floor(value / 100) % 10;
  const rest = value % 100;
  if (hundreds > 0) words.push(places.hundreds(hundreds, rest === 0 && value < 1000));
  if (rest > 0) words.push(places.belowHundred[rest] ?? '');
  return words.join(' ');
}

// Longer figures are codes, which are read digit by digit.
const wholeDigitsMax = 10;

const scales: Record<string, number> = {
  lakh: 1e5,
  lac: 1e5,
  l: 1e5,
  crore: 1e7,
  cr: 1e7,
  k: 1000,
  thousand: 1000,
  हज़ार: 1000,
  हजार: 1000,
  million: 1e6,
  billion: 1e9,
  लाख: 1e5,
  करोड़: 1e7,
  कोटी: 1e7,
};

/** The factor of a word after a figure, such as lakh or crore; 1 for other words. */
export function scaleOf(word: string): number {
  return scales[word.toLowerCase().replace(/s$/, '')] ?? 1;
}

/** Says digits one by one, as in a telephone number. */
export function digitByDigit(digits: string, rules: SpokenRules): string {
  return [...digits].map((digit) => rules.digits[Number(digit)] ?? '').join(' ');
}

/** A figure as a quantity. Grouping in lakhs, as in 1,50,000, is kept if the language has both systems. */
export function number(figures: string, rules: SpokenRules): string {
  const [whole = '', fraction] = figures.replace(/^-/, '').split('.');
  const sign = figures.startsWith('-') ? `${rules.minus} ` : '';
  const point = fraction ? ` ${rules.point} ${digitByDigit(fraction, rules)}` : '';
  return sign + wholeNumber(whole, /\d,\d\d,/.test(whole), rules) + point;
}

function wholeNumber(grouped: string, inLakhs: boolean, rules: SpokenRules): string {
  const digits = grouped.replaceAll(',', '');
  const isCode = digits.length > wholeDigitsMax || /^0\d/.test(digits);
  return isCode ? digitByDigit(digits, rules) : rules.integer(Number(digits), inLakhs);
}

interface Money {
  readonly figures: string;
  /** The scale word after the figure, as in ₹2.5 crore. */
  readonly scale: string | undefined;
  readonly currency: CurrencyCode;
}

/** An amount of money with its unit, and its hundredths if not zero. */
export function amount({ figures, scale, currency }: Money, rules: SpokenRules): string {
  const names = rules.currencies[currency];
  const inLakhs = currency === 'INR';
  const scaled = scale && inUnits(figures, scaleOf(scale));
  if (scaled !== undefined && scaled !== '') return `${rules.integer(Number(scaled), inLakhs)} ${names.many}`;
  const [whole = '0', fraction = ''] = figures.split('.');
  const hundredths = Number(fraction.slice(0, 2).padEnd(2, '0'));
  const isOne = Number(whole.replaceAll(',', '')) === 1;
  const main = `${wholeNumber(whole, inLakhs, rules)} ${isOne ? names.one : names.many}`;
  if (hundredths === 0) return main;
  const small = `${rules.integer(hundredths, inLakhs)} ${hundredths === 1 ? names.hundredthOne : names.hundredthMany}`;
  return [main, rules.and, small].filter(Boolean).join(' ');
}

/** 2.5 crore as 25000000; undefined if the result is not a whole number, or too large. */
function inUnits(figures: string, scale: number | undefined): string | undefined {
  const units = Math.round(Number(figures.replaceAll(',', '')) * (scale ?? Number.NaN) * 100) / 100;
  return Number.isInteger(units) && units < 10 ** wholeDigitsMax ? String(units) : undefined;
}
