/** @quiet Judged by CPU time. */
import { countTokens as countExactly } from 'gpt-tokenizer/encoding/o200k_base';
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

  it.each([
    ['words', 'the quick brown fox '.repeat(30_000)],
    ['one letter', 'a'.repeat(600_000)],
    ['spaces', ' '.repeat(600_000)],
    ['marks', '!'.repeat(600_000)],
    ['letters without spaces', 'नमस्ते'.repeat(100_000)],
    ['emoji', '🔑'.repeat(300_000)],
  ])('does not block the event loop for 600,000 letters of %s', (_what, text) => {
    countTokens(sentence);
    const before = process.cpuUsage();
    countTokens(text);
    const { user, system } = process.cpuUsage(before);
    // A tenth of a second on data centre machines; CI is slower.
    expect((user + system) / 1_000).toBeLessThan(400);
  });
});
