import { amountRangesIn, amountsIn, foldSpelling, isStopWord, measureNamed, numbersIn, stemOf, wordsOf } from '@parley/language';
import { LRUCache } from 'lru-cache';
import { isPackWord } from '../facts/amount';
import type { BaseFacts, FactItem } from '../facts/base-facts';
import { likenessToName } from '../question/likeness';
import { needOf } from '../question/needs';
import { isSoldBy } from './counted-packs';
import { type Size, sizesIn } from './unit-prices';

/** The variants of an item that a question chooses. */
export interface Choice {
  /** Those that it may mean: one; several if it does not say which; all if there is none as described. */
  readonly items: readonly FactItem[];
  /** What the question asks for that no variant has, as written. */
  readonly missing: string | undefined;
}

/** The distinguishing properties in a name or question. */
interface Marks {
  readonly words: readonly string[];
  /** What it excludes: AC in "non-AC" and "बिना एसी". */
  readonly without: readonly string[];
  readonly amounts: readonly { readonly value: number; readonly unit: string; readonly written: string }[];
  readonly sizes: readonly Size[];
  /** `a3` of "A3". */
  readonly codes: readonly string[];
  /** The sizes, ages and so on, by dimension. */
  readonly kinds: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Words that exclude each other, by dimension. A word may have two dimensions: in "मोठी माणसे", मोठी means both large and adult. */
const dimensions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  size: {
    small: 'small smaller little mini chhota chhoti chhote chota choti chote lahan छोटा छोटी छोटे छोट्या लहान',
    medium: 'medium madhyam मध्यम',
    large: 'large larger big bigger bada badi bade motha mothi mothe बड़ा बड़ी बड़े मोठा मोठी मोठे मोठ्या',
  },
  age: {
    child:
      'child children childs kid kids bachcha bacche bachche bachchon bachcho mule mul mulansathi बच्चा बच्चे बच्चों मुले मूल मुलगा मुलांसाठी मुलांच्या मुलांची मुलांचे मुलांचा लहान',
    adult: 'adult adults grownup grownups वयस्क वयस्कों प्रौढ मोठी मोठे मोठ्या मोठा बड़े बड़ों माणसे माणसां vyask mothe mothi',
    senior: 'senior seniors elderly ज्येष्ठ बुज़ुर्ग वरिष्ठ',
  },
  letters: { xs: 'xs', s: 's', m: 'm', l: 'l', xl: 'xl एक्सएल', xxl: 'xxl', xxxl: 'xxxl' },
  beds: { single: 'single सिंगल', double: 'double डबल', triple: 'triple ट्रिपल' },
  part: {
    morning: 'morning सुबह सकाळ सकाळी सकाळच्या सकाळची subah sakal sakali',
    evening: 'evening शाम संध्याकाळ संध्याकाळी संध्याकाळच्या संध्याकाळची shaam sham sandhyakal',
  },
};
const kindOf = new Map<string, (readonly [dimension: string, kind: string])[]>();
for (const [dimension, kinds] of Object.entries(dimensions))
  for (const [kind, words] of Object.entries(kinds))
    for (const word of words.split(' ').map(foldSpelling)) kindOf.set(word, [...(kindOf.get(word) ?? []), [dimension, kind]]);

const sameUnits: readonly (readonly [unit: string, form: RegExp])[] = [
  ['bhk', /^(?:bhk|bedrooms?|बिएचके|बेडरूम|बेडरुम)/u],
  ['person', /^(?:persons?|people|pax|seaters?|guests?|जण|लोग|व्यक्ति|माणस|मेहमान|पाहुण)/u],
  ['ml', /^(?:ml|millilit|मिलि)/u],
  ['kva', /^(?:kva|केविए)/u],
];
const air =
  /\bair[ -]?condition(?:ed|ing|er)\b|\ba\.?\/?c\.?(?=[\s),.?!-]|$)|(?<![\p{L}\p{M}])ए\.?सी(?![\p{L}\p{M}])|वातानुकूलित/giu;
const leftOutBefore = new Set(
  'non without no sans बिना बिगर विना बगैर गैर bina bigar vina baghair bagair'.split(' ').map(foldSpelling),
);
const leftOutBehind = /^(.{2,})(?:शिवाय|विना)$/u;
const code = /(?<![\p{L}\p{M}\d])([a-z]{1,2})-?(\d{1,4})(?![\p{L}\d])/giu;
const letterSize = /(?<![\p{L}\p{M}\d'’])([SML])(?![\p{L}\p{M}\d'’])/gu;
const sizeSaid =
  /(?:\bsizes?|साइज|साईज|आकार)\s+(?:is\s|of\s)?(x*[sml])(?![\p{L}\d])|(?<![\p{L}\d])(x*[sml])[\s-](?:size|साइज|साईज)/giu;

