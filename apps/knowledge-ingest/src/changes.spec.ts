import {
  clearVectors,
  deleteKnowledgeBase,
  getBusinessProfile,
  getCatalogItem,
  getFaq,
  getKnowledgeBase,
  saveBusinessProfile,
  saveCatalog,
  saveFaqs,
  saveKnowledgeBase,
} from '@parley/contracts';
import { agentsByBase, KnowledgeHouse } from './testing/knowledge-house.suite';

describe('a change of what a knowledge base holds', () => {
  let house: KnowledgeHouse;
  let KBID: number;
  let KBKeyID: string;
  beforeAll(async () => {
    house = await KnowledgeHouse.open();
    ({ KBID, KBKeyID } = await house.base());
  }, 120_000);
  afterAll(() => house.close());

  it('is made by nobody who is held to other agents than those that answer from it', async () => {
    const mine = await house.base('Mine');
    const shared = await house.base('Shared');
    agentsByBase.set(mine.KBID, [12]).set(shared.KBID, [12, 13]);
    const held = { kind: 'wsk' as const, agentIds: [12] };
    const faqs = [{ KBFAQID: 0, Question: 'Which account?', Answer: 'Ours.' }];
    expect(await house.ask(saveFaqs, { KBID: mine.KBID, faqs }, 1, held)).toMatchObject({ faqs: [{ outcome: 'CREATED' }] });
    const refused = { code: 'SCOPE_MISSING' };
    await expect(house.ask(saveFaqs, { KBID: shared.KBID, faqs }, 1, held)).rejects.toMatchObject(refused);
    const { KBKeyID: key } = shared;
    await expect(house.ask(saveKnowledgeBase, { KBKeyID: key, KnowledgeBaseName: 'X' }, 1, held)).rejects.toMatchObject(refused);
    await expect(house.ask(deleteKnowledgeBase, { KBKeyID: key }, 1, held)).rejects.toMatchObject(refused);
    await expect(house.ask(clearVectors, { KBID: shared.KBID, reindex: true }, 1, held)).rejects.toMatchObject(refused);
    expect(await house.ask(getKnowledgeBase, { KBKeyID: key }, 1, held)).toMatchObject({ KnowledgeBaseName: 'Shared' });
  });

  it('keeps what it leaves out of the base itself', async () => {
    await house.ask(saveKnowledgeBase, { KBKeyID, KnowledgeBaseName: 'Renamed' });
    const shown = await house.ask(getKnowledgeBase, { KBKeyID });
    expect(shown).toMatchObject({ KnowledgeBaseName: 'Renamed', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' });
  });

  it.each([
    ['an industry', { IndustryID: 99 }, 'IndustryID 99 is not in the lookup industries'],
    ['a kind of agent', { AgentTypeID: 98 }, 'AgentTypeID 98 is not in the lookup agent-types'],
  ])('takes no id of %s that no lookup has, for a new base neither', async (_what, ids, message) => {
    const fresh = { KnowledgeBaseName: 'Other', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1' };
    for (const body of [
      { KBKeyID, ...ids },
      { ...fresh, ...ids },
    ])
      await expect(house.ask(saveKnowledgeBase, body)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message });
  });

  it('keeps what it leaves out of the profile, and empties what is null', async () => {
    const whole = {
      business_name: 'Demo Bazaar',
      timezone: 'Asia/Kolkata',
      support_phone: '+91 20 2550 1234',
      office_address: 'MG Road',
      working_hours: [{ day: 'Monday' as const, open_time: '09:30 AM', close_time: '07:00 PM', is_open: true }],
    };
    const { KBBusinessInfoID, KBBusinessInfoKeyID } = await house.ask(saveBusinessProfile, { KBID, businessInfo: whole });
    await house.ask(saveBusinessProfile, {
      KBID,
      businessInfo: { KBBusinessInfoID, business_type: 'Shop', support_phone: null },
    });
    const { businessInfo } = await house.ask(getBusinessProfile, { KBID });
    expect(businessInfo).toEqual({
      ...whole,
      business_type: 'Shop',
      industry: '',
      company_description: '',
      website_url: '',
      support_email: '',
      support_phone: '',
      holidays: [],
      KBBusinessInfoID,
      KBBusinessInfoKeyID,
    });
  });

  it('keeps what it leaves out of a product, and empties what is null', async () => {
    const kettle = { product_name: 'Kettle', price: 1499, currency: 'INR', sku: 'KT-15', warranty: 12 };
    const saved = await house.ask(saveCatalog, { KBID, products: [kettle] });
    const [{ product_id, CatalogItemKeyID } = { product_id: 0, CatalogItemKeyID: '' }] = saved.products;
    await house.ask(saveCatalog, { KBID, products: [{ product_id, price: 1399, warranty: null }] });
    expect(await house.ask(getCatalogItem, { CatalogItemKeyID })).toMatchObject({ ...kettle, price: 1399, warranty: 0 });
    await expect(house.ask(saveCatalog, { KBID, products: [{ price: 5 }] })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('keeps the question when only the answer changes', async () => {
    const saved = await house.ask(saveFaqs, { KBID, faqs: [{ KBFAQID: 0, Question: 'When?', Answer: 'Soon.' }] });
    const [{ KBFAQID, KBFAQKeyID } = { KBFAQID: 0, KBFAQKeyID: '' }] = saved.faqs;
    await house.ask(saveFaqs, { KBID, faqs: [{ KBFAQID, Answer: 'Now.' }] });
    expect(await house.ask(getFaq, { KBFAQKeyID })).toMatchObject({ Question: 'When?', Answer: 'Now.' });
  });
});
