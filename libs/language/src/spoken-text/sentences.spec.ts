import { SentenceCutter, sentencesOf } from './sentences';

describe('sentencesOf', () => {
  it.each([
    ['Dr. Rao is in. Please wait!', ['Dr. Rao is in.', 'Please wait!']],
    ['नमस्ते। आप कैसे हैं? ठीक।', ['नमस्ते।', 'आप कैसे हैं?', 'ठीक।']],
    ['डॉ. पाटील आले. बसा.', ['डॉ. पाटील आले.', 'बसा.']],
    ['It costs 3.5 lakh. See example.com now.', ['It costs 3.5 lakh.', 'See example.com now.']],
    ['J. K. Rowling wrote it. Yes.', ['J. K. Rowling wrote it.', 'Yes.']],
    ['Really?! "Yes." she said', ['Really?!', '"Yes."', 'she said']],
    ['1. First\n2. Second', ['1. First', '2. Second']],
    ['It is 7. It was 6.', ['It is 7.', 'It was 6.']],
    ['Wait... what', ['Wait...', 'what']],
    [
      'Sit at No. 5 of the U.S. desk by 5 p.m. on Monday. No. Yes.',
      ['Sit at No. 5 of the U.S. desk by 5 p.m. on Monday.', 'No.', 'Yes.'],
    ],
    ['संध्या. 5 वाजता या. क्र. 7 घ्या.', ['संध्या. 5 वाजता या.', 'क्र. 7 घ्या.']],
    ['...\n\n !', []],
  ])('cuts %j', (text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences);
  });

  it('cuts an endless sentence at a comma, and one without any comma between words', () => {
    const withCommas = sentencesOf(Array.from({ length: 40 }, () => 'many words, and').join(' '));
    expect(withCommas.slice(0, -1).every((part) => part.endsWith(','))).toBe(true);
    const endless = sentencesOf(Array.from({ length: 200 }, () => 'word').join(' '));
    expect(endless.join(' ').split(' ')).toHaveLength(200);
    for (const part of [...withCommas, ...endless, ...sentencesOf('x'.repeat(5000))])
      expect(part.length).toBeLessThanOrEqual(300);
  });
});

describe('SentenceCutter', () => {
  it('gives the same sentences letter by letter as at once', () => {
    const text = 'Dr. Rao is in! No. 5 of the U.S. list. No. It costs 3.5 lakh. "Really?" Yes. नमस्ते। आप?';
    const cutter = new SentenceCutter();
    const sentences = [...text].flatMap((letter) => cutter.push(letter));
    expect([...sentences, ...cutter.flush()]).toEqual(sentencesOf(text));
  });

  it('gives a sentence as soon as the next one begins', () => {
    const cutter = new SentenceCutter();
    expect(cutter.push('Good morning.')).toEqual([]);
    expect(cutter.push(' How')).toEqual(['Good morning.']);
  });
});
