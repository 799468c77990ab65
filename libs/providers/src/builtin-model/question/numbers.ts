import { foldSpelling, integerWords, wordsOf } from '@parley/language';

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
  pair: 2,
  couple: 2,
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
  paach: 5,
  sahaa: 6,
  daha: 10,
};
/** "Do" is two, and a verb of English and of Hindi. */
const doubtful = new Set(['do', 'char', 'das']);

const values = new Map<string, number>();
for (const language of ['english', 'hindi', 'marathi'] as const)
  for (let value = largestInWords - 1; value > 0; value -= 1) {
    const said = foldSpelling(integerWords(value, language));
    if (!said.includes(' ')) values.set(said, value);
  }
latinHindi.split(' ').forEach((word, place) => values.set(word, place + 1));
for (const [word, value] of Object.entries(others)) values.set(foldSpelling(word), value);
const multipliers = new Map(
  scales.flatMap(([words, value]) => words.split(' ').map((word) => [foldSpelling(word), value] as const)),
);

/** Whether a word is a number and no other word. */
export function isNumberWord(word: string): boolean {
  return values.has(word) && !doubtful.has(word);
}

/** A number of a question with the words right after it, which say of what. */
export interface NumberSaid {
  readonly value: number;
  readonly following: readonly string[];
  /** Written with digits: it may be part of a name. */
  readonly isFigure: boolean;
}

/** The numbers of a question in the order in which they are said, as figures or in words of three languages. */
export function numbersIn(question: string): NumberSaid[] {
  const words = wordsOf(question);
  const isHindiInLatin = words.some((word) => /^(?:ka|ki|ke|hai|kitna|kitne|lagega|chahiye|ko)$/u.test(word));
  const found: NumberSaid[] = [];
  for (let place = 0; place < words.length; place += 1) {
    const word = words[place] ?? '';
    const first = /^\d/u.test(word) ? Number(word) : doubtful.has(word) && !isHindiInLatin ? undefined : values.get(word);
    const alone = first ?? (multipliers.has(word) ? 1 : undefined);
    if (alone === undefined) continue;
    let [value, next] = [alone, first === undefined ? place : place + 1];
    const unit = tensWith(value, words[next], word);
    if (unit !== undefined) [value, next] = [unit, next + 1];
    for (let scale = multipliers.get(words[next] ?? ''); scale !== undefined; scale = multipliers.get(words[next] ?? ''))
      [value, next] = [value * scale, next + 1];
    found.push({ value, following: words.slice(next, next + 3), isFigure: /^\d/u.test(word) });
    place = next - 1;
  }
  return found;
}

/** English says "twenty five" in two words. */
function tensWith(value: number, next: string | undefined, word: string): number | undefined {
  const more = next === undefined ? undefined : values.get(next);
  const isTens = /^[a-z]/u.test(word) && value >= 20 && value % 10 === 0;
  return isTens && more !== undefined && more < 10 ? value + more : undefined;
}

const budget = /(?:₹|\bRs\.?)\s?(\d[\d,]*)|(\d[\d,]*)\s?(?:rupees|rupaye|rupaiye|rs\b|रुपये|रुपए|रुपयां)/iu;
const asksHowMany = /\bhow many\b|कितने|कितनी|किती|\bkitn[ei]\b|\bkiti\b/iu;

/** The amount of which a question asks how many of something it buys. */
export function budgetIn(question: string): number | undefined {
  const [, signed, named] = budget.exec(question) ?? [];
  const amount = Number((signed ?? named ?? '').replaceAll(',', ''));
  return amount > 0 && asksHowMany.test(question) ? amount : undefined;
}

/** A question without the amount that it has to spend: that names no thing. */
export function withoutBudget(question: string): string {
  return budgetIn(question) === undefined ? question : question.replace(budget, ' ');
}