const unitOf = (word: string): string =>
  sameUnits.find(([, form]) => form.test(word))?.[0] ?? measureNamed(word) ?? (word === '' ? '' : stemOf(word));

const remembered = new LRUCache<string, Marks>({ max: 5000 });

function marksIn(text: string): Marks {
  const known = remembered.get(text);
  if (known) return known;
  const marks = readMarks(text);
  remembered.set(text, marks);
  return marks;
}

function readMarks(text: string): Marks {
  const codes = [...text.matchAll(code)].map(([, letters = '', figures = '']) => `${letters.toLowerCase()}${figures}`);
  const letters = [...text.matchAll(letterSize), ...text.matchAll(sizeSaid)].flatMap(([, one, other]) => one ?? other ?? []);
  const plain = text.replace(code, ' ').replace(letterSize, ' ').replace(sizeSaid, ' ').replace(air, ' ac ');
  const words: string[] = [];
  const without: string[] = [];
  const allWords = wordsOf(plain);
  for (const [place, word] of allWords.entries()) {
    const [, behind] = leftOutBehind.exec(word) ?? [];
    if (behind !== undefined) without.push(behind);
    else if (leftOutBefore.has(word)) {
      const isBehind = /^(?:के|ke|च्या)$/u.test(allWords[place - 1] ?? '');
      const left = isBehind ? words.pop() : allWords.slice(place + 1).find((one) => !isStopWord(one));
      if (left !== undefined) without.push(left);
    } else words.push(word);
  }
  // Excluded words are not properties.
  const there = words.filter(
    (word, place) => !without.includes(word) || words.indexOf(word) !== place || countOf(allWords, word) > 1,
  );
  const kinds = new Map<string, Set<string>>();
  for (const word of [...there, ...letters.map((one) => one.toLowerCase())])
    for (const [dimension, kind] of kindOf.get(word) ?? [])
      if (dimension !== 'letters' || word.length > 1 || letters.some((one) => one.toLowerCase() === word))
        kinds.set(dimension, (kinds.get(dimension) ?? new Set()).add(kind));
  const asWritten = (phrase: string) => {
    const place = text.toLowerCase().indexOf(phrase);
    return place < 0 ? phrase : text.slice(place, place + phrase.length);
  };
  const counted = numbersIn(plain).map(({ value, following: [next = ''] }) => ({
    value,
    unit: unitOf(next),
    written: asWritten(`${value} ${next}`.trim()),
  }));
  const measured = amountsIn(plain).map(({ value, unit }) => ({ value, unit, written: `${value} ${unit}` }));
  return {
    words: there.filter((word) => !isStopWord(word) && !/^\d/u.test(word)),
    without,
    amounts: [...counted, ...measured],
    sizes: sizesIn(plain),
    codes,
    kinds,
  };
}

const countOf = (words: readonly string[], word: string): number => words.filter((one) => one === word).length;

const inBrackets = /\s?\([^()]*\)/gu;

/** A name without its distinguishing properties, which is the same for all variants. */
function commonOf(item: FactItem): string {
  const known = commons.get(item.name);
  if (known !== undefined) return known;
  const common = readCommon(item);
  commons.set(item.name, common);
  return common;
}

const commons = new LRUCache<string, string>({ max: 20_000 });

function readCommon({ name, pack }: FactItem): string {
  const { words, amounts } = marksIn(name.replace(pack?.written ?? '', ' ').replace(inBrackets, ' '));
  const units = new Set(amounts.map(({ unit }) => unit));
  return words
    .filter((word) => word !== 'ac' && !kindOf.has(word) && !units.has(unitOf(word)))
    .map(stemOf)
    .toSorted()
    .join(' ');
}

/** The variants of a catalogue entry, including the entry itself. Table rows are distinguished by their columns instead. */
export function variantsOf(item: FactItem, items: readonly FactItem[]): readonly FactItem[] {
  const common = item.kind === 'entry' ? commonOf(item) : '';
  return common === '' ? [item] : items.filter((one) => one === item || (one.kind === 'entry' && commonOf(one) === common));
}

/** The properties of a variant that not all variants have. */
function ownMarksOf(item: FactItem, family: readonly FactItem[]): Marks {
  const own = marksIn(item.name.replace(item.pack?.written ?? '', ' '));
  const others = family.filter((one) => one !== item).map((one) => marksIn(one.name.replace(one.pack?.written ?? '', ' ')));
  const isOfAll = (has: (marks: Marks) => boolean) => others.every(has);
  return {
    words: own.words.filter((word) => !isOfAll(({ words }) => words.some((other) => isSame(word, other)))),
    without: own.without,
    amounts: own.amounts.filter((one) => !isOfAll(({ amounts }) => amounts.some((other) => isEqual(one, other)))),
    sizes: own.sizes,
    codes: own.codes,
    kinds: own.kinds.has('size') ? own.kinds : new Map([...own.kinds, ...sizeAmong(own, others)]),
  };
}

