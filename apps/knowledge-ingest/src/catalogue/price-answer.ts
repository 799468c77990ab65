import type { SpeechLanguage } from '@parley/contracts';
import { contentTerms, foldSpelling, saysOnly, soundOf, soundsOf, spokenTogether, stemOf, wordsOf } from '@parley/language';

/** What a price question can be answered from. */
export type PricedItem =
  | {
      readonly kind: 'PRODUCT';
      readonly name: string;
      readonly price: number;
      readonly currency: string;
      readonly isAvailable: boolean;
      readonly sku: string;
    }
  | {
      readonly kind: 'SERVICE';
      readonly name: string;
      readonly price: number;
      readonly currency: string;
      readonly priceRange: string;
      readonly needsBooking: boolean;
    };

const fold = (words: string) => new Set(words.split(' ').map(foldSpelling));
const priceWords = fold(
  'price prices kimat keemat daam cost costs rate rates charge charges fee fees much expensive दाम कीमत क़ीमत मूल्य भाव रेट प्राइस पैसे रुपये रुपए शुल्क किंमत किमत दर पैसा कितने केवढ्याला कितीला रुपयांना रुपयाला रुपयांत',
);
const stockWords = fold(
  'available availability stock instock sell have milega milegi milta milti milel पास तुमच्याकडे उपलब्ध स्टॉक मिलेगा मिलेगी मिलता मिलती मिळेल मिळते मिळतो मिळतात शिल्लक',
);
const questionTerms = fold('price cost rate charge fee much availabl stock sell available how many');

/** Whether a question asks for a price or for availability. */
export function asksForPriceOrStock(question: string): boolean {
  return asksForPrice(question) || wordsOf(question).some((word) => stockWords.has(word));
}

/** Whether it asks so of whatever there is: "I have a tent" says "have" as well. */
export function asksWhatThereIs(question: string): boolean {
  const words = wordsOf(question);
  return asksForPrice(question) || words.includes('you') || words.some((word) => word !== 'have' && stockWords.has(word));
}

function asksForPrice(question: string): boolean {
  return wordsOf(question).some((word) => priceWords.has(word)) || spokenTogether(question).concepts.includes('PRICE');
}

/** A question without the words by which it asks for a price or for availability. */
export function withoutAsking(question: string): string {
  const { rest } = spokenTogether(question);
  return wordsOf(rest)
    .filter((word) => !priceWords.has(word) && !stockWords.has(word))
    .join(' ');
}

/** Whether a question asks for the price or availability of an item and for nothing else. */
export function asksOnlyFor(question: string, { name }: { readonly name: string }): boolean {
  const stems = new Set(wordsOf(name).map(stemOf));
  const sounds = heardIn(name);
  const isOfName = (word: string) => stems.has(stemOf(word)) || soundsOf(word, soundLengthMin).some((sound) => sounds.has(sound));
  return saysOnly(withoutAsking(question), isOfName);
}

/** A name is matched as a whole, so that even "fan" may be known by its two consonants. */
const soundLengthMin = 2;
const heardIn = (text: string) => new Set(wordsOf(text).flatMap((word) => soundsOf(word, soundLengthMin)));

interface Said {
  readonly terms: ReadonlySet<string>;
  readonly sounds: ReadonlySet<string>;
}

/** The sounds of a name when a question says every word of it, in either script; undefined otherwise. */
function mention({ terms, sounds }: Said, name: string): ReadonlySet<string> | undefined {
  const words = wordsOf(name).filter((word) => !questionTerms.has(word));
  const isSaid = (word: string) => terms.has(stemOf(word)) || soundsOf(word, soundLengthMin).some((sound) => sounds.has(sound));
  return words.length > 0 && words.every(isSaid) ? new Set(words.map((word) => soundOf(stemOf(word), 1) ?? word)) : undefined;
}

const itemsPerAnswerMax = 3;

/** The items that a question names in full; of names that hold one another, also in another script, only the longest. */
export function namedItems<Item extends { readonly name: string }>(question: string, items: readonly Item[]): Item[] {
  // "Sell" sounds like "ceiling" without its ending.
  const said = { terms: new Set(contentTerms(question)), sounds: heardIn(withoutAsking(question)) };
  const named = items.flatMap((item) => {
    const heard = mention(said, item.name);
    return heard ? [{ item, heard }] : [];
  });
  const isWithin = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
    one.size < other.size && [...one].every((sound) => other.has(sound));
  return named
    .filter(({ heard }) => !named.some((other) => isWithin(heard, other.heard)))
    .map(({ item }) => item)
    .slice(0, itemsPerAnswerMax);
}

const money = (amount: number, currency: string) =>
  new Intl.NumberFormat('en-IN', { style: 'currency', currency, maximumFractionDigits: Number.isInteger(amount) ? 0 : 2 }).format(
    amount,
  );

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

/** What an item costs, as customers read it. */
export function priceOf(item: PricedItem): string {
  return item.kind === 'SERVICE' && item.priceRange !== '' ? item.priceRange : money(item.price, item.currency);
}

/** A sentence for each item: its price, and whether it is to be had. */
export function toldOf(items: readonly PricedItem[], language: SpeechLanguage): string {
  return items.map((item) => sentences[language](item, priceOf(item))).join(' ');
}
