import type { SpeechLanguage } from '@parley/contracts';
import type { Topics } from '@parley/language';
import { type ChoiceQuestion, choiceQuestionOf } from './choice-question';
import {
  asksForPriceOrStock,
  asksOnlyFor,
  asksWhatThereIs,
  namedItems,
  priceOf,
  type PricedItem,
  toldOf,
  withoutAsking,
} from './price-answer';
import { itemsDescribed } from './sought-items';

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