/** The smallest of several sizes, such as 50 ml and 200 ml, is "small", and the largest "large". */
function sizeAmong(own: Marks, others: readonly Marks[]): [dimension: string, kinds: ReadonlySet<string>][] {
  const [mine] = own.sizes;
  const theirs = others.flatMap(({ sizes: [size] }) => size ?? []);
  if (!mine || theirs.length === 0 || theirs.length < others.length || theirs.some(({ unit }) => unit !== mine.unit)) return [];
  if (theirs.every(({ value }) => mine.value < value)) return [['size', new Set(['small'])]];
  if (theirs.every(({ value }) => mine.value > value)) return [['size', new Set(['large'])]];
  return theirs.length === 2 ? [['size', new Set(['medium'])]] : [];
}

const isEqual = (one: Marks['amounts'][number], other: Marks['amounts'][number]): boolean =>
  one.value === other.value && one.unit === other.unit;
const surelySame = 0.7;
const isSame = (asked: string, word: string): boolean =>
  asked === word ||
  (kindOf.get(asked) ?? []).some((one) => (kindOf.get(word) ?? []).some((other) => one[1] === other[1])) ||
  likenessToName(needOf(asked), word) >= surelySame;

interface Fit {
  readonly item: FactItem;
  /** The number of its distinguishing properties that the question contains. */
  readonly held: number;
  /** A property in the question that this variant does not have. */
  readonly against: string | undefined;
  readonly isPlain: boolean;
}

/** Compares a question, or its part about the item, with a variant. */
function fitOf(item: FactItem, own: Marks, asked: Marks, family: readonly Marks[]): Fit {
  let held = 0;
  let against: string | undefined;
  const ranges = amountRangesIn(item.name);
  const [size, another] = own.sizes;
  const isSized = size !== undefined && another === undefined && ranges.length === 0;
  const sizesSaid = isSized ? asked.sizes.filter(({ unit }) => unit === size.unit) : [];
  if (isSized && sizesSaid.some((named) => named.value === size.value || isNumberOf(named, size, family))) held += 1;
  else if (sizesSaid.length > 0) against ??= asked.amounts.find(({ unit }) => isSizeUnit(unit))?.written;
  for (const unit of new Set(family.flatMap(({ amounts }) => amounts.map((one) => one.unit))).values()) {
    if (isSized && isSizeUnit(unit)) continue;
    const ofUnit = asked.amounts.filter((one) => one.unit === unit);
    const mine = own.amounts.filter((one) => one.unit === unit);
    const isHeld = ofUnit.some(
      (one) =>
        mine.some(({ value }) => value === one.value) || ranges.some(({ from, to }) => from <= one.value && one.value <= to),
    );
    if (isHeld) held += 1;
    else if (ofUnit.length > 0 && mine.length > 0 && unit !== '' && ranges.length === 0) against ??= ofUnit[0]?.written;
  }
  for (const one of own.codes) {
    const alike = asked.codes.filter((other) => other.replace(/\d/gu, '') === one.replace(/\d/gu, ''));
    if (alike.includes(one)) held += 1;
    else if (alike.length > 0) against ??= alike[0]?.toUpperCase();
  }
  for (const [dimension, mine] of own.kinds) {
    const kinds = asked.kinds.get(dimension);
    if (!kinds) continue;
    if ([...kinds].some((kind) => mine.has(kind))) held += 1;
    else if (!isOfOtherDimension(asked, own, dimension)) against ??= [...kinds].join(' ').toUpperCase();
  }
  const says = (words: readonly string[], word: string) => words.some((one) => isSame(one, word));
  for (const word of own.words.filter((one) => !kindOf.has(one))) {
    if (says(asked.words, word)) held += 1;
    else if (says(asked.without, word)) against ??= word;
  }
  for (const word of own.without) {
    if (says(asked.without, word)) held += 1;
    else if (says(asked.words, word)) against ??= word;
  }
  const isPlain = own.words.length + own.without.length + own.amounts.length + own.codes.length + own.kinds.size === 0;
  return { item, held, against, isPlain };
}

const isSizeUnit = (unit: string): boolean => sizesIn(`1 ${unit}`).length > 0;

/**
 * Whether the size asked for is a number of packages of this size: two kilos are two bags of one kilo if there is no larger bag, but not a
 * number of 300 g bags.
 */
function isNumberOf(named: Size, { value }: Size, family: readonly Marks[]): boolean {
  const isLargest = family.every(({ sizes }) => sizes.every((one) => one.value <= value));
  return isLargest && named.one > 1 && named.one === value && Number.isInteger(named.value / named.one);
}

