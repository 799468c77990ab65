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

  const goods =
    'Oak Desk (₹12,000), Walnut Desk (₹9,000), Study Lamp (₹799), Ceiling Lamp (₹2,400), Bedside Lamp (₹499), Floor Lamp (₹3,100)';

  it.each([
    ['english', 'Which products do you sell?', `${goods}.`],
    ['english', 'List all your products', `${goods}.`],
    ['english', 'What do you sell?', `${goods}.`],
    ['english', 'Please tell me what you sell in your shop.', `${goods}.`],
    ['english', 'What can I buy from you?', `${goods}.`],
    ['english', 'What do you offer?', `${goods}, Desk Polishing (₹600).`],
    ['english', 'What services do you provide?', 'Desk Polishing costs ₹600 and needs a booking.'],
    ['hindi', 'आप क्या बेचते हैं?', `${goods}।`],
    ['hindi', 'आपकी दुकान में क्या-क्या सामान मिलता है?', `${goods}।`],
    ['hindi', 'अपने सभी उत्पाद बताइए', `${goods}।`],
    ['hindi', 'Aap kya bechte hain?', `${goods}।`],
    ['marathi', 'तुम्ही काय विकता?', `${goods}.`],
    ['marathi', 'तुमच्याकडे कोणती उत्पादने आहेत?', `${goods}.`],
    ['marathi', 'तुमच्या सर्व वस्तूंची यादी द्या', `${goods}.`],
  ] as const)('lists what is on offer, in %s: %s', (language, question, expected) => {
    expect(answerIn(language, question)).toMatchObject({ text: expected, isPlain: true });
  });

  it.each([
    'Can I return a product?',
    'What do you have?',
    'Which do you have?',
    'What kinds do you sell?',
    'Tell me about the product',
    'How do you sell?',
    'When do you sell your products?',
    'What do you do with products that I return?',
    'आप कब बेचते हैं?',
    'क्या माल परत करता येतो?',
  ])('does not list the whole catalogue for another question: %s', (question) => {
    expect(answer(question) ?? '').not.toContain('Oak Desk');
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
