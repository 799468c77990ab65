import { amount, type ClockTime, type CurrencyCode, digitByDigit, number, type SpokenRules } from './spoken-rules';

const currencySign = '₹|Rs\\.?|रु\\.?|INR|\\$|USD|€|EUR|£|GBP|AED';
const figure = '\\d+(?:,\\d+)*(?:\\.\\d+)?';
const scale = '(?:\\s?(lakhs?|lacs?|crores?|thousand|million|billion|Cr|L|k|हज़ार|हजार|लाख|करोड़|कोटी)(?![\\p{L}\\p{M}]))?';
const moneyRange = new RegExp(
  `(?<![\\p{L}\\d])(${currencySign})\\s?(${figure}${scale})\\s?[-–—]\\s?(?:${currencySign})?\\s?(${figure}${scale})(?:/-)?`,
  'giu',
);
const money = new RegExp(`(?<![\\p{L}\\d])(${currencySign})\\s?(${figure})${scale}(?:/-)?`, 'giu');
/** An amount with the currency code last: "260 INR". */
const codeBehind = new RegExp(`(?<![\\p{L}\\d.,₹$€£])(${figure})\\s?(INR|USD|EUR|GBP|AED)(?![\\p{L}\\d])`, 'gu');
// The amount is matched forward: as a look-behind it would be read again at every digit, in quadratic time.
const strokeBehindMoney = new RegExp(`((?:${currencySign})\\s?[\\d.,]+(?:/-)?)\\s?/\\s?(?=\\p{L})`, 'giu');
const rupees = new RegExp(`(?<![\\d.,])(${figure})/-`, 'g');
const range = new RegExp(`(?<![\\d.,:/-])(${figure})\\s?[-–]\\s?(${figure})(?![\\d/-])`, 'g');
const isoDate = /(?<![\d-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\d-])/g;
const indianDate = /(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d/-])/g;
const clock = /(?<![\d:])(\d{1,2}):(\d{2})(?::\d{2})?(?![\d:])(?:\s?([ap])\.?\s?m\b\.?)?(?:\s?(बजे|वाजता)(?![\p{L}\p{M}]))?/giu;
const hourOfHalf = /(?<![\d.:])(\d{1,2})(?:\.(\d{2}))?\s?([ap])\.?m\b\.?/gi;
const phone = /(?<![\p{L}\d.,])(?:\+\d{1,3}[ -]?)?(?:\(\d{2,5}\)[ -]?)?\d{2,10}(?:[ -]\d{2,8}){0,4}(?![\d,]*[\p{L}\d])/gu;
const dotted = /(?<![\d.,])\d{1,5}(?:\.\d{1,5}){2,5}(?![\d.]*\d)/g;
const slash = /(\d)\s?\/\s?(?=\d)/g;
const percentage = new RegExp(`(-?)(?<![\\d.,])(${figure})\\s?%`, 'g');
const ordinal = /(?<![\d.,])(\d{1,4})(?:st|nd|rd|th)\b/gi;
const plainNumber = new RegExp(`((?<![\\p{L}\\p{M}\\d):])-)?(${figure})`, 'gu');
const measure =
  'घंट|घण्ट|तास|दिन|दिवस|हफ़्त|हफ्त|सप्ताह|आठवड|महीन|महिन|साल|वर्ष|किलो|किग्र|किमी|कि\\.|लीटर|लिटर|मीटर|टन|फुट|फीट|फूट|इंच|एकड़|एकर|गुंठ|कप|हज़ार|हजार|लाख|करोड़|कोटी|(?:kg|km|kilo|hours?|hrs?|ton|lit(?:re|er)s?|feet|ft|inch|lakh|crore)(?![a-z])';
/** A number and a half before a unit; the 2.5 of a version or a mark does not count. In a range, the unit follows the second number. */
const halved = new RegExp(`(?<![\\d.,₹$€£])(\\d{1,2})\\.50?(?=(?:\\s(?:से|ते)\\s\\d+(?:\\.\\d+)?)?\\s?(?:${measure}))`, 'giu');
const phoneDigitsMin = 7;
const phoneDigitsMax = 15;

const currencyCodes: Record<string, CurrencyCode> = {
  '₹': 'INR',
  rs: 'INR',
  रु: 'INR',
  inr: 'INR',
  $: 'USD',
  usd: 'USD',
  '€': 'EUR',
  eur: 'EUR',
  '£': 'GBP',
  gbp: 'GBP',
  aed: 'AED',
};

