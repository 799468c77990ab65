import type { SpeechLanguage } from '@parley/contracts';
import { foldSpelling, wordsOf } from '../language/spelling';
import { contentTerms, soundsOf } from '../language/terms';
import { stemOf } from '../language/stems';

/** What a price question can be answered from. */
export type PricedItem =
  | { readonly kind: 'PRODUCT'; readonly name: string; readonly price: number; readonly currency: string; readonly isAvailable: boolean; readonly sku: string }
  | { readonly kind: 'SERVICE'; readonly name: string; readonly price: number; readonly currency: string; readonly priceRange: string; readonly needsBooking: boolean };

const fold = (words: string) => new Set(words.split(' ').map(foldSpelling));
const priceWords = fold('price prices cost costs rate rates charge charges fee fees much expensive दाम कीमत क़ीमत मूल्य भाव रेट प्राइस पैसे रुपये रुपए शुल्क किंमत किमत दर पैसा कितने केवढ्याला कितीला');
const stockWords = fold('available availability stock instock sell have उपलब्ध स्टॉक मिलेगा मिलेगी मिलता मिलती मिळेल मिळते मिळतो शिल्लक');
const questionTerms = fold('price cost rate charge fee much availabl stock sell available how many');

/** Whether a question asks for a price or for availability. */
export function asksForPriceOrStock(question: string): boolean {
  return wordsOf(question).some((word) => priceWords.has(word) || stockWords.has(word));
}

/** A name is matched as a whole, so that even "fan" may be known by its two consonants. */
const soundLengthMin = 2;
const heardIn = (text: string) => new Set(wordsOf(text).flatMap((word) => soundsOf(word, soundLengthMin)));

/** How much of an item's name a question says, in either script: 1 when every word of it was said. */
function mention(question: { terms: ReadonlySet<string>; sounds: ReadonlySet<string> }, name: string): number {
  const words = wordsOf(name).filter((word) => !questionTerms.has(word));
  if (words.length === 0) return 0;
  const said = words.filter((word) => {
    return question.terms.has(stemOf(word)) || soundsOf(word, soundLengthMin).some((sound) => question.sounds.has(sound));
  });
  return said.length / words.length;
}

const mentionMin = 0.99;
const itemsPerAnswerMax = 3;

/** The items that a question names in full, the longest names first: "steel kettle" is not the "steel lamp". */
export function namedItems<Item extends { readonly name: string }>(question: string, items: readonly Item[]): Item[] {
  const said = { terms: new Set(contentTerms(question)), sounds: heardIn(question) };
  const named = items.filter(({ name }) => mention(said, name) >= mentionMin);
  const isPartOf = (name: string, other: string) => name !== other && ` ${normal(other)} `.includes(` ${normal(name)} `);
  return named.filter(({ name }) => !named.some((other) => isPartOf(name, other.name))).slice(0, itemsPerAnswerMax);
}

const normal = (name: string) => wordsOf(name).join(' ');

const money = (amount: number, currency: string) =>
  new Intl.NumberFormat('en-IN', { style: 'currency', currency, maximumFractionDigits: Number.isInteger(amount) ? 0 : 2 }).format(amount);

const sentences: Record<SpeechLanguage, (item: PricedItem, price: string) => string> = {
  english: (item, price) =>
    item.kind === 'PRODUCT'
      ? `${item.name} costs ${price} and is ${item.isAvailable ? 'available' : 'not available at the moment'}.`
      : `${item.name} costs ${price}${item.needsBooking ? ' and needs a booking' : ''}.`,
  hindi: (item, price) =>
    item.kind === 'PRODUCT'
      ? `${item.name} की कीमत ${price} है और यह ${item.isAvailable ? 'उपलब्ध है' : 'अभी उपलब्ध नहीं है'}।`
      : `${item.name} की कीमत ${price} है${item.needsBooking ? ' और बुकिंग ज़रूरी है' : ''}।`,
  marathi: (item, price) =>
    item.kind === 'PRODUCT'
      ? `${item.name} ची किंमत ${price} आहे आणि ते ${item.isAvailable ? 'उपलब्ध आहे' : 'सध्या उपलब्ध नाही'}.`
      : `${item.name} ची किंमत ${price} आहे${item.needsBooking ? ' आणि बुकिंग आवश्यक आहे' : ''}.`,
};

/** The answer to a question for the price or availability of items that it names; undefined for other questions. */
export function answerPrice(question: string, items: readonly PricedItem[], language: SpeechLanguage): string | undefined {
  if (!asksForPriceOrStock(question)) return undefined;
  const named = namedItems(question, items);
  if (named.length === 0) return undefined;
  return named
    .map((item) => sentences[language](item, item.kind === 'SERVICE' && item.priceRange !== '' ? item.priceRange : money(item.price, item.currency)))
    .join(' ');
}
