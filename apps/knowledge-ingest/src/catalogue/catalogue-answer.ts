import type { SpeechLanguage } from '@parley/contracts';
import { areOneWord, foldSpelling, soundOf, type Topics, topicsOf, type WordForms, wordsOf } from '@parley/language';
import {
  asksForPriceOrStock,
  asksOnlyFor,
  asksWhatThereIs,
  namedItems,
  type PricedItem,
  priceOf,
  toldOf,
  withoutAsking,
} from './price-answer';

/** An item with what its name and its category are about. */
export type CataloguedItem = PricedItem & { readonly topics: Topics };

/** What the catalogue answers, and the items that it is about. */
export interface CatalogueAnswer<Item> {
  readonly text: string;
  readonly items: readonly Item[];
  /** Whether the question asks for the price or availability of one named item, and for nothing else. */
  readonly isPlain: boolean;
}

const itemsToldMax = 3;
const itemsListedMax = 5;

const words: Record<SpeechLanguage, { cheapest: string; dearest: string; more: (count: number) => string; end: string }> = {
  english: { cheapest: 'The cheapest:', dearest: 'The most expensive:', more: (count) => `and ${count} more`, end: '.' },
  hindi: { cheapest: 'सबसे सस्ता:', dearest: 'सबसे महंगा:', more: (count) => `और ${count} अन्य`, end: '।' },
  marathi: { cheapest: 'सर्वात स्वस्त:', dearest: 'सर्वात महाग:', more: (count) => `आणि आणखी ${count}`, end: '.' },
};

/** The answer to a question for price, availability or choice that the tables hold; undefined for other questions. */
export function answerFromCatalogue<Item extends CataloguedItem>(
  question: string,
  items: readonly Item[],
  language: SpeechLanguage,
): CatalogueAnswer<Item> | undefined {
  const choice = choiceQuestionOf(question);
  if (choice) return chosen(choice, items, language);
  if (!asksForPriceOrStock(question)) return undefined;
  const named = namedItems(question, items);
  const [only, another] = named;
  const answer = told(named, language);
  if (answer && only) return { ...answer, isPlain: !another && asksOnlyFor(question, only) };
  if (!asksWhatThereIs(question)) return undefined;
  return told(itemsDescribed(withoutAsking(question), items) ?? [], language);
}

function chosen<Item extends CataloguedItem>(
  { end, priceMax, description }: ChoiceQuestion,
  items: readonly Item[],
  language: SpeechLanguage,
): CatalogueAnswer<Item> | undefined {
  const pool = itemsDescribed(withoutAsking(description), items) ?? items;
  // Prices of two currencies cannot be compared.
  const priced = byPrice(pool.filter(({ price, currency }) => price > 0 && currency === pool[0]?.currency));
  if (priceMax !== undefined)
    return told(
      priced.filter(({ price }) => price <= priceMax),
      language,
    );
  // Who asks for the cheapest tent does not ask for the rent of one.
  const goods = priced.filter(({ kind }) => kind === 'PRODUCT');
  const sought = goods.length > 0 ? goods : priced;
  const ordered = end === 'dearest' ? sought.toReversed() : sought;
  // Where the best one is not to be had, the next one that is helps more.
  const next = ordered.find((item) => item.kind === 'SERVICE' || item.isAvailable);
  const best = ordered.filter((item, place) => place === 0 || item === next);
  if (best.length === 0) return undefined;
  return { text: `${words[language][end ?? 'cheapest']} ${toldOf(best, language)}`, items: best, isPlain: false };
}

const byPrice = <Item extends PricedItem>(items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => one.price - other.price);

/** A few items each with a sentence, more of them as a list. */
function told<Item extends CataloguedItem>(items: readonly Item[], language: SpeechLanguage): CatalogueAnswer<Item> | undefined {
  if (items.length === 0) return undefined;
  if (items.length <= itemsToldMax) return { text: toldOf(items, language), items, isPlain: false };
  const { more, end } = words[language];
  const listed = items.slice(0, itemsListedMax);
  const left = items.length - listed.length;
  const names = listed.map((item) => `${item.name} (${priceOf(item)})`).join(', ');
  return { text: `${names}${left > 0 ? ` ${more(left)}` : ''}${end}`, items: listed, isPlain: false };
}

