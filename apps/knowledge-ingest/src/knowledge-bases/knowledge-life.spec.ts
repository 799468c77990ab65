import {
  deleteFaq,
  deleteKnowledgeBase,
  Fault,
  listFaqs,
  listKnowledgeBases,
  saveFaqs,
  saveKnowledgeBase,
} from '@parley/contracts';
import fc from 'fast-check';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';
import { chosen, KnowledgeModel, type KnowledgeStep } from './knowledge-model.suite';

const runs = 40;
const stepsMax = 40;
const pageSize = 3;

const step: fc.Arbitrary<KnowledgeStep> = fc.record({
  what: fc.constantFrom('open', 'rename', 'remove', 'ask', 'ask', 'ask', 'answer', 'answer', 'forget'),
  base: fc.nat(1000),
  question: fc.nat(1000),
  text: fc.constantFrom('When do you deliver?', 'Where are you?', 'आप कब खुले हैं?'),
});

describe('knowledge bases and their questions', () => {
  let harness: KnowledgeHarness;
  beforeAll(async () => {
    harness = await KnowledgeHarness.open();
  });
  afterAll(() => harness.close());

  it('follow the model, in any order of events', async () => {
    let orgId = 100;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: stepsMax }), async (steps) => {
        const model = new KnowledgeModel();
        const library = new Library(harness, (orgId += 1));
        for (const each of steps)
          expect({ ...each, answer: await library.step(each) }).toEqual({ ...each, answer: model.step(each) });
        expect(await library.bases()).toEqual(model.list());
        for (const [at, { isGone, questions }] of model.bases.entries()) {
          const left = questions.filter((question) => !question.isGone).map(({ text }) => text);
          expect(await library.questions(at)).toEqual(isGone ? 'NOT_FOUND' : left);
        }
      }),
      { numRuns: runs },
    );
  });
});

interface Made {
  readonly KBKeyID: string;
  readonly KBID: number;
  readonly faqs: { readonly KBFAQKeyID: string; readonly KBFAQID: number }[];
}

/** The real knowledge bases behind the same steps. */
class Library {
  private readonly made: Made[] = [];

  constructor(
    private readonly harness: KnowledgeHarness,
    private readonly orgId: number,
  ) {}

  step({ what, base: baseAt, question, text }: KnowledgeStep): Promise<string> {
    if (what === 'open') return this.save(null, text);
    const base = chosen(this.made, baseAt);
    const faq = base && chosen(base.faqs, question);
    if (!base || (!faq && (what === 'answer' || what === 'forget'))) return Promise.resolve('nothing to do');
    if (what === 'rename') return this.save(base.KBKeyID, text);
    if (what === 'remove')
      return outcomeOf(
        async () => (await this.harness.ask(deleteKnowledgeBase, { KBKeyID: base.KBKeyID }, this.orgId), 'REMOVED'),
      );
    if (what === 'forget')
      return outcomeOf(
        async () => (await this.harness.ask(deleteFaq, { KBFAQKeyID: faq?.KBFAQKeyID ?? '' }, this.orgId), 'REMOVED'),
      );
    return this.write(base, what === 'answer' && faq ? faq.KBFAQID : 0, text);
  }

  /** The names of all, oldest first, each with its number of questions. */
  bases(): Promise<string[]> {
    const query = { pageSize, sortColumn: 'KBID', sortOrder: 'ASC' } as const;
    return everyPage(async (pageNo) => {
      const { rows, totalCount } = await this.harness.ask(listKnowledgeBases, { ...query, pageNo }, this.orgId);
      return { texts: rows.map(({ KnowledgeBaseName, faqCount }) => `${KnowledgeBaseName} ${faqCount}`), totalCount };
    });
  }

  /** The questions of one, oldest first. */
  questions(at: number): Promise<string[] | string> {
    const query = { KBID: this.made[at]?.KBID ?? 0, pageSize, sortColumn: 'KBFAQID', sortOrder: 'ASC' } as const;
    return outcomeOf(() =>
      everyPage(async (pageNo) => {
        const { rows, totalCount } = await this.harness.ask(listFaqs, { ...query, pageNo }, this.orgId);
        return { texts: rows.map(({ Question }) => Question), totalCount };
      }),
    );
  }

  private save(KBKeyID: string | null, KnowledgeBaseName: string): Promise<string> {
    const body = { KBKeyID, KnowledgeBaseName, IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1' };
    return outcomeOf(async () => {
      const saved = await this.harness.ask(saveKnowledgeBase, body, this.orgId);
      if (KBKeyID === null) this.made.push({ ...saved, faqs: [] });
      return 'SAVED';
    });
  }

  private write({ KBID, faqs }: Made, KBFAQID: number, Question: string): Promise<string> {
    return outcomeOf(async () => {
      const saved = await this.harness.ask(saveFaqs, { KBID, faqs: [{ KBFAQID, Question, Answer: 'Yes.' }] }, this.orgId);
      const [faq] = saved.faqs;
      if (faq?.outcome === 'CREATED') faqs.push(faq);
      return faq?.outcome ?? 'none';
    });
  }
}

/** The rows of all pages, which must add up to the total in each. */
async function everyPage(read: (pageNo: number) => Promise<{ texts: string[]; totalCount: number }>): Promise<string[]> {
  const all: string[] = [];
  for (let pageNo = 1; ; pageNo += 1) {
    const { texts, totalCount } = await read(pageNo);
    all.push(...texts);
    if (texts.length === pageSize) continue;
    expect(all).toHaveLength(totalCount);
    return all;
  }
}

async function outcomeOf<T>(ask: () => Promise<T>): Promise<T | string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}
