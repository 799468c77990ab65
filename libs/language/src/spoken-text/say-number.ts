import type { CurrencyCode, Tongue } from './tongue';

// Longer figures are no quantities but codes, and are read digit by digit.
const wholeDigitsMax = 10;

const scales: Record<string, number> = {
  lakh: 1e5,
  lac: 1e5,
  l: 1e5,
  crore: 1e7,
  cr: 1e7,
  k: 1000,
  million: 1e6,
  billion: 1e9,
  लाख: 1e5,
  करोड़: 1e7,
  कोटी: 1e7,
};

/** How much a word behind a figure makes of it: a lakh, a crore; 1 for a word that counts nothing. */
export function scaleOf(word: string): number {
  return scales[word.toLowerCase().replace(/s$/, '')] ?? 1;
}

/** Digits one after the other, as in a telephone number. */
export function digitByDigit(digits: string, tongue: Tongue): string {
  return [...digits].map((digit) => tongue.digits[Number(digit)] ?? '').join(' ');
}

/** A figure as a quantity. Grouping in lakhs, as in 1,50,000, is kept where the language can do both. */
export function number(figures: string, tongue: Tongue): string {
  const [whole = '', fraction] = figures.replace(/^-/, '').split('.');
  const sign = figures.startsWith('-') ? `${tongue.minus} ` : '';
  const point = fraction ? ` ${tongue.point} ${digitByDigit(fraction, tongue)}` : '';
  return sign + wholeNumber(whole, /\d,\d\d,/.test(whole), tongue) + point;
}

function wholeNumber(grouped: string, inLakhs: boolean, tongue: Tongue): string {
  const digits = grouped.replaceAll(',', '');
  const isCode = digits.length > wholeDigitsMax || /^0\d/.test(digits);
  return isCode ? digitByDigit(digits, tongue) : tongue.integer(Number(digits), inLakhs);
}

interface Money {
  readonly figures: string;
  /** The word after the figure, as in ₹2.5 crore. */
  readonly scale: string | undefined;
  readonly currency: CurrencyCode;
}

/** An amount of money with its unit, and its hundredths where they are not zero. */
export function amount({ figures, scale, currency }: Money, tongue: Tongue): string {
  const names = tongue.currencies[currency];
  const inLakhs = currency === 'INR';
  const scaled = scale && inUnits(figures, scaleOf(scale));
  if (scaled !== undefined && scaled !== '') return `${tongue.integer(Number(scaled), inLakhs)} ${names.many}`;
  const [whole = '0', fraction = ''] = figures.split('.');
  const hundredths = Number(fraction.slice(0, 2).padEnd(2, '0'));
  const isOne = Number(whole.replaceAll(',', '')) === 1;
  const main = `${wholeNumber(whole, inLakhs, tongue)} ${isOne ? names.one : names.many}`;
  if (hundredths === 0) return main;
  const small = `${tongue.integer(hundredths, inLakhs)} ${hundredths === 1 ? names.hundredthOne : names.hundredthMany}`;
  return [main, tongue.and, small].filter(Boolean).join(' ');
}

/** 2.5 crore as 25000000; nothing when that is no whole number within reach. */
function inUnits(figures: string, scale: number | undefined): string | undefined {
  const units = Math.round(Number(figures.replaceAll(',', '')) * (scale ?? Number.NaN) * 100) / 100;
  return Number.isInteger(units) && units < 10 ** wholeDigitsMax ? String(units) : undefined;
}
