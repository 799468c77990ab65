import type { SpeechLanguage } from '@parley/contracts';
import { topicsOf } from '@parley/language';
import { answerFromCatalogue, type CataloguedItem } from './catalogue-answer';
import { catalogueQuestionOf } from './table-questions';

const product = (name: string, category: string, price: number, isAvailable = true): CataloguedItem => ({
  kind: 'PRODUCT',
  name,
  price,
  currency: 'INR',
  isAvailable,
  sku: '',
  per: '',
  topics: topicsOf(`${name} ${category}`),
});
const items: CataloguedItem[] = [
  product('Oak Desk', 'Tables', 12_000),
  product('Walnut Desk', 'Tables', 9000, false),
  product('Study Lamp', 'Lighting', 799),
  product('Ceiling Lamp', 'Lighting', 2400),
  product('Bedside Lamp', 'Lighting', 499),
  product('Floor Lamp', 'Lighting', 3100),
  {
    kind: 'SERVICE',
    name: 'Desk Polishing',
    price: 600,
    currency: 'INR',
    priceRange: '',
    needsBooking: true,
    per: '',
    topics: topicsOf('Desk Polishing'),
  },
];
const answerIn = (language: SpeechLanguage, question: string) => {
  const asked = catalogueQuestionOf(question);
  return asked && answerFromCatalogue(asked, items, language);
};
const answer = (question: string) => answerIn('english', question)?.text;

describe('a question answered from the whole catalogue', () => {
  it.each([
    ['which is your cheapest lamp?', 'The cheapest: Bedside Lamp costs ₹499 and is available.'],
    ['सबसे महंगा डेस्क कौन सा है', 'The most expensive: Oak Desk costs ₹12,000 and is available.'],
    ['क्या आपके पास वॉलनट डेस्क है?', 'Walnut Desk costs ₹9,000 and is not available at the moment.'],
    [
      'do you have anything under 800 rupees?',
      'Bedside Lamp costs ₹499 and is available. Desk Polishing costs ₹600 and needs a booking. Study Lamp costs ₹799 and is available.',
    ],
    ['lamps below ₹500', 'Bedside Lamp costs ₹499 and is available.'],
    ['do you sell lamps?', 'Study Lamp (₹799), Ceiling Lamp (₹2,400), Bedside Lamp (₹499), Floor Lamp (₹3,100).'],
    ['how much is the walnut one?', 'Walnut Desk costs ₹9,000 and is not available at the moment.'],
  ])('%s', (question, expected) => {
    expect(answer(question)).toBe(expected);
  });

  it('names an available item beside a cheaper one that is not, and goods before services', () => {
    expect(answer('the cheapest desk')).toBe(
      'The cheapest: Walnut Desk costs ₹9,000 and is not available at the moment. Oak Desk costs ₹12,000 and is available.',
    );
  });

  it.each([
    'do you sell sofas?',
    'the cheapest sofa',
    'do you deliver within 3 days',
    'do you have parking',
    'I have a lamp',
    'how much is it?',
    'anything under 10 rupees',
    'are you there within 500 metres',
  ])('is not about the catalogue: %s', (question) => {
    expect(answer(question)).toBeUndefined();
  });

  it('reports which items the answer names', () => {
    expect(answerIn('hindi', 'the cheapest lamp')?.items.map(({ name }) => name)).toEqual(['Bedside Lamp']);
  });
});
