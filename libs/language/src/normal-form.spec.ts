/** @quiet Judged by CPU time. */
import { foldSpelling, inLatinLetters, normalized, speakableIn, wordsOf } from './index';

const writings = {
  'marks of two kinds': '\u0301\u0316',
  'marks of Devanagari': '\u093c\u094d',
  'marks on letters': 'e\u0301\u0316',
  joiners: '\u200d',
  'emoji of several people': '👩‍👩‍👧‍👦',
  'letters without blanks': 'abcdefghij',
  ligatures: 'ﷺ',
};
const readings = { foldSpelling, inLatinLetters, wordsOf, speakable: speakableIn.english } as const;
const lettersFew = 8_000;
const growth = 4;
/** Quadratic growth would take sixteen times as long. */
const slowdownMax = 9;
/** Shorter times are too short to judge. */
const microsecondsMin = 10_000;

function microsecondsOf(work: () => unknown): number {
  const costs = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...costs);
}

describe('a text in its normal form', () => {
  it.each(Object.entries(writings).flatMap(([of, piece]) => Object.keys(readings).map((name) => [name, of, piece] as const)))(
    'takes time in proportion to its length: %s of %s',
    (name, _of, piece) => {
      const read = Object.entries(readings).find(([key]) => key === name)?.[1] ?? foldSpelling;
      const text = (letters: number) => piece.repeat(Math.ceil(letters / piece.length));
      read(text(lettersFew));
      const few = microsecondsOf(() => read(text(lettersFew)));
      const many = microsecondsOf(() => read(text(lettersFew * growth)));
      expect(many / Math.max(few, microsecondsMin)).toBeLessThan(slowdownMax);
    },
  );

  it.each(['\u0301\u0316', '\u{1d165}\u{1d17b}'])('has no run of more than thirty marks, wherever it begins: %j', (two) => {
    for (let before = 0; before < 60; before += 1) {
      const text = normalized(`${'x'.repeat(before)}${two.repeat(40)} y`, 'NFC');
      expect(text).not.toMatch(/\p{M}{31}/u);
      expect([text.startsWith('x'.repeat(before)), text.endsWith(' y')]).toEqual([true, true]);
    }
  });

  it('is that of Unicode for whatever people write', () => {
    const written = ['é, e\u0301', 'क़ीमत', 'Việt', 'شُكْرًا', 'שָׁלוֹם', '한국어', 'ﬁne', `z${'\u0301'.repeat(30)}`];
    for (const form of ['NFC', 'NFD', 'NFKC'] as const)
      for (const text of written) expect(normalized(text, form)).toBe(text.normalize(form));
  });
});
