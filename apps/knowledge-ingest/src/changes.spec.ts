import {
  clearVectors,
  deleteKnowledgeBase,
  getBusinessProfile,
  getCatalogItem,
  getFaq,
  getKnowledgeBase,
  saveBusinessProfile,
  readBusinessProfile,
  readCatalogItems,
  readFaqs,
  saveCatalog,
  saveFaqs,
  saveKnowledgeBase,
} from '@parley/contracts';
import { agentsByBase, KnowledgeHarness } from './testing/knowledge-harness.suite';

describe('a change to a knowledge base', () => {
  let harness: KnowledgeHarness;
  let KBID: number;
  let KBKeyID: string;
  beforeAll(async () => {
    harness = await KnowledgeHarness.open();
    ({ KBID, KBKeyID } = await harness.base());
  });
  afterAll(() => harness.close());

  it('is refused to members limited to agents that do not use it', async () => {
    const mine = await harness.base('Mine');
    const shared = await harness.base('Shared');
    agentsByBase.set(mine.KBID, [12]).set(shared.KBID, [12, 13]);
    const held = { kind: 'wsk' as const, agentIds: [12] };
    const faqs = [{ KBFAQID: 0, Question: 'Which account?', Answer: 'Ours.' }];
    expect(await harness.ask(saveFaqs, { KBID: mine.KBID, faqs }, 1, held)).toMatchObject({ faqs: [{ outcome: 'CREATED' }] });
    const refused = { code: 'SCOPE_MISSING' };
    await expect(harness.ask(saveFaqs, { KBID: shared.KBID, faqs }, 1, held)).rejects.toMatchObject(refused);
    const { KBKeyID: key } = shared;
    await expect(harness.ask(saveKnowledgeBase, { KBKeyID: key, KnowledgeBaseName: 'X' }, 1, held)).rejects.toMatchObject(
      refused,
    );
    await expect(harness.ask(deleteKnowledgeBase, { KBKeyID: key }, 1, held)).rejects.toMatchObject(refused);
    await expect(harness.ask(clearVectors, { KBID: shared.KBID, reindex: true }, 1, held)).rejects.toMatchObject(refused);
    expect(await harness.ask(getKnowledgeBase, { KBKeyID: key }, 1, held)).toMatchObject({ KnowledgeBaseName: 'Shared' });
  });

  it('does not delete a base while agents answer from it, and names them', async () => {
    const used = await harness.base('Used');
    agentsByBase.set(used.KBID, [12, 13]);
    const remove = () => harness.ask(deleteKnowledgeBase, { KBKeyID: used.KBKeyID });
    await expect(remove()).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('AgentID 12, 13') });
    expect(await harness.ask(getKnowledgeBase, { KBKeyID: used.KBKeyID })).toMatchObject({ KnowledgeBaseName: 'Used' });
    agentsByBase.delete(used.KBID);
    expect(await remove()).toEqual({ KBID: used.KBID, KBKeyID: used.KBKeyID });
  });

  it('keeps what it omits of the base itself', async () => {
    await harness.ask(saveKnowledgeBase, { KBKeyID, KnowledgeBaseName: 'Renamed' });
    const shown = await harness.ask(getKnowledgeBase, { KBKeyID });
    expect(shown).toMatchObject({ KnowledgeBaseName: 'Renamed', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' });
  });

  it.each([
    ['an industry', { IndustryID: 99 }, 'IndustryID 99 is not in the lookup industries'],
    ['a kind of agent', { AgentTypeID: 98 }, 'AgentTypeID 98 is not in the lookup agent-types'],
  ])('refuses an unknown id of %s, for a new base as well', async (_what, ids, message) => {
    const fresh = { KnowledgeBaseName: 'Other', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1' };
    for (const body of [
      { KBKeyID, ...ids },
      { ...fresh, ...ids },
    ])
      await expect(harness.ask(saveKnowledgeBase, body)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message });
  });

  it('keeps what it omits of the profile, and clears what is null', async () => {
    const whole = {
      business_name: 'Demo Bazaar',
      timezone: 'Asia/Kolkata',
      support_phone: '+91 20 2550 1234',
      office_address: 'MG Road',
      working_hours: [{ day: 'Monday' as const, open_time: '09:30 AM', close_time: '07:00 PM', is_open: true }],
    };
    const { KBBusinessInfoID, KBBusinessInfoKeyID } = await harness.ask(saveBusinessProfile, { KBID, businessInfo: whole });
    await harness.ask(saveBusinessProfile, {
      KBID,
      businessInfo: { KBBusinessInfoID, business_type: 'Shop', support_phone: null },
    });
    const { businessInfo } = await harness.ask(getBusinessProfile, { KBID });
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

  it('can be told from the profile before it, by its own id', async () => {
    const { KBKeyID: key, KBID: id } = await harness.base('Read');
    const info = { KBBusinessInfoID: 0, business_name: 'Shop', timezone: 'Asia/Kolkata' };
    const { KBBusinessInfoKeyID } = await harness.ask(saveBusinessProfile, { KBID: id, businessInfo: info });
    const read = await harness.ask(readBusinessProfile, { KBBusinessInfoKeyID });
    expect(read).toMatchObject({ KBKeyID: key, businessInfo: { business_name: 'Shop' } });
    await expect(harness.ask(readBusinessProfile, { KBBusinessInfoKeyID }, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keeps what it omits of a product, and clears what is null', async () => {
    const kettle = { product_name: 'Kettle', price: 1499, currency: 'INR', sku: 'KT-15', warranty: 12 };
    const saved = await harness.ask(saveCatalog, { KBID, products: [kettle] });
    const [{ product_id, CatalogItemKeyID } = { product_id: 0, CatalogItemKeyID: '' }] = saved.products;
    const change = { KBID, products: [{ product_id, price: 1399, warranty: null }] };
    expect(await harness.ask(readCatalogItems, change)).toMatchObject({
      products: [{ CatalogItemKeyID, ...kettle }],
      services: [],
    });
    expect(await harness.ask(readCatalogItems, { KBID, services: [{ service_id: product_id }] })).toMatchObject({ services: [] });
    await harness.ask(saveCatalog, change);
    expect(await harness.ask(getCatalogItem, { CatalogItemKeyID })).toMatchObject({ ...kettle, price: 1399, warranty: 0 });
    await expect(harness.ask(saveCatalog, { KBID, products: [{ price: 5 }] })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  it('keeps the question if only the answer changes', async () => {
    const saved = await harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID: 0, Question: 'When?', Answer: 'Soon.' }] });
    const [{ KBFAQID, KBFAQKeyID } = { KBFAQID: 0, KBFAQKeyID: '' }] = saved.faqs;
    const before = await harness.ask(readFaqs, { KBID, faqs: [{ KBFAQID: 0 }, { KBFAQID }] });
    expect(before.faqs).toMatchObject([{ KBFAQKeyID, Answer: 'Soon.' }]);
    await harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID, Answer: 'Now.' }] });
    expect(await harness.ask(getFaq, { KBFAQKeyID })).toMatchObject({ Question: 'When?', Answer: 'Now.' });
  });
});
