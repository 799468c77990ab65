import { foldSpelling, isUnit, numbersIn, stemOf, wordsOf, writtenMoney } from '@parley/language';
import type { FactItem, ItemAttribute, Pack } from './base-facts';

/** A number with its unit. */
export interface Measure {
  readonly value: number;
  /** The end of a range. */
  readonly to?: number;
  /** `INR` for money of India, else the unit as written, without its plural: `minute`, `sq ft`. */
  readonly unit: string;
}

const currencies: Readonly<Record<string, string>> = {
  '₹': 'INR',
  rs: 'INR',
  inr: 'INR',
  rupee: 'INR',
  रुपये: 'INR',
  रु: 'INR',
  $: 'USD',
  usd: 'USD',
  '€': 'EUR',
  eur: 'EUR',
  '£': 'GBP',
  gbp: 'GBP',
  aed: 'AED',
  dirham: 'AED',
};
const currencyCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const scales: Readonly<Record<string, number>> = {
  lakh: 1e5,
  lac: 1e5,
  l: 1e5,
  crore: 1e7,
  cr: 1e7,
  k: 1000,
  thousand: 1000,
  लाख: 1e5,
  करोड़: 1e7,
  कोटी: 1e7,
};
const sign = '₹|Rs\\.?|INR|USD|EUR|GBP|AED|\\$|€|£|रु\\.?';
const figure = '\\d+(?:,\\d{2,3})*(?:\\.\\d+)?';
const scale = '(?:\\s?(lakhs?|lacs?|crores?|cr|L|k|thousand|लाख|करोड़|कोटी)(?![\\p{L}\\p{M}]))?';
const measured = new RegExp(
  `^(${sign})?\\s?(${figure})${scale}(?:\\s?(?:[-–]|to)\\s?(?:${sign})?\\s?(${figure})${scale})?\\s?(.*)$`,
  'iu',
);
const numberOf = (text: string): number => Number(text.replaceAll(',', ''));
const scaleOf = (name: string | undefined): number =>
  name === undefined ? 1 : (scales[name.toLowerCase().replace(/s$/u, '')] ?? 1);

/** The number in a field, with its unit. Undefined if the field has only words. */
export function measureOf({ value, unit }: Pick<ItemAttribute, 'value' | 'unit'>): Measure | undefined {
  const [, money, from, fromScale, to, toScale, behind = ''] = measured.exec(value.trim()) ?? [];
  // A time of day is not a quantity.
  if (from === undefined || isClock(value)) return undefined;
  const named = (money ?? (behind.trim() || unit)).toLowerCase().replace(/\.$/u, '');
  if (named.length > unitLettersMax) return undefined;
  const known =
    currencies[named] ??
    currencies[named.replace(/s$/u, '')] ??
    currencies[unit.toLowerCase()] ??
    (currencyCodes.has(unit) ? unit : named.replace(/(?<!p)s$/u, ''));
  const range = to === undefined ? {} : { to: numberOf(to) * scaleOf(toScale) };
  return { value: numberOf(from) * scaleOf(fromScale ?? toScale), ...range, unit: known };
}

const unitLettersMax = 24;

/** Whether a value is a time of the day. */
export const isClock = (value: string): boolean => /\d:\d\d|\d\s?[ap]\.?m\b|बजे|वाजता/iu.test(value);

/** Whether a unit is money. */
export function isMoney(unit: string): boolean {
  return currencyCodes.has(unit);
}

/** The text around the number of a price. */
interface PriceTerms {
  /** The currency's code, or an empty string if none is written. */
  readonly currency: string;
  /** The unit of the price: `metre` of "INR per metre", "₹/metre" and "रुपये प्रति मीटर". */
  readonly per: string;
  /** A remark on taxes, as written. */
  readonly remark: string;
}

