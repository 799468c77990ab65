import type { SpeechLanguage } from '@parley/contracts';
import {
  areOneWord,
  contentTerms,
  foldSpelling,
  saysOnly,
  soundOf,
  soundsOf,
  stemOf,
  type Topics,
  topicsOf,
  type WordForms,
  wordsOf,
  writtenMoney,
} from '@parley/language';
import {
  asksToRent,
  asksWhatThereIs,
  type CatalogueQuestion,
  type ChoiceQuestion,
  type Offer,
  withoutAsking,
} from './table-questions';

/** An item with the topics of its name and category. */
export type CataloguedItem = PricedItem & { readonly topics: Topics };

/** The answer from the catalogue, and the items in it. */
interface CatalogueAnswer<Item> {
  readonly text: string;
  readonly items: readonly Item[];
  /** Whether the question asks only for the price or availability of one named item. */
  readonly isPlain: boolean;
  /** Whether it covers every item matching the description in a question about price or availability. */
  readonly isListed: boolean;
}

const itemsToldMax = 3;
const itemsListedMax = 8;

const words: Record<SpeechLanguage, { cheapest: string; dearest: string; more: (count: number) => string; end: string }> = {
  english: { cheapest: 'The cheapest:', dearest: 'The most expensive:', more: (count) => `and ${count} more`, end: '.' },
  hindi: { cheapest: 'सबसे सस्ता:', dearest: 'सबसे महंगा:', more: (count) => `और ${count} अन्य`, end: '।' },
  marathi: { cheapest: 'सर्वात स्वस्त:', dearest: 'सर्वात महाग:', more: (count) => `आणि आणखी ${count}`, end: '.' },
};

/** The answer to a question about price, availability or choice, if the tables have one. */
export function answerFromCatalogue<Item extends CataloguedItem>(
  { question, choice, offer }: CatalogueQuestion,
  items: readonly Item[],
  language: SpeechLanguage,
): CatalogueAnswer<Item> | undefined {
  if (offer) return onOffer(offer, items, language);
  const offered = asksToRent(question) ? items.filter(isForRent) : items;
  if (choice) return chosen(choice, offered, language);
  const named = namedItems(question, offered);
  const [only, another] = named;
  const answer = answerAbout(named, language);
  if (answer && only) return { ...answer, isPlain: !another && asksOnlyFor(question, only) };
  if (!asksWhatThereIs(question)) return undefined;
  const described = answerAbout(itemsDescribed(withoutAsking(question), offered) ?? [], language);
  return described && { ...described, isListed: true };
}

/** The catalogue's names. One without goods has only services to sell. */
function onOffer<Item extends CataloguedItem>(
  offer: Offer,
  items: readonly Item[],
  language: SpeechLanguage,
): CatalogueAnswer<Item> | undefined {
  const meant = offer === 'EVERYTHING' ? items : items.filter(({ kind }) => kind === offer);
  const answer = answerAbout(meant.length === 0 && offer === 'PRODUCT' ? items : meant, language);
  return answer && { ...answer, isPlain: true };
}

function chosen<Item extends CataloguedItem>(
  { end, priceMax, description }: ChoiceQuestion,
  items: readonly Item[],
  language: SpeechLanguage,
): CatalogueAnswer<Item> | undefined {
  const pool = itemsDescribed(withoutAsking(description), items) ?? items;
  // Prices in different currencies cannot be compared.
  const [first, ...others] = pool.filter(({ price }) => price > 0);
  const priced = first ? byPrice([first, ...others.filter(({ currency }) => currency === first.currency)]) : [];
  if (priceMax !== undefined)
    return answerAbout(
      priced.filter(({ price }) => price <= priceMax),
      language,
    );
  // A question for the cheapest tent is not about renting one.
  const goods = priced.filter(({ kind }) => kind === 'PRODUCT');
  const sought = goods.length > 0 ? goods : priced;
  const ordered = end === 'dearest' ? sought.toReversed() : sought;
  // If the best one is unavailable, the next available one is added.
  const next = ordered.find((item) => item.kind === 'SERVICE' || item.isAvailable);
  const best = ordered.filter((item, place) => place === 0 || item === next);
  if (best.length === 0) return undefined;
  return {
    text: `${words[language][end ?? 'cheapest']} ${sentencesAbout(best, language)}`,
    items: best,
    isPlain: false,
    isListed: false,
  };
}

const byPrice = <Item extends PricedItem>(items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => one.price - other.price);

/** A few items with a sentence each, more of them as a list. */
function answerAbout<Item extends CataloguedItem>(
  items: readonly Item[],
  language: SpeechLanguage,
): CatalogueAnswer<Item> | undefined {
  if (items.length === 0) return undefined;
  if (items.length <= itemsToldMax) return { text: sentencesAbout(items, language), items, isPlain: false, isListed: false };
  const { more, end } = words[language];
  const listed = items.slice(0, itemsListedMax);
  const left = items.length - listed.length;
  const names = listed.map((item) => `${item.name} (${priceOf(item)})`).join(', ');
  return { text: `${names}${left > 0 ? ` ${more(left)}` : ''}${end}`, items: listed, isPlain: false, isListed: false };
}

/** Concepts that describe any kind of goods. */
const genericConcepts = new Set(['PRICE', 'PRODUCT']);

/** The items whose topics include all those of a description; undefined if it is unspecific. */
function itemsDescribed<Item extends { readonly topics: Topics }>(
  description: string,
  items: readonly Item[],
): Item[] | undefined {
  const { words, concepts } = topicsOf(description);
  const wanted = concepts.split(' ').filter((concept) => concept !== '' && !genericConcepts.has(concept));
  if (words.length === 0 && wanted.length === 0) return undefined;
  return items.filter(({ topics }) => {
    const known = topics.concepts.split(' ');
    const isNamed = (word: WordForms) => topics.words.some((other) => isSameName(word, other));
    return wanted.every((concept) => known.includes(concept)) && words.every(isNamed);
  });
}

