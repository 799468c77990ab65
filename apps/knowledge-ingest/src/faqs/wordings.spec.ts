import { deleteFaq, importBusiness, listFaqs, retrieveKnowledge, saveFaqs } from '@parley/contracts';
import { Client } from 'pg';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';

const question = { Question: 'Can I return goods?', Answer: 'Within 7 days.' };
const refunds = 'Do you give refunds?';
const money = 'Will I get my money back?';

describe('the wordings of a question', () => {
  let harness: KnowledgeHarness;
  let KBID: number;
  beforeAll(async () => {
    harness = await KnowledgeHarness.open();
  });
  afterAll(() => harness.close());
  beforeEach(async () => {
    ({ KBID } = await harness.base());
    await imported({ ...question, Alternatives: [refunds, money] });
  });

  const imported = async (...faqs: Record<string, unknown>[]) => {
    const { report } = await harness.ask(importBusiness, { KBID, faqs });
    return report.map(({ outcome }) => outcome);
  };
  const listed = async () => (await harness.ask(listFaqs, { KBID, sortColumn: 'KBFAQID', sortOrder: 'ASC' })).rows;
  const answers = async () => (await listed()).map(({ Question, Answer }) => [Question, Answer]);
  const oneOf = async (Question: string) => {
    const found = (await listed()).find((faq) => faq.Question === Question);
    if (!found) throw new Error(`${Question} is not listed`);
    return found;
  };
  const told = async (query: string) => (await harness.ask(retrieveKnowledge, { KBID, query, wants: 'ANSWER' })).faq?.Answer;

  it('are listed with the question that they belong to', async () => {
    const { KBFAQKeyID } = await oneOf(question.Question);
    expect((await listed()).map(({ WordingsOf }) => WordingsOf)).toEqual([KBFAQKeyID, KBFAQKeyID, KBFAQKeyID]);
  });

  it.each([question.Question, refunds])('all get an answer that is saved with %s', async (Question) => {
    const { KBFAQID } = await oneOf(Question);
    const { faqs } = await harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID, Answer: 'Within 14 days.' }] });
    expect(faqs).toMatchObject([{ KBFAQID, outcome: 'UPDATED' }]);
    const asked = await Promise.all([question.Question, refunds, money].map(told));
    expect(asked).toEqual(['Within 14 days.', 'Within 14 days.', 'Within 14 days.']);
  });

  it('all get it if a list is saved as it was read, with one answer changed', async () => {
    const faqs = (await listed()).map(({ KBFAQID, Question, Answer }, place) => {
      return { KBFAQID, Question, Answer: place === 0 ? 'Within 14 days.' : Answer };
    });
    const saved = await harness.ask(saveFaqs, { KBID, faqs });
    expect(saved.faqs.map(({ outcome }) => outcome)).toEqual(['UPDATED', 'UPDATED', 'UPDATED']);
    expect(new Set((await listed()).map(({ Answer }) => Answer))).toEqual(new Set(['Within 14 days.']));
  });

  it('cannot be given two answers in one batch', async () => {
    const [first, second] = [await oneOf(question.Question), await oneOf(refunds)];
    const faqs = [
      { KBFAQID: first.KBFAQID, Answer: 'Within 14 days.' },
      { KBFAQID: second.KBFAQID, Answer: 'Never.' },
    ];
    await expect(harness.ask(saveFaqs, { KBID, faqs })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: [{ field: 'faqs.1.Answer' }],
    });
    expect(new Set((await listed()).map(({ Answer }) => Answer))).toEqual(new Set(['Within 7 days.']));
  });

  it('stay together when one is reworded', async () => {
    const { KBFAQID } = await oneOf(question.Question);
    await harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID, Question: 'May I send goods back?' }] });
    await harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID, Answer: 'No.' }] });
    expect(await answers()).toEqual([
      ['May I send goods back?', 'No.'],
      [refunds, 'No.'],
      [money, 'No.'],
    ]);
  });

  it('stay, with the new answer, if an import leaves Alternatives out', async () => {
    expect(await imported({ ...question, Answer: 'No.' })).toEqual(['UPDATED']);
    expect((await answers()).map(([, answer]) => answer)).toEqual(['No.', 'No.', 'No.']);
    expect(await imported({ ...question, Answer: 'No.' })).toEqual(['UNCHANGED']);
  });

  it('are removed if an import sends others, or none', async () => {
    expect(await imported({ ...question, Alternatives: [money] })).toEqual(['UPDATED']);
    expect(await answers()).toEqual([
      [question.Question, question.Answer],
      [money, question.Answer],
    ]);
    expect(await imported({ ...question, Alternatives: [] })).toEqual(['UPDATED']);
    expect(await answers()).toEqual([[question.Question, question.Answer]]);
    expect(await told(refunds)).not.toBe(question.Answer);
    expect(await imported({ ...question, Alternatives: [] })).toEqual(['UNCHANGED']);
  });

  it('are not removed by a member who may only add', async () => {
    const adder = { kind: 'wsk' as const, roleTypeId: 3, permissions: { knowledge: ['CanAdd' as const] } };
    const { report } = await harness.ask(importBusiness, { KBID, faqs: [{ ...question, Alternatives: [] }] }, 1, adder);
    expect(report).toMatchObject([{ outcome: 'REFUSED', message: expect.stringContaining('knowledge.CanUpdate') }]);
    expect(await listed()).toHaveLength(3);
  });

  it('become questions of their own, or wordings of another question, if an import says so', async () => {
    const other = { Question: 'Do you repair?', Answer: 'Yes.', Alternatives: [money] };
    const sent = [question, { Question: refunds, Answer: 'In cash.' }, other];
    expect(await imported(...sent)).toEqual(['UNCHANGED', 'UPDATED', 'CREATED']);
    const [first, repair] = [await oneOf(question.Question), await oneOf(other.Question)];
    expect((await listed()).map(({ Question, Answer, WordingsOf }) => [Question, Answer, WordingsOf])).toEqual([
      [question.Question, question.Answer, first.KBFAQKeyID],
      [refunds, 'In cash.', null],
      [money, 'Yes.', repair.KBFAQKeyID],
      [other.Question, 'Yes.', repair.KBFAQKeyID],
    ]);
    expect(await imported(...sent)).toEqual(['UNCHANGED', 'UNCHANGED', 'UNCHANGED']);
  });

  it('keep their answer when their question becomes a wording of another', async () => {
    const other = { Question: 'What of returns?', Answer: 'See our terms.', Alternatives: [question.Question] };
    expect(await imported(other)).toEqual(['CREATED']);
    expect((await answers()).map(([, answer]) => answer)).toEqual([
      other.Answer,
      ...Array(2).fill(question.Answer),
      other.Answer,
    ]);
    expect(await imported(other)).toEqual(['UNCHANGED']);
  });

  it('are linked by an import if an earlier version stored them without a link', async () => {
    const admin = new Client({ connectionString: harness.adminUrl });
    await admin.connect();
    await admin.query('UPDATE knowledge.faqs SET wordings_of = NULL WHERE knowledge_base_id = $1', [KBID]);
    await admin.end();
    expect(await imported({ ...question, Alternatives: [refunds, money] })).toEqual(['UNCHANGED']);
    const { KBFAQKeyID } = await oneOf(question.Question);
    expect(new Set((await listed()).map(({ WordingsOf }) => WordingsOf))).toEqual(new Set([KBFAQKeyID]));
  });

  it('are deleted one by one', async () => {
    const { KBFAQKeyID } = await oneOf(question.Question);
    await harness.ask(deleteFaq, { KBFAQKeyID });
    const { KBFAQID } = await oneOf(refunds);
    await harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID, Answer: 'No.' }] });
    expect(await answers()).toEqual([
      [refunds, 'No.'],
      [money, 'No.'],
    ]);
  });
});
