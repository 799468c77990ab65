import { importBusiness, listCatalog, listFaqs, retrieveKnowledge, getBusinessProfile } from '@parley/contracts';
import { KnowledgeHouse } from '../testing/knowledge-house.suite';

const business = {
  businessInfo: {
    business_name: 'Demo Bazaar',
    timezone: 'Asia/Kolkata',
    support_phone: '+912025501234',
    holidays: [{ date: '2026-12-25', opens: '', closes: '', note: 'Christmas' }],
  },
  products: [
    { product_name: 'Steel kettle', price: 1499, currency: 'INR' },
    { product_name: 'Pan', price: -1, currency: 'INR' },
  ],
  services: [{ service_name: 'Installation', service_duration: 45, service_price: 499, currency: 'INR' }],
  faqs: [
    { Question: 'When do you deliver?', Answer: 'Within three days.', Alternatives: ['Kab tak pahunchega?'] },
    { Question: 'Do you repair?' },
    { Question: 'when do you deliver', Answer: 'Never.' },
  ],
};

describe('a business imported in one call', () => {
  let house: KnowledgeHouse;
  let KBID: number;
  beforeAll(async () => {
    house = await KnowledgeHouse.open();
    ({ KBID } = await house.base());
  });
  afterAll(() => house.close());

  it('is saved but for the rows that are wrong, each of which says why', async () => {
    const imported = await house.ask(importBusiness, { KBID, ...business });
    expect(imported).toMatchObject({ created: 4, updated: 0, refused: 3 });
    expect(imported.report.filter(({ outcome }) => outcome === 'REFUSED')).toMatchObject([
      { section: 'products', row: 2, name: 'Pan', message: expect.stringContaining('price') },
      { section: 'faqs', row: 2, name: 'Do you repair?', message: expect.stringContaining('Answer') },
      { section: 'faqs', row: 3, message: 'Question stands in this section twice' },
    ]);
    expect((await house.ask(listCatalog, { KBID })).totalCount).toBe(2);
    const { faq } = await house.ask(retrieveKnowledge, { KBID, query: 'kab tak pahunchega', wants: 'ANSWER' });
    expect(faq?.Answer).toBe('Within three days.');
  });

  it('may be sent again: the same changes nothing, what is left out stays', async () => {
    const again = {
      KBID,
      businessInfo: { business_name: 'New Bazaar', timezone: 'Asia/Kolkata' },
      faqs: [business.faqs[0] ?? {}],
    };
    expect(await house.ask(importBusiness, again)).toMatchObject({ created: 0, updated: 1, unchanged: 1, refused: 0 });
    const { businessInfo } = await house.ask(getBusinessProfile, { KBID: String(KBID) });
    expect(businessInfo).toMatchObject({
      business_name: 'New Bazaar',
      support_phone: '+912025501234',
      holidays: [{ note: 'Christmas' }],
    });
    expect((await house.ask(listFaqs, { KBID })).totalCount).toBe(2);
    expect((await house.ask(listCatalog, { KBID })).totalCount).toBe(2);
  });

  it('is refused for a knowledge base of another organization', async () => {
    await expect(house.ask(importBusiness, { KBID, ...business }, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