const taxName = '(?:gst|vat|tax(?:es)?|जीएसटी|टैक्स|टॅक्स|कर)(?![\\p{L}\\p{M}])';
const taxSaid = new RegExp(
  `(?:(?:\\+|plus|(?:excl|incl)(?:uding|usive)?\\.?(?: of)?|with(?:out)?)\\s*)?(?:\\d+(?:\\.\\d+)?\\s?%\\s*)?(?:all\\s)?${taxName}(?:\\s\\d+(?:\\.\\d+)?\\s?%)?(?:\\s(?:extra|included|excluded|incl\\.?|excl\\.?|additional|अलग|सहित|समेत|अतिरिक्त|वेगळा|सह))?`,
  'iu',
);
const currencySaid = new RegExp(
  `(?<![\\p{L}\\p{M}])(?:₹|rs\\.?|rupees?|inr|रुपये|रुपए|रुपया|रु\\.?|dirhams?|[$€£]|\\p{L}{3})(?![\\p{L}\\p{M}])|[₹$€£]`,
  'giu',
);
const perSaid = /^(?:\/|(?:per|an?|for|प्रति|दर|हर|प्रत्येक)(?![\p{L}\p{M}]))\s*([\p{L}\d][^,;()]*)$/iu;
const eachSaid = /^(?:each|apiece|प्रत्येकी|नग)$/iu;

/** Parses the text around the number of a price. Undefined if it contains anything else. */
function priceTerms(text: string): PriceTerms | undefined {
  const remark = (taxSaid.exec(text)?.[0] ?? '').trim();
  const untaxed = remark === '' ? text : text.replace(remark, ' ');
  const money = untaxed.match(currencySaid)?.find((one) => codeOf(one) !== undefined);
  const rest = (money === undefined ? untaxed : untaxed.replace(money, ' '))
    .replace(/\/-/u, ' ')
    .replace(/^[\s,;.()+-]+|[\s,;.()+-]+$/gu, '');
  const per = perSaid.exec(rest)?.[1]?.trim() ?? (eachSaid.test(rest) ? 'piece' : '');
  if (rest !== '' && per === '') return undefined;
  return money === undefined && per === '' && remark === '' ? undefined : { currency: codeOf(money ?? '') ?? '', per, remark };
}

/** Finds the code of a currency by its sign, name or code. */
const codeOf = (currency: string): string | undefined =>
  currencies[currency.toLowerCase().replace(/\.$|s?$/u, '')] ??
  currencies[currency.toLowerCase()] ??
  (currencyCodes.has(currency) ? currency : undefined);

const pricedValue = new RegExp(
  `^((?:${sign}|[A-Z]{3})\\s?)?(${figure}${scale}(?:\\s?(?:[-–]|to)\\s?(?:${sign})?\\s?${figure}${scale})?)\\s*(.*)$`,
  'iu',
);
/** The currency and unit in a column's name without brackets: "Price in INR per litre", "Rate Rs./kg". */
const termsInName = new RegExp(`^(.*?\\p{L})\\s+(?:in\\s+)?((?:₹|rs\\.?|inr|usd|eur|gbp|aed|रुपये)(?![\\p{L}\\p{M}]).*)$`, 'iu');

/**
 * Parses a price with its currency and unit, which a table writes in the name of the column, in brackets after it, or beside the number.
 * Undefined for any other field, and for a price without a unit or remark.
 */
export function pricedField(column: string, unit: string, value: string): ItemAttribute | undefined {
  const [, stem = column, named = ''] = unit === '' ? (termsInName.exec(column) ?? []) : [];
  const found = pricedValue.exec(value.replace(/[\u0966-\u096f]/gu, (digit) => String(digit.charCodeAt(0) - 0x0966)).trim());
  const figures = found?.[2];
  if (figures === undefined || isClock(value)) return undefined;
  const behind = found?.at(-1) ?? '';
  const inColumn = priceTerms(named || unit);
  // ₹260 is also written as 260/-.
  const inValue = priceTerms(`${found?.[1] ?? (behind.startsWith('/-') ? '₹' : '')} ${behind}`);
  if ((behind !== '' && !inValue) || ((named || unit) !== '' && !inColumn)) return undefined;
  const currency = inValue?.currency || inColumn?.currency || '';
  const [per, remark] = [inValue?.per || inColumn?.per || '', inValue?.remark || inColumn?.remark || ''];
  if (per === '' && remark === '' && named === '' && !(currency !== '' && figures !== value.trim() && behind !== ''))
    return undefined;
  if (currency === '' && !priceNamed.test(stem)) return undefined;
  const isNamedPer = per === '' || /(?:^|\s)(?:per|प्रति)\s/iu.test(stem);
  const name = isNamedPer ? stem : `${stem} ${/[\u0900-\u097f]/u.test(per) ? 'प्रति' : 'per'} ${per}`;
  return { name, value: figures.trim(), unit: currency, ...(remark !== '' && { remark }) };
}

