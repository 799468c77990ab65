/** @quiet Judged by CPU time. */
import { countTokens as countExactly } from 'gpt-tokenizer/encoding/o200k_base';
import { loopBudgetMs, warmTurnMs, wordsOf } from '@parley/testing';
import { countTokens } from './index';

const sentence = 'The parcel left Pune on Monday; आपका ऑर्डर रास्ते में है। ';

describe('countTokens', () => {
  it('counts a text of ordinary length exactly', () => {
    for (const text of ['', 'Hello', sentence, sentence.repeat(400)]) expect(countTokens(text)).toBe(countExactly(text));
  });

  it('treats control tokens as text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('estimates a long text from all of it, within 3 %', () => {
    const text = sentence.repeat(600) + 'plain words only '.repeat(3_000) + '1234567890 '.repeat(3_000);
    expect(Math.abs(countTokens(text) / countExactly(text) - 1)).toBeLessThan(0.03);
  });

  // The tokenizer remembers words, so each run counts other ones where the text has any.
  it.each<[string, (run: number) => string]>([
    ['words', () => 'the quick brown fox '.repeat(30_000)],
    ['words that never repeat', (run) => wordsOf(600_000, { alphabet: 'abcdefghijklmnopqrstuvwxyz', seed: run })],
    ['Hindi words that never repeat', (run) => wordsOf(600_000, { alphabet: 'कखगघचजटडतदनपबमयरलवसहािीुेो', seed: run })],
    ['one letter', () => 'a'.repeat(600_000)],
    ['spaces', () => ' '.repeat(600_000)],
    ['marks', () => '!'.repeat(600_000)],
    ['letters without spaces', () => 'नमस्ते'.repeat(100_000)],
    ['emoji', () => '🔑'.repeat(300_000)],
  ])('does not block the event loop for 600,000 letters of %s', async (_what, textOf) => {
    const texts = [1, 2, 3].map(textOf);
    expect(await warmTurnMs(() => countTokens(texts.pop() ?? ''))).toBeLessThan(loopBudgetMs);
    expect(texts).toEqual([]);
  });
});
