import {
  askedTime,
  budgetIn,
  foldSpelling,
  languageOf,
  meaningsOf,
  measureNamed,
  type NumberSaid,
  numbersIn,
  stemOf,
  wordsOf,
  writtenMoney,
} from '@parley/language';
import { type Measure, written } from '../facts/amount';
import type { BaseFacts, QuotableSentence } from '../facts/base-facts';
import { isEnumerated, says, totalWords } from '../question/idioms';
import { likeness, textWords } from '../question/likeness';
import { type AnalysedQuestion, asksOnlyWhether, isPriceWord, needOf, type Want } from '../question/needs';
import { type AnswerLanguage, phrases, totalsTold } from './phrases';

/** A price in a sentence and what distinguishes it: ₹700 "for the Royal menu" of "A plate costs". */
interface ToldPrice {
  readonly each: number;
  /** The words that distinguish it from the other prices of the sentence. */
  readonly qualifier: string;
}

const amount = /(?:₹|\bRs\.?|\bINR)\s?(\d[\d,]*(?:\.\d+)?)(?!\s?[-–]\s?[₹\d])|(\d[\d,]*)\s?(?:rupees\b|रुपये|रुपए)/giu;
/** Amounts that are limits, such as "above ₹1,500", and not prices. */
const threshold =
  /(?:\b(?:above|over|below|under|up ?to|from|least|minimum|until|than|off|between|worth|beyond|se)\b|से|पर्यंत|तक|पासून)\s*(?:an?\s)?(?:\p{L}+\s(?:of|for)\s)?$/iu;
const joiningBefore = /^[\s,;]*(?:(?:and|or|और|आणि|तथा|व|या)\s)?\s*/iu;
const joiningAfter = /[\s,;.।]*(?:\s(?:and|or|while|but|और|आणि|तथा|व|या))?[\s,]*$/iu;
const countMax = 100_000;

function pricesIn(text: string): ToldPrice[] {
  const found = [...text.matchAll(amount)].filter(({ index }) => !threshold.test(text.slice(0, index)));
  const between = (start: number, end: number | undefined) =>
    text.slice(start, end).replace(joiningBefore, '').replace(joiningAfter, '');
  const ends = found.map(({ index, 0: phrase }) => index + phrase.length);
  const isBefore = between(ends.at(-1) ?? 0, undefined) === '';
  return found.map(({ index, 1: signed, 2: named }, place) => ({
    each: Number((signed ?? named ?? '').replaceAll(',', '')),
    qualifier: isBefore ? between(ends[place - 1] ?? 0, index) : between(ends[place] ?? 0, found[place + 1]?.index),
  }));
}

/** The price of a sentence that a question asks for. Undefined if it could be several. */
function priceAsked({ needs }: AnalysedQuestion, text: string): ToldPrice | undefined {
  const prices = pricesIn(text);
  const [only, second] = prices;
  if (!second) return only;
  const scored = prices.map((price) => {
    const comparable = textWords(price.qualifier);
    return {
      price,
      held: needs.reduce((sum, need) => sum + (isPriceWord(need) ? 0 : likeness(need, comparable) * need.weight), 0),
    };
  });
  const [best, next] = scored.toSorted((one, other) => other.held - one.held);
  return best && next && best.held > next.held ? best.price : undefined;
}

interface Affordable {
  readonly amount: number;
  readonly name: string;
  readonly each: Measure;
}

/** States how many of an item an amount of money buys, and the remainder. */
export function affords({ amount, name, each }: Affordable, language: AnswerLanguage): string {
  const count = Math.floor(amount / each.value);
  const rest = written({ value: amount - count * each.value, unit: each.unit });
  return affordsWords[language]({ count, name, each: written(each), rest });
}

