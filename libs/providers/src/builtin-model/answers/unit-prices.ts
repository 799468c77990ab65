import { type Amount, amountsIn, foldSpelling, measureNamed, stemOf, wordsOf } from '@parley/language';
import { isMoney, measureOf, priceOf } from '../facts/amount';
import type { FactItem } from '../facts/base-facts';

const perSaid = /(?<![\p{L}\p{M}])(?:per|प्रति|हर|prati|har)\s+([\p{L}][\p{L}\p{M}]*)/iu;
const pieceWords: ReadonlySet<string> = new Set(
  'piece pieces pc pcs unit item tablet sheet stick नग पीस अदद nag'.split(' ').map(foldSpelling),
);
/** Conversion to a smaller unit. */
const smaller: Readonly<Record<string, readonly [unit: string, times: number]>> = {
  kilo: ['gram', 1000],
  litre: ['ml', 1000],
  hour: ['minute', 60],
};
const sizes: ReadonlySet<string> = new Set(['kilo', 'gram', 'litre', 'ml', 'metre']);

/** Abbreviated units in the names of goods: "500 g", "2 l". */
const abbreviated = /(?<=\d\s?|(?:per|प्रति)\s)(?:(g|gms?)|(l|ltrs?))(?![\p{L}\p{M}\d])/giu;
const inFull = (text: string): string =>
  text.replace(abbreviated, (_, gram?: string) => (gram === undefined ? ' litre' : ' gram'));

/** A size in the smallest unit of its kind. 2 kg is a value of 2,000 grams; `one` is the unit it was written in, here 1,000 grams. */
export interface Size extends Amount {
  readonly one: number;
}

/** The weights, volumes and lengths in a text. */
export function sizesIn(text: string): readonly Size[] {
  return amountsIn(inFull(text)).flatMap(({ value, unit }) => {
    if (!sizes.has(unit)) return [];
    const [least, one] = smaller[unit] ?? [unit, 1];
    return [{ value: value * one, unit: least, one }];
  });
}

/** The unit by which a question compares prices: `ml` of "cheaper per ml". A day or person is not a package size. */
function unitCompared(question: string, items: readonly FactItem[]): string | undefined {
  const word = wordsOf(perSaid.exec(inFull(question))?.[1] ?? '')[0];
  if (word === undefined) return undefined;
  const measure = measureNamed(word);
  if (measure !== undefined) return sizes.has(measure) ? measure : undefined;
  const isOfPack = items.some(({ pack }) => pack !== undefined && pack.of !== '' && stemOf(pack.of) === stemOf(word));
  return pieceWords.has(word) || isOfPack ? 'piece' : undefined;
}

/**
 * The items with their prices per unit, computed from the package sizes, if the question compares those. Undefined if the size of one is
 * not stated, because then the comparison is not possible.
 */
export function pricedByUnit(question: string, items: readonly FactItem[]): readonly FactItem[] | undefined {
  const unit = unitCompared(question, items);
  if (unit === undefined) return items;
  const priced = items.flatMap((item) => {
    const price = priceOf(item);
    const measure = price && measureOf(price);
    const size = price && sizeIn(unit, item, price.name);
    if (!measure || measure.to !== undefined || !isMoney(measure.unit) || size === undefined) return [];
    const value = String(Math.round((measure.value / size) * 100) / 100);
    return [{ ...item, pack: undefined, attributes: [{ name: `Price per ${unit}`, value, unit: measure.unit }] }];
  });
  return priced.length === items.length ? priced : undefined;
}

/**
 * The number of price units that a question asks for, if it is a fraction or stated in a smaller unit: half a kilo, 250 g, ninety minutes
 * at a price per hour. Undefined for whole units, which are counted elsewhere, and for several amounts.
 */
export function partsOfUnit(phrase: string, priceName: string): (Amount & { readonly count: number }) | undefined {
  const unit = measureNamed(wordsOf(perSaid.exec(inFull(priceName))?.[1] ?? '')[0] ?? '');
  if (unit === undefined) return undefined;
  const [only, another] = amountsIn(inFull(phrase)).flatMap((one) => {
    const count = inUnit(one, unit);
    return count === undefined ? [] : [{ ...one, count }];
  });
  const isWhole = only?.unit === unit && Number.isInteger(only.count);
  return another || isWhole ? undefined : only;
}

/** The size of the package that a price is for, in the unit. */
function sizeIn(unit: string, { name, description, pack }: FactItem, priceName: string): number | undefined {
  if (unit === 'piece') return pack?.size;
  const own = [...amountsIn(inFull(name)), ...amountsIn(priceName)];
  const [only, another] = (own.length > 0 ? own : amountsIn(inFull(description))).flatMap((one) => inUnit(one, unit) ?? []);
  if (only !== undefined) return another === undefined ? only : undefined;
  const per = wordsOf(perSaid.exec(inFull(priceName))?.[1] ?? '')[0];
  return per === undefined ? undefined : inUnit({ value: 1, unit: measureNamed(per) ?? '' }, unit);
}

function inUnit({ value, unit: own }: Amount, unit: string): number | undefined {
  if (own === unit) return value;
  const [less, times] = smaller[own] ?? [];
  if (less === unit) return value * (times ?? 1);
  const [lessOfUnit, timesOfUnit] = smaller[unit] ?? [];
  return lessOfUnit === own ? value / (timesOfUnit ?? 1) : undefined;
}
