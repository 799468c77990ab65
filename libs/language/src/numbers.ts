import { LRUCache } from 'lru-cache';
import { meaningsOf } from './dictionary';
import { foldSpelling, heardAs, wordsOf } from './spelling';
import { integerWords } from './spoken-text';
import { stemOf } from './stems';
import { isStopWord } from './terms';

const largestInWords = 100;
const scales: readonly (readonly [string, number])[] = [
  ['hundred sau सौ शंभर शे', 100],
  ['thousand hazar hazaar हज़ार हजार', 1000],
  ['lakh lakhs lac लाख', 100_000],
  ['crore crores करोड़ कोटी', 10_000_000],
];
const latinHindi = 'ek do teen char paanch chhe saat aath nau das gyarah barah';
const others = {
  dozen: 12,
  dozens: 12,
  pair: 2,
  couple: 2,
  twice: 2,
  thrice: 3,
  दोनदा: 2,
  तीनदा: 3,
  दर्जन: 12,
  डझन: 12,
  दोन: 2,
  तीन: 3,
  तिन: 3,
  सहा: 6,
  दहा: 10,
  बारा: 12,
  पाच: 5,
  don: 2,
  dus: 10,
  bees: 20,
  tees: 30,
  pachas: 50,
  pannas: 50,
  paach: 5,
  sahaa: 6,
  daha: 10,
};
/** Number words that are also other words: "do" is two, but also a verb. */
const doubtful = new Set(['do', 'char', 'das']);

const values = new Map<string, number>();
for (const language of ['english', 'hindi', 'marathi'] as const)
  for (let value = largestInWords - 1; value > 0; value -= 1) {
    const spelled = foldSpelling(integerWords(value, language));
    // "Twenty-five" becomes one word when hyphens are removed.
    if (language === 'english' || !spelled.includes(' ')) values.set(spelled.replace(' ', ''), value);
  }
latinHindi.split(' ').forEach((word, place) => values.set(word, place + 1));
for (const [word, value] of Object.entries(others)) values.set(foldSpelling(word), value);
// Marathi writes "six hundred" as one word.
for (let value = 1; value < 10; value += 1) values.set(foldSpelling(`${integerWords(value, 'marathi')}शे`), value * 100);
for (const [word, value] of [
  ['दोनशे', 200],
  ['दीडशे', 150],
  ['अडीचशे', 250],
  ['पाचशे', 500],
  ['सहाशे', 600],
] as const)
  values.set(foldSpelling(word), value);
// The same for "three hundred and fifty" and "a hundred and twenty-five".
for (let value = 2; value < 10; value += 1)
  for (const [before, shift] of [
    ['साडे', 50],
    ['सव्वा', 25],
    ['पावणे', -25],
  ] as const)
    values.set(foldSpelling(`${before}${value === 2 ? 'दोन' : integerWords(value, 'marathi')}शे`), value * 100 + shift);
values.set(foldSpelling('सव्वाशे'), 125);
values.set(foldSpelling('डझनभर'), 12);
/** Hindi and Marathi numbers by sound, for romanized spellings. */
const byHearing = new Map(
  [...values].flatMap(([word, value]) => {
    const heard = /^[a-z]/u.test(word) ? undefined : heardAs(word);
    return heard === undefined ? [] : [[heard, value] as const];
  }),
);
const multipliers = new Map(
  scales.flatMap(([words, value]) => words.split(' ').map((word) => [foldSpelling(word), value] as const)),
);

/** Words for pairs, which after a number count as one unit. */
const pairWords = new Set(
  ['pair', 'pairs', 'जोड़ी', 'जोडी', 'जोड़े', 'जोड़ियाँ', 'जोड्या', 'जोड्यांची', 'jodi', 'jode', 'jodya', 'jodiyan'].map(foldSpelling),
);

/** Whether a word is a number and nothing else. */
export function isNumberWord(word: string): boolean {
  return (values.has(word) && !doubtful.has(word)) || multipliers.has(word) || ofHundreds.has(word);
}

const ofHundreds = new Set(
  'डेढ़ दीड ढाई अडीच साढ़े साढे साडे सवा सव्वा पौने पावणे dedh dhai adhai adich sadhe saadhe saade'.split(' ').map(foldSpelling),
);

/** All spellings of the whole numbers up to `max`, including ambiguous ones such as "do". */
export function numberWords(max: number): string[] {
  return [...values].flatMap(([word, value]) => (value <= max ? [word] : []));
}

/** The value of a figure or a number word. */
export function saidNumber(word: string): number | undefined {
  return /^\d+$/u.test(word) ? Number(word) : values.get(word);
}