/** Converts all figures to words: amounts, dates, times, telephone numbers, ranges, percentages and plain numbers. */
export function sayFigures(written: string, rules: SpokenRules): string {
  const signed = sayFractions(saySigns(written.replace(codeBehind, '$2 $1'), rules), rules);
  const perUnit = signed.replace(strokeBehindMoney, `$1 ${rules.per} `).replace(strokeBehindUnit, `$1 ${rules.per} `);
  const text = sayPowers(sayPerUnit(perUnit, rules), rules);
  const dated = sayDates(
    sayClockRanges(sayMoneyRanges(text, rules), rules).replace(
      range,
      (all, from: string, to: string) => sayRange([from, to], rules) ?? all,
    ),
    rules,
  );
  return sayOtherCurrencies(sayAmounts(dated, rules), rules)
    .replace(clock, (all, ...[hour, minute, half, , offset, whole]: [string, string, string?, string?, number?, string?]) => {
      const isOfSpan = rules.spanGoesOn?.test((whole ?? '').slice((offset ?? 0) + all.length)) ?? false;
      return sayTime([hour, minute, half], { ...rules, time: (time) => rules.time(time, isOfSpan) }) ?? all;
    })
    .replace(hourOfHalf, (all, hour: string, minute: string | undefined, half: string) => {
      return sayTime([hour, minute ?? '0', half], rules) ?? all;
    })
    .replace(halved, (all, whole: string) => rules.andHalf?.(Number(whole)) ?? all)
    .replace(phone, (all) => sayPhone(all, rules))
    .replace(dotted, (all) =>
      all
        .split('.')
        .map((part) => number(part, rules))
        .join(` ${rules.point} `),
    )
    .replace(slash, `$1 ${rules.signs['/']} `)
    .replace(percentage, (_, minus: string, figures: string) => `${number(minus + figures, rules)} ${rules.percent}`)
    .replace(ordinal, (_, value: string) => rules.ordinal(Number(value)))
    .replace(plainNumber, (_, minus: string | undefined, figures: string) => ` ${number((minus ?? '') + figures, rules)} `);
}

const vulgar = '[¼-¾⅐-⅞↉]';
const amountAhead = `(?=\\s?(?:(?:${currencySign})\\s?)?(?:\\d|${vulgar}))`;
/** A dash is a range or belongs to a word unless nothing but a blank is before it; a colon with a dash is a colon. */
const minusSign = new RegExp(
  `−${amountAhead}|(?<![\\p{L}\\p{M}\\p{N}):.,-]|\\p{N} )(?:[-–](?=(?:${currencySign})\\s?\\d)|-(?=${vulgar})|–(?=${vulgar}|(?!\\d{7}|0\\d)\\d))`,
  'giu',
);
const minusBehindCurrency = new RegExp(`(?<![\\p{L}\\d])(${currencySign})\\s?[-−](?=\\d)`, 'giu');
const toMinus = new RegExp(`(?<=[\\d%])\\s?[-–—]\\s?(?=[-−–]${amountAhead})`, 'gu');
const fractionRange = new RegExp(`(?<=${vulgar})\\s?[-–]\\s?(?=\\d|${vulgar})`, 'gu');
const fraction = new RegExp(`(?:(?<=\\d)\\s?)?(${vulgar})|(?<![\\d/⁄.,])(\\d{1,3})⁄(\\d{1,3})(?![\\d⁄])`, 'gu');
const about = new RegExp(`[~≈]${amountAhead}`, 'giu');
/** A sign and the amount after it. */
const signAhead = new RegExp(`([<>√])\\s?((?:(?:${currencySign})\\s?)?${figure}${scale}\\s?%?)`, 'giu');
const superscript = '[⁰¹²³⁴-⁹]';
const power = new RegExp(
  `(?<=\\d)([⁺⁻]?${superscript}+)|(?<![\\p{L}\\p{M}])([\\p{L}\\p{M}]{1,20})([²³])(?!${superscript})`,
  'gu',
);
const footnote = new RegExp(`((?:${currencySign})\\s?${figure})${superscript}+|(?<=\\d)¹(?!${superscript})`, 'giu');
const strokeBehindUnit =
  /(\d\s?(?:km|m|mi|kg|g|mg|l|ml|GB|MB|kWh|kW))\s?\/\s?(?=(?:h|hr|hour|s|sec|min|day|month|kg|l|m[²³]?)(?![\p{L}\p{M}]))/giu;
const otherCurrency = new RegExp(`([¥₩₽₺₫₦₪฿₱৳₿])\\s?(${figure}${scale})`, 'giu');

function sayFractions(text: string, rules: SpokenRules): string {
  return text.replace(fractionRange, ` ${rules.to} `).replace(fraction, (all, sign: string | undefined, ...parts: unknown[]) => {
    const [over, under] = (sign ? sign.normalize('NFKD').split('⁄') : parts.slice(0, 2)).map(Number);
    if (!over || !under) return all;
    const offset = Number(parts[2]);
    const decimals = (over / under).toString().slice(1);
    const isWithWhole = sign !== undefined && offset > 0 && /\d/.test(`${text.slice(0, offset).trimEnd().at(-1)}`);
    if (isWithWhole && decimals.length <= 4) return decimals;
    return `${isWithWhole ? ` ${rules.signs['&']}` : ''} ${rules.fraction(over, under)} `;
  });
}