/** What a customer wants of many items: the one at an end of the prices, or those below a price. */
export interface ChoiceQuestion {
  readonly end?: 'cheapest' | 'dearest';
  readonly priceMax?: number;
  /** The question without that: what the items are. */
  readonly description: string;
}

const oneOf = (...lines: string[]) =>
  `(?:${lines
    .flatMap((line) => line.split(', '))
    .map(foldSpelling)
    .join('|')})`;
const cheapest = oneOf(
  'cheapest, lowest priced, lowest price, least expensive, most affordable, sabse sasta, sabse sasti, sabse saste, sarvat swasta',
  'सबसे सस्ता, सबसे सस्ती, सबसे सस्ते, सबसे कम कीमत, सर्वात स्वस्त',
);
const dearest = oneOf(
  'most expensive, costliest, priciest, highest priced, highest price, sabse mehnga, sabse mehanga, sabse mehngi, sarvat mahag',
  'सबसे महंगा, सबसे महंगी, सबसे महंगे, सर्वात महाग',
);
const rupees = oneOf('rs, rupees, rupee, inr, rupaye, rupaya, रुपये, रुपए, रुपयों, रुपया, रुपयांच्या, रुपयांपेक्षा');
const amount = `(?:${rupees} )?(?<price>\\d+(?:\\.\\d+)?)(?: ${rupees})?`;
const under = oneOf('under, below, less than, cheaper than, not more than, up to, within');
const lessThan = oneOf('से कम, के अंदर, पेक्षा कमी, च्या आत, कमी, आत, se kam, ke andar');
const cheapestSaid = new RegExp(` ${cheapest} `, 'u');
const dearestSaid = new RegExp(` ${dearest} `, 'u');
// "Within 500 metres" is no price.
const limits = [new RegExp(` ${under} ${amount}(?: only| please)? $`, 'u'), new RegExp(` ${amount} ${lessThan} `, 'u')];

/** Undefined for a question that does not choose by price. */
export function choiceQuestionOf(question: string): ChoiceQuestion | undefined {
  const text = ` ${wordsOf(question).join(' ')} `;
  if (cheapestSaid.test(text)) return { end: 'cheapest', description: text.replace(cheapestSaid, ' ') };
  if (dearestSaid.test(text)) return { end: 'dearest', description: text.replace(dearestSaid, ' ') };
  for (const limit of limits) {
    const price = limit.exec(text)?.groups?.['price'];
    if (price !== undefined) return { priceMax: Number(price), description: text.replace(limit, ' ') };
  }
  return undefined;
}

/** What a description of goods says of nothing in particular. */
const ofAnything = new Set(['PRICE', 'PRODUCT']);

/** The items whose topics are all that a description speaks of; undefined for one that speaks of nothing in particular. */
export function itemsDescribed<Item extends { readonly topics: Topics }>(
  description: string,
  items: readonly Item[],
): Item[] | undefined {
  const { words, concepts } = topicsOf(description);
  const wanted = concepts.split(' ').filter((concept) => concept !== '' && !ofAnything.has(concept));
  if (words.length === 0 && wanted.length === 0) return undefined;
  return items.filter(({ topics }) => {
    const known = topics.concepts.split(' ');
    const isNamed = (word: WordForms) => topics.words.some((other) => areOneName(word, other));
    return wanted.every((concept) => known.includes(concept)) && words.every(isNamed);
  });
}

const shortSoundMin = 2;
const isLatin = (text: string) => /[a-z]/.test(text);

/** Names are short words: that "बॅग" is a bag, two consonants have to tell. */
function areOneName(word: WordForms, other: WordForms): boolean {
  if (areOneWord(word, other)) return true;
  const { stem } = word;
  const sound = soundOf(stem, shortSoundMin);
  return sound !== undefined && isLatin(stem) !== isLatin(other.stem) && sound === soundOf(other.stem, shortSoundMin);
}
