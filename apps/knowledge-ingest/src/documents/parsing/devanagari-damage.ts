import { Refused } from './refused.ts';

const consonant = '[\\u0915-\\u0939\\u0958-\\u095f]';
const vowelSign = /[\u093e-\u094c]/gu;
const consonants = new RegExp(consonant, 'gu');
/** The short i is drawn before its consonant and written after it; files that keep the order of drawing have it first. */
const drawnFirst = new RegExp(`(?<![\\u0900-\\u097f])\\u093f(${consonant}(?:\\u094d${consonant})*)`, 'gu');
const orderOfDrawing = new RegExp(`\\u093f(${consonant}(?:\\u094d${consonant})*)`, 'gu');
const unreadable = /[\ufffd\ue000-\uf8ff]/gu;
/** How the commonest words of Hindi look in fonts of the typewriter's order, which have Latin letters behind Devanagari shapes. */
const typewriterWords = new Set(
  'gS gSa ds dh dk esa ls dks fd vkSj ;g Fkk rks Hkh ij bl ,d fy, djus tks vkgs vkf.k gksrs ukgh vkgsr'.split(' '),
);

const consonantsJudged = 60;
/** Ordinary Hindi and Marathi have a vowel sign for about every second consonant. */
const vowelSignsPerConsonantMin = 0.15;
const unreadableShareMax = 0.02;
const wordsJudged = 40;
const typewriterShareMax = 0.06;
const drawnFirstMin = 3;
/** No word is written with it first, so that a few do says enough; more than a stray one or two have to. */
const drawnFirstShareMin = 0.15;

const reason = {
  vowels:
    'The Devanagari text of this PDF has lost its vowel signs: its font does not say what its shapes mean. Save it from Word or ' +
    'Google Docs with a Unicode font such as Mangal or Noto Sans Devanagari, or upload the DOCX.',
  shapes: 'The font of this PDF does not say which letters its shapes are. Recognize its text first (OCR), or upload the DOCX.',
  typewriter:
    'This PDF is set in a font of the typewriter’s order such as Kruti Dev, in which Devanagari is stored as Latin letters. Convert ' +
    'the text to Unicode first, then upload it again.',
};

/** Text whose short i stands before its consonant, as it is drawn, in the order in which it is written; other text as it is. */
export function inWrittenOrder(text: string): string {
  const first = text.match(drawnFirst)?.length ?? 0;
  const all = text.match(/\u093f/gu)?.length ?? 0;
  return first >= drawnFirstMin && first >= all * drawnFirstShareMin ? text.replace(orderOfDrawing, '$1\u093f') : text;
}

/** Throws Refused, with what its owner can do, for text that would only be found and read as rubbish. */
export function refuseDamaged(text: string): void {
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const strange = text.match(unreadable)?.length ?? 0;
  if (strange > (letters + strange) * unreadableShareMax) throw new Refused(reason.shapes);
  const count = text.match(consonants)?.length ?? 0;
  const signs = text.match(vowelSign)?.length ?? 0;
  if (count >= consonantsJudged && signs < count * vowelSignsPerConsonantMin) throw new Refused(reason.vowels);
  const words = text.split(/\s+/u).filter(Boolean);
  const typewriter = words.filter((word) => typewriterWords.has(word)).length;
  if (words.length >= wordsJudged && typewriter > words.length * typewriterShareMax) throw new Refused(reason.typewriter);
}
