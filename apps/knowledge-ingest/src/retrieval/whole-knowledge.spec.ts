import {
  Fault,
  getKnowledgeBase,
  readWholeKnowledge,
  retrieveKnowledge,
  saveBusinessProfile,
  saveCatalog,
  saveFaqs,
} from '@parley/contracts';
import { KnowledgeHarness, until } from '../testing/knowledge-harness.suite';

describe('the whole knowledge of a base', () => {
  let harness: KnowledgeHarness;
  let base: { KBID: number; KBKeyID: string };
  beforeAll(async () => {
    harness = await KnowledgeHarness.open();
    base = await harness.base();
    const { KBID } = base;
    const working_hours = [{ day: 'Monday' as const, open_time: '09:30 AM', close_time: '07:00 PM', is_open: true }];
    const holidays = [{ date: '2026-12-25', opens: '', closes: '', note: 'Christmas' }];
    const businessInfo = { business_name: 'Demo Bazaar', timezone: 'Asia/Kolkata', working_hours, holidays };
    await harness.ask(saveBusinessProfile, { KBID, businessInfo: { KBBusinessInfoID: 0, ...businessInfo } });
    await harness.ask(saveCatalog, {
      KBID,
      products: [{ product_name: 'Steel kettle', price: 1499, currency: 'INR' }],
      services: [],
    });
    await harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID: 0, Question: 'Do you repair?', Answer: 'Yes, on Mondays.' }] });
    await harness.settled(await harness.upload(KBID, 'terms.md', '# Terms\n\n## Returns\nGoods come back within ten days.\n'));
    await harness.indexed(base);
  });
  afterAll(() => harness.close());

  const whole = (tokensMax = 6000, orgId = 1) => harness.ask(readWholeKnowledge, { KBID: base.KBID, tokensMax }, orgId);

  it('contains every part in one order, with the timetable apart', async () => {
    const { isWhole, text, tokens, schedule } = await whole();
    expect(isWhole).toBe(true);
    const told = [
      'Name: Demo Bazaar',
      'Steel kettle',
      'Q: Do you repair?',
      '# Document: terms.md',
      'Goods come back within ten days.',
    ];
    const places = told.map((part) => text.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(tokens).toBeGreaterThan(20);
    expect(schedule).toMatchObject({ timezone: 'Asia/Kolkata', holidays: [{ note: 'Christmas' }] });
    expect((await whole()).text).toBe(text);
  });

  it('describes the business and what else there is, if it does not fit', async () => {
    const { isWhole, text, schedule } = await whole(0);
    expect(isWhole).toBe(false);
    expect(text).toContain('Name: Demo Bazaar');
    expect(text).toContain('to be searched');
    expect(text).toContain('Documents: terms.md');
    expect(text).not.toContain('Goods come back');
    expect(schedule).not.toBeNull();
  });

  it('is found for many concurrent questions, of any base and organization', async () => {
    const [mine, theirs] = [await harness.base(), await harness.base('Night Bazaar', 2)];
    const faq = (Answer: string) => [{ KBFAQID: 0, Question: 'Do you repair?', Answer }];
    await harness.ask(saveFaqs, { KBID: mine.KBID, faqs: faq('No, never.') });
    await harness.ask(saveFaqs, { KBID: theirs.KBID, faqs: faq('Yes, at night.') }, 2);
    const ask = (KBID: number, orgId = 1) =>
      harness.ask(retrieveKnowledge, { KBID, query: 'do you repair', wants: 'ANSWER' }, orgId).then(
        ({ faq: found }) => found?.Answer,
        (fault: unknown) => (fault instanceof Fault ? fault.code : fault),
      );
    const asked = [ask(base.KBID), ask(mine.KBID), ask(theirs.KBID, 2), ask(theirs.KBID), ask(base.KBID, 2), ask(base.KBID)];
    const ours = 'Yes, on Mondays.';
    expect(await Promise.all(asked)).toEqual([ours, 'No, never.', 'Yes, at night.', 'NOT_FOUND', 'NOT_FOUND', ours]);
  });

  it('changes once something is saved', async () => {
    const { revision } = await whole();
    const { KBID } = base;
    await harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID: 0, Question: 'Do you wrap gifts?', Answer: 'Yes, for ₹20.' }] });
    await harness.indexed(base);
    const after = await whole();
    expect(after.revision).toBeGreaterThan(revision);
    expect(after.text).toContain('Do you wrap gifts?');
  });

  it('is refused to another organization', async () => {
    await expect(whole(6000, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('warns its builder once it is asked in another script than it is written in, and not before', async () => {
    const other = await harness.base('Asked in its own script');
    const faqs = [{ KBFAQID: 0, Question: 'Do you repair?', Answer: 'Yes, on Mondays.' }];
    await harness.ask(saveFaqs, { KBID: other.KBID, faqs });
    await harness.indexed(other);
    const warningsOf = async (KBKeyID: string) => (await harness.ask(getKnowledgeBase, { KBKeyID })).warnings;
    await harness.ask(retrieveKnowledge, { KBID: other.KBID, query: 'On which days is something repaired?' });
    await harness.ask(retrieveKnowledge, { KBID: base.KBID, query: 'माल कितने दिन में वापस कर सकते हैं? रिटर्न' });
    await until(
      () => warningsOf(base.KBKeyID),
      (warnings) => warnings.length > 0,
    );
    expect(await warningsOf(base.KBKeyID)).toEqual([expect.stringContaining('across scripts')]);
    expect(await warningsOf(other.KBKeyID)).toEqual([]);
  });
});