/**
 * Whether the word matches this variant in another dimension: "लहान" means both a small size and a young age, so a match in one is enough.
 */
const isOfOtherDimension = (asked: Marks, own: Marks, dimension: string): boolean =>
  [...own.kinds].some(
    ([other, kinds]) => other !== dimension && [...(asked.kinds.get(other) ?? [])].some((kind) => kinds.has(kind)),
  );

/** The variants that a text means. */
export function chosenAmong(text: string, family: readonly FactItem[]): Choice {
  if (family.length < 2 && amountRangesIn(family[0]?.name ?? '').length > 0) return { items: family, missing: undefined };
  const marks = marksIn(text);
  const own = family.map((item) => (family.length > 1 ? ownMarksOf(item, family) : marksIn('')));
  const fits = family.map((item, place) => fitOf(item, own[place] ?? marksIn(''), marks, own));
  const possible = fits.filter(({ against }) => against === undefined);
  if (possible.length === 0) return { items: family, missing: fits[0]?.against };
  const most = Math.max(...possible.map(({ held }) => held));
  const best = possible.filter(({ held }) => held === most);
  const plain = most === 0 ? best.filter(({ isPlain }) => isPlain) : [];
  return { items: (plain.length > 0 ? plain : best).map(({ item }) => item), missing: undefined };
}

/** Whether a text contains a property that distinguishes these variants: a size, an amount, something excluded. */
export function tellsVariant(text: string, family: readonly FactItem[]): boolean {
  if (family.length < 2) return false;
  const marks = marksIn(text);
  const own = family.map((item) => ownMarksOf(item, family));
  return family.some((item, place) => {
    const { held, against } = fitOf(item, own[place] ?? marksIn(''), marks, own);
    return held > 0 || against !== undefined;
  });
}

/** Words for homes, which are not items: "for a flat of 2 BHK". */
const homes = /^(?:flat|house|home|apartment|घर|फ्लैट|फ्लॅट|मकान|ghar)/u;

/** Whether a word only chooses a variant, or names a kind of pack. */
export function isOfVariants(word: string, items: readonly FactItem[]): boolean {
  if (isPackWord(word)) return items.some(({ pack }) => pack !== undefined);
  if (items.some(({ pack }) => pack !== undefined && isSoldBy(word, pack))) return true;
  if (/^(?:size|साइज|साईज)$/u.test(word)) return items.some(({ name }) => marksIn(name).kinds.size > 0);
  const unit = unitOf(word);
  const [, leftOut] = leftOutBehind.exec(word) ?? [];
  return items.some(({ name }) => {
    const { kinds, amounts, without, words } = marksIn(name);
    const ofKinds = (kindOf.get(word) ?? []).some(([dimension]) => kinds.has(dimension));
    if (homes.test(word) && amounts.some((one) => one.unit === 'bhk')) return true;
    if (leftOut !== undefined && without.some((one) => isSame(leftOut, one))) return true;
    return (
      ofKinds ||
      amounts.some((one) => one.unit === unit && unit !== '') ||
      (/^non(?:ac)?$/u.test(word) && (without.length > 0 || words.includes('ac')))
    );
  });
}

/** For each item with variants, keeps the variants that the question states: "large", "non-AC", "2 BHK". */
export function amongVariants(named: readonly FactItem[], question: string, all: readonly FactItem[]): readonly FactItem[] {
  const families = new Set(named.map((item) => variantsOf(item, all)[0] ?? item));
  const chosen = [...families].flatMap((first) => {
    const family = variantsOf(first, all);
    if (family.length < 2) return named.filter((item) => item === first);
    const { items } = chosenAmong(question, family);
    return items.length < family.length || tellsVariant(question, family) ? items : family.filter((item) => named.includes(item));
  });
  return [...new Set(chosen)];
}

/** The facts without the variants that the question does not mean: the small pool's facts do not apply to the large one. */
export function withoutOthers(facts: BaseFacts, question: string): BaseFacts {
  const { words } = marksIn(question);
  const others = new Set<string>();
  const families = new Map(facts.items.filter(({ kind }) => kind === 'entry').map((item) => [commonOf(item), item] as const));
  for (const [common, item] of families) {
    const isNamed =
      common !== '' && common.split(' ').some((part) => words.some((word) => stemOf(word) === part || isSame(word, part)));
    const family = isNamed ? variantsOf(item, facts.items) : [];
    if (family.length < 2) continue;
    const { items: chosen, missing } = chosenAmong(question, family);
    if (missing === undefined) for (const { name } of family.filter((one) => !chosen.includes(one))) others.add(name);
  }
  if (others.size === 0) return facts;
  return {
    ...facts,
    items: facts.items.filter(({ name }) => !others.has(name)),
    statements: facts.statements.filter(({ of }) => of === undefined || !others.has(of)),
  };
}
