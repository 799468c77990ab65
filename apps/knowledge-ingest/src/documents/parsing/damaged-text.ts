import { Refused } from './parsed-file.ts';

const consonant = '[\\u0915-\\u0939\\u0958-\\u095f]';
const vowelSign = /[\u093e-\u094c]/gu;
const consonants = new RegExp(consonant, 'gu');
/** The vowel sign of the short i is drawn before its consonant but written after it; files in drawing order have it first. */
const drawn = `\\u093f(\\u0902?)(${consonant}(?:\\u094d${consonant})*)`;
const drawnFirst = new RegExp(`(?<![\\u0900-\\u097f])${drawn}`, 'gu');
const orderOfDrawing = new RegExp(drawn, 'gu');
const unreadable = /[\ufffd\ue000-\uf8ff]/gu;
/** A glyph number where a letter should be. At the start of a line, or surrounded only by its like, it is a bullet or a rule. */
const control = /(?!\s)\p{Cc}/gu;
const bullets = /^(?!\s)\p{Cc}|(?<!\S)((?!\s)\p{Cc})\1*(?!\S)/gmu;
/** The most common Hindi words in fonts with typewriter layout, which store Latin letters for Devanagari shapes. */
const typewriterWords = new Set(
  'gS gSa ds dh dk esa ls dks fd vkSj ;g Fkk rks Hkh ij bl ,d fy, djus tks vkgs vkf.k gksrs ukgh vkgsr'.split(' '),
);

/** A sign without a base letter that is not one drawn first: the letter before it was lost. */
const signAlone = new RegExp(`(?<![\\u0900-\\u097f])(?!${drawn})[\\u0901-\\u0903\\u093e-\\u094d]`, 'gu');
/**
 * A letter of another alphabet within a word, from a font that maps its glyphs to arbitrary characters. A Latin word may have a
 * Devanagari ending.
 */
