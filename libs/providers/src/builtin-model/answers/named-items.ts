import { foldSpelling, formsOf, inLatinLetters, isDevanagari, isStopWord, numbersIn, wordsOf } from '@parley/language';
import type { FactItem } from '../facts/base-facts';
import { likeness, likenessToName, type TextWords, textWords } from '../question/likeness';
import { isPriceWord, type NeededWord, needOf } from '../question/needs';
import { timeUnit } from './told-prices';

/** Items that a question names, and the rest of the question. */
export interface NamedItems {
  readonly items: readonly FactItem[];
  /** The words that are in no item's name. They name fields, or items that are not offered. */
  readonly rest: readonly NeededWord[];
}

interface Scored {
  readonly item: FactItem;
  readonly score: number;
  readonly held: ReadonlySet<NeededWord>;
  /** Those of them that are in its name. */
  readonly heldByName: ReadonlySet<NeededWord>;
  /** Whether one of them is its category or the column of its name. */
  readonly isOfKind: boolean;
  /** How many of them are in its name. */
  readonly ofName: number;
  /** The share of the distinctive words of its name that the question contains. */
  readonly share: number;
}

const comparingWeight = 0.2;
const byItselfWeight = 0.5;
const categoryWeight = 0.5;
const valueWeight = 0.5;
const sureMin = 0.3;
const surelyMeant = 0.85;

/** An item's name without the part that distinguishes it: `Radiator` of `Radiator (John Deere 5310)`. */
export function baseNameOf({ name }: Pick<FactItem, 'name'>): string {
  return name.replace(/ \([^)]*\)$/u, '').replace(measured, '');
}

/** The unit at the end of a name: "Cotton, per metre" is cotton. */
const measured = /,?\s(?:per|a|प्रति|दर)\s(?:\d+\s)?[\p{L}\p{M}]+$/iu;

interface Naming {
  /** What the business sells or does. Any item's name may contain it, so it distinguishes none. */
  readonly subject: TextWords;
  /** Whether the question chooses one of many. Then all items of the kind count, not only those with the name. */
  readonly isChoice: boolean;
  /** All words of the question. */
  readonly words: ReadonlySet<string>;
}

/** Finds the items that a question names: those named in full, each by its best match, else those that match most of it. */
export function namedItems(needs: readonly NeededWord[], items: readonly FactItem[], naming: Naming): NamedItems {
  const called = new Set(needs.filter((need) => items.some(({ name }) => isSaidItself(need, name))));
  const scored = items.map((item) => scoreOf(item, { needs, called, naming })).filter(({ score }) => score > 0);
  const inFull = longestNames(scored.filter(({ share, ofName }) => share === 1 && ofName > 0));
  const isOfKind = naming.isChoice && inFull.length < 2;
  const isNegated = [...naming.words].some((word) => negating.has(word));
  const calledInPart = isOfKind || isNegated || inFull.length > 0 ? [] : calledByPart(needs, scored);
  const chosen = isOfKind
    ? ofOneKind(scored)
    : inFull.length > 0
      ? inFull
      : calledInPart.length > 0
        ? calledInPart
        : best(scored.filter(({ share, ofName, held }) => share >= halfNamed || ofName < held.size));
  const held = new Set(chosen.flatMap((one) => [...one.held]));
  const rest = needs.filter((need) => !held.has(need));
  // In "Two garden rooms and a bicycle", the bicycle is named by only a part of its name.
  const others =
    chosen.length > 0 && !isOfKind
      ? best(
          scored.filter(
            (one) =>
              one.share >= halfNamed &&
              rest.some((need) => need.weight === 1 && !isPriceWord(need) && likenessToName(need, one.item.name) >= sureMin),
          ),
        )
      : [];
  const all = [...chosen, ...others.filter((one) => !chosen.includes(one))];
  const heldByAll = new Set(all.flatMap((one) => [...one.held]));
  return { items: all.map(({ item }) => item), rest: needs.filter((need) => !heldByAll.has(need)) };
}