const affordsWords: Record<AnswerLanguage, (purchase: { count: number; name: string; each: string; rest: string }) => string> = {
  english: ({ count, name, each, rest }) =>
    `That is enough for ${count}${name === '' ? '' : ` × ${name}`} at ${each} each; ${rest} are left.`,
  hindi: ({ count, name, each, rest }) =>
    `उतने में ${count}${name === '' ? '' : ` × ${name}`} मिलेंगे, एक का दाम ${each}; ${rest} बचेंगे।`,
  marathi: ({ count, name, each, rest }) =>
    `तेवढ्यात ${count}${name === '' ? '' : ` × ${name}`} मिळतील, एकाची किंमत ${each}; ${rest} उरतील.`,
};

/**
 * The total for a quantity whose price a sentence states: "five nights" at "₹600 a night for dogs". Undefined if nothing is counted, or
 * something that the sentence does not mention.
 */
export function timesToldPrice(
  wish: { question: string; analysed: AnalysedQuestion; language: AnswerLanguage },
  { text }: QuotableSentence,
): string | undefined {
  const { question, analysed, language } = wish;
  const amount = budgetIn(question);
  if (amount !== undefined) {
    const each = priceAsked(analysed, text)?.each;
    return each === undefined ? undefined : affords({ amount, name: '', each: { value: each, unit: 'INR' } }, language);
  }
  if (!analysed.wants.has('PRICE')) return undefined;
  const counted = quantitiesIn(question, text).filter(({ value }) => !wordsOf(text).includes(String(value)));
  if (counted.length === 0 || !counted.every(({ following }) => countsWhatIsTold(following, text))) return undefined;
  const price = priceAsked(analysed, text);
  if (!price) return undefined;
  const factors = counted.map(({ value }) => value);
  if (leastIn(text) > factors.reduce((product, value) => product * value, 1)) return undefined;
  const total = factors.reduce((product, value) => product * value, price.each);
  return comesTo[language](writtenMoney(total, 'INR'), [...factors, writtenMoney(price.each, 'INR')].join(' × '));
}

/**
 * The total for a follow-up such as "And for two of them?" after a sentence with one price; no other item that shares a word with it is
 * meant.
 */
export function timesToldAgain(
  { question, analysed, language }: { question: string; analysed: AnalysedQuestion; language: AnswerLanguage },
  { text }: QuotableSentence,
): string | undefined {
  const [price, another] = pricesIn(text);
  const [counted, second] = quantitiesIn(question, text);
  const comparable = textWords(text);
  const isOfOther = analysed.needs.some((need) => need.weight === 1 && !isPriceWord(need) && likeness(need, comparable) === 0);
  if (!price || another || !counted || second || isOfOther || leastIn(text) > counted.value) return undefined;
  const each = writtenMoney(price.each, 'INR');
  return `${comesTo[language](writtenMoney(price.each * counted.value, 'INR'), `${counted.value} × ${each}`)} ${text}`;
}

/** The minimum quantity of a sentence's price. It does not state the price of fewer. */
function leastIn(text: string): number {
  const amounts = [...text.matchAll(aboveSo)].map(([, behind, before]) => Number((behind ?? before ?? '').replaceAll(',', '')));
  return Math.max(0, ...amounts);
}

const aboveSo =
  /\b(?:above|over|more than|at least|exceeding|beyond)\s(\d[\d,]*)|(\d[\d,]*)\s?[\p{L}\p{M}]*?\s?(?:पेक्षा (?:जास्त|अधिक)|से (?:ज़्यादा|ज्यादा|अधिक|ऊपर)|peksha jast|se (?:zyada|jyada)|or more|and above)/giu;

interface Before {
  readonly facts: BaseFacts;
  /** The previous question and answer. */
  readonly earlier: string;
  readonly wants: ReadonlySet<Want>;
}

/** Answers a follow-up such as "And for a cat?" after a sentence with prices for dogs and cats. */
export function priceToldBefore(
  { needs, wants }: AnalysedQuestion,
  { facts, earlier, wants: wantsBefore }: Before,
): string | undefined {
  const telling = needs.filter(({ weight }) => weight === 1);
  const isOfPrice = wants.has('PRICE') || (wants.size === 0 && wantsBefore.has('PRICE'));
  if (telling.length === 0 || !isOfPrice) return undefined;
  for (const { text } of facts.statements) {
    if (!earlier.includes(text)) continue;
    const prices = pricesIn(text).filter(({ qualifier }) => telling.every((need) => likeness(need, textWords(qualifier)) > 0));
    const [only, second] = prices;
    if (only && !second) return `${only.qualifier}: ${writtenMoney(only.each, 'INR')}${languageOf(text) === 'hindi' ? '।' : '.'}`;
  }
  return undefined;
}

