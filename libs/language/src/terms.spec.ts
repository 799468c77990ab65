import { languageOf } from './detected-language';
import { soundOf, wordsOf } from './spelling';
import { contentTerms, indexTerms } from './terms';

describe('the terms of a text', () => {
  it.each([
    ['returned', 'returns'],
    ['deliveries', 'delivery'],
    ['charging', 'charges'],
    ['दुकानों', 'दुकान'],
    ['कीमतें', 'कीमत'],
    ['दुकानात', 'दुकान'],
    ['वस्तूंची', 'वस्तू'],
  ])('are the same for %s and %s', (one, other) => {
    expect(contentTerms(one)).toEqual(contentTerms(other));
  });

  it('keep Devanagari words whole and numbers in one script', () => {
    expect(wordsOf('१,५०० रुपये, 1.5 kg')).toEqual(['1500', 'रुपये', '1.5', 'kg'].map((word) => wordsOf(word)[0]));
  });

  it('leave small words out', () => {
    expect(contentTerms('what is the price of this?')).toEqual(contentTerms('price'));
    expect(contentTerms('यह क्या है')).toEqual([]);
  });

  it('meet across scripts by their sound', () => {
    for (const [devanagari, latin] of [
      ['वारंटी', 'warranty'],
      ['रिफंड', 'refund'],
      ['इन्स्टॉलेशन', 'installation'],
      ['केतली', 'kettle'],
    ] as const) {
      expect(soundOf(wordsOf(devanagari)[0] ?? '')).toBe(soundOf(latin));
    }
    expect(indexTerms('warranty')).toContain(`q${soundOf('warranty')}q`);
  });
});

describe('the language of a text', () => {
  it.each([
    ['when do you open', 'english'],
    ['दुकान कब खुलती है', 'hindi'],
    ['दुकान कधी उघडते', 'marathi'],
    ['मला डिलिव्हरी हवी आहे', 'marathi'],
    ['मुझे वापस करना है', 'hindi'],
  ] as const)('%s', (text, language) => {
    expect(languageOf(text)).toBe(language);
  });
});