const halfNamed = 0.5;
const calledByPartMax = 3;
/** If the question contains one of these words, it may not mean the item that a single word names. */
const negating: ReadonlySet<string> = new Set(
  'not no never without dont doesnt isnt arent cant nahi nahin nako bina नहीं नाही नको बिना शिवाय विना'
    .split(' ')
    .map(foldSpelling),
);
/** Everything after the main noun of a name: "Easel for painting" is an easel, not a painting. */
const behindHead = /\s(?:for|with|without|of|in|to|from|by|and|के|का|की|साठी|वाल[ाेी])\s.*$|,.*$|\(.*$/iu;

/**
 * Finds items that a question names by a part that no other item has: "the easel" is the "Wooden easel for painting". The part is the last
 * word of the main noun, or a word that is in no dictionary; many items are made of leather.
 */
function calledByPart(needs: readonly NeededWord[], scored: readonly Scored[]): readonly Scored[] {
  const telling = needs.filter((need) => need.weight === 1 && !need.isVerb && !isPriceWord(need) && !/^\d/u.test(need.word));
  const isPartOf = (need: NeededWord, { item }: Scored) => {
    const head = contentOf(item.name.replace(behindHead, ''));
    const isLast = isSaidItself(need, head.at(-1) ?? '');
    const isOwn = need.meanings.size === 0 && need.concept === undefined;
    return isLast || (isOwn && head.some((word) => likenessToName(need, word) > 0));
  };
  const groups = telling.map((need) => scored.filter((one) => one.heldByName.has(need) && isPartOf(need, one)));
  const most = groups.map((group) => group.filter((one) => group.every((other) => other.heldByName.size <= one.heldByName.size)));
  return most.some((group) => group.length === 0 || group.length > calledByPartMax) ? [] : [...new Set(most.flat())];
}

/** The items that match as many words as the best one, by name or by kind. */
function ofOneKind(scored: readonly Scored[]): readonly Scored[] {
  // If there is a table of treks, a trekking pole is not one of them.
  const ofKind = scored.filter(({ isOfKind }) => isOfKind);
  const counted = ofKind.length > 1 ? ofKind : scored;
  const most = Math.max(0, ...counted.map(({ held }) => held.size));
  return counted.filter(({ held }) => held.size === most);
}

/** Keeps only the longest of nested names, and the best matches among items with the same name. */
function longestNames(named: readonly Scored[]): readonly Scored[] {
  const stemsOf = (one: Scored) => new Set(contentOf(baseNameOf(one.item)).map((word) => formsOf(word).stem));
  const longest = named
    .filter((one) => {
      const stems = stemsOf(one);
      return !named.some((other) => {
        const more = stemsOf(other);
        return more.size > stems.size && [...stems].every((stem) => more.has(stem));
      });
    })
    .filter((one, _, all) => !all.some((other) => holdsMore(other, one)));
  return [...Map.groupBy(longest, ({ item }) => baseNameOf(item)).values()].flatMap(best);
}

/** Whether the other item matches all words that this one matches, and one more: "peanut pressing" names pressing, not peanut oil. */
const holdsMore = (other: Scored, { heldByName }: Scored): boolean =>
  other.heldByName.size > heldByName.size && [...heldByName].every((need) => other.heldByName.has(need));

function best(scored: readonly Scored[]): readonly Scored[] {
  const top = Math.max(0, ...scored.map(({ score }) => score));
  return scored.filter(({ score }) => score >= top - 0.01);
}

/** Whether a name contains the word itself, and not only one with the same meaning. */
export const isSaidItself = ({ stem, word }: NeededWord, name: string): boolean => {
  const { stems } = textWords(name);
  return stems.has(stem) || stems.has(word);
};

interface Words {
  readonly needs: readonly NeededWord[];
  /** Words that occur in an item's name. They do not match other items by meaning: in a shop that has sarees, a saree is not a shirt. */
  readonly called: ReadonlySet<NeededWord>;
  readonly naming: Naming;
}

function scoreOf(item: FactItem, { needs, called, naming }: Words): Scored {
  const inNameOf = (need: NeededWord, name: string) =>
    called.has(need) && !isSaidItself(need, name) ? 0 : likenessToName(need, name);
  const category = textWords(item.category);
  const values = textWords(valuesOf(item));
  const held = new Set<NeededWord>();
  const heldByName = new Set<NeededWord>();
  let [score, ofName] = [0, 0];
  for (const need of needs) {
    const inName = inNameOf(need, item.name.replace(measured, ''));
    const like = Math.max(inName, likeness(need, category) * categoryWeight, likeness(need, values) * valueWeight);
    if (like < sureMin) continue;
    held.add(need);
    if (inName >= sureMin) {
      ofName += 1;
      heldByName.add(need);
    }
    score += like * need.weight;
  }
  const words = contentOf(baseNameOf(item)).filter((word) => !/^\d/u.test(word) && word.length > 2);
  const ofNoSubject = words.filter((word) => likeness(needOf(word), naming.subject) === 0);
  // In a cloth shop, trousers match what the shop sells, but only that names them.
  const telling = ofNoSubject.length > 0 ? ofNoSubject : words;
  const joined = item.name.match(compound) ?? [];
  const isSaid = (word: string) => needs.some((need) => inNameOf(need, word) > 0) || naming.words.has(word);
  const isPartOfSaid = (word: string) =>
    joined.some((one) => wordsOf(one).includes(word) && needs.some((need) => likeness(need, textWords(one)) > 0));
  const named = telling.filter((word) => isSaid(word) || isPartOfSaid(word)).length;
  // Words such as "small" and "large" are left out of the needs, because they compare. In names, they distinguish items.
  score += words.filter((word) => naming.words.has(word) && !needs.some((need) => need.word === word)).length * comparingWeight;
  // Some words that are unspecific in most questions are names here: "Office" may be the name of a plan.
  const byItself =
    telling.length > 0 && named === telling.length
      ? telling.filter((word) => naming.words.has(word) && !needs.some((need) => need.word === word))
      : [];
  ofName += byItself.length;
  score += byItself.length * byItselfWeight;
  const isOfKind = item.kind === 'row' && [...held].some((need) => likeness(need, category) >= surelyMeant);
  return { item, score, held, heldByName, isOfKind, ofName, share: telling.length === 0 ? 0 : named / telling.length };
}

const valueLettersMax = 60;

/** A row is also matched by the words of its other cells. */
function valuesOf({ kind, attributes }: FactItem): string {
  if (kind === 'entry') return '';
  return attributes
    .filter(({ value }) => !/^[\d₹]/u.test(value) && value.length < valueLettersMax)
    .map(({ value }) => value)
    .join(' ');
}

const compound = /(?<=\p{L})-(?=\p{L})/gu;
const contentOf = (name: string): string[] =>
  wordsOf(name.replace(compound, '')).filter((word) => !isStopWord(word) && (word.length > 1 || /\d/u.test(word)));

const respelledLettersMin = 5;

/**
 * A word without a Marathi oblique ending, if only that form is in a name; or with its spelling corrected, if it is in no name and no
 * dictionary, and exactly one word of the names differs from it by one letter: "albumn" is an album.
 */
export function respelled(need: NeededWord, items: readonly FactItem[]): NeededWord {
  const { word, meanings, concept, weight } = need;
  const [, base] = obliqueInMarathi.exec(word) ?? [];
  const plain = base === undefined ? undefined : needOf(`${base}ा`);
  if (plain && isNamedBy(plain, items) && !isNamedBy(need, items)) return plain;
  const isUnknown = weight === 1 && meanings.size === 0 && concept === undefined && /^[a-z]+$/u.test(word);
  if (!isUnknown || word.length < respelledLettersMin || items.some(({ name }) => likenessToName(need, name) > 0)) return need;
  const near = new Set(items.flatMap(({ name }) => contentOf(name)).filter((one) => isNearlySpelled(one, word)));
  const [only, another] = near;
  return only !== undefined && another === undefined ? needOf(only) : need;
}

/** The Marathi oblique form of a noun in ा: डबा becomes डब्या in डब्याची. */
const obliqueInMarathi = /^([\p{L}\p{M}]{2,})्या[\p{L}\p{M}]*$/u;
const isNamedBy = (need: NeededWord, items: readonly FactItem[]) => items.some(({ name }) => likenessToName(need, name) > 0);

/** Whether one letter is missing, added, different or swapped with the next. The first letter must be right. */
function isNearlySpelled(one: string, other: string): boolean {
  if (one[0] !== other[0] || one.length < respelledLettersMin || Math.abs(one.length - other.length) > 1) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from += 1;
  const [rest, otherRest] = [one.slice(from), other.slice(from)];
  const isExchanged = rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2);
  return isExchanged || rest.slice(1) === otherRest || rest === otherRest.slice(1) || rest.slice(1) === otherRest.slice(1);
}

