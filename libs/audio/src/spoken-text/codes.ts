import { digitByDigit } from './say-number';
import type { Tongue } from './tongue';

// After these a figure is no quantity, however it looks; `number` and the like want a figure of four, for there are numbers to dial for.
const secret = 'otp|pin(?:\\s?code)?|password|passcode|pnr|code|ओटीपी|पिन(?:\\s?कोड)?|कोड|पासवर्ड';
const numbered = 'number|no\\.|id|क्र\\.|नं\\.|नंबर|क्रमांक|आईडी|आयडी';
const between = '\\s*(?:is|:|=|-|है|आहे)?\\s*#?';
const code = '[A-Z]{0,4}-?\\d[\\dA-Z]*(?:-[\\dA-Z]+){0,4}';
const ending = '(?![\\p{L}\\p{M}\\d]|[,.]\\d|[ -]\\d)';
const labelled = new RegExp(`(?<![\\p{L}\\p{M}])((?:${secret}|${numbered})${between})(${code})${ending}`, 'giu');
const hashed = new RegExp(`#(${code})${ending}`, 'gu');
const codeLengthMin = 3;
const figureLengthMin = 4;
const isSecret = new RegExp(`^(?:${secret})`, 'iu');

/** Codes that are written down as they are heard: sign by sign, as in "OTP 4821" and "order #A-1029". Other text is left alone. */
export function sayCodes(text: string, tongue: Tongue): string {
  return text
    .replace(labelled, (all, label: string, written: string) => {
      const lengthMin = isSecret.test(label) ? codeLengthMin : figureLengthMin;
      return written.length < lengthMin ? all : `${label.replace('#', '')}${signBySign(written, tongue)}`;
    })
    .replace(hashed, (_, written: string) => {
      const said = /^\d{1,3}$/.test(written) ? written : signBySign(written, tongue);
      return `${tongue.signs['#']} ${said}`;
    });
}

/** Capital letters that nobody could read as a word, by the names that this language has for them. */
export function sayAcronyms(text: string, { letters }: Tongue): string {
  if (!letters) return text;
  return text.replace(/(?<![\p{L}\p{M}.@/-])[A-Z]{1,4}(?![\p{L}\p{M}@/]|\.[\p{L}])/gu, (word) => {
    const isReadable = /[^AEIOU][AEIOU][^AEIOU]/.test(word);
    return isReadable ? word : named(word, letters);
  });
}

function signBySign(written: string, tongue: Tongue): string {
  const parts = written.toUpperCase().match(/\d+|[A-Z]+/g) ?? [];
  return parts.map((part) => (/\d/.test(part) ? digitByDigit(part, tongue) : named(part, tongue.letters))).join(' ');
}

function named(word: string, letters: Tongue['letters']): string {
  return [...word].map((letter) => letters?.[letter.charCodeAt(0) - 65] ?? letter).join(' ');
}