/**
 * The quantities in a question, for a price stated in these words. A number is not a quantity if it belongs to a date, a time of day,
 * money, an age or a name, or if it states the kind of an item: 125 cc, the model of 2019, a package of seven days.
 */
export function quantitiesIn(question: string, answer: string): NumberSaid[] {
  // In "I am 30, what does it cost?", the number is at the end of another clause and counts nothing.
  const clauses = askedTime(question.replace(namedByNumber, ' '))
    .rest.split(/[,;.?!।]+(?=\s|$)/u)
    .filter((clause) => clause.trim() !== '');
  const counted = clauses
    .flatMap(numbersIn)
    .filter(({ following, preceding }) => clauses.length === 1 || following.length > 0 || isTold(preceding, answer))
    .filter(({ value }) => value > 1 && Number.isInteger(value) && value <= countMax)
    .filter((number) => !isOfOther(number, answer));
  const isOfYear =
    wholeYear.test(question) &&
    monthly.test(answer) &&
    !counted.some(({ following }) => following.some((word) => timeUnit(word)));
  return isOfYear ? [...counted, { value: 12, following: ['months'], preceding: '', pairs: undefined }] : counted;
}

/** Whether the price is for this word: "Napkins, 600 of them, how much?" */
const isTold = (word: string, answer: string): boolean =>
  word.length > 1 && answer !== '' && likeness(needOf(word), textWords(answer)) > 0;

/** Names with digits: `A-503`, `6G`, and a model with its number. */
const namedByNumber =
  /(?<![\p{L}\p{N}])(?:\p{L}{1,3}-?\d+[\p{L}\d-]*|\d+(?!(?:kgs?|gms?|km|ml|ltr|pcs|nos|th|st|nd|rd|din|day|hrs?|l)(?![\p{L}\d]))[a-z]+\d*|(?<=\p{Ll}\s)\p{Lu}\p{Ll}+\s\d{2,}(?=\s[a-z]))(?![\p{L}\p{N}])/gu;
const fold = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(foldSpelling));
/** After one of these words, a number is a name, an age or a kind. */
const namingWords = fold(
  'paid pay spent spend number no nos model flat class std standard age aged am size room plot ward sector version since year batch grade page row gate platform ' +
    'नंबर नम्बर क्रमांक उम्र आयु वय इयत्ता कक्षा मॉडल मॉडेल umar vay kaksha iyatta',
);
/** Before one of these words, a number is an amount of money or describes the kind of an item. */
const kindUnits = fold(
  'rupee rupees rs inr rupaye rupaiye rupya cc model number old aged degree standard class floor inch inches watt watts hp ah amp amps volt ' +
    'volts kva ton tonne tons mm cm feet foot ft square sq sqft वर्ग चौरस varg chauras bhk gb mb mbps seater star percent wheeler door stroke speed g am pm oclock baje o ' +
    'रुपये रुपए रुपया रुपयांचे रुपयांत सीसी टन इंच वॉट फूट फुट टक्के प्रतिशत बजे वाजता वर्षांचा वर्षांची वर्षांचे',
);
const wayUnits = fold('km kms kilometre kilometer kilometres kilometers किमी किलोमीटर किलोमीटरवर');

function isOfOther({ preceding, following: [next = ''] }: NumberSaid, answer: string): boolean {
  if (namingWords.has(preceding)) return true;
  return (kindUnits.has(next) || wayUnits.has(next)) && !isPricedBy(next, answer);
}

