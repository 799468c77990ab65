import { retrieveKnowledge, saveCatalog, saveFaqs } from '@parley/contracts';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';

let harness: KnowledgeHarness;
let KBID: number;

const names = ['Teal tile', 'Teal bowl', 'Teal mug', 'Teal plate', 'Teal vase', 'Copper kettle'];

beforeAll(async () => {
  harness = await KnowledgeHarness.open();
  const base = await harness.base();
  ({ KBID } = base);
  const products = names.map((product_name, place) => ({ product_name, price: 100 + place, currency: 'INR' }));
  await harness.ask(saveCatalog, { KBID, products, services: [] });
  const faqs = [
    ['Can I renew my membership?', 'A membership is renewed at the counter, with a discount of ten percent.'],
    ['Do you fire pots of other people?', 'We fire your pots twice a week, up to a height of forty centimetres.'],
    ['Where can I leave my car?', 'Parking is free in the yard behind the studio.'],
  ].map(([Question = '', Answer = '']) => ({ KBFAQID: 0, Question, Answer }));
  await harness.ask(saveFaqs, { KBID, faqs });
  await harness.indexed(base);
});
afterAll(() => harness.close());

describe('a search requested by a model', () => {
  const isKnown = async (query: string) => (await harness.ask(retrieveKnowledge, { KBID, query, wants: 'READING' })).isKnown;

  it.each(['pizza', 'quantum chromodynamics', 'xyzzyq', 'टैक्सी', 'submarine insurance on Mars', 'passport'])(
    'finds nothing near %s',
    async (query) => {
      await expect(isKnown(query)).resolves.toBe(false);
    },
  );

  it.each([
    'membership',
    'discount',
    'height of pots',
    'copper kettle',
    'parking',
    'पार्किंग',
    'सदस्यता',
    'parking kahan hai',
    'केटली',
  ])('finds something near %s', async (query) => {
    await expect(isKnown(query)).resolves.toBe(true);
  });
});

describe('the price of what a model names', () => {
  const priceOf = async (name: string) => {
    const query = `How much does ${name} cost, and is it available?`;
    return (await harness.ask(retrieveKnowledge, { KBID, query, wants: 'PRICE', topK: 1 })).fact;
  };

  it('is that of every item that shares the word', async () => {
    await expect(priceOf('Teal')).resolves.toBe(
      'Teal tile (₹100), Teal bowl (₹101), Teal mug (₹102), Teal plate (₹103), Teal vase (₹104).',
    );
  });

  it('is that of the one item with the name', async () => {
    await expect(priceOf('teal mug')).resolves.toBe('Teal mug costs ₹102 and is available.');
  });

  it.each(['goblet', 'steel copper kettle', 'teal goblet', 'it'])('is never that of another: %s', async (name) => {
    await expect(priceOf(name)).resolves.toBeNull();
  });
});
