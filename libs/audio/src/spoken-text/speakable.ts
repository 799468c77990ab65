import { sayAcronyms, sayCodes } from './codes';
import { sayFigures } from './figures';
import { digitByDigit } from './say-number';
import type { Tongue } from './tongue';
import { withoutMarkup } from './without-markup';

const email = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu;
const url = /(?:https?:\/\/|www\.)[^\s<>()"'।]{1,500}/giu;

/** Turns everything that is not words into words of one language. What comes out holds no digit. */
export function speakable(text: string, tongue: Tongue): string {
  const words = withoutMarkup(withLatinDigits(text.normalize('NFC')))
    .replace(email, (address) => sayAddress(address, tongue))
    .replace(url, (address) => sayUrl(address, tongue));
  return tidy(sayAcronyms(sayShort(sayFigures(sayCodes(words, tongue), tongue), tongue), tongue));
}

function withLatinDigits(text: string): string {
  return text.replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x0966));
}

function sayUrl(address: string, tongue: Tongue): string {
  const trailing = /[.,!?;:]+$/.exec(address)?.[0] ?? '';
  const bare = address.slice(0, address.length - trailing.length).replace(/^https?:\/\//i, '').replace(/[?#].*$/, '').replace(/\/$/, '');
  return sayAddress(bare, tongue) + trailing;
}

function sayAddress(address: string, tongue: Tongue): string {
  return address
    .replace(/\d+/g, (digits) => ` ${digitByDigit(digits, tongue)} `)
    .replace(/[@./_-]/g, (sign) => ` ${tongue.address[sign]} `)
    .replace(/[%+&=~:]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function sayShort(text: string, tongue: Tongue): string {
  const long = text.replace(/(?<![\p{L}\p{M}])[\p{L}\p{M}]{1,8}(?:\.[\p{L}\p{M}]{1,5})*\.?(?![\p{L}\p{M}])/gu, (word) => {
    if (tongue.abbreviations[word]) return tongue.abbreviations[word];
    const bare = word.endsWith('.') ? word.slice(0, -1) : word;
    return tongue.abbreviations[bare] ? `${tongue.abbreviations[bare]}.` : word;
  });
  return long.replace(/%/g, ` ${tongue.percent} `).replace(/°\s?C(?!\p{L})|[&+=@°×]/gu, (sign) => {
    return ` ${tongue.signs[sign.replace(/\s/, '')] ?? ''} `;
  });
}

function tidy(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\p{Co}]/gu, ' ')
    .replace(/[*#_~^\\{}[\]<>|₹$€£]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?।])/g, '$1')
    .replace(/^[,;:. ]+/, '')
    .trim();
}
