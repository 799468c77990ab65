import { cutByScript, forScripts, latinFor, saysAll } from '.';

const latin = ['Latin'];

describe('text in several scripts', () => {
  it.each([
    ['Our shop opens at 9.30; costs ₹480, “about” 5 µg.', latin, true],
    ['Zürich, café, Ｓhop', latin, true],
    ['Our दुकान', latin, false],
    ['अ', latin, false],
    ['हमारी shop', ['Devanagari', 'Latin'], true],
    ['हमारी shop અને', ['Devanagari', 'Latin'], false],
    ['whatever не है 字', 'any', true],
    ['— 123 👋', [], true],
  ] as const)('is known by its letters: %s in %j', (text, scripts, expected) => expect(saysAll(text, scripts)).toBe(expected));

  it.each([
    ['Our shop is called दुकान and we sell कपड़े every day.', 'Our shop is called dukan and we sell kap-day every day.', true],
    ['हमारी shop में discount है।', 'हमारी shop में discount है।', false],
    ['We open at nine.', 'We open at nine.', true],
    ['We like 花 here.', 'We like 花 here.', false],
  ])('keeps a sentence whole if a voice can say it: %s', (sentence, text, isOwn) =>
    expect(forScripts(sentence, latin)).toEqual({ text, isOwn }),
  );

  it('is cut at letters that a voice does not say, with marks and signs beside them', () =>
    expect(cutByScript('“We like 花鳥, and કપડાં too!”', latin)).toEqual([
      { text: '“We like', isOwn: true },
      { text: '花鳥,', isOwn: false },
      { text: 'and', isOwn: true },
      { text: 'કપડાં', isOwn: false },
      { text: 'too!”', isOwn: true },
    ]));

  it('is written in Latin letters only from Devanagari, and for a voice that has them', () => {
    expect(latinFor('दुकान', latin)).toBe('dukan');
    expect([latinFor('દુકાન', latin), latinFor('दुकान', ['Tamil'])]).toEqual([undefined, undefined]);
  });
});
