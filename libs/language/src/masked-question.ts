import { normalized } from './spelling';

const lettersMax = 300;
/** Patterns take time in proportion to the square of a text without blanks. */
const lettersReadMax = 2 * lettersMax;
const digit = '[0-9०-९]';
/** Mail addresses, and those of payments, which have no dot; also as they are dictated. */
const address = /\S+@[\p{L}\p{N}]\S*|(?:[^\s@]{1,64} dot ){0,3}[^\s@]{1,64} at (?:[^\s@]{1,64} dot ){1,3}[\p{L}\p{M}]{2,}/giu;
/**
 * Digits in any script that may be the number of a telephone, card, account or order. A comma joins them only next to many
 * digits.
 */
const longNumber = /\+?\p{Nd}+(?:(?:[\s\p{Pd}\p{Cf}().:/_]{1,5}|(?<=\p{Nd}{5})\s?,\s?|\s?,\s?(?=\p{Nd}{5}))\p{Nd}+)*/gu;
const digitsMin = 7;

const day = `(?:[0०]?[1-9१-९]|[12१२]${digit}|[3३][01०१])`;
const month = '(?:[0०]?[1-9१-९]|[1१][0-2०-२])';
const year = `(?:[1१][9९]|[2२][0०])${digit}{2}`;
const when = [
  ...['\\.\\s?', '/', '\\p{Pd}'].map((by) => [day, month, year].join(by)),
  ...['\\.', '/', '\\p{Pd}'].map((by) => [year, month, day].join(by)),
  `(?<!\\p{Nd}\\s)${day} ${month} ${year}(?!\\s\\p{Nd})`,
  `${day}/${month}/${digit}{2}`,
  `(?:[01०१]?${digit}|[2२][0-3०-३]):[0-5०-५]${digit}`,
].join('|');
/** Days, times and ranges of them, which callers ask about. They must not be part of a longer number. */
const days = new RegExp(
  `(?<![+]|\\p{Nd}[./:\\p{Pd}]?)((?:${when})(?:\\s?\\p{Pd}\\s?(?:${when})){0,3})(?![./:\\p{Pd}]?\\p{Nd})`,
  'u',
);

/** Not within a word. */
const whole = (pattern: string): string => `(?<![\\p{L}\\p{M}\\p{N}])(?:${pattern})(?![\\p{L}\\p{M}\\p{N}])`;
/**
 * What a state or a bank issues with letters in it: India's PAN, also within the number for its sales tax; international account numbers.
 * With blanks in it, a PAN could be a word before a year, so it counts only in capitals or after its name.
 */
const issued = [
  new RegExp(whole(`(?:${digit}{2})?[a-z]{5}${digit}{4}[a-z](?:[a-z\\d]z[a-z\\d])?`), 'giu'),
  new RegExp(whole(`[A-Z]{5}[\\s\\p{Pd}]${digit}{4}[\\s\\p{Pd}]?[A-Z]`), 'gu'),
  new RegExp(`(?<=${whole('pan')}\\P{N}{0,20}?)${whole(`[a-z]{5}\\s?${digit}{4}\\s?[a-z]`)}`, 'giu'),
  new RegExp(whole('[a-z]{2}\\d{2}(?:[a-z\\d]{4}){2,7}[a-z\\d]{0,4}'), 'giu'),
  new RegExp(whole('[A-Z]{2}\\d{2}(?:\\s[A-Z\\d]{4}){2,7}(?:\\s[A-Z\\d]{1,4})?'), 'gu'),
];

function withoutNumbers(text: string): string {
  return text.replace(longNumber, (number) => ((number.match(/\p{Nd}/gu)?.length ?? 0) < digitsMin ? number : '…'));
}

/** Figures said one by one, as recognizers of speech may write a number of a telephone. */
const figure =
  'zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple|' +
  'shunya|shoonya|ek|do|teen|char|chaar|paanch|panch|chhe|chhah|cheh|saat|aath|nau|don|pach|saha|sat|nav|' +
  'शून्य|एक|दो|तीन|चार|पाँच|पांच|छह|छः|छे|सात|आठ|नौ|दोन|पाच|सहा|नऊ|डबल|ट्रिपल';
const figures = new RegExp(`${whole(figure)}(?:[\\s,.\\p{Pd}]{1,3}${whole(`${figure}|\\p{Nd}{1,4}`)}){6,}`, 'giu');

/**
 * A question as people outside the conversation may read it: without numbers and addresses of a person. Names, and where somebody lives,
 * cannot be told from other words, and stay.
 */
export function maskedQuestion(question: string): string {
  const plain = normalized(question, 'NFC').replace(/\s+/gu, ' ').trim().slice(0, lettersReadMax);
  const unspoken = plain.replace(address, '…@…').replace(figures, '…');
  if (!/\p{Nd}/u.test(unspoken)) return unspoken.slice(0, lettersMax).toWellFormed();
  const unissued = issued.reduce((text, pattern) => text.replace(pattern, '…'), unspoken);
  return unissued
    .split(days)
    .map((piece, place) => (place % 2 === 1 ? piece : withoutNumbers(piece)))
    .join('')
    .slice(0, lettersMax)
    .toWellFormed();
}