/** Whether a price is per this unit: ₹15 per km, but not a price for a delivery within 5 km. */
export function isPricedBy(unit: string, priced: string): boolean {
  const measure = measureNamed(unit);
  // A unit of distance matches only words for such units, and not "farther", whose meaning is close.
  const isOfUnit = (word: string) =>
    wayUnits.has(unit)
      ? wayUnits.has(word)
      : stemOf(word) === stemOf(unit) ||
        meaningsOf(unit).has(stemOf(word)) ||
        (measure !== undefined && measureNamed(word) === measure);
  return wordsOf(priced.replace(withItsNumber, ' ')).some(isOfUnit);
}

const withItsNumber = /\d+(?:[.,]\d+)*[\s-]?[\p{L}\p{M}]+/gu;

const wholeYear = /\b(?:a|one|whole|full|entire) year\b|(?:साल|वर्ष)\s?भर|वर्षाच|(?:saal|varsh) ?bhar|ek saal/iu;
const monthly = /month|महीन|महिन|माह|मासिक/iu;

/** Whether a text mentions what is counted: one of the two words after the number. */
function countsWhatIsTold(following: readonly string[], text: string): boolean {
  const comparable = textWords(text);
  const words = following.slice(0, 2);
  const units = words.filter((word) => timeUnit(word) !== undefined);
  if (units.length > 0) return units.every((word) => wordsOf(text).some((one) => timeUnit(one) === timeUnit(word)));
  return words.some((word) => likeness(needOf(word), comparable) > 0);
}

const times = ['minute', 'hour', 'day', 'night', 'week', 'month', 'year'];

/** The unit of time that a word names, in any language. */
export function timeUnit(word: string): string | undefined {
  const stem = stemOf(word);
  return times.find((unit) => stemOf(unit) === stem || meaningsOf(word).has(stemOf(unit)));
}

const comesTo: Record<AnswerLanguage, (total: string, how: string) => string> = {
  english: (total, how) => `That comes to ${total} (${how}).`,
  hindi: (total, how) => `कुल ${total} होंगे (${how})।`,
  marathi: (total, how) => `एकूण ${total} होतील (${how}).`,
};

const notTheSum: Record<AnswerLanguage, (answer: string) => string> = {
  english: (answer) => `I do not know the total for that. What I can tell you: ${answer}`,
  hindi: (answer) => `इसके कुल दाम की मुझे जानकारी नहीं है। इतना बता सकती हूँ: ${answer}`,
  marathi: (answer) => `याच्या एकूण किमतीची मला माहिती नाही. एवढे सांगू शकते: ${answer}`,
};

/** States the price of one, and that the total for several is not known. */
export function withoutTotal(answer: string, language: AnswerLanguage): string {
  return notTheSum[language](answer);
}

const isComputed = /[×+]|₹.*₹/u;

/** Whether the question asks for the price of several, and an answer tells the price of one. */
export function isOfOneOnly(answer: string, question: string, { wants }: AnalysedQuestion): boolean {
  // A question such as "A tent for four days?" also asks for the price.
  const isOfPrice = wants.has('PRICE') || (wants.size === 0 && pricesIn(answer).length > 0 && !asksOnlyWhether(question));
  // Items that are not offered have no total.
  if (!isOfPrice || answer.startsWith('“')) return false;
  if (isEnumerated(question) && says(question, totalWords) && !isComputed.test(answer)) return true;
  const answered = new Set(numbersIn(answer).map(({ value }) => value));
  return quantitiesIn(question, answer).some(({ value }) => !answered.has(value));
}

/** A condition in a question that changes a price, such as a tax or an evening appointment, and the rules of the knowledge about it. */
interface Condition {
  /** The question without the condition. */
  readonly rest: string;
  readonly rules: readonly QuotableSentence[];
  /** What the rule adds, in percent, if there is one rule and it is clear. */
  readonly percent: number | undefined;
}

const taxes = /\b(?:gst|vat|tax(?:es)?)\b|(?<![\p{L}\p{M}])(?:जीएसटी|टैक्स|टॅक्स|कर)(?![\p{L}\p{M}])/iu;
const taxSaid =
  /(?:\b(?:with|including|incl|plus|after|inclusive of|before|without|is|are)\s)?(?:\ball\s)?(?:\b(?:gst|vat|tax(?:es)?)\b|(?<![\p{L}\p{M}])(?:जीएसटी|टैक्स|टॅक्स|कर)(?![\p{L}\p{M}]))(?:\s(?:included|extra|मिलाकर|समेत|सहित|के साथ|जोड़कर|धरून|सह|milakar|jodkar|ke saath|dharun|धरला|धरली|धरलेली|शामिल))?(?:\s(?:in(?: the)?)\b)?/giu;
