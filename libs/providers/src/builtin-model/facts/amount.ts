import type { ItemAttribute, FactItem } from './read-facts';

/** A number with its unit. */
export interface Measure {
  readonly value: number;
  /** The end of a range. */
  readonly to?: number;
  /** `INR` for money of India, else the unit as written, without its plural: `minute`, `sq ft`. */
  readonly unit: string;
}

const currencies: Readonly<Record<string, string>> = {
  '₹': 'INR',
  rs: 'INR',
  inr: 'INR',
  rupee: 'INR',
  रुपये: 'INR',
  रु: 'INR',
  $: 'USD',
  usd: 'USD',
  '€': 'EUR',
  eur: 'EUR',
  '£': 'GBP',
  gbp: 'GBP',
};
const scales: Readonly<Record<string, number>> = {
  lakh: 1e5,
  lac: 1e5,
  l: 1e5,
  crore: 1e7,
  cr: 1e7,
  k: 1000,
  thousand: 1000,
  लाख: 1e5,
  करोड़: 1e7,
  कोटी: 1e7,
};
const sign = '₹|Rs\\.?|INR|USD|EUR|GBP|\\$|€|£|रु\\.?';
const figure = '\\d+(?:,\\d{2,3})*(?:\\.\\d+)?';
const scale = '(?:\\s?(lakhs?|lacs?|crores?|cr|L|k|thousand|लाख|करोड़|कोटी)(?![\\p{L}\\p{M}]))?';
const measured = new RegExp(
  `^(${sign})?\\s?(${figure})${scale}(?:\\s?(?:[-–]|to)\\s?(?:${sign})?\\s?(${figure})${scale})?\\s?(.*)$`,
  'iu',
);
const numberOf = (text: string): number => Number(text.replaceAll(',', ''));
const scaleOf = (name: string | undefined): number =>
  name === undefined ? 1 : (scales[name.toLowerCase().replace(/s$/u, '')] ?? 1);

/** The number in a field, with its unit; undefined for a field of words. */
export function measureOf({ value, unit }: Pick<ItemAttribute, 'value' | 'unit'>): Measure | undefined {
  const [, money, from, fromScale, to, toScale, behind = ''] = measured.exec(value.trim()) ?? [];
  if (from === undefined) return undefined;
  const named = (money ?? (behind.trim() || unit)).toLowerCase().replace(/\.$/u, '');
  if (named.length > unitLettersMax) return undefined;
  const known =
    currencies[named] ?? currencies[named.replace(/s$/u, '')] ?? currencies[unit.toLowerCase()] ?? named.replace(/s$/u, '');
  const range = to === undefined ? {} : { to: numberOf(to) * scaleOf(toScale) };
  return { value: numberOf(from) * scaleOf(fromScale ?? toScale), ...range, unit: known };
}

const unitLettersMax = 24;

/** Whether a unit is money. */
export function isMoney(unit: string): boolean {
  return /^(?:INR|USD|EUR|GBP)$/u.test(unit);
}

const priceNamed =
  /\b(?:price|cost|fee|fees|rate|mrp|rent|charge|charges|tariff|amount|fare|premium|deposit)\b|कीमत|दाम|शुल्क|फीस|दर|किंमत|फी|भाडे|किराया/iu;

/** Whether a field is a price. */
export function isPrice(attribute: ItemAttribute): boolean {
  const measure = measureOf(attribute);
  return priceNamed.test(attribute.name) ? /\d|free/iu.test(attribute.value) : measure !== undefined && isMoney(measure.unit);
}

/** The plain price of a thing: a field that is called so, before one with a longer name. */
export function priceOf({ attributes }: FactItem): ItemAttribute | undefined {
  const priced = attributes.filter(isPrice);
  return priced.find(({ name }) => /^(?:price|cost|fee|fees|rate|mrp|charge|tariff|fare)s?$/iu.test(name)) ?? priced[0];
}

/** Money in its local format; other numbers with their unit. */
export function written({ value, to, unit }: Measure): string {
  if (isMoney(unit)) return to === undefined ? money(value, unit) : `${money(value, unit)}–${money(to, unit)}`;
  const figures = to === undefined ? plain(value) : `${plain(value)}–${plain(to)}`;
  return `${figures}${unit === '' ? '' : ` ${unit}`}`;
}

/** An amount with as many hundredths as it has. */
export function money(value: number, currency: string): string {
  const digits = Number.isInteger(value) ? 0 : 2;
  return new Intl.NumberFormat('en-IN', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

const plain = (value: number): string => new Intl.NumberFormat('en-IN', { maximumFractionDigits: 2 }).format(value);
