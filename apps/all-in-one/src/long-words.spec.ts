/** @quiet Judged by CPU time. */
import { randomUUID } from 'node:crypto';
import { createKey, createOrganization, examplesOf, type Principal, saveAgent, saveKnowledgeBase } from '@parley/contracts';
import { longestTurnMs, longWords, loopBudgetMs, recordOf } from '@parley/testing';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

/** The longest texts that the contract allows. */
const letters = { question: 8_000, query: 2_000, stored: 1_000, answer: 8_000, search: 200, variable: 2_000, document: 8_000 };

/** All services run in this process, the client included: what is measured is the longest that anything else has to wait. */
describe('a text of one long word lets the requests of others through', () => {
  let platform: WholePlatform;
  let keys: { readonly owner: string; readonly agent: string };
  let ids: { readonly AgentKeyID: string; readonly KBID: number };

  beforeAll(async () => {
    platform = await startWholePlatform();
    const owner = { email: `${randomUUID()}@tenant.example`, name: 'Owner' };
    const organization = {
      OrgKeyID: randomUUID(),
      OrganizationName: 'Words',
      timezone: 'Asia/Kolkata',
      defaultRegion: 'IN',
      owner,
    };
    const { OrgID: orgId, memberAdminID: memberId, userID: userId } = await platform.bus.ask(createOrganization, organization);
    const principal: Principal = { kind: 'wsk', keyId: 'test', orgId, memberId, userId, roleTypeId: 1 };
    const base = saveKnowledgeBase.request.parse(examplesOf(saveKnowledgeBase.request)[0]);
    const { KBID } = await platform.bus.ask(saveKnowledgeBase, base, { principal });
    const agent = { ...saveAgent.request.parse(examplesOf(saveAgent.request)[0]), KBID };
    const { AgentKeyID } = await platform.bus.ask(saveAgent, agent, { principal });
    const [all, one] = await Promise.all([
      platform.bus.ask(createKey, { name: 'all', kind: 'wsk' }, { principal }),
      platform.bus.ask(createKey, { name: 'one', kind: 'agt', AgentKeyID }, { principal }),
    ]);
    keys = { owner: all.key, agent: one.key };
    ids = { AgentKeyID, KBID };
  });
  afterAll(() => platform.stop());

  const sent = async (path: string, body: object | FormData, key = keys.owner): Promise<number> => {
    const isForm = body instanceof FormData;
    const headers = { 'x-api-key': key, ...(!isForm && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${platform.url}/api/v1/${path}`, {
      method: 'POST',
      headers,
      body: isForm ? body : JSON.stringify(body),
    });
    await answer.text();
    return answer.status;
  };

  /** The document is read by another process, and then indexed by this one. */
  const indexed = async (text: string): Promise<number> => {
    const form = new FormData();
    form.set('KBID', String(ids.KBID));
    form.set('KBDocumentKeyID', '');
    form.set('document', new File([text], 'words.md'));
    const answer = await fetch(`${platform.url}/api/v1/external/kb-doc/add-update`, {
      method: 'POST',
      headers: { 'x-api-key': keys.owner },
      body: form,
    });
    const { KBDocumentKeyID } = recordOf(recordOf(await answer.json())['data']);
    let status: unknown;
    while (status !== 'READY' && status !== 'FAILED') {
      await new Promise(setImmediate);
      const asked = await fetch(`${platform.url}/api/v1/external/kb-doc/status?KBDocumentKeyID=${KBDocumentKeyID}`, {
        headers: { 'x-api-key': keys.owner },
      });
      status = recordOf(recordOf(await asked.json())['data'])['status'];
    }
    return answer.status;
  };

  /** Every place that takes such a text, in an order in which the later ones find what the earlier ones kept. */
  const doors = (textOf: (letters: number) => string): Readonly<Record<string, () => Promise<number>>> => {
    const { AgentKeyID, KBID } = ids;
    const faq = () => ({ KBFAQID: 0, Question: textOf(letters.stored), Answer: textOf(letters.answer) });
    return {
      'a question': () => sent('ttt', { question: textOf(letters.question) }, keys.agent),
      'a question with variables': () =>
        sent('ttt', { question: 'When do you open?', variables: { customer_name: textOf(letters.variable) } }, keys.agent),
      'a search': () => sent('external/kb/search', { KBID, query: textOf(letters.query), topK: 5 }),
      'the preview of a prompt': () => sent('external/agent/preview-prompt', { AgentKeyID, question: textOf(letters.question) }),
      'the unanswered questions': () => sent('external/kb/unanswered', { KBID }),
      'a stored question': () => sent('external/kb-faq/add-update-faq', { KBID, faqs: [faq()] }),
      'a question to them': () => sent('ttt', { question: `What is ${textOf(letters.stored)}?` }, keys.agent),
      'a search in them': () => sent('external/kb/search', { KBID, query: textOf(letters.stored), topK: 5 }),
      'a search of contacts': () => sent('external/SalesUser/contact-list', { searchName: textOf(letters.search) }),
      'a search of logs': () => sent('external/logs/conversational-log-list', { search: textOf(letters.search) }),
    };
  };

  it.each(Object.entries(longWords))('%s', async (_name, textOf) => {
    const late: string[] = [];
    let run = 0;
    // Each run's text is another: texts are remembered.
    const next = (count: number): string => textOf(count - ((run += 1) % 100));
    for (const [door, enter] of Object.entries(doors(next))) {
      const spent: number[] = [];
      do spent.push(await longestTurnMs(async () => expect({ door, status: await enter() }).toEqual({ door, status: 200 })));
      while (spent.length < 3 && Math.min(...spent) >= loopBudgetMs);
      if (Math.min(...spent) >= loopBudgetMs) late.push(`${door}: ${Math.min(...spent).toFixed(0)} ms`);
    }
    expect(late).toEqual([]);
  });

  it('a document of all of them', async () => {
    const text = () => Object.values(longWords).map((textOf) => textOf(letters.document - (run += 1)));
    let run = 0;
    const spent = await longestTurnMs(() => indexed(text().join('\n\n')));
    expect(spent).toBeLessThan(loopBudgetMs);
  });
});