/** Says the signs of amounts that a voice would leave out, so that −₹50 is not said as fifty rupees. */
function saySigns(text: string, rules: SpokenRules): string {
  return text
    .replace(/(?<=[A-Z])(?=\$\s?\d)/g, ' ')
    .replace(minusBehindCurrency, `−$1`)
    .replace(toMinus, ` ${rules.to} `)
    .replace(minusSign, ` ${rules.minus} `)
    .replaceAll('−', '-')
    .replace(/(?<=\d)\s?~\s?(?=\d)/g, ` ${rules.to} `)
    .replace(about, ` ${rules.signs['≈']} `)
    .replace(/(?<=\d)\s?([′″])/gu, (_, sign: string) => ` ${rules.signs[sign]} `)
    .replace(signAhead, (_, sign: string, amountOf: string) => {
      const words = rules.signs[sign] ?? '';
      return words.includes('…') ? ` ${words.replace('…', amountOf)} ` : ` ${words} ${amountOf}`;
    });
}

/** Powers of numbers, and units such as m². The small figures of footnotes are not said. */
function sayPowers(text: string, rules: SpokenRules): string {
  return text
    .replace(footnote, (_, amountOf: string | undefined) => amountOf ?? '')
    .replace(power, (_, exponent: string | undefined, unit: string | undefined = '', sign: string | undefined = '') => {
      const said = exponent ?? sign;
      if (exponent === undefined && (unit.length > 1 || unit in rules.lengths))
        return `${sign === '²' ? rules.square : rules.cubic} ${rules.lengths[unit] ?? unit}`;
      return `${unit} ${rules.signs[said] ?? `${rules.signs['^']} ${said.normalize('NFKC').replace('−', '-')}`} `;
    })
    .replace(/\^(?=-?\d)/g, ` ${rules.signs['^']} `)
    .replace(/[⁰¹²³⁴-⁹⁺⁻]/g, ' ');
}

/** Currencies whose amounts are said without hundredths, and signs that stand behind an amount or alone. */
function sayOtherCurrencies(text: string, rules: SpokenRules): string {
  return text
    .replace(otherCurrency, (_, sign: string, figures: string) => `${figures} ${rules.signs[sign]} `)
    .replace(/([₹$€£])\1*/g, (_, sign: string) => ` ${rules.currencies[currencyCodes[sign] ?? 'INR'].many} `);
}

/** Uses the singular after "per": "₹80 per kg". */
function sayPerUnit(text: string, { perUnits }: SpokenRules): string {
  return text.replace(
    /(?<=(?:\bper|प्रति)\s)(?:sq ft|[a-z]+)(?![\p{L}\p{M}\d])/giu,
    (unit) => perUnits[unit.toLowerCase()] ?? unit,
  );
}

/** Says the unit of a range like "₹35,000–₹45,000" once, after the second figure. */
function sayMoneyRanges(text: string, rules: SpokenRules): string {
  return text.replace(
    moneyRange,
    (_, sign: string, from: string, scaleOfFrom: string | undefined, to: string, scaleOfTo?: string) => {
      const [, scaled = from] = /^(.*?)\s?\p{L}*$/u.exec(from) ?? [];
      // "₹50,000–2 lakh" starts in thousands, "₹35–45 lakh" in lakhs.
      const scaleShared = Number(scaled.replaceAll(',', '')) < Number.parseFloat(to.replaceAll(',', '')) ? scaleOfTo : '';
      const first =
        (scaleOfFrom ?? scaleOfTo) === undefined ? from : `${sign}${scaled} ${scaleOfFrom ?? scaleShared ?? ''}`.trim();
      return `${first} ${rules.to} ${sign}${to}`;
    },
  );
}

function sayAmounts(text: string, rules: SpokenRules): string {
  return text
    .replace(money, (_, sign: string, figures: string, unit?: string) =>
      amount({ figures, scale: unit, currency: currencyCodes[sign.toLowerCase().replace('.', '')] ?? 'INR' }, rules),
    )
    .replace(rupees, (_, figures: string) => amount({ figures, scale: undefined, currency: 'INR' }, rules));
}

