import { amount, digitByDigit, number } from './say-number';
import type { CurrencyCode, Tongue } from './tongue';
import { withoutMarkup } from './without-markup';

const email = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu;
const url = /(?:https?:\/\/|www\.)[^\s<>()"'।]{1,500}/giu;
const currencySign = '₹|Rs\\.?|INR|\\$|USD|€|EUR|£|GBP';
const figure = '\\d[\\d,]*(?:\\.\\d+)?';
const money = new RegExp(`(?<![\\p{L}\\d])(${currencySign})\\s?(${figure})(?:\\s?(lakhs?|crores?|million|billion|लाख|करोड़|कोटी)(?![\\p{L}\\p{M}]))?`, 'giu');
const isoDate = /(?<![\d-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\d-])/g;
const indianDate = /(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d/-])/g;
const clock = /(?<![\d:])(\d{1,2}):(\d{2})(?::\d{2})?(?![\d:])(?:\s?([ap])\.?\s?m\b\.?)?/gi;
const wholeHour = /(?<![\d.:])(\d{1,2})\s?([ap])\.?m\b\.?/gi;
const phone = /(?<![\p{L}\d.,])(?:\+\d{1,3}[ -]?)?(?:\(\d{2,5}\)[ -]?)?\d{2,10}(?:[ -]\d{2,8}){0,4}(?![\d,]*[\p{L}\d])/gu;
const percentage = new RegExp(`(-?)(?<![\\d.,])(${figure})\\s?%`, 'g');
const ordinal = /(?<![\d.,])(\d{1,4})(?:st|nd|rd|th)\b/gi;
const plainNumber = new RegExp(`((?<![\\p{L}\\p{M}\\d)])-)?(${figure})`, 'gu');
const phoneDigitsMin = 7;
const phoneDigitsMax = 15;

const currencyCodes: Record<string, CurrencyCode> = {
  '₹': 'INR',
  rs: 'INR',
  inr: 'INR',
  $: 'USD',
  usd: 'USD',
  '€': 'EUR',
  eur: 'EUR',
  '£': 'GBP',
  gbp: 'GBP',
};

/** Turns everything that is not words into words of one language. What comes out holds no digit. */
export function speakable(text: string, tongue: Tongue): string {
  const words = withoutMarkup(withLatinDigits(text.normalize('NFC')))
    .replace(email, (address) => sayAddress(address, tongue))
    .replace(url, (address) => sayUrl(address, tongue));
  return tidy(sayShort(sayNumbers(words, tongue), tongue));
}

function sayNumbers(text: string, tongue: Tongue): string {
  return text
    .replace(money, (_, sign: string, figures: string, scale?: string) =>
      amount({ figures, scale, currency: currencyCodes[sign.toLowerCase().replace('.', '')] ?? 'INR' }, tongue),
    )
    .replace(isoDate, (all, year: string, month: string, day: string) => sayDate([day, month, year], tongue) ?? all)
    .replace(indianDate, (all, day: string, _, month: string, year: string) => sayDate([day, month, year], tongue) ?? all)
    .replace(clock, (all, hour: string, minute: string, half?: string) => sayTime([hour, minute, half], tongue) ?? all)
    .replace(wholeHour, (all, hour: string, half: string) => sayTime([hour, '0', half], tongue) ?? all)
    .replace(phone, (all) => sayPhone(all, tongue))
    .replace(percentage, (_, minus: string, figures: string) => `${number(minus + figures, tongue)} ${tongue.percent}`)
    .replace(ordinal, (_, value: string) => tongue.ordinal(Number(value)))
    .replace(plainNumber, (_, minus: string | undefined, figures: string) => ` ${number((minus ?? '') + figures, tongue)} `);
}

function withLatinDigits(text: string): string {
  return text.replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x0966));
}

function sayDate([day, month, year]: [string, string, string], tongue: Tongue): string | undefined {
  const isDate = Number(day) >= 1 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12;
  return isDate ? tongue.date(Number(day), Number(month), Number(year)) : undefined;
}

function sayTime([hour, minute, half]: [string, string, string | undefined], tongue: Tongue): string | undefined {
  if (Number(hour) > (half ? 12 : 23) || Number(minute) > 59) return undefined;
  const halfOfDay = half && (half.toLowerCase() === 'a' ? 'am' : 'pm');
  return tongue.time({ hour: Number(hour), minute: Number(minute), half: halfOfDay || undefined });
}

/** Enough digits for a telephone number, or a plus sign, are said one by one, group by group. */
function sayPhone(text: string, tongue: Tongue): string {
  const digits = text.replace(/\D/g, '').length;
  const isPhone = digits >= phoneDigitsMin && digits <= phoneDigitsMax && /^\+|[ -]|^\d{10,}$|^0/.test(text);
  if (!isPhone) return text;
  const groups = text.split(/\D+/).filter(Boolean).flatMap(intoFives);
  const plus = text.startsWith('+') ? `${tongue.signs['+']} ` : '';
  return plus + groups.map((group) => digitByDigit(group, tongue)).join(', ');
}

/** Ten digits without a gap are said as two groups of five, as Indian numbers are. */
function intoFives(group: string): string[] {
  return group.length === 10 ? [group.slice(0, 5), group.slice(5)] : [group];
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
  return long.replace(/%/g, ` ${tongue.percent} `).replace(/[&+=@°×]/g, (sign) => ` ${tongue.signs[sign] ?? ''} `);
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