/** A number in a question, with the words right after it, which tell what is counted. */
export interface NumberSaid {
  readonly value: number;
  readonly following: readonly string[];
  readonly preceding: string;
  /** The number of pairs, if said in pairs: "a pair of gloves" is one of something sold in pairs, but two of anything else. */
  readonly pairs: number | undefined;
}

const hindiInLatin = /^(?:ka|ki|ke|hai|kitna|kitne|lagega|chahiye|ko|aur|chh?ot[aei]|bad[aei])$/u;

/** The numbers of a question in order, in figures or in words of three languages. */
export function numbersIn(question: string): NumberSaid[] {
  const words = wordsOf(question);
  const isHindiInLatin = words.some((word) => hindiInLatin.test(word));
  const found: NumberSaid[] = [];
  for (let place = 0; place < words.length; place += 1) {
    const word = words[place] ?? '';
    const heard = isHindiInLatin && !doubtful.has(word) && /^[a-z]/u.test(word) ? byHearing.get(heardAs(word) ?? '') : undefined;
    const first = /^\d/u.test(word)
      ? Number(word)
      : doubtful.has(word) && !isHindiInLatin
        ? undefined
        : (values.get(word) ?? heard);
    const broken = fractionalNumber(words, place, isHindiInLatin);
    const alone = broken?.value ?? first ?? (multipliers.has(word) ? 1 : undefined);
    if (alone === undefined) continue;
    let [value, next] = [alone, broken?.next ?? (first === undefined ? place : place + 1)];
    const unit = broken ? undefined : tensWith(value, words[next], word);
    if (unit !== undefined) [value, next] = [unit, next + 1];
    const rest = restBehind(words, next);
    if (rest) [value, next] = [value + rest.value * (dozens.has(word) ? dozen : 1), rest.next];
    // "Two dozen" are counted in twelves.
    if (dozens.has(words[next] ?? '') && !dozens.has(word)) [value, next] = [value * dozen, next + 1];
    for (let scale = multipliers.get(words[next] ?? ''); scale !== undefined; scale = multipliers.get(words[next] ?? ''))
      [value, next] = [value * scale, next + 1];
    // "One pair of gloves" is one number, not two.
    const isInPairs = pairWords.has(words[next] ?? '');
    if (isInPairs) next += 1;
    const pairs = isInPairs ? value : pairWords.has(word) ? 1 : undefined;
    found.push({ value, following: behind(words, next), preceding: words[place - 1] ?? '', pairs });
    place = next - 1;
  }
  return found;
}

const dozen = 12;
const dozens = new Set(['dozen', 'dozens', 'दर्जन', 'डझन', 'darjan', 'dazan'].map(foldSpelling));
const halves = new Set(['half', 'aadha', 'adha', 'aadhe', 'आधा', 'आधे', 'अर्धा', 'ardha'].map(foldSpelling));
/** Words that modify the next number: साढ़े तीन is 3.5, सवा दो is 2.25, पौने दो is 1.75. */
const shifts: ReadonlyMap<string, number> = new Map(
  [
    ['साढ़े साढे साडे sadhe saadhe saade sade', 0.5],
    ['सवा सव्वा sava savva', 0.25],
    ['पौने पावणे paune pavne', -0.25],
  ].flatMap(([words, value]) =>
    String(words)
      .split(' ')
      .map((word) => [foldSpelling(word), Number(value)] as const),
  ),
);

/** A number with a half or a quarter: डेढ़ सौ, साढ़े तीन सौ, सवा सौ, half a dozen. Undefined for others. */
function fractionalNumber(
  words: readonly string[],
  place: number,
  isHindiInLatin: boolean,
): { readonly value: number; readonly next: number } | undefined {
  const [word = '', second = '', third = ''] = words.slice(place, place + 3);
  const isArticle = second === 'a';
  if (halves.has(word) && dozens.has(isArticle ? third : second)) return { value: dozen / 2, next: place + (isArticle ? 3 : 2) };
  const fraction = fractions.get(word);
  const isCounted = multipliers.has(second) || (!halves.has(word) && isMeasured(second));
  if (fraction !== undefined && isCounted) return { value: fraction, next: place + 1 };
  const shift = shifts.get(word);
  if (shift === undefined || (/^[a-z]/u.test(word) && !isHindiInLatin)) return undefined;
  if (isMeasured(second)) return { value: 1 + shift, next: place + 1 };
  const whole = /^\d/u.test(second) ? Number(second) : (values.get(second) ?? byHearing.get(heardAs(second) ?? ''));
  return whole !== undefined && isMeasured(third) ? { value: whole + shift, next: place + 2 } : undefined;
}

/** Whether a word can follow a number with a half: hundreds, dozens, kilos; unlike in "half past three". */
const isMeasured = (word: string): boolean => multipliers.has(word) || dozens.has(word) || isUnit(word);

