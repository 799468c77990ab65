/**
 * Spelling variants that are treated alike: nukta, joiners, chandrabindu, a nasal written as a letter, long and short i and u, and the
 * final nasal of spoken Marathi for a written e.
 */
const sameSpelling: readonly (readonly [RegExp, string])[] = [
  [/[\u200c\u200d\u093c]/gu, ''],
  [/\u0901/gu, '\u0902'],
  [/[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u092d])/gu, '\u0902'],
  [/\u0940/gu, '\u093f'],
  [/\u0942/gu, '\u0941'],
  [/\u0908/gu, '\u0907'],
  [/\u090a/gu, '\u0909'],
  [/\u0949/gu, '\u093e'],
  [/(?<=[\u0915-\u0939])\u0902(?![\p{L}\p{M}])/gu, '\u0947'],
];

/** Unicode's stream-safe format allows as many; no script stacks more than a few. */
const longRunOfMarks = /(\p{M}{30})\p{M}+/gu;
const marksMax = 30;
/** A mark, or half of one beyond the first plane. */
const mayBeMark = /[\p{M}\p{Cs}]/u;
const severalMarks = /\p{M}{15}/u;

/** Looks at every thirtieth letter: to look for runs at each would take longer than to normalize ordinary text. */
function mayHaveLongRun(text: string): boolean {
  for (let at = marksMax; at < text.length; at += marksMax)
    if (mayBeMark.test(text.charAt(at)) && severalMarks.test(text.slice(at - marksMax, at + marksMax))) return true;
  return false;
}

/** A text in a normal form. Runs of marks are cut: putting one in order takes time in the square of its length. */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  return (mayHaveLongRun(text) ? text.replace(longRunOfMarks, '$1') : text).normalize(form);
}

const hasOnlyAscii = (text: string) => !/[^\u0000-\u007f]/.test(text);
const thousandsComma = /(?<=\d),(?=\d{2,3})/gu;

/** Unifies spelling variants in all three languages, and the script of digits. */
export function foldSpelling(text: string): string {
  // Most text is English, in which only case, thousands separators and apostrophes vary.
  if (hasOnlyAscii(text)) return text.toLowerCase().replace(thousandsComma, '').replaceAll("'", '');
  const lower = normalized(text, 'NFKC')
    .toLowerCase()
    .replace(/[\u0966-\u096f]/gu, (digit) => String(digit.charCodeAt(0) - 0x0966))
    .replace(thousandsComma, '')
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’]/gu, '')
    .normalize('NFC');
  return sameSpelling.reduce((rest, [from, to]) => rest.replace(from, to), lower);
}

/** The letters of the longest word that is one of a language. Longer ones are found as they are written, but not understood. */
export const wordLettersMax = 60;

const mark = '\ue000';
const longRun = new RegExp(
  String.raw`[\p{L}\p{M}\p{N}]{${wordLettersMax}}(?=[\p{L}\p{M}\p{N}])|[^\p{L}\p{M}\p{N}]{40}(?=[^\p{L}\p{M}\p{N}])|\d[\d.,\s]{200}(?=[\d.,\s])`,
  'gu',
);

/**
 * A text in which a mark ends each word after as many letters as a word may have, and each row of signs after forty. The patterns that
 * read a text try every beginning of a word or a row, so one of thousands of letters would take the square of its length.
 */
export const withRunsEnded = (text: string): string => text.replace(longRun, `$&${mark}`);

/** A text without these marks. */
export const withoutMarks = (text: string): string => text.replaceAll(mark, '');

/** The words and numbers of a text in folded spelling; `2kg` is two, `1.5` is one. */
export function wordsOf(text: string): string[] {
  return foldSpelling(text).match(/\d+(?:\.\d+)?|[\p{L}\p{M}]+/gu) ?? [];
}