const strangeWithin =
  /(?<=[\u0900-\u097f])(?:[A-Za-z\u0100-\u02ff#]|(?!\s)\p{Cc})|[\u0100-\u02ff](?=[\u0900-\u097f])|(?<!^)(?!\s)\p{Cc}(?=[\u0900-\u097f])/gmu;
/** A consonant standing alone. Few words consist of one; list markers such as "(क)" and "ख." do not match. */
const consonantAlone = new RegExp(`(?<=^|\\s)(?![वन])${consonant}(?=\\s|$)`, 'gmu');
/** A space wrongly inserted after a half letter. */
const partedHalf = /(?<=[\u0915-\u0939]\u094d) (?=[\u0915-\u0939])/gu;
const partedMin = 3;
const partedShareMin = 0.02;
const lostSignsMin = 3;
const lostSignsShareMin = 0.01;

const consonantsJudged = 60;
/** Ordinary Hindi and Marathi have a vowel sign for about every second consonant. */
const vowelSignsPerConsonantMin = 0.15;
/** Hindi and Marathi text with this many consonants always contains a short i, and hardly ever words of a single consonant. */
const consonantsWithoutShortIMax = 250;
const consonantsAloneMin = 5;
const consonantsAloneShareMin = 0.07;
const unreadableShareMax = 0.02;
/** A text stays readable without the ligatures and quotation marks of old programs; those are rarer than this. */
const controlShareMax = 0.03;
const controlsMin = 3;
const wordsJudged = 40;
const typewriterShareMax = 0.06;
const drawnFirstMin = 3;
/** No word begins with this sign, so a small share proves damage, if there are more than one or two of them. */
const drawnFirstShareMin = 0.15;

const reason = {
  vowels:
    'The Devanagari text of this PDF has lost its vowel signs: its font does not say what its shapes mean. Save it from Word or ' +
    'Google Docs with a Unicode font such as Mangal or Noto Sans Devanagari, or upload the DOCX.',
  parts:
    'The Devanagari text of this PDF has lost letters and vowel signs: its font does not say what its shapes mean. Upload the DOCX or ' +
    'the text itself.',
  shapes: 'The font of this PDF does not say which letters its shapes are. Recognize its text first (OCR), or upload the DOCX.',
  typewriter:
    'This file is set in a font of the typewriter’s order such as Kruti Dev, in which Devanagari is stored as Latin letters. Convert ' +
    'the text to Unicode first, then upload it again.',
};

/**
 * Joins words that were split after half letters, and moves each short i that was drawn before its consonant to its written
 * position.
 */
export function inWrittenOrder(parted: string): string {
  const halves = parted.match(partedHalf)?.length ?? 0;
  const isParted = halves >= partedMin && halves >= (parted.match(/\s+/gu)?.length ?? 0) * partedShareMin;
  const text = isParted ? parted.replace(partedHalf, '') : parted;
  const first = text.match(drawnFirst)?.length ?? 0;
  const all = text.match(/\u093f/gu)?.length ?? 0;
  return first >= drawnFirstMin && first >= all * drawnFirstShareMin ? text.replace(orderOfDrawing, '$2\u093f$1') : text;
}

/** Throws Refused, with advice for the owner, if text would only be found and read as garbage. */
export function refuseDamaged(text: string): void {
  const damage = damageOf(text);
  if (damage) throw new Refused(reason[damage]);
}

/** The same for a file that states its characters itself, where only the font's layout can be wrong. */
export function refuseTypewriter(text: string): void {
  if (isTypewriter(text.split(/\s+/u).filter(Boolean))) throw new Refused(reason.typewriter);
}

function isTypewriter(words: readonly string[]): boolean {
  const typewriter = words.filter((word) => typewriterWords.has(word)).length;
  return words.length >= wordsJudged && typewriter > words.length * typewriterShareMax;
}

const lettersOfAnyScript = /[\p{L}\p{M}]/gu;
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** No script stacks so many. Putting a run of marks in order takes time in the square of its length. */
const longRunOfMarks = /\p{M}{31,}/gu;

function damageOf(written: string): keyof typeof reason | undefined {
  const text = written.replace(longRunOfMarks, '');
  const letters = countOf(text, lettersOfAnyScript);
  const strange = countOf(text, unreadable);
  if (strange > (letters + strange) * unreadableShareMax) return 'shapes';
  const words = text.split(/\s+/u).filter(Boolean);
  const devanagari = damageOfDevanagari(text, words);
  if (devanagari) return devanagari;
  if (isTypewriter(words)) return 'typewriter';
  const controls = countOf(text.replace(bullets, ''), control);
  if (controls >= controlsMin && controls > (letters + controls) * controlShareMax) return 'shapes';
  return isOfNoLanguage(text, words) ? 'shapes' : undefined;
}

function damageOfDevanagari(text: string, words: readonly string[]): 'vowels' | 'parts' | undefined {
  const count = countOf(text, consonants);
  if (count >= consonantsJudged && countOf(text, vowelSign) < count * vowelSignsPerConsonantMin) return 'vowels';
  const lost = countOf(text, signAlone) + countOf(text, strangeWithin);
  if (lost >= lostSignsMin && lost > words.length * lostSignsShareMin) return 'parts';
  if (!text.includes('\u093f') && countOf([...new Set(words)].join(' '), consonants) > consonantsWithoutShortIMax) return 'parts';
  const alone = countOf(text, consonantAlone);
  const written = words.filter((word) => /[\u0900-\u0963]/u.test(word)).length;
  return alone >= consonantsAloneMin && alone > written * consonantsAloneShareMin ? 'parts' : undefined;
}

/** The letters of alphabets in use beyond those of Western Europe. No word mixes two of these alphabets. */
const alphabets = [
  'ąćęłńśźż', // Polish
  'ćčěłńřśšźž', // Sorbian
  'čďěĺľňŕřšťůž', // Czech, Slovak
  'őű', // Hungarian
  'āčēģīķļņōŗšūž', // Latvian
  'ąčėęįšūųž', // Lithuanian
  'ćčđšž', // Croatian, Serbian, Slovene, Estonian
  'ăşșţț', // Romanian
  'ğıŋşə', // Turkish and its relatives
  'ċġħż', // Maltese
  'ĉĝĥĵŝŭ', // Esperanto
  'čđŋšŧžǥǧǩǯʒ', // Sami
  'ŵŷ', // Welsh
  'œ', // French
  'ĳ', // Dutch
  'ŀ', // Catalan
  'ăđĩũơư', // Vietnamese
  'āēěīńňōūǎǐǒǔǖǘǚǜ', // Chinese in Latin letters
  'āēīńōśūȳ', // Sanskrit, Māori, Japanese, Latin
  'ńĩũƃƈɗɓƒƙƴŋǝɖɔɛɣɩʋ', // languages of Africa
].map((letters) => new Set(letters));

const furtherLetters = /[\u0100-\u02af]/gu;
/** The International Phonetic Alphabet has no capitals and no digits, and appears within text in another alphabet. */
const isPhonetic = (word: string): boolean => /^[^\p{Lu}\p{N}\p{Script=Devanagari}=*<>&@#$%]+$/u.test(word);

function hasLettersOfNoAlphabet(word: string): boolean {
  const letters = word.normalize('NFC').toLowerCase().match(furtherLetters) ?? [];
  if (letters.length === 0 || word.length === 1) return false;
  const isWritten = alphabets.some((alphabet) => letters.every((letter) => alphabet.has(letter)));
  return !isWritten && !(letters.every((letter) => letter >= '\u0250' || 'ħŋœ'.includes(letter)) && isPhonetic(word));
}

const signs = /[*=<>#$@^"&|\\{}[\]!?;:,()+%\u2019\u201d]/gu;
const signsOfFormulas = /[*=<>#^"&|\\!?]/u;
const lettersOfWord = /\p{Ll}{3}/u;

/** Several kinds of signs among single letters and digits. In code and addresses there are words between the signs. */
function isTornBySigns(word: string): boolean {
  const inner = word.replace(/^["([]+|[)\]".,;:!?]+$/gu, '');
  return inner.length >= 5 && !lettersOfWord.test(inner) && signsOfFormulas.test(inner) && new Set(inner.match(signs)).size >= 3;
}

const wrongWordsMin = 5;
const wrongWordsShareMax = 0.05;
/** Formulas look the same, so some are allowed. */
const tornWordsShareMax = 0.15;
const charactersForSigns = 60;
const lettersShareMin = 0.25;
const signsShareMax = 0.4;
/** In languages with Latin letters at least every third letter is a vowel; in mapped glyph numbers fewer are. */
const vowelShareMin = 0.2;
const lettersForVowels = 150;
const runsOfLetters = /[a-z\u00c0-\u02af]{4,}/giu;
const vowels = /[aeiouyæøœıəɛɔ]/gu;

/** Whether a text consists of the glyph numbers of a font, taken for the characters with these codes. */
function isOfNoLanguage(text: string, words: readonly string[]): boolean {
  const isMany = (wrong: readonly string[], shareMax: number): boolean =>
    wrong.length >= wrongWordsMin && wrong.length > words.length * shareMax;
  if (isMany(words.filter(hasLettersOfNoAlphabet), wrongWordsShareMax)) return true;
  if (isMany(words.filter(isTornBySigns), tornWordsShareMax)) return true;
  return isMadeOfSigns(text) || hasNoVowels(text);
}

function isMadeOfSigns(text: string): boolean {
  const letters = countOf(text, lettersOfAnyScript);
  const found = countOf(text, signs);
  const all = letters + found + countOf(text, /\p{N}/gu);
  return all >= charactersForSigns && letters < all * lettersShareMin && found > all * signsShareMax;
}

function hasNoVowels(text: string): boolean {
  const plain = text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/gu, '')
    .toLowerCase();
  const letters = [...new Set(plain.match(runsOfLetters))].join('');
  return letters.length >= lettersForVowels && countOf(letters, vowels) < letters.length * vowelShareMin;
}
