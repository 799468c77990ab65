import type { SpeechLanguage } from '@parley/contracts';
import { topicsOf } from '@parley/language';
import { answerFromCatalogue, namedItems, type PricedItem } from './catalogue-answer';
import { perUnit } from '../indexing/entry-indexing';

const product = (name: string, price: number, isAvailable = true): PricedItem => ({
  kind: 'PRODUCT',
  name,
  price,
  currency: 'INR',
  isAvailable,
  sku: '',
  per: '',
});
const answerPrice = (question: string, priced: readonly PricedItem[], language: SpeechLanguage) =>
  answerFromCatalogue(
    question,
    priced.map((item) => ({ ...item, topics: topicsOf(item.name) })),
    language,
  )?.text;
const items: PricedItem[] = [
  product('Kettle', 999),
  product('Steel kettle', 1499),
  product('Ceiling fan', 2350.5, false),
  { kind: 'SERVICE', name: 'Installation', price: 499, currency: 'INR', priceRange: '₹499–₹799', needsBooking: true, per: '' },
];

describe('a question for a price or for availability', () => {
  it.each([
    ['how much does the steel kettle cost', 'Steel kettle costs ₹1,499 and is available.'],
    ['price of the kettle please', 'Kettle costs ₹999 and is available.'],
    ['is the ceiling fan available', 'Ceiling fan costs ₹2,350.50 and is not available at the moment.'],
    ['what do you charge for installation', 'Installation costs ₹499–₹799 and needs a booking.'],
  ])('%s', (question, answer) => {
    expect(answerPrice(question, items, 'english')).toBe(answer);
  });

  it('is understood in Hindi and Marathi although the catalogue is in English', () => {
    expect(answerPrice('सीलिंग फैन कितने का है', items, 'hindi')).toBe('Ceiling fan की कीमत ₹2,350.50 है और यह अभी उपलब्ध नहीं है।');
    expect(answerPrice('स्टील केटलची किंमत किती', items, 'marathi')).toBe('Steel kettle ची किंमत ₹1,499 आहे आणि ते उपलब्ध आहे.');
  });

  it('is not confused by a product whose name is part of another’s in the other script', () => {
    const mixed = [product('Steel kettle', 1499), product('केतली', 999.5)];
    expect(namedItems('what does the steel kettle cost', mixed).map(({ name }) => name)).toEqual(['Steel kettle']);
    expect(namedItems('केतलीची किंमत', mixed).map(({ name }) => name)).toEqual(['केतली']);
  });

  it('is understood if only the case ending of "rupees" asks for the price', () => {
    expect(answerPrice('स्टील केटल किती रुपयांना आहे?', items, 'marathi')).toContain('₹1,499');
  });

  it.each(['how do I clean the steel kettle', 'how much is a copper pan', 'what is the price'])(
    'has no answer in the tables: %s',
    (question) => {
      expect(answerPrice(question, items, 'english')).toBeUndefined();
    },
  );

  it('is about the longest name given in full', () => {
    expect(namedItems('the steel kettle', items).map(({ name }) => name)).toEqual(['Steel kettle']);
    expect(namedItems('a fan', items)).toEqual([]);
  });
});

it('a price is told with what it is for', () => {
  const cards = { ...product('Visiting cards', 250), per: perUnit({ unit: 'box', unit_size: 100 }) };
  expect(answerPrice('How much are visiting cards?', [cards], 'english')).toContain('₹250 per box of 100');
  expect(answerPrice('विज़िटिंग कार्ड का दाम क्या है?', [{ ...cards, name: 'विज़िटिंग कार्ड' }], 'hindi')).toContain('₹250 / box of 100');
  expect(perUnit({ unit: '', unit_size: 1 })).toBe('');
});
