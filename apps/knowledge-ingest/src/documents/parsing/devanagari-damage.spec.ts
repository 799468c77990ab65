import { inWrittenOrder, refuseDamaged } from './read-pdf';

const hindi =
  'सदस्य बनने के लिए आधार कार्ड और दो फोटो चाहिए। जमानत राशि सदस्यता छोड़ने पर लौटा दी जाती है। एक सदस्य एक बार में तीन किताबें ले सकता है। ' +
  'किताब चौदह दिन में लौटानी होती है, और एक बार सात दिन के लिए बढ़ाई जा सकती है।';
const english = 'A member may take three books at a time and keeps them for fourteen days. '.repeat(5);

describe('Devanagari out of a PDF', () => {
  it.each([
    ['Hindi', hindi],
    ['English', english],
    ['both', `${hindi} ${english}`],
    ['Marathi with endings on Latin words', 'ATMची सोय आहे. PDFमध्ये फॉर्म मिळतो. WhatsAppवर कळवा. '.repeat(3)],
    ['a word or two', 'घर'],
  ])('is accepted if intact: %s', (_what, text) => {
    expect(() => refuseDamaged(text)).not.toThrow();
    expect(inWrittenOrder(text)).toBe(text);
  });

  it.each([
    ['has lost its vowel signs', hindi.replace(/[\u093e-\u094c]/gu, ''), 'lost its vowel signs'],
    ['has lost letters under its signs', hindi.replace(/[कसत](?=[\u093e-\u094c])/gu, ' '), 'lost letters and vowel signs'],
    ['has letters of another alphabet for some shapes', hindi.replace(/ि/gu, 'ɜ'), 'lost letters and vowel signs'],
    ['has shapes without letters', hindi.replace(/[\u093e-\u094c]/gu, '\ue012'), 'which letters its shapes are'],
    ['is Latin letters of a typewriter’s font', 'lnL; cuus ds fy, vk/kkj dkMZ vkSj nks QksVks pkfg, gS '.repeat(6), 'Kruti Dev'],
  ])('is refused if it %s, with advice', (_what, text, sentence) => {
    expect(() => refuseDamaged(text)).toThrow(sentence);
  });

  it('is joined again where half letters were taken for the end of a word, but not where words end so', () => {
    const parted = hindi.replace(/\u094d(?=[\u0915-\u0939])/gu, '\u094d ');
    expect(parted).not.toBe(hindi);
    expect(inWrittenOrder(parted)).toBe(hindi);
    const sanskrit = `${hindi} अर्थात् यह नियम है।`;
    expect(inWrittenOrder(sanskrit)).toBe(sanskrit);
  });

  it('is reordered from drawing order to writing order', () => {
    const drawn = hindi.replace(/([\u0915-\u0939](?:\u094d[\u0915-\u0939])*)\u093f/gu, '\u093f$1');
    expect(drawn).not.toBe(hindi);
    expect(inWrittenOrder(drawn)).toBe(hindi);
  });
});