const priceNamed =
  /\b(?:price|cost|fee|fees|rate|mrp|rent|charge|charges|tariff|amount|fare|premium|deposit)\b|कीमत|दाम|शुल्क|फीस|दर|किंमत|फी|भाडे|किराया/iu;

/** Whether a field is a price. */
export function isPrice(attribute: ItemAttribute): boolean {
  const measure = measureOf(attribute);
  return priceNamed.test(attribute.name) ? /\d|free/iu.test(attribute.value) : measure !== undefined && isMoney(measure.unit);
}

/** The main price of an item: a field that is called just "price" or similar, else the first one. */
export function priceOf({ attributes }: FactItem): ItemAttribute | undefined {
  const priced = attributes.filter(isPrice);
  return priced.find(({ name }) => /^(?:price|cost|fee|fees|rate|mrp|charge|tariff|fare)s?$/iu.test(name)) ?? priced[0];
}

/** Formats money in its local format, and other numbers with their unit. */
export function written({ value, to, unit }: Measure): string {
  if (isMoney(unit))
    return to === undefined ? writtenMoney(value, unit) : `${writtenMoney(value, unit)}–${writtenMoney(to, unit)}`;
  const figures = to === undefined ? plain(value) : `${plain(value)}–${plain(to)}`;
  return `${figures}${unit === '' ? '' : ` ${unit}`}`;
}

const plain = (value: number): string => new Intl.NumberFormat('en-IN', { maximumFractionDigits: 2 }).format(value);

const packsOfEnglish =
  'box boxes pack packs packet packets carton cartons case cases bundle bundles bag bags roll rolls set sets strip strips crate crates tray trays jar jars tin tins ' +
  'pouch pouches ream reams sheet sheets sleeve sleeves sack sacks plate plates bunch bunches';
const packsOfIndia =
  'डिब्बा डिब्बे डिब्बों डब्बा डब्बे पैकेट पैकेटों पैक बंडल गड्डी गड्डियाँ थैली थैलियाँ कार्टन सेट पेटी पेटियाँ बॉक्स प्लेट डबा डबे डब्यांचे पॅक पॅकेट पॅकेटे पाकीट पाकिटे संच खोका खोके जुडी जुड्या ' +
  'पुडा पुडे पट्टी पेट्या बोरी पोती dibba dibbe dabba dabbe packet packets peti daba dabe pakit bandal gaddi';
const packWords: ReadonlySet<string> = new Set(`${packsOfEnglish} ${packsOfIndia}`.split(' ').map(foldSpelling));
const one = (words: string): string => `(${[...new Set(words.split(' '))].toSorted((a, b) => b.length - a.length).join('|')})`;
const endOfWord = '(?![\\p{L}\\p{M}])';
const counted = '(\\d+(?:,\\d{3})*|a dozen|dozen|[a-z]+)';
const packForms: readonly {
  readonly form: RegExp;
  readonly word: number;
  readonly size: number;
  readonly of: number | undefined;
}[] = [
  { form: new RegExp(`\\b${one(packsOfEnglish)} of ${counted}${endOfWord}(?:\\s([\\p{L}]+))?`, 'iu'), word: 1, size: 2, of: 3 },
  {
    form: /(\d[\d,]*)\s?(pieces|pcs|nos|tablets|sheets)\s(?:an?|per|in an?|in each|to an?)\s([a-z]+)/iu,
    word: 3,
    size: 1,
    of: undefined,
  },
  { form: /(\d[\d,]*)[\s-]?(?:pieces?|pcs?)\s(pack|box|packet|carton|set)\b/iu, word: 2, size: 1, of: undefined },
  {
    form: new RegExp(
      `(\\d[\\d,]*)\\s(?:([\\p{L}\\p{M}]+)\\s)?(?:का|की|के|चा|ची|चे|ka|ki|ke|cha|chi|che)\\s${one(packsOfIndia)}${endOfWord}`,
      'iu',
    ),
    word: 3,
    size: 1,
    of: 2,
  },
  {
    form: new RegExp(
      `(?:एक|एका|हर|प्रति|ek|har)\\s${one(packsOfIndia)}(?:मध्ये|त|\\sमें|\\smein|\\sme)\\s(\\d[\\d,]*)(?:\\s([\\p{L}\\p{M}]+))?`,
      'iu',
    ),
    word: 1,
    size: 2,
    of: 3,
  },
  { form: /(\d[\d,]*)\s(pieces|pcs|नग|पीस)(?![\p{L}\p{M}])/iu, word: 2, size: 1, of: undefined },
];
const ofPieces = /^(?:pieces|pcs|नग|पीस)$/iu;
const plainWords = new Set([
  'नग',
  'पीस',
  'pieces',
  'piece',
  'pcs',
  'in',
  'and',
  'for',
  'per',
  'at',
  'on',
  'with',
  'या',
  'और',
  'आणि',
]);