const ofShare = /(\d+(?:\.\d+)?)\s?(?:%|percent\b|per cent\b|प्रतिशत|टक्के|फ़ीसदी|फीसदी)/giu;
const adding = /\b(?:more|extra|added|additional|surcharge|plus|on top)\b|अतिरिक्त|ज़्यादा|ज्यादा|अलग|जोड़|जास्त|अधिक|वेगळ|जादा/iu;
const lessening =
  /\b(?:less|off|discount|included?|includes|inclusive|up to|from|between|except|only if)\b|छूट|सवलत|सूट|शामिल|धरलेल|समाविष्ट|कम /iu;
/** Words that apply to every order. A rule about trips does not apply to a party. */
const ofAnyOrder =
  /\b(?:prices?|bills?|visits?|work|jobs?|orders?|services?|charges|invoices?|everything)\b|दाम|बिल|काम|सेवा|किंमत|दरां|ऑर्डर|भेट/iu;
const isLater = /\b(?:after|later than|past|beyond|from)\b|के बाद|नंतर|पासून|से /iu;
const isEarlier = /\b(?:before|until|earlier than)\b|से पहले|पूर्वी|आधी/iu;
const timesSaid = /\b(?:after|before|at|on|by|past)\s*(?=[,.?!]|$)|(?<![\p{L}\p{M}])(?:के बाद|बाद|नंतर|से पहले|पहले|को|ला)(?=\s|$)/giu;
const hasAmount =
  /%|\bpercent\b|प्रतिशत|टक्के|[₹$€£]\s?\d|\d\s?(?:rupees|रुपये|रुपए)|\b(?:double|twice|half)\b|दुप्पट|दुगुन|दोगुन|निम्म|आध[ाीे]/iu;

/** The rules about a condition in the question. Undefined if it has no condition with a rule, unless that is a tax. */
export function conditionIn(question: string, { statements }: BaseFacts): Condition | undefined {
  if (taxes.test(question)) {
    const rules = statements.filter(({ text, isStored, heading }) => taxes.test(isStored ? `${heading} ${text}` : text));
    return { rest: question.replace(taxSaid, ' '), rules, percent: addedBy(rules) };
  }
  const time = askedTime(question);
  const { clock, weekday, rest } = time;
  if (clock === undefined && weekday === undefined) return undefined;
  const rules = statements.filter(({ text, isStored }) => {
    if (isStored || !hasAmount.test(text)) return false;
    const timeInText = askedTime(text);
    if (clock !== undefined && timeInText.clock !== undefined && (adding.test(text) || lessening.test(text))) {
      const minutes = clock.minutes - (isEarlier.test(question) ? 1 : 0);
      return isLater.test(text)
        ? minutes >= timeInText.clock.minutes
        : isEarlier.test(text) && minutes < timeInText.clock.minutes;
    }
    const days = text.split(/\s(?:and|or|to|और|आणि|व|या)\s|,/u).map((part) => askedTime(part).weekday);
    return weekday !== undefined && days.includes(weekday);
  });
  const isSure = clock === undefined || !clock.isOfEither;
  return rules.length === 0
    ? undefined
    : { rest: rest.replace(timesSaid, ' '), rules, percent: isSure ? addedBy(rules) : undefined };
}

function addedBy(rules: readonly QuotableSentence[]): number | undefined {
  const [rule, second] = rules;
  if (!rule || second || !adding.test(rule.text) || lessening.test(rule.text) || !ofAnyOrder.test(rule.text)) return undefined;
  const [share, another] = [...rule.text.matchAll(ofShare)];
  return share && !another ? Number(share[1]) : undefined;
}

