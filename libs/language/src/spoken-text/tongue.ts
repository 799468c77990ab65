/** A currency's names: the unit and its hundredth, for one and for many. */
export interface CurrencyNames {
  readonly one: string;
  readonly many: string;
  readonly hundredthOne: string;
  readonly hundredthMany: string;
}

export type CurrencyCode = 'INR' | 'USD' | 'EUR' | 'GBP';

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** Absent where the text used neither a.m. nor p.m. */
  readonly half?: 'am' | 'pm';
}

/** How one language says what is not written as words. */
export interface Tongue {
  /** A whole number from 0 to 999 crore less one. `inLakhs` chooses lakh and crore where the language knows both ways. */
  integer(value: number, inLakhs: boolean): string;
  ordinal(value: number): string;
  /** From January on, also where somebody wrote them out beside figures. */
  readonly months: readonly string[];
  day(value: number): string;
  year(value: number): string;
  time(time: ClockTime): string;
  /** From one time to another of the same day. */
  timeRange(from: ClockTime, to: ClockTime): string;
  readonly digits: readonly string[];
  /** The names of Latin letters from A on; absent where a voice knows them. */
  readonly letters?: readonly string[];
  readonly point: string;
  readonly minus: string;
  readonly percent: string;
  readonly currencies: Record<CurrencyCode, CurrencyNames>;
  /** Between the ends of a range. */
  readonly to: string;
  /** Between rupees and paise. */
  readonly and: string;
  /** `@`, `.`, `/`, `-`, `_` in addresses. */
  readonly address: Readonly<Record<string, string>>;
  /** Written short, said long. Keys are whole words; a dot after them is optional where the key ends in one. */
  readonly abbreviations: Readonly<Record<string, string>>;
  /** Signs between words. */
  readonly signs: Readonly<Record<string, string>>;
}

interface IndianPlaces {
  readonly belowHundred: readonly string[];
  readonly thousand: string;
  readonly lakh: string;
  readonly crore: string;
  hundreds(count: number, isRound: boolean): string;
}

/** A whole number in the Indian way: crores, lakhs, thousands, hundreds and the rest. */
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