/** The pack in which a text says that an item is sold. Undefined for single items, and for goods sold by weight or measure. */
export function packIn(text: string): Pack | undefined {
  for (const { form, word, size, of } of packForms) {
    const found = form.exec(text);
    const count = Number((found?.[size] ?? '').replaceAll(',', '')) || numbersIn(found?.[size] ?? '')[0]?.value;
    if (!found || count === undefined || count < 2 || !Number.isInteger(count)) continue;
    const named = of === undefined ? '' : (found[of] ?? '');
    const behind = wordsOf(text.slice(found.index + found[0].length))[0] ?? '';
    if (isUnit(named) || isUnit(found[word] ?? '') || (of === undefined && isUnit(behind))) continue;
    const called = found[word] ?? '';
    return {
      word: ofPieces.test(called) ? '' : called,
      size: count,
      of: plainWords.has(named.toLowerCase()) ? '' : named,
      written: found[0].trim(),
    };
  }
  return undefined;
}

/** Whether a word is a kind of pack: "three boxes" are not three cards. */
export const isPackWord = (word: string): boolean => packWords.has(word);

const packKinds: readonly RegExp[] = [
  /^(?:box|pack|डिब्|डब|पैक|पॅक|पाक|बॉक्|बाक्|खोक|पुड|dibb|dabb|dab|pakit)/u,
  /^(?:carton|case|crate|पेटि|पेट्|कार्टन|peti)/u,
  /^(?:bag|sack|pouch|थैलि|थैलियां|बोरि|पोति)/u,
  /^(?:bundle|बंडल|गड्डि|जुडि|जुड्या|bandal|gaddi)/u,
  /^(?:set|सेट|संच)/u,
  /^(?:plate|प्लेट)/u,
];
/** The kind of a pack in whichever language its word is: a box is a डिब्बा. */
export const kindOfPack = (word: string): string => {
  const [folded = ''] = wordsOf(word);
  const kind = packKinds.findIndex((form) => form.test(folded));
  return kind === -1 ? stemOf(folded) : String(kind);
};

/** Formats a number of packs: "5 boxes of 100", "5 × 100 का पैकेट". */
export function severalOf({ word, size, written: phrase }: Pack, count: number): string {
  if (!/^[a-z]+$/iu.test(word)) return `${count} × ${phrase}`;
  const plural = count > 1 && !word.endsWith('s') ? (/(?:x|ch)$/iu.test(word) ? 'es' : 's') : '';
  return `${count} ${word.toLowerCase()}${plural} of ${size}`;
}

/** The name of an item without its pack: "bottles" of "Carton of 12 bottles". */
export function withoutPack({ name, pack }: FactItem): string {
  const rest = name
    .replace(pack?.written ?? '', '')
    .replace(/[\s,(]+\)?$/u, '')
    .trim();
  return rest === '' ? (pack?.of ?? name) : rest;
}

const perClause =
  /(?:^|[.;,।]\s*)(?:(?:the )?(?:price|rate|cost|charge|charged|priced|fee)s?(?: is| are)? (?:per|for each|by the) (?:one )?|(?:दाम|कीमत|क़ीमत|रेट|दर|शुल्क|किंमत|भाडे|किराया|भाव) (?:प्रति|हर|दर|प्रत्येक) )([^.;,।()\d]{1,30}?)\s*(?:[.;,।]|$)/iu;

/** The unit in a description, as in "Price per door.", and the rest of the description. */
export function perUnitIn(description: string): { readonly unit: string; readonly rest: string } | undefined {
  const found = perClause.exec(description);
  if (!found?.[1]) return undefined;
  const rest = `${description.slice(0, found.index)}. ${description.slice(found.index + found[0].length)}`;
  return { unit: found[1].trim(), rest: rest.replace(/^[.;,\s]+|[.;,\s]+$/gu, '').replaceAll('।.', '।') };
}