/** Tells a price with the rules applied, or with the rules beside it. */
export function underCondition(
  { rules, percent }: Pick<Condition, 'rules' | 'percent'>,
  { answer, base, language }: { answer: string; base: Measure | undefined; language: AnswerLanguage },
): string {
  const quoted = [
    ...new Set(rules.map(({ text, heading, isStored }) => quoteIn(isStored ? `${heading} ${text}` : text, language))),
  ];
  if (percent === undefined || base === undefined) return [answer, ...quoted].join(' ');
  const total = Math.round(base.value * (100 + percent)) / 100;
  const parts = `${writtenMoney(base.value, base.unit)} + ${percent} %`;
  return [comesTo[language](writtenMoney(total, base.unit), parts), answer, ...quoted].join(' ');
}

const quoteIn = (text: string, language: AnswerLanguage): string =>
  languageOf(text) === language ? text : phrases[language].quoted(text);

const ofBills =
  /\b(?:bills?|orders?|purchases?|invoices?|shopping|total|everything|all (?:items|goods|products|services))\b|बिल|ऑर्डर|ख़?रीद|खरेदी|कुल|एकूण/iu;
const limits: readonly (readonly [side: 'above' | 'below', before: RegExp, behind: RegExp])[] = [
  [
    'above',
    /\b(?:above|over|more than|exceeding|exceeds?|beyond)\s*$/iu,
    /^\s*(?:से (?:ऊपर|अधिक|ज़्यादा|ज्यादा)|पेक्षा (?:जास्त|अधिक)|(?:च्या|हून) (?:वर|अधिक)|च्यावर|(?:or|and) (?:more|above|over)|\+)/iu,
  ],
  ['below', /\b(?:below|under|less than)\s*$/iu, /^\s*(?:से कम|पेक्षा कमी|च्या(?:आत| आत))/iu],
];
/** Rules for large orders, such as "Orders of 25 pieces or more". A total does not tell how many pieces there are. */
const isOfMany =
  /\d[\d,]* (?:\p{L}+ )?(?:or more|and above)|(?:more than|over|above|at least) (?:\d|an? dozen|ten|twenty|fifty|hundred)|पेक्षा जास्त|से (?:ज़्यादा|ज्यादा|अधिक)/iu;
const rulesMax = 2;

/**
 * The rules of the business on the total of an answer: a discount above an amount, delivery below one, a tax. They are quoted and not
 * computed with, because only the business knows whether and in which order they apply.
 */
export function rulesOnTotal(answer: string, statements: readonly QuotableSentence[], language: AnswerLanguage): string[] {
  const sums = totalsTold(answer);
  const rules =
    sums.length === 0 ? [] : statements.filter((rule) => !answer.includes(rule.text) && concernsTotal(wholeOf(rule), sums));
  return [...new Set(rules.map((rule) => quoteIn(wholeOf(rule), language)))].slice(0, rulesMax);
}

const wholeOf = ({ text, heading, isStored }: QuotableSentence): string => (isStored ? `${heading} ${text}` : text);

function concernsTotal(rule: string, sums: readonly number[]): boolean {
  const sides = [...rule.matchAll(amount)].flatMap(({ index, 0: phrase, 1: signed, 2: named }) => {
    const value = Number((signed ?? named ?? '').replaceAll(',', ''));
    const side = limits.find(
      ([, before, behind]) => before.test(rule.slice(0, index)) || behind.test(rule.slice(index + phrase.length)),
    )?.[0];
    return side ? [{ side, value }] : [];
  });
  const isOfShare = rule.search(ofShare) >= 0 && (adding.test(rule) || lessening.test(rule) || taxes.test(rule));
  if (sides.length === 0) return isOfShare && (taxes.test(rule) || (ofBills.test(rule) && !isOfMany.test(rule)));
  const isBoth =
    new Set(sides.map(({ side }) => side)).size > 1 || /\b(?:below|above|under|over|less|more) (?:that|this|it)\b/iu.test(rule);
  return isBoth || sides.some(({ side, value }) => sums.some((sum) => (side === 'above' ? sum >= value : sum < value)));
}
