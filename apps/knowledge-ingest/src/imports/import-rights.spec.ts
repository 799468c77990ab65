import { getBusinessProfile, importBusiness, listCatalog, listFaqs } from '@parley/contracts';
import { Client } from 'pg';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';

describe('a business imported', () => {
  let harness: KnowledgeHarness;
  beforeAll(async () => {
    harness = await KnowledgeHarness.open();
  });
  afterAll(() => harness.close());

  describe('by a member', () => {
    const byWho = (...knowledge: ('CanAdd' | 'CanUpdate')[]) =>
      ({ kind: 'wsk', roleTypeId: 3, permissions: { knowledge } }) as const;
    const first = {
      businessInfo: { business_name: 'Demo Bazaar', timezone: 'Asia/Kolkata' },
      products: [{ product_name: 'Kettle', price: 1, currency: 'INR' }],
      faqs: [{ Question: 'When do you deliver?', Answer: 'In three days.' }],
    };
    const second = {
      businessInfo: { ...first.businessInfo, business_name: 'New Bazaar' },
      products: [
        { product_name: 'Kettle', price: 2, currency: 'INR' },
        { product_name: 'Lid', price: 1, currency: 'INR' },
      ],
      faqs: [
        { Question: 'Do you repair?', Answer: 'Yes.' },
        { Question: 'When do you deliver?', Answer: 'Never.', Alternatives: ['How long do I wait?'] },
      ],
    };
    const outcomesOf = async (id: number, body: object, who: ReturnType<typeof byWho>) => {
      const { report } = await harness.ask(importBusiness, { KBID: id, ...body }, 1, who);
      return report.map(({ section, name, outcome, message }) => [`${section} ${name} ${outcome}`, message]);
    };
    const knownIn = async (id: number) => [
      (await harness.ask(getBusinessProfile, { KBID: id })).businessInfo.business_name,
      (await harness.ask(listCatalog, { KBID: id, sortColumn: 'name', sortOrder: 'ASC' })).rows.map((row) =>
        'price' in row ? row.price : null,
      ),
      (await harness.ask(listFaqs, { KBID: id, sortColumn: 'Question', sortOrder: 'ASC' })).rows.map(({ Answer }) => Answer),
    ];
    const changes = 'It would change what is there, which needs the permission knowledge.CanUpdate';
    const adds = 'It would be added, which needs the permission knowledge.CanAdd';

    it('who may add adds what is new, leaves what stays, and is refused each row that would change one', async () => {
      const { KBID: id } = await harness.base('By an adder');
      expect((await outcomesOf(id, first, byWho('CanAdd'))).every(([, message]) => message === null)).toBe(true);
      expect(await outcomesOf(id, second, byWho('CanAdd'))).toEqual([
        ['businessInfo New Bazaar REFUSED', changes],
        ['products Kettle REFUSED', changes],
        ['products Lid CREATED', null],
        ['faqs Do you repair? CREATED', null],
        ['faqs When do you deliver? REFUSED', changes],
      ]);
      expect(await knownIn(id)).toEqual(['Demo Bazaar', [1, 1], ['Yes.', 'In three days.']]);
      const again = await outcomesOf(id, first, byWho('CanAdd'));
      expect(again.map(([what]) => what?.split(' ').at(-1))).toEqual(['UNCHANGED', 'UNCHANGED', 'UNCHANGED']);
    });

    it('who may update changes what is there, and is refused each row that would add one', async () => {
      const { KBID: id } = await harness.base('By an updater');
      expect((await outcomesOf(id, first, byWho('CanUpdate'))).map(([, message]) => message)).toEqual([adds, adds, adds]);
      await harness.ask(importBusiness, { KBID: id, ...first });
      expect(await outcomesOf(id, second, byWho('CanUpdate'))).toEqual([
        ['businessInfo New Bazaar UPDATED', null],
        ['products Kettle UPDATED', null],
        ['products Lid REFUSED', adds],
        ['faqs Do you repair? REFUSED', adds],
        ['faqs When do you deliver? REFUSED', adds],
      ]);
      expect(await knownIn(id)).toEqual(['New Bazaar', [2], ['In three days.']]);
    });
  });

  it('finds a question that an older version let stand twice', async () => {
    const { KBID: id } = await harness.base('Asked twice');
    const faqs = ['When?', 'How?'].map((Question) => ({ Question, Answer: 'Soon.' }));
    await harness.ask(importBusiness, { KBID: id, faqs });
    const admin = new Client({ connectionString: harness.adminUrl });
    await admin.connect();
    await admin.query(
      `UPDATE knowledge.faqs SET question = other.question, normalized = other.normalized FROM knowledge.faqs other
       WHERE faqs.knowledge_base_id = $1 AND other.knowledge_base_id = $1 AND other.question = 'When?'`,
      [id],
    );
    await admin.end();
    const { report } = await harness.ask(importBusiness, { KBID: id, faqs: [{ Question: 'When?', Answer: 'Now.' }] });
    expect(report).toMatchObject([{ outcome: 'UPDATED' }]);
  });
});