const shortSoundMin = 2;
const isLatin = (text: string) => /[a-z]/.test(text);

/** Names are often short words: two consonants must be enough to recognize "बॅग" as a bag. */
function isSameName(word: WordForms, other: WordForms): boolean {
  if (areOneWord(word, other)) return true;
  const { stem } = word;
  const sound = soundOf(stem, shortSoundMin);
  return sound !== undefined && isLatin(stem) !== isLatin(other.stem) && sound === soundOf(other.stem, shortSoundMin);
}

/** The fields needed to answer a question about price. */
export type PricedItem =
  | {
      readonly kind: 'PRODUCT';
      readonly name: string;
      readonly price: number;
      readonly currency: string;
      readonly isAvailable: boolean;
      readonly per: string;
      readonly sku: string;
    }
  | {
      readonly kind: 'SERVICE';
      readonly name: string;
      readonly price: number;
      readonly currency: string;
      readonly priceRange: string;
      readonly needsBooking: boolean;
      readonly per: string;
    };

const fold = (words: string) => new Set(words.split(' ').map(foldSpelling));
const timeUnits = fold('hour hours day days night nights week weeks month months session घंटा घंटे दिन रात तास दिवस महिना महीना');

/** Whether an item's price may be for rent: its name says so, it is a service, or it is priced by the hour or day. */
function isForRent({ kind, name, per }: PricedItem): boolean {
  return kind === 'SERVICE' || asksToRent(name) || wordsOf(per).some((word) => timeUnits.has(word));
}

/** Whether a question asks only for the price or availability of an item. */
function asksOnlyFor(question: string, { name }: { readonly name: string }): boolean {
  const stems = new Set(wordsOf(name).map(stemOf));
  const sounds = heardIn(name);
  const isOfName = (word: string) => stems.has(stemOf(word)) || soundsOf(word, soundLengthMin).some((sound) => sounds.has(sound));
  return saysOnly(withoutAsking(question), isOfName);
}

/** A name is matched as a whole, so two consonants are enough, even for "fan". */
const soundLengthMin = 2;
const heardIn = (text: string) => new Set(wordsOf(text).flatMap((word) => soundsOf(word, soundLengthMin)));

const questionTerms = fold('price cost rate charge fee much availabl stock sell available how many');

interface AskedTerms {
  readonly terms: ReadonlySet<string>;
  readonly sounds: ReadonlySet<string>;
}

/** The sounds of a name if the question contains all its words, in either script; otherwise undefined. */
function mention({ terms, sounds }: AskedTerms, name: string): ReadonlySet<string> | undefined {
  const words = wordsOf(name).filter((word) => !questionTerms.has(word));
  const exact = new Set(words.map(stemOf).filter((stem) => terms.has(stem)));
  // A word matched exactly must not match another word by sound as well: "teal" alone does not name a teal tile.
  const heardExactly = new Set([...exact].flatMap((stem) => soundsOf(stem, soundLengthMin)));
  const isHeard = (sound: string) => sounds.has(sound) && !heardExactly.has(sound);
  const isSaid = (word: string) => exact.has(stemOf(word)) || soundsOf(word, soundLengthMin).some(isHeard);
  return words.length > 0 && words.every(isSaid) ? new Set(words.map((word) => soundOf(stemOf(word), 1) ?? word)) : undefined;
}

const itemsPerAnswerMax = 3;

/** The items that a question names in full. If one name contains another, also across scripts, only the longest counts. */
export function namedItems<Item extends { readonly name: string }>(question: string, items: readonly Item[]): Item[] {
  // The asking words are removed first: "sell" sounds like "ceiling" without its ending.
  const wanted = { terms: new Set(contentTerms(question)), sounds: heardIn(withoutAsking(question)) };
  const named = items.flatMap((item) => {
    const heard = mention(wanted, item.name);
    return heard ? [{ item, heard }] : [];
  });
  const isWithin = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
    one.size < other.size && [...one].every((sound) => other.has(sound));
  return named
    .filter(({ heard }) => !named.some((other) => isWithin(heard, other.heard)))
    .map(({ item }) => item)
    .slice(0, itemsPerAnswerMax);
}

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

/** The price of an item as shown to customers. */
function priceOf(item: PricedItem): string {
  const price = item.kind === 'SERVICE' && item.priceRange !== '' ? rangeOf(item) : writtenMoney(item.price, item.currency);
  return `${price}${item.per}`;
}

const bareRange = /^([\d.,]*\d)(\s*(?:\p{Pd}|to)\s*)([\d.,]*\d)$/u;

/** Adds the currency to a range of bare numbers. */
function rangeOf({ priceRange, currency }: Extract<PricedItem, { kind: 'SERVICE' }>): string {
  const [, from, between, to] = bareRange.exec(priceRange.trim()) ?? [];
  const ends = [from, to].map((end) => Number(end?.replaceAll(',', '') ?? Number.NaN));
  const [least = Number.NaN, most = Number.NaN] = ends;
  if (currency === '' || between === undefined || !ends.every(Number.isFinite)) return priceRange;
  return `${writtenMoney(least, currency)}${between}${writtenMoney(most, currency)}`;
}

/** A sentence for each item with its price and availability. */
function sentencesAbout(items: readonly PricedItem[], language: SpeechLanguage): string {
  const priceIn = (item: PricedItem) => (language === 'english' ? priceOf(item) : priceOf(item).replace(' per ', ' / '));
  return items.map((item) => sentences[language](item, priceIn(item))).join(' ');
}