/** "And a half" after a number. */
function restBehind(words: readonly string[], place: number): { readonly value: number; readonly next: number } | undefined {
  if (!joins.has(words[place] ?? '')) return undefined;
  const next = place + (words[place + 1] === 'a' ? 2 : 1);
  const value = halves.has(words[next] ?? '') ? 0.5 : words[next] === 'quarter' ? 0.25 : undefined;
  return value === undefined ? undefined : { value, next: next + 1 };
}

const joins = new Set(['and', 'और', 'आणि', 'aur', 'ani'].map(foldSpelling));

const vulgar: Readonly<Record<string, number>> = { '½': 0.5, '¼': 0.25, '¾': 0.75, '1/2': 0.5, '1/4': 0.25, '3/4': 0.75 };
/** A written fraction before a unit; without one, 1/2 may be a date. */
const fractionWritten =
  /(?:(?<!\d)(\d+)[\s-]?)?(?:([½¼¾])|(?<![\d/])([13]\/[24])(?![\d/])(?=\s?(?:of )?(?:an? )?([\p{L}\p{M}]+)))/gu;

/** Replaces written fractions by decimals: "1½ kg" and "1 1/2 kg" become "1.5 kg". */
export const withDecimals = (text: string): string =>
  text.replace(fractionWritten, (all: string, whole?: string, sign?: string, ratio?: string, unit?: string) =>
    sign !== undefined || isUnit(unit ?? '') ? String(Number(whole ?? 0) + (vulgar[sign ?? ratio ?? ''] ?? 0)) : all,
  );

/** What is counted: the next few content words, so that "three packets of rusk" includes rusk. */
const behind = (words: readonly string[], from: number): string[] =>
  words
    .slice(from, from + 5)
    .filter((word) => !isStopWord(word))
    .slice(0, 3);

/** An amount with its unit: half a kilo, six months. */
export interface Amount {
  readonly value: number;
  readonly unit: string;
}

const fractions: ReadonlyMap<string, number> = new Map(
  [
    ['half aadha adha aadhi आधा आधी आधे अर्धा अर्धी अर्धे', 0.5],
    ['quarter पाव', 0.25],
    ['पौना पौन पाऊण paun paaun', 0.75],
    ['डेढ़ दीड dedh ded did', 1.5],
    ['ढाई अडीच dhai dhaai adhai adich', 2.5],
  ].flatMap(([words, value]) =>
    String(words)
      .split(' ')
      .map((word) => [foldSpelling(word), Number(value)] as const),
  ),
);
/** Whether a word says a fraction: half, पाव, अडीच, साढ़े. */
export const saysPart = (word: string): boolean => fractionSaid(word) !== undefined || shifts.has(word);

/** Marathi writes "three and a half" as one word: साडेतीन. */
function fractionSaid(word: string): number | undefined {
  const known = fractions.get(word);
  if (known !== undefined) return known;
  for (const [before, shift] of shifts) {
    const whole = word.startsWith(before) ? values.get(word.slice(before.length)) : undefined;
    if (whole !== undefined && !/^[a-z]/u.test(word)) return whole + shift;
  }
  return undefined;
}

const ones = new Set(['one', 'a', 'an', 'single', 'ek', 'per', 'एक', 'full', 'whole'].map(foldSpelling));
const units = [
  'km',
  'kilo',
  'kg',
  'gram',
  'litre',
  'ml',
  'metre',
  'minute',
  'hour',
  'day',
  'night',
  'week',
  'month',
  'year',
  'dozen',
  // Units that distinguish variants of a product.
  'ton',
  'inch',
  'watt',
  'cc',
];
const sameUnit: Readonly<Record<string, string>> = { kg: 'kilo', tonne: 'ton' };

const unitStems = units.map((unit) => ({ unit: sameUnit[unit] ?? unit, stem: stemOf(unit) }));

/** The unit that a word names, in any language: `kilo` for किलो. */
export function measureNamed(word: string): string | undefined {
  const stem = stemOf(word);
  const meanings = meaningsOf(word);
  return (unitStems.find((one) => one.stem === stem) ?? unitStems.find((one) => meanings.has(one.stem)))?.unit;
}

/** Whether a word is a unit. */
export const isUnit = (word: string): boolean => measureNamed(word) !== undefined;

const textsRemembered = 5_000;
const remembered = new LRUCache<string, readonly Amount[]>({ max: textsRemembered });

/** The amounts in a text, which distinguish the prices of a product. Cached, since names are parsed for every question. */
export function amountsIn(text: string): readonly Amount[] {
  const known = remembered.get(text);
  if (known) return known;
  const amounts = readAmounts(text);
  remembered.set(text, amounts);
  return amounts;
}