const latinOf = new Map(
  Object.entries({
    ...{ k: 'कखक़', g: 'गघ', c: 'चछ', j: 'जझ', t: 'टठतथ', d: 'डढदध', n: 'णनङञं', p: 'प', f: 'फ', b: 'बभ', m: 'म', y: 'य' },
    ...{ r: 'र', l: 'लळ', v: 'व', s: 'शषस', h: 'ह' },
  }).flatMap(([latin, letters]) => [...letters].map((letter) => [letter, latin] as const)),
);
const heardAlike: readonly (readonly [RegExp, string])[] = [
  [/[ts]ion/g, 'san'],
  [/tch/g, 'ch'],
  [/ph/g, 'f'],
  [/sh|z/g, 's'],
  [/x/g, 'ks'],
  [/ck|q|c(?![eiyh])/g, 'k'],
  // "Package" and पॅकेज.
  [/d?ge(?=s?$)/g, 'j'],
  // "Powder" and पाउडर: the w is silent.
  [/(?<=[aeo])w(?![aeiouy])/g, ''],
  [/c(?=[eiy])/g, 's'],
  [/w/g, 'v'],
  [/(?<=[kgcjtdpb])h/g, ''],
];
const soundLengthMin = 3;

/**
 * The consonants of a word in either script, so that a Hindi caller's "वारंटी" matches a document's "warranty". Undefined for a word
 * too short to be distinctive, or too long for a word.
 */
export function soundOf(word: string, lengthMin = soundLengthMin): string | undefined {
  if (word.length > wordLettersMax) return undefined;
  const latin = /[a-z]/.test(word) ? heardAlike.reduce((rest, [from, to]) => rest.replace(from, to), word) : latinLetters(word);
  const sound = latin.replace(/[^a-z]|[aeiou]|(?<!^)[yh]/g, '').replace(/(.)\1+/g, '$1');
  return sound.length >= lengthMin ? sound : undefined;
}

const latinLetters = (word: string) => [...word].map((letter) => latinOf.get(letter) ?? '').join('');

const heardLatin: readonly (readonly [RegExp, string])[] = [
  [/chh?/g, 'C'],
  [/c/g, 'k'],
  [/C/g, 'c'],
  [/sh/g, 's'],
  [/ph/g, 'f'],
  [/d?ge(?=s?$)/g, 'j'],
  [/(?<=[kgcjtdb])h/g, ''],
  [/w/g, 'v'],
  [/q/g, 'k'],
  [/x/g, 'ks'],
  [/z/g, 'j'],
  [/ee/g, 'i'],
  [/oo/g, 'u'],
  [/aa/g, 'a'],
  [/ai/g, 'e'],
  [/au/g, 'o'],
  [/m(?=[pb])/g, 'n'],
];
const vowelOf = new Map(
  Object.entries({ a: 'अआाऑॉ', i: 'इईिी', u: 'उऊुू', e: 'एऐेै', o: 'ओऔोौ' }).flatMap(([latin, letters]) =>
    [...letters].map((letter) => [letter, latin] as const),
  ),
);
const heardLettersMin = 3;

/**
 * The sound of a Hindi or Marathi word in either script: `naap`, `nap` and `नाप` are equal, and so are `मैंगो` and `मँगो`. Undefined if
 * it is too short to be distinctive, or too long for a word.
 */
export function heardAs(word: string): string | undefined {
  if (word.length > wordLettersMax) return undefined;
  const latin = /^[a-z]/u.test(word) ? heardLatin.reduce((rest, [from, to]) => rest.replace(from, to), word) : spoken(word);
  const [, begin = '', rest = ''] = /^([^aeiou]*[aeiou]?)(.*)$/u.exec(latin) ?? [];
  const heard = `${begin}${rest.replace(/a/gu, '').replace(/[eiou]+$/u, '')}`.replace(/(.)\1+/gu, '$1');
  return heard.length >= heardLettersMin ? heard : undefined;
}

/** Devanagari in Latin letters, with the inherent vowel in the first syllable only. */
function spoken(word: string): string {
  const letters = word.replace(/\u0948(?=[\u0902\u0901])|\u0945/gu, '').replace(/\u0943/gu, 'रि');
  return [...letters]
    .map((letter, place) => {
      const isBare = place === 0 && latinOf.has(letter) && !/^[\u093e-\u094d]/u.test(letters.slice(1));
      return `${vowelOf.get(letter) ?? latinOf.get(letter) ?? ''}${isBare ? 'a' : ''}`;
    })
    .join('');
}
