import type { SpeechLanguage } from '@parley/contracts';
import { topicsOf } from '@parley/language';
import { answerFromCatalogue, namedItems, type PricedItem } from './catalogue-answer';
import { perUnit } from '../indexing/entry-indexing';
import { catalogueQuestionOf } from './table-questions';

const product = (name: string, price: number, isAvailable = true): PricedItem => ({
  kind: 'PRODUCT',
  name,
  price,
  currency: 'INR',
  isAvailable,
  sku: '',
  per: '',
});
const answerPrice = (question: string, priced: readonly PricedItem[], language: SpeechLanguage) => {
  const asked = catalogueQuestionOf(question);
  const items = priced.map((item) => ({ ...item, topics: topicsOf(item.name) }));
  return asked && answerFromCatalogue(asked, items, language)?.text;
};
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

  it.each([
    ['300-500', 'INR', '₹300-₹500'],
    ['1,500 to 2,500', 'INR', '₹1,500 to ₹2,500'],
    ['300–500 rupees', 'INR', '300–500 rupees'],
    ['300-500', '', '300-500'],
    ['from 300', 'INR', 'from 300'],
  ])('tells the range %j of %j as %s', (priceRange, currency, told) => {
    const service = { kind: 'SERVICE', name: 'Cleaning', price: 0, needsBooking: false, per: '' } as const;
    expect(answerPrice('what does cleaning cost', [{ ...service, priceRange, currency }], 'english')).toBe(
      `Cleaning costs ${told}.`,
    );
  });

  it('for the cheapest leaves out what has a range alone, wherever it stands', () => {
    const ranged = { kind: 'SERVICE', name: 'Cleaning', price: 0, currency: '', needsBooking: false, per: '' } as const;
    const answer = answerPrice('what is the cheapest product', [{ ...ranged, priceRange: '100-200' }, ...items], 'english');
    expect(answer).toContain('Kettle costs ₹999');
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

describe('a question that resembles one for a price', () => {
  const clay = [product('Stoneware clay', 95), product('Kettle', 999)];

  it.each([
    'How much stoneware clay do I need?',
    'How much stoneware clay should I use for a mug?',
    'How much stoneware clay is needed?',
    'How much of the stoneware clay is required?',
    'How many kettles do we need?',
    'stoneware clay kitni chahiye?',
    'स्टोनवेअर clay कितनी चाहिए?',
    'stoneware clay किती हवी?',
  ])('asks for an amount: %s', (question) => {
    expect(answerPrice(question, clay, 'english')).toBeUndefined();
  });

  it.each([
    'I need stoneware clay, how much is it?',
    'How much is the stoneware clay that I need?',
    'What is the price of the stoneware clay I need?',
    'How much should I pay for stoneware clay?',
    'mujhe stoneware clay chahiye, कितने की है?',
    'stoneware clay chahiye, daam kya hai?',
  ])('asks for one: %s', (question) => {
    expect(answerPrice(question, clay, 'english')).toContain('₹95');
  });

  const wheels: PricedItem[] = [
    product('Pottery wheel', 38_500),
    { ...product('Kayak', 300), per: ' per hour' },
    { kind: 'SERVICE', name: 'Tent rental', price: 450, currency: 'INR', priceRange: '', needsBooking: false, per: '' },
  ];

  it.each([
    'How much is a pottery wheel to rent?',
    'What does it cost to hire a pottery wheel?',
    'pottery wheel kiraye par kitne ka hai?',
    'pottery wheel किराए पर कितने का है?',
    'pottery wheel भाड्याने कितीला मिळेल?',
    'What is the cheapest pottery wheel to rent?',
  ])('asks to rent what is sold: %s', (question) => {
    expect(answerPrice(question, wheels, 'english')).toBeUndefined();
  });

  it.each([
    ['How much does it cost to rent a kayak?', '₹300 per hour'],
    ['What is the price of tent rental?', '₹450'],
  ])('asks to rent what is rented: %s', (question, price) => {
    expect(answerPrice(question, wheels, 'english')).toContain(price);
  });

  it('names one thing by a word that sounds like another of its name', () => {
    const tiles = ['Teal tile', 'Teal bowl', 'Teal mug', 'Teal plate'].map((name, place) => product(name, 100 + place));
    expect(namedItems('How much is teal?', tiles)).toEqual([]);
    expect(answerPrice('How much is teal?', tiles, 'english')).toBe(
      'Teal tile (₹100), Teal bowl (₹101), Teal mug (₹102), Teal plate (₹103).',
    );
    expect(answerPrice('How much is the teal tile?', tiles, 'english')).toBe('Teal tile costs ₹100 and is available.');
  });
});
