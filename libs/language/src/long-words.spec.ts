/** @quiet Judged by CPU time. */
import { longWords, loopBudgetMs, warmTurnMs } from '@parley/testing';
import * as language from '.';

/** The longest question. */
const letters = 8_000;

const readings: Readonly<Record<string, (text: string) => unknown>> = {
  detectLanguage: (text) => language.detectLanguage(text),
  languageOf: (text) => language.languageOf(text),
  indexTerms: (text) => language.indexTerms(text),
  questionTerms: (text) => language.questionTerms(text),
  termsAcrossLanguages: (text) => language.termsAcrossLanguages(text),
  comparableQuestion: (text) => language.asksTheSame(language.comparableQuestion(text), language.comparableQuestion(`${text} `)),
  matchFaq: (text) => language.matchFaq(text, [{ id: 1, question: text, similarity: 0.5 }], { paraphrase: 0.9 }),
  inContext: (text) => language.inContext(text, [text, 'What does it cost?']),
  inLatinLetters: (text) => language.inLatinLetters(text),
  meanings: (text) => language.wordsOf(text).map((word) => [language.meaningsAsHeard(word), language.partsOfCompound(word)]),
  amountsIn: (text) => [language.amountsIn(text), language.amountRangesIn(text), language.numbersIn(text)],
  withDecimals: (text) => [language.withDecimals(text), language.budgetIn(`how many for ${text}`)],
  askedTime: (text) => language.askedTime(text),
  speakable: (text) => (['english', 'hindi', 'marathi'] as const).map((each) => language.speakableIn[each](text)),
};

/** The readings that block the event loop. The text of each run is another, since texts are remembered. */
async function blocking(textOf: (letters: number) => string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, read] of Object.entries(readings)) {
    let run = 0;
    const spent = await warmTurnMs(() => read(textOf(letters - (run += 1))));
    if (spent >= loopBudgetMs) found.push(`${name}: ${spent.toFixed(0)} ms`);
  }
  return found;
}

describe('one word of 8,000 letters, or words that are no words', () => {
  it.each(Object.entries(longWords))('do not block the event loop: %s', async (_name, textOf) => {
    expect(await blocking(textOf)).toEqual([]);
  });

  it('are found as they are written, and are no forms of each other', () => {
    const word = 'नमक'.repeat(30);
    expect(language.wordsOf(`${word}, ${word}े`)).toEqual([word, `${word}े`]);
    expect(language.stemOf(`${word}े`)).toBe(`${word}े`);
    expect(language.formsOf(word)).toEqual({ stem: word, sounds: [] });
    expect(language.indexTerms(word)).toEqual([word]);
  });

  it('are told again as they were written', () => {
    const text = `${'न'.repeat(500)} ${'1'.repeat(300)}${'.'.repeat(300)} ordinary`;
    const ended = language.withRunsEnded(text);
    expect(Math.max(...(ended.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(({ length }) => length))).toBe(60);
    expect(language.withoutMarks(ended)).toBe(text);
    expect(language.withRunsEnded('The parcel left Pune on Monday; आपका ऑर्डर रास्ते में है।')).not.toContain('\ue000');
  });
});