function sayDates(text: string, rules: SpokenRules): string {
  const named = new RegExp(`(${rules.months.join('|')})(?:\\s+(\\d{1,2})(?:st|nd|rd|th)?)?,?\\s+(\\d{4})(?![\\d,])`, 'giu');
  return text
    .replace(isoDate, (all, year: string, month: string, day: string) => sayDate([day, month, year], rules) ?? all)
    .replace(indianDate, (all, day: string, _, month: string, year: string) => sayDate([day, month, year], rules) ?? all)
    .replace(named, (_, month: string, day: string | undefined, year: string) =>
      [month, day && rules.day(Number(day)), rules.year(Number(year))].filter(Boolean).join(' '),
    );
}

/** A range must ascend, years must be within a century, and numbers as long as telephone numbers are not ranges. */
function sayRange([from, to]: [string, string], rules: SpokenRules): string | undefined {
  const [first = 0, second = 0] = [from, to].map((figures) => Number(figures.replaceAll(',', '')));
  const isYears = /^(19|20)\d\d$/.test(from) && /^\d\d$/.test(to);
  const isLong = /^\d+$/.test(from + to) && from.length + to.length >= phoneDigitsMin;
  if ((first >= second && !isYears) || isLong || /^0\d/.test(from)) return undefined;
  return `${from} ${rules.to} ${to}`;
}

function sayDate([day, month, year]: [string, string, string], rules: SpokenRules): string | undefined {
  const isDate = Number(day) >= 1 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12;
  return isDate ? [rules.day(Number(day)), rules.months[Number(month) - 1], rules.year(Number(year))].join(' ') : undefined;
}

function sayTime([hour, minute, half]: [string, string, string | undefined], rules: SpokenRules): string | undefined {
  if (Number(hour) > (half ? 12 : 23) || Number(minute) > 59) return undefined;
  const halfOfDay = half && (half.toLowerCase() === 'a' ? 'am' : 'pm');
  return rules.time({ hour: Number(hour), minute: Number(minute), half: halfOfDay || undefined });
}

/** Says telephone numbers, recognized by their length or a plus sign, digit by digit in groups. */
function sayPhone(text: string, rules: SpokenRules): string {
  const digits = text.replace(/\D/g, '').length;
  const isPhone = digits >= phoneDigitsMin && digits <= phoneDigitsMax && /^\+|[ -]|^\d{10,}$|^0/.test(text);
  if (!isPhone) return text;
  const groups = text.split(/\D+/).filter(Boolean).flatMap(intoFives);
  const plus = text.startsWith('+') ? `${rules.signs['+']} ` : '';
  return plus + groups.map((group) => digitByDigit(group, rules)).join(', ');
}

/** Splits ten digits into two groups of five, as Indian numbers are said. */
function intoFives(group: string): string[] {
  return group.length === 10 ? [group.slice(0, 5), group.slice(5)] : [group];
}

const time = '(\\d{1,2})(?:[:.](\\d{2}))?(?:\\s?([ap])\\.?\\s?m\\b\\.?)?';
const between = '\\s?(?:[-–—]|to|till|until|से|ते)\\s?';
const ranges = new RegExp(
  `(?<![\\d:.,₹/-])${time}${between}${time}(?![\\d:/-]|[,.]\\d)(?:\\s?(?:बजे|वाजता)(?![\\p{L}\\p{M}]))?`,
  'giu',
);

/**
 * Says opening hours and other spans of a day: "half past nine to seven" for 09:30 AM to 07:00 PM. If both ends are in the same half of
 * the day, it is said once. Two figures without minutes, AM or PM are not times.
 */
function sayClockRanges(text: string, rules: SpokenRules): string {
  return text.replace(ranges, (all, ...found: (string | undefined)[]) => {
    const [fromHour, fromMinute, fromHalf, toHour, toMinute, toHalf] = found;
    if (toHalf === undefined && !(fromMinute !== undefined && toMinute !== undefined)) return all;
    if (fromHalf === undefined && fromMinute === undefined && toMinute === undefined && Number(fromHour) > 12) return all;
    const to = clockTime(toHour, toMinute, toHalf);
    const from = clockTime(fromHour, fromMinute, fromHalf ?? (toHalf && halfBefore(fromHour, toHour, toHalf)));
    return from && to ? rules.timeRange(from, to) : all;
  });
}

/** "11 to 2 PM" begins in the morning, "2 to 8 PM" does not. */
function halfBefore(from: string | undefined, to: string | undefined, half: string): string {
  const [first, last] = [Number(from) % 12, Number(to) % 12];
  return first <= last ? half : half.toLowerCase() === 'p' ? 'a' : 'p';
}

function clockTime(hour: string | undefined, minute: string | undefined, half: string | undefined): ClockTime | undefined {
  const [hours, minutes] = [Number(hour), Number(minute ?? 0)];
  if (hours > (half ? 12 : 23) || minutes > 59) return undefined;
  return { hour: hours, minute: minutes, ...(half && { half: half.toLowerCase() === 'a' ? ('am' as const) : ('pm' as const) }) };
}