/** A range of amounts that distinguishes variants: "up to 1.5 ton", "151 to 350 cc", "above 60 kg". */
interface AmountRange {
  readonly from: number;
  readonly to: number;
  readonly unit: string;
}

const ranged =
  /(?:(up ?to|under|below|less than|within)|(above|over|more than|beyond)|(?<!\d)(\d+(?:\.\d+)?)\s?(?:to|-|–|ते|से))\s(?:a |of )?(\d+(?:\.\d+)?)\s?([\p{L}\p{M}]+)|(?<!\d)(\d+(?:\.\d+)?)\s?([\p{L}\p{M}]+)\s(पर्यंत|तक)/giu;

/** The ranges of amounts in a name. */
export function amountRangesIn(text: string): AmountRange[] {
  return [...foldSpelling(text).matchAll(ranged)].flatMap(([, , above, from, number, named, most, mostNamed]) => {
    const unit = measureNamed(named ?? mostNamed ?? '');
    if (unit === undefined) return [];
    const value = Number(number ?? most);
    return [{ from: above ? value : Number(from ?? 0), to: above ? Number.POSITIVE_INFINITY : value, unit }];
  });
}

function readAmounts(text: string): Amount[] {
  const words = wordsOf(text);
  const isHindiInLatin = words.some((word) => hindiInLatin.test(word));
  const found: Amount[] = [];
  for (let place = 0; place < words.length; place += 1) {
    const number = measuredNumber(words, place, isHindiInLatin);
    if (number === undefined) continue;
    const isArticle = words[number.next] === 'a' || words[number.next] === 'an';
    const next = number.next + (isArticle ? 1 : 0);
    const unit = measureNamed(words[next] ?? '');
    if (unit === undefined) continue;
    // In "an hour and a half" the half follows the unit.
    const behindUnit = Number.isInteger(number.value) ? restBehind(words, next + 1) : undefined;
    // "And half a litre" is another amount.
    const [first = '', second = ''] = words.slice(behindUnit?.next ?? words.length);
    const rest = isUnit(first) || (first === 'a' && isUnit(second)) ? undefined : behindUnit;
    found.push({ value: number.value + (rest?.value ?? 0), unit });
    place = (rest?.next ?? next) - 1;
  }
  return found;
}

/** The number that starts at a word, including a fraction, and where it ends. */
function measuredNumber(words: readonly string[], place: number, isHindiInLatin: boolean) {
  const word = words[place] ?? '';
  const fraction = fractionSaid(word);
  if (fraction !== undefined) return { value: fraction, next: place + 1 };
  const broken = shifts.has(word) ? fractionalNumber(words, place, isHindiInLatin) : undefined;
  const whole = saidNumber(word) ?? (/^\d/u.test(word) ? Number(word) : ones.has(word) ? 1 : undefined);
  if (broken || whole === undefined) return broken;
  const withUnits = tensWith(whole, words[place + 1], word);
  const [value, next] = withUnits === undefined ? [whole, place + 1] : [withUnits, place + 2];
  const rest = restBehind(words, next);
  return rest ? { value: value + rest.value, next: rest.next } : { value, next };
}

/** An English number in two words, such as "twenty five". */
function tensWith(value: number, next: string | undefined, word: string): number | undefined {
  const more = next === undefined ? undefined : values.get(next);
  const isTens = /^[a-z]/u.test(word) && value >= 20 && value % 10 === 0;
  return isTens && more !== undefined && more < 10 ? value + more : undefined;
}

const budget = /(?:₹|\bRs\.?)\s?(\d[\d,]*)|(?<!\d,*)(\d[\d,]*)\s?(?:rupees|rupaye|rupaiye|rs\b|रुपये|रुपए|रुपयां)/iu;
const asksHowMany = /\bhow many\b|कितने|कितनी|किती|\bkitn[ei]\b|\bkiti\b/iu;

/** The budget in a question about how many of something it buys. */
export function budgetIn(question: string): number | undefined {
  const [, signed, named] = budget.exec(question) ?? [];
  const amount = Number((signed ?? named ?? '').replaceAll(',', ''));
  return amount > 0 && asksHowMany.test(question) ? amount : undefined;
}

/** A question without its budget, which does not name a thing. */
export function withoutBudget(question: string): string {
  return budgetIn(question) === undefined ? question : question.replace(budget, ' ');
}

/** Formats an amount with its currency, and hundredths if any. Only rupees are grouped in lakhs: `₹15,00,000`, but `$1,500,000`. */
export function writtenMoney(value: number, currency: string): string {
  const digits = Number.isInteger(value) ? 0 : 2;
  return new Intl.NumberFormat(currency === 'INR' ? 'en-IN' : 'en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}
