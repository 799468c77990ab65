import { isPrice, measureOf, priceOf, written, isMoney } from '../facts/amount';
import type { Attribute, Item } from '../facts/fact';
import { likeness, saidIn } from '../question/likeness';
import { type Asked, isPriceWord, type Need, type Want } from '../question/needs';
import { type Language, listed, named, phrases, unitOf } from './phrases';

const toldMax = 3;
const listedMax = 6;

/** Which fields of a thing a question asks for. */
export function fieldsAsked({ needs, wants }: Asked, { attributes }: Item): Attribute[] {
  const byName = attributes.filter(({ name }) => needs.some((need) => isOfField(need, name)));
  const byWant = attributes.filter((attribute) => [...wants].some((want) => fits(want, attribute)));
  if (byName.length > 0) return [...new Set([...byWant, ...byName])];
  if (needs.some(isPriceWord)) return attributes.filter(isPrice).slice(0, 1);
  return byWant;
}

/** Whether a word names a field. */
export function isOfField(need: Need, name: string): boolean {
  return likeness(need, saidIn(name)) >= 0.85;
}

const timeNamed = /time|timing|hour|day|when|duration|date|schedule|batch|समय|वेळ|दिन/iu;
const whoNamed = /teacher|doctor|who|by|person|contact|faculty|coach|trainer|guide|instructor|staff|चालक|शिक्षक/iu;
const placeNamed = /place|room|floor|location|where|rack|shelf|address|branch|area|hall/iu;
const countNamed = /seat|stock|number|count|capacity|quantity|pieces|total|beds|guests/iu;

function fits(want: Want, attribute: Attribute): boolean {
  if (want === 'PRICE') return isPrice(attribute);
  if (want === 'TIME') return timeNamed.test(attribute.name);
  if (want === 'WHO') return whoNamed.test(attribute.name);
  if (want === 'PLACE') return placeNamed.test(attribute.name);
  return want === 'COUNT' && countNamed.test(attribute.name);
}

/** Tells of one thing what was asked, or what it costs and whether it is there. */
export function tellItem(item: Item, asked: Asked, language: Language): string {
  const fields = fieldsAsked(asked, item);
  const words = phrases[language];
  if (fields.length > 0) return [...new Set(fields.map((field) => tellField(item, field, language)))].slice(0, toldMax).join(' ');
  const price = priceOf(item);
  const stock = item.attributes.find(isStock);
  const told = [price, stock].flatMap((field) => (field ? [tellField(item, field, language)] : []));
  if (told.length === 0) return `${words.offered(item.name)} ${item.description}`.trim();
  return told.join(' ');
}

const isStock = ({ name }: Attribute): boolean => /stock|availab|स्टॉक|उपलब्ध/iu.test(name);
const isOut = (value: string): boolean => /^(?:0|no|none|nil)$|out of|not |unavail|sold|नहीं|नाही/iu.test(value);

/** One field of a thing as a sentence. */
export function tellField(item: Item, field: Attribute, language: Language): string {
  const words = phrases[language];
  if (isStock(field)) {
    if (isOut(field.value)) return words.outOfStock(item.name);
    return words.inStock(item.name, /\d/u.test(field.value) ? valueOf(field, language) : '');
  }
  if (field.name === 'Booking') return words.needsBooking;
  const value = valueOf(field, language);
  if (field === priceOf(item) && /^(?:price|cost|rate|mrp)s?$/iu.test(field.name)) return words.costs(item.name, value);
  if (field.name === 'Duration' && item.kind === 'entry') return words.lasts(item.name, value);
  if (/^\d+$/u.test(field.value) && field.unit === '' && /[^s]s$/u.test(field.name))
    return words.has(item.name, `${field.value} ${named(field.name, language)}`);
  return words.field(item.name, named(field.name, language), value);
}

/** The value of a field with its unit, as people of that language write it. */
export function valueOf(field: Attribute, language: Language): string {
  const measure = measureOf(field);
  if (!measure || /[\p{L}].*\d.*[\p{L}]/u.test(field.value)) return field.value;
  if (isMoney(measure.unit)) return written(measure);
  return written({ ...measure, unit: unitOf(measure.unit, measure.to ?? measure.value, language) });
}

/** Tells of several things what was asked: each of a few, the least and the most of many. */
export function tellItems(items: readonly Item[], asked: Asked, language: Language): string | undefined {
  if (items.length === 0) return undefined;
  if (items.length <= toldMax) return items.map((item) => tellItem(item, asked, language)).join(' ');
  const words = phrases[language];
  const prices = items.flatMap((item) => {
    const price = priceOf(item);
    const measure = price && measureOf(price);
    return measure ? [measure] : [];
  });
  const [first] = prices;
  const name = commonName(items);
  if (asked.wants.has('PRICE') && first && name !== '' && prices.length === items.length) {
    const sorted = prices.toSorted((one, other) => one.value - other.value);
    const [least, most] = [sorted[0] ?? first, sorted.at(-1) ?? first];
    return words.from(name, written({ ...least, unit: first.unit }), written({ ...most, unit: first.unit }));
  }
  return words.among(
    listed(
      items.slice(0, listedMax).map((item) => item.name),
      words.and,
    ),
  );
}

/** What many things are called alike: rows of one part for several models. */
function commonName(items: readonly Item[]): string {
  const [first = ''] = items.map(({ name }) => name.replace(/ \(.*$/u, ''));
  return items.every(({ name }) => name.replace(/ \(.*$/u, '') === first) ? first : '';
}