/** Whether the names of two items share a word. */
export const sharesWord = (one: FactItem, other: FactItem): boolean => {
  const words = new Set(wordsOf(other.name));
  return wordsOf(one.name).some((word) => word.length > 2 && words.has(word));
};

/** The items that an earlier text named, in that order. */
export function mentionedIn(text: string, items: readonly FactItem[]): FactItem[] {
  const low = text.toLowerCase();
  const placeOf = ({ name }: FactItem) => {
    const place = low.indexOf(name.toLowerCase());
    return place >= 0 || !isDevanagari(name) ? place : low.indexOf(inLatinLetters(name).toLowerCase());
  };
  const placed = items.map((item) => ({ item, place: placeOf(item) })).filter(({ place }) => place >= 0);
  return placed
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item)
    .filter((item, place, all) => all.findIndex(({ name }) => name === item.name) === place);
}

/** The items that last as long as the question says, "for six months", by the column that counts their months. */
export function itemsOfSpan(question: string, items: readonly FactItem[]): FactItem[] {
  const spans = numbersIn(question).flatMap(({ value, following: [next = ''] }) => {
    const unit = timeUnit(next);
    return unit === undefined ? [] : [{ value, unit }];
  });
  const [span, second] = spans;
  if (!span || second) return [];
  return items.filter(({ attributes }) =>
    attributes.some(
      (field) =>
        Number(field.value) === span.value && wordsOf(`${field.name} ${field.unit}`).some((word) => timeUnit(word) === span.unit),
    ),
  );
}

const numberOfThing = /(?<![\p{L}\d])(?=[\p{L}\d-]*\d)(?=[\p{L}\d-]*\p{L})[\p{L}\d]+(?:-[\p{L}\d]+)*(?![\p{L}\d])/gu;

/** The items that a question names by a code such as `A-503`, as flats and parts have one. */
export function itemsOfNumber(question: string, items: readonly FactItem[]): FactItem[] {
  const numbers = new Set((question.match(numberOfThing) ?? []).map((number) => number.toLowerCase()));
  if (numbers.size === 0) return [];
  return items.flatMap((item) => {
    const own = item.attributes.find(({ value }) => numbers.has(value.toLowerCase()));
    return own ? [{ ...item, name: `${own.name} ${own.value}` }] : [];
  });
}
